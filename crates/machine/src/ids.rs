//! Ids of the parts of a machine. Each is an index into one table of [`crate::Machine`].
//!
//! Procedures and variables keep the ids they have in the checked program.

use hardbop_program::id;

pub use hardbop_program::ids::{GlobalId, LocalId, ProcId, Variable};

id! {
    /// A node of any procedure: index into `Machine::nodes`.
    NodeId
}
id! {
    /// An edge of any procedure: index into `Machine::edges`.
    EdgeId
}
id! {
    /// An expression: index into `Machine::exprs`.
    ExprId
}
id! {
    /// A choice of one edge: index into `Edge::inputs`.
    InputId
}
