//! What a program declares: objects of C, and the variables of hardbop that they are made of.
//!
//! An object is a variable of C. Its *leaves* are the scalars in it: `s.a`, or `t.b` for all
//! elements of `t[4].b[3]`, as one array of 12. A leaf becomes a variable when it is first used, so
//! what is not used is not there.

use crate::terms::Sort;
use crate::types::Type;
use hardbop_syntax::{Notation, Span};
use std::collections::BTreeMap;

/// A variable of the program that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// An object of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// A variable of the program that is made.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub sort: Sort,
    /// The length of an array.
    pub length: Option<u32>,
    /// The function whose local it is.
    pub owner: Option<usize>,
    /// The initial values of a global; the last one is that of all further elements.
    pub initial: Vec<u64>,
    pub span: Span,
    /// How its values are written.
    pub notation: Notation,
    /// The object and the place of the leaf in it, for the order of declarations.
    pub order: (u32, u32),
}

/// An object of C.
#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    pub ty: Type,
    /// The function whose local it is.
    pub owner: Option<usize>,
    /// Its address is taken, and it is a global for that reason.
    pub lifted: bool,
    /// Each thread has its own, which starts with the initial value.
    pub is_thread_local: bool,
    /// It is declared here and defined elsewhere, so its initial value is not known.
    pub is_foreign: bool,
    pub span: Span,
    /// The initial values of a global by leaf.
    pub initial: BTreeMap<String, Vec<u64>>,
    /// The variables of the leaves in use.
    pub leaves: BTreeMap<String, VarId>,
}
