//! The recursive state machine: the one representation that every engine works on.
//!
//! [`Machine`] (module [`ir`]) is what a checked program becomes; [`expr`] holds its expressions.
//! It is the extended recursive state machine of VERA (section 2), which is also the control-flow graph of Bebop
//! (section 2.3): procedures with nodes and edges, data on the edges.

pub mod expr;
pub mod ids;
pub mod ir;
pub mod types;

pub use expr::{BinaryOp, Expr, ExprArena, UnaryOp};
pub use ids::{EdgeId, ExprId, GlobalId, InputId, LocalId, NodeId, ProcId, Variable};
pub use ir::{Action, Edge, Global, Local, Machine, Node, Procedure, Storage, Thread, ThreadStart};
pub use types::Type;
