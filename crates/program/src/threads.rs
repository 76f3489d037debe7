//! Decides what runs: the threads, `init`, the atomicity flag; and warns about procedures that
//! never do.

use crate::checker::Checker;
use crate::dialect::{Dialect, is_getafix_thread, is_init};
use crate::ids::{GlobalId, ProcId};
use crate::program::Thread;
use hardbop_syntax::ast::{Item, StmtKind, Symbol, ThreadBlock};
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Diagnostic, Span, codes};

/// The largest number of instances of one thread.
const MAX_INSTANCES: u64 = 1024;

/// The largest number of instances of all threads together. No engine comes near it, and whatever
/// counts threads in 32 bits is far from wrapping.
const MAX_THREADS: u64 = 4096;

impl Checker<'_> {
    /// Fills in the threads, `init` and the atomicity flag, after all bodies.
    pub fn find_threads(&mut self) {
        self.check_atomic_pairs();
        self.find_init();
        let mut next = ProcId(0);
        let mut names: Vec<(Symbol, Span)> = Vec::new();
        for item in &self.ast.items {
            match item {
                Item::Globals(_) => {}
                Item::Procedure(procedure) => {
                    if self.consider_procedure(next) {
                        names.push((procedure.name.name, procedure.name.span));
                    }
                    next.0 += 1;
                }
                Item::Thread(thread) => {
                    names.push((thread.name.name, thread.name.span));
                    self.consider_thread(thread, next);
                    next.0 += thread.procedures.len() as u32;
                }
            }
        }
        self.report_duplicate_threads(names);
        self.report_too_many_threads();
        let has_threads = self.ast.items.iter().any(|i| matches!(i, Item::Thread(_)));
        if self.threads.is_empty() && !has_threads && !self.ast.items.is_empty() {
            self.report_missing_main();
        }
        if self.dialect == Dialect::Getafix {
            let first = self.globals.first();
            let is_flag = first.is_some_and(|g| self.text(g.name) == "atomic" && !g.per_thread);
            self.atomic_flag = is_flag.then_some(GlobalId(0));
        }
        self.report_never_called();
        if self.has_atomic_blocks() && !self.has_syntax_errors && !has_errors(&self.diagnostics) {
            self.warn_about_atomic_blocks();
        }
    }

    fn find_init(&mut self) {
        let Some(init) = self.ast.names.get("init") else {
            return;
        };
        let Some(id) = self.scopes.procedures.get(init) else {
            return;
        };
        let syntax = self.syntax(id);
        if self.is_called[id.index()] || !is_init(self.ast, syntax) {
            return;
        }
        self.is_called[id.index()] = true;
        if self.dialect.has_init() {
            self.init = Some(id);
            return;
        }
        self.report(
            Diagnostic::new(
                codes::INIT_NOT_RUN,
                syntax.name.span,
                "the procedure `init` never runs",
            )
            .at("runs first only where there are `thread` blocks or procedures `thread…`")
            .help("call it from `main`, or say `--dialect getafix`"),
        );
    }

    /// Makes a procedure at the top level a thread if it is one, and says whether it is.
    fn consider_procedure(&mut self, id: ProcId) -> bool {
        let syntax = self.syntax(id);
        // Only the first of two procedures of one name can be meant.
        if self.scopes.procedures.get(syntax.name.name) != Some(id) {
            return false;
        }
        let is_main = self.text(syntax.name.name) == "main";
        let is_thread = self.dialect == Dialect::Getafix && is_getafix_thread(self.ast, syntax);
        if is_main || is_thread {
            self.add_thread(syntax.name.name, id, 1);
        }
        is_main || is_thread
    }

    fn consider_thread(&mut self, thread: &ThreadBlock, first: ProcId) {
        let instances = match thread.instances {
            Some((count, span)) if !(1..=MAX_INSTANCES).contains(&count) => {
                let name = self.text(thread.name.name);
                let message = format!("the thread `{name}` cannot have {count} instances");
                self.report(
                    Diagnostic::new(codes::BAD_INSTANCE_COUNT, span, message)
                        .at(format!("a count from 1 to {MAX_INSTANCES} is possible")),
                );
                1
            }
            Some((count, _)) => count as u32,
            None => 1,
        };
        let is_main = |name| self.ast.text(name) == "main";
        let mut procedures = thread.procedures.iter();
        if let Some(index) = procedures.position(|p| is_main(p.name.name)) {
            let entry = ProcId(first.0 + index as u32);
            self.add_thread(thread.name.name, entry, instances);
        } else {
            let name = self.text(thread.name.name);
            let message = format!("the thread `{name}` has no procedure `main`");
            self.report(
                Diagnostic::new(codes::THREAD_WITHOUT_MAIN, thread.name.span, message)
                    .at("its instances would start in its `main`"),
            );
        }
    }

    fn add_thread(&mut self, name: Symbol, entry: ProcId, instances: u32) {
        self.is_called[entry.index()] = true;
        self.threads.push(Thread {
            name,
            entry,
            instances,
        });
    }

    fn report_duplicate_threads(&mut self, mut names: Vec<(Symbol, Span)>) {
        names.sort_unstable();
        for pair in names.windows(2) {
            let [(name, first), (again, span)] = [pair[0], pair[1]];
            if name == again {
                let message = format!("two threads are called `{}`", self.text(name));
                self.report(
                    Diagnostic::new(codes::DUPLICATE_THREAD, span, message)
                        .at("the second")
                        .also(first, "the first"),
                );
            }
        }
    }

    fn report_too_many_threads(&mut self) {
        let mut total = 0;
        let past = self.threads.iter().find(|thread| {
            total += u64::from(thread.instances);
            total > MAX_THREADS
        });
        if let Some(thread) = past {
            let span = self.syntax(thread.entry).name.span;
            let message = format!("more than {MAX_THREADS} threads run at the same time");
            self.report(
                Diagnostic::new(codes::TOO_MANY_THREADS, span, message)
                    .at("with the instances that start here"),
            );
        }
    }

    fn report_missing_main(&mut self) {
        let end = Span::new(0, 0);
        let place = self
            .procedures
            .first()
            .map_or(end, |_| self.syntax(ProcId(0)).name.span);
        let diagnostic = Diagnostic::new(
            codes::MISSING_MAIN,
            place,
            "the program has no procedure `main` to start with",
        );
        let looks_like_main = self
            .ast
            .procedures()
            .map(|p| p.name)
            .find(|name| self.text(name.name).eq_ignore_ascii_case("main"));
        let diagnostic = match looks_like_main {
            Some(name) => diagnostic.also(name.span, "is this it? Names are case sensitive"),
            None => diagnostic.help("add `void main() begin … end`"),
        };
        self.report(diagnostic);
    }

    fn check_atomic_pairs(&mut self) {
        let first = |wanted: fn(&StmtKind) -> bool| {
            let mut stmts = self.ast.stmts.iter();
            stmts.find(|stmt| wanted(&stmt.kind)).map(|stmt| stmt.span)
        };
        let begin = first(|kind| matches!(kind, StmtKind::AtomicBegin));
        let end = first(|kind| matches!(kind, StmtKind::AtomicEnd));
        let (span, message) = match (begin, end) {
            (Some(span), None) => (
                span,
                "`atomic_begin` without any `atomic_end` in the program",
            ),
            (None, Some(span)) => (
                span,
                "`atomic_end` without any `atomic_begin` in the program",
            ),
            _ => return,
        };
        self.report(Diagnostic::new(codes::UNMATCHED_ATOMIC, span, message));
    }

    fn has_atomic_blocks(&self) -> bool {
        let mut stmts = self.ast.stmts.iter();
        stmts.any(|stmt| matches!(stmt.kind, StmtKind::AtomicBegin | StmtKind::AtomicEnd))
    }

    /// Where there are errors, a call may be one of them, so nothing is said about calls that are
    /// missing.
    fn report_never_called(&mut self) {
        if has_errors(&self.diagnostics) {
            return;
        }
        for index in 0..self.procedures.len() {
            if self.is_called[index] {
                continue;
            }
            let name = self.syntax(ProcId::new(index)).name;
            let message = format!("the procedure `{}` is never called", self.text(name.name));
            self.report(
                Diagnostic::new(codes::NEVER_CALLED, name.span, message)
                    .at("no other procedure calls it and no thread starts in it"),
            );
        }
    }
}
