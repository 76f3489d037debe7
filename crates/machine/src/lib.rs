//! The recursive state machine: the one representation that every engine works on.
//!
//! [`Machine`] (module [`ir`]) is what [`lower`] makes of a checked program; [`expr`] holds its
//! expressions. It is the extended recursive state machine of VERA (section 2), which is also the
//! control-flow graph of Bebop (section 2.3): procedures with nodes and edges, data on the edges.

pub mod analysis;
pub mod bits;
pub mod cast;
pub mod digest;
pub mod expr;
pub mod graph;
pub mod ids;
pub mod inlined;
pub mod ir;
mod lower;
pub mod machine;
#[cfg(test)]
mod test_builder;
pub mod text;

pub use hardbop_program::types;
pub use hardbop_syntax::{Check, Claim, List, Notation, list};

pub use expr::{BinaryOp, Expr, ExprArena, UnaryOp};
pub use ids::{EdgeId, ExprId, GlobalId, InputId, LocalId, NodeId, ProcId, Variable};
pub use ir::{
    Action, Edge, Global, Local, MachineParts, Node, Procedure, Storage, Thread, ThreadStart,
};
pub use lower::lower;
pub use machine::Machine;
pub use types::Type;

use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Diagnostic, Source};

/// The machine of a program text, or everything that is wrong with it. A name that ends in `.gp`
/// means Leino's guarded blocks.
pub fn from_text(name: &str, text: &str) -> Result<Machine, Vec<Diagnostic>> {
    let source = Source::new(name, text);
    let parsed = hardbop_syntax::parse(&source);
    let mut diagnostics = parsed.diagnostics;
    let checked = hardbop_program::check(parsed.ast, &source, None);
    diagnostics.extend(checked.diagnostics);
    match checked.program {
        Some(program) if !has_errors(&diagnostics) => Ok(lower(program, &source)),
        _ => Err(diagnostics),
    }
}
