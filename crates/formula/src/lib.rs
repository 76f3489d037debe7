//! The `.mu` language (Mucke's input language, after section 3 of the Getafix paper): relations
//! over finite types, defined by formulas and by least and greatest fixed points.
//!
//! [`load`] turns a text and the files it loads into a tree with diagnostics, and a tree without
//! errors into a [`System`], in which types are gone: everything is bits. Solvers see only the
//! system.

mod ast;
mod builder;
mod check;
mod lexer;
mod loading;
mod names;
mod parser;
mod plain;
mod sources;
mod system;
mod token;
mod vocabulary;

pub use builder::FormulaBuilder;
pub use loading::{Checked, Loader, Named, declares_needs, load, load_text, load_with};
pub use names::names;
pub use sources::Sources;
pub use system::{
    Action, ActionKind, ArgumentBit, Bits, Cofactor, Formula, FormulaId, Hint, HintKind, Leaf,
    Relation, RelationId, RelationKind, Shown, System, Values, Variable, VariableId,
};
pub use vocabulary::{NamedField, NamedPlace, NamedValues, Vocabulary};
