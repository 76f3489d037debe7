//! The concurrent dialects and how to tell which one a program is in.
//!
//! There is one grammar; a dialect only decides what runs: which procedures are threads, whether
//! `init` goes first and what a label `ASYNC_…` means. Constructs that can mean one thing only
//! (`thread` blocks, `start_thread`) mean it in every dialect.

use crate::program::is_async_label;
use hardbop_syntax::Ast;
use hardbop_syntax::ast::{Item, Procedure, StmtKind};

/// What the concurrency of a program looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// One thread, which runs `main`.
    Sequential,
    /// `thread` blocks.
    Threads,
    /// The Getafix tool: procedures `init` and `thread…`.
    Getafix,
    /// Boppo: calls under labels `ASYNC_…`.
    Boppo,
    /// SATABS: `start_thread`, `end_thread`, `atomic_begin`, `atomic_end`, `thread_local`.
    Satabs,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 5] = [
        Dialect::Sequential,
        Dialect::Threads,
        Dialect::Getafix,
        Dialect::Boppo,
        Dialect::Satabs,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Sequential => "sequential",
            Dialect::Threads => "threads",
            Dialect::Getafix => "getafix",
            Dialect::Boppo => "boppo",
            Dialect::Satabs => "satabs",
        }
    }

    /// The dialect of a program, from the constructs it uses.
    pub fn detect(ast: &Ast) -> Self {
        if ast.items.iter().any(|i| matches!(i, Item::Thread(_))) {
            return Dialect::Threads;
        }
        let is_satabs = |kind: &StmtKind| {
            matches!(
                kind,
                StmtKind::StartThreadAt(_)
                    | StmtKind::StartThreadCall { .. }
                    | StmtKind::EndThread
                    | StmtKind::AtomicBegin
                    | StmtKind::AtomicEnd
            )
        };
        let is_thread_local =
            |item: &Item| matches!(item, Item::Globals(declaration) if declaration.thread_local);
        if ast.stmts.iter().any(|s| is_satabs(&s.kind)) || ast.items.iter().any(is_thread_local) {
            return Dialect::Satabs;
        }
        let is_asynchronous_call = |stmt: &hardbop_syntax::ast::Stmt| {
            matches!(stmt.kind, StmtKind::Call { .. })
                && is_async_label(ast, &stmt.labels).is_some()
        };
        if ast.stmts.iter().any(is_asynchronous_call) {
            return Dialect::Boppo;
        }
        let has_init = ast.procedures().any(|p| is_init(ast, p));
        if has_init && ast.procedures().any(|p| is_getafix_thread(ast, p)) {
            return Dialect::Getafix;
        }
        Dialect::Sequential
    }

    /// Whether a call under a label `ASYNC_…` starts a thread.
    pub fn has_asynchronous_calls(self) -> bool {
        matches!(self, Dialect::Threads | Dialect::Boppo | Dialect::Satabs)
    }

    /// Whether a procedure `init` runs before the threads.
    pub fn has_init(self) -> bool {
        matches!(self, Dialect::Threads | Dialect::Getafix)
    }
}

/// Whether a procedure can run before the threads.
pub(crate) fn is_init(ast: &Ast, procedure: &Procedure) -> bool {
    ast.text(procedure.name.name) == "init" && procedure.parameters.is_empty()
}

/// Whether the Getafix tool runs a procedure as a thread.
pub(crate) fn is_getafix_thread(ast: &Ast, procedure: &Procedure) -> bool {
    ast.text(procedure.name.name).starts_with("thread") && procedure.parameters.is_empty()
}
