//! Syntax tree to checked program: what each name means, which type each expression has, which
//! threads run.
//!
//! The second box of the data flow. [`check`] reports all errors of a program, not only the first,
//! and gives a [`Program`] only where there are none. Nothing here recurses on the shape of the
//! program, and all of it is linear in the size of the program: names are looked up in tables
//! indexed by symbol.

mod atomic;
mod body;
mod calls;
mod checker;
mod constant;
mod declare;
mod dialect;
mod endings;
pub mod ids;
mod infer;
mod mismatch;
mod program;
mod readings;
mod scope;
mod suggest;
mod threads;
pub mod types;
mod words;

pub use dialect::Dialect;
pub use ids::{GlobalId, LocalId, ProcId, Variable};
pub use program::{Element, Global, Local, Procedure, Program, Thread};
pub use types::Type;

use hardbop_syntax::{Ast, Diagnostic, Source};

/// What came of checking a program.
#[derive(Debug)]
pub struct Checked {
    /// The program, if it has no errors.
    pub program: Option<Program>,
    /// Errors and warnings in order of the text. Errors that the parser has reported are not
    /// repeated.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks the names and types of a program. Without a `dialect` it is detected from the constructs
/// that the program uses.
pub fn check(ast: Ast, source: &Source, dialect: Option<Dialect>) -> Checked {
    let (diagnostics, parts) = checker::Checker::new(&ast, source, dialect).run();
    let program = parts.map(|parts| Program {
        ast,
        dialect: parts.dialect,
        globals: parts.globals,
        procedures: parts.procedures,
        threads: parts.threads,
        init: parts.init,
        atomic_flag: parts.atomic_flag,
        tables: parts.tables,
    });
    Checked {
        program,
        diagnostics,
    }
}
