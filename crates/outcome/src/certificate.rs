//! Evidence that targets cannot be reached: an inductive invariant of the machine, with one versioned JSON form.
//!
//! For every procedure and node there is a relation between the state at the procedure's entry and the current state
//! (Bebop's path edges, section 3.1), and for every procedure a summary: the relation at its exit. Each is a formula over bits.
//! Whoever accepts a certificate checks: initial states are inside; every edge leads from inside to inside; a call's
//! entry state is inside the callee's entry relation (with entry and current state equal); a call followed by the callee's
//! summary leads inside; the relation at every target is empty. The relation at an exit need not be listed twice: the
//! summary *is* the relation at the exit node.

use crate::query::Target;
use hardbop_machine::{NodeId, ProcId, Variable};
use serde::{Deserialize, Serialize};

/// Version of the JSON form.
pub const VERSION: u32 = 1;

/// An inductive invariant that excludes some targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Version of this form.
    #[serde(rename = "hardbop-certificate")]
    pub version: u32,
    /// [`crate::digest`] of the machine.
    pub program: String,
    /// The targets that it excludes.
    pub targets: Vec<Target>,
    /// All formulas; operands before their users.
    pub formulas: Vec<Formula>,
    /// The relations, in order of the nodes. A node that is not listed has the empty relation: it is never reached.
    pub nodes: Vec<NodeRelation>,
}

/// The states in which a node may be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRelation {
    /// The procedure, for readers; it follows from the node.
    pub procedure: ProcId,
    /// The node.
    pub node: NodeId,
    /// One-based source line, for readers.
    pub line: u32,
    /// Index into [`Certificate::formulas`].
    pub relation: u32,
}

/// A formula over the bits of variables. Operands are indices of earlier formulas.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Formula {
    /// A constant.
    Constant(bool),
    /// A bit of a variable at the procedure's entry.
    Entry(Bit),
    /// A bit of a variable now.
    Now(Bit),
    /// Negation.
    Not(u32),
    /// Conjunction; true if empty.
    And(Vec<u32>),
    /// Disjunction; false if empty.
    Or(Vec<u32>),
    /// `if c then a else b`.
    Ite(u32, u32, u32),
}

/// One bit of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Bit {
    /// The variable, as seen from the procedure.
    pub variable: Variable,
    /// Its bit, the lowest is 0.
    pub bit: u32,
}
