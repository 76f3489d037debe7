//! Walks the statements of every procedure with a stack of its own, resolves their names and labels
//! and checks counts.

use crate::checker::Checker;
use crate::ids::{GlobalId, LocalId, ProcId, Variable};
use crate::infer::Context;
use crate::mismatch::Reason;
use crate::program::is_async_label;
use crate::suggest;
use hardbop_syntax::ast::{
    Block, Declaration, ExprId, Ident, Item, Procedure, Stmt, StmtId, StmtKind, Target,
};
use hardbop_syntax::{Diagnostic, Span, codes};

/// The jumps of a procedure, looked up once all its labels are known, and those that led nowhere.
#[derive(Default)]
struct Jumps {
    of_procedure: Vec<Jump>,
    unknown: Vec<(ProcId, Jump)>,
}

/// A label that a statement names.
#[derive(Clone, Copy)]
struct Jump {
    label: Ident,
    /// A thread is to start there.
    starts_thread: bool,
}

impl<'a> Checker<'a> {
    /// Checks all procedures.
    pub fn check_bodies(&mut self) {
        let mut next_global = GlobalId(0);
        let mut next_procedure = ProcId(0);
        let mut jumps = Jumps::default();
        for item in &self.ast.items {
            match item {
                Item::Globals(declaration) => next_global.0 += declaration.variable_count(),
                Item::Procedure(procedure) => {
                    self.check_procedure(next_procedure, procedure, &mut jumps);
                    next_procedure.0 += 1;
                }
                Item::Thread(thread) => {
                    self.enter_thread(thread, next_global, next_procedure);
                    for procedure in &thread.procedures {
                        self.check_procedure(next_procedure, procedure, &mut jumps);
                        next_procedure.0 += 1;
                    }
                    self.leave_thread();
                    let counts = thread.variables.iter().map(Declaration::variable_count);
                    next_global.0 += counts.sum::<u32>();
                }
            }
        }
        for (procedure, jump) in jumps.unknown {
            self.report_unknown_label(procedure, jump);
        }
    }

    fn check_procedure(&mut self, id: ProcId, procedure: &'a Procedure, jumps: &mut Jumps) {
        self.enter_procedure(id);
        let context = Context {
            procedure: Some(id),
            primes: false,
            fixed_indexes: false,
        };
        let mut next = procedure.parameters.len() as u32;
        for variable in procedure.locals.iter().flat_map(|d| &d.variables) {
            let local = Variable::Local(LocalId(next));
            next += variable.variable_count();
            if let Some(initial) = variable.initial {
                self.check_expr(initial, context, Reason::Assigned(local));
            }
        }
        if let Some(condition) = procedure.enforce {
            let context = Context {
                fixed_indexes: true,
                ..context
            };
            self.check_expr(condition, context, Reason::Condition);
        }
        self.check_block(id, &procedure.body, jumps);
        let mut unknown = std::mem::take(&mut jumps.of_procedure);
        unknown.retain(|jump| self.scopes.labels.get(jump.label.name).is_none());
        jumps.unknown.extend(unknown.iter().map(|&jump| (id, jump)));
        unknown.clear();
        jumps.of_procedure = unknown;
        self.warn_about_ending(id, procedure);
    }

    fn check_block(&mut self, procedure: ProcId, body: &'a Block, jumps: &mut Jumps) {
        let mut open: Vec<(&'a Block, usize)> = vec![(body, 0)];
        while let Some((block, next)) = open.pop() {
            let Some(&stmt) = block.stmts.get(next) else {
                self.declare_labels(procedure, &block.end_labels);
                continue;
            };
            open.push((block, next + 1));
            let syntax = self.ast.stmt(stmt);
            self.declare_labels(procedure, &syntax.labels);
            self.check_statement(procedure, stmt, syntax, jumps);
            match &syntax.kind {
                StmtKind::If { arms, otherwise } => {
                    open.extend(otherwise.as_deref().map(|block| (block, 0)));
                    open.extend(arms.iter().rev().map(|(_, block)| (block, 0)));
                }
                StmtKind::While { body, .. } => open.push((body, 0)),
                _ => {}
            }
        }
    }

    fn declare_labels(&mut self, procedure: ProcId, labels: &[Ident]) {
        for (index, label) in labels.iter().enumerate() {
            let place = (procedure, label.span);
            self.scopes.all_labels.declare(label.name, place);
            let Some(first) = self.scopes.labels.declare(label.name, label.span) else {
                continue;
            };
            let is_new = (self.scopes.repeated_labels.declare(label.name, first)).is_none();
            if !is_new {
                continue;
            }
            let text = self.text(label.name);
            let is_same_place = labels[..index].iter().any(|l| l.name == label.name);
            let (message, help) = if is_same_place {
                let message = format!("the label `{text}` stands twice before one statement");
                (message, None)
            } else {
                let message = format!(
                    "the label `{text}` stands at several places of `{}`",
                    self.text(self.syntax(procedure).name.name)
                );
                let help = "questions about it mean all of them, `goto` leads to the first";
                (message, Some(help.to_owned()))
            };
            let mut diagnostic = Diagnostic::new(codes::DUPLICATE_LABEL, label.span, message)
                .at("again here")
                .also(first, "first here");
            diagnostic.help = help;
            self.report(diagnostic);
        }
    }

    fn check_statement(
        &mut self,
        procedure: ProcId,
        id: StmtId,
        stmt: &'a Stmt,
        jumps: &mut Jumps,
    ) {
        let context = Context {
            procedure: Some(procedure),
            primes: false,
            fixed_indexes: false,
        };
        if !matches!(stmt.kind, StmtKind::Call { .. }) {
            self.check_async_label(stmt, None);
        }
        match &stmt.kind {
            StmtKind::Skip | StmtKind::EndThread | StmtKind::AtomicBegin | StmtKind::AtomicEnd => {}
            StmtKind::Error => self.has_syntax_errors = true,
            StmtKind::Print(values) => {
                for &value in values {
                    self.check_expr(value, context, Reason::Free);
                }
            }
            StmtKind::Assert(condition)
            | StmtKind::AbortIf(condition)
            | StmtKind::Assume { condition, .. }
            | StmtKind::While { condition, .. } => {
                self.check_expr(*condition, context, Reason::Condition);
            }
            StmtKind::If { arms, .. } => {
                for &(condition, _) in arms {
                    self.check_expr(condition, context, Reason::Condition);
                }
            }
            StmtKind::Goto(labels) => jumps.of_procedure.extend(labels.iter().map(|&label| Jump {
                label,
                starts_thread: false,
            })),
            StmtKind::StartThreadAt(label) => jumps.of_procedure.push(Jump {
                label: *label,
                starts_thread: true,
            }),
            StmtKind::Dead { variables, .. } => {
                let targets: Vec<Target> = variables.iter().map(|&v| Target::Variable(v)).collect();
                self.check_targets(id, &targets, context);
                self.drop_repeated_targets();
            }
            StmtKind::Assign {
                targets,
                values,
                constrain,
            } => {
                self.check_assignment(id, stmt.span, targets, values, context);
                self.drop_repeated_targets();
                if constrain.is_none() {
                    self.warn_if_nothing_is_assigned(stmt.span, targets);
                }
                if let Some(condition) = *constrain {
                    let context = Context {
                        primes: true,
                        fixed_indexes: true,
                        ..context
                    };
                    self.check_expr(condition, context, Reason::Condition);
                }
            }
            StmtKind::Call {
                targets,
                callee,
                arguments,
                ..
            } => {
                self.check_async_label(stmt, Some(targets));
                self.check_call(id, *callee, arguments, context);
                self.check_result_targets(id, stmt.span, targets, context);
                self.drop_repeated_targets();
            }
            StmtKind::StartThreadCall { callee, arguments } => {
                self.check_call(id, *callee, arguments, context);
            }
            StmtKind::Return(values) => self.check_return(procedure, stmt.span, values, context),
        }
    }

    /// Of several values for a variable the last one counts: the others are thrown away, once their
    /// types are checked.
    fn drop_repeated_targets(&mut self) {
        for index in self.repeated_targets.drain(..) {
            self.tables.targets[index] = None;
        }
    }

    /// Resolves targets, and warns of those that occur twice. Returns where they start in the table of targets.
    pub fn check_targets(&mut self, id: StmtId, targets: &[Target], context: Context) -> usize {
        let first = self.tables.targets.len();
        self.tables.first_target[id.0 as usize] = first as u32;
        let mut named: Vec<(Variable, Span, usize)> = Vec::with_capacity(targets.len());
        let is_whole = matches!(self.ast.stmt(id).kind, StmtKind::Dead { .. });
        for &target in targets {
            let variable = match target {
                Target::Variable(name) => {
                    let index = self.tables.targets.len();
                    let found = self.resolve(name);
                    let found = found.filter(|&variable| {
                        is_whole || self.is_scalar(context.procedure, variable, name.span)
                    });
                    found.inspect(|&variable| named.push((variable, name.span, index)))
                }
                Target::Element(element) => {
                    self.check_expr(element, context, Reason::Free);
                    self.array_of(element)
                }
                Target::Discard(_) => None,
            };
            self.tables.targets.push(variable);
        }
        named.sort_unstable();
        for pair in named.windows(2) {
            let [(variable, first, dropped), (again, span, _)] = [pair[0], pair[1]];
            if variable == again {
                self.repeated_targets.push(dropped);
                let message = format!("`{}` is assigned twice at once", self.source.slice(span));
                self.report(
                    Diagnostic::new(codes::DUPLICATE_TARGET, span, message)
                        .at("this value counts")
                        .also(first, "this one does not"),
                );
            }
        }
        first
    }

    fn check_assignment(
        &mut self,
        id: StmtId,
        span: Span,
        targets: &[Target],
        values: &[ExprId],
        context: Context,
    ) {
        let first = self.check_targets(id, targets, context);
        if targets.len() != values.len() {
            let message = format!(
                "{} but {}",
                count(
                    targets.len(),
                    "variable is assigned",
                    "variables are assigned"
                ),
                count(values.len(), "value is given", "values are given"),
            );
            self.report(
                Diagnostic::new(codes::WRONG_VALUE_COUNT, span, message)
                    .at("one value for each variable"),
            );
        }
        for (index, &value) in values.iter().enumerate() {
            let target = (index < targets.len()).then(|| self.tables.targets[first + index]);
            let reason = target.flatten().map_or(Reason::Free, Reason::Assigned);
            self.check_expr(value, context, reason);
        }
    }

    fn warn_if_nothing_is_assigned(&mut self, span: Span, targets: &[Target]) {
        if targets.iter().all(|t| matches!(t, Target::Discard(_))) {
            let message = "this assignment throws all its values away";
            self.report(
                Diagnostic::new(codes::NOTHING_ASSIGNED, span, message).at("the same as `skip`"),
            );
        }
    }

    fn check_async_label(&mut self, stmt: &Stmt, targets: Option<&[Target]>) {
        if !self.dialect.has_asynchronous_calls() {
            return;
        }
        let Some(label) = is_async_label(self.ast, &stmt.labels) else {
            return;
        };
        let text = self.text(label.name);
        let diagnostic = match targets {
            None => Diagnostic::new(
                codes::ASYNC_WITHOUT_CALL,
                label.span,
                format!("the label `{text}` stands on a statement that is not a call"),
            )
            .at("labels `ASYNC_…` start threads")
            .also(stmt.span, "no call"),
            Some([]) => return,
            Some(_) => Diagnostic::new(
                codes::ASYNC_WITH_TARGETS,
                stmt.span,
                "a thread gives no results back, but there are variables to assign them to",
            )
            .also(label.span, "this label makes the call start a thread"),
        };
        self.report(diagnostic);
    }

    fn report_unknown_label(&mut self, procedure: ProcId, jump: Jump) {
        let label = jump.label;
        let text = self.text(label.name);
        let here = self.text(self.syntax(procedure).name.name);
        let diagnostic = match self.scopes.all_labels.get(label.name) {
            Some((other, span)) if other != procedure => {
                let home = self.text(self.syntax(other).name.name);
                let what = if jump.starts_thread {
                    format!("a thread cannot start outside of `{here}`")
                } else {
                    format!("`goto` cannot leave `{here}`")
                };
                let message = format!("{what}: the label `{text}` is in `{home}`");
                let diagnostic = Diagnostic::new(codes::LABEL_ELSEWHERE, label.span, message)
                    .at(format!("no such label in `{here}`"))
                    .also(span, format!("this one is in `{home}`"));
                if jump.starts_thread {
                    diagnostic.help(format!(
                        "write `start_thread {home}(…)` for a thread that runs `{home}`"
                    ))
                } else {
                    diagnostic
                }
            }
            _ => {
                let message = format!("there is no label `{text}` in `{here}`");
                let mut diagnostic = Diagnostic::new(codes::UNKNOWN_LABEL, label.span, message)
                    .at("no statement has this label");
                if self.may_suggest() {
                    let labels = &self.scopes.all_labels;
                    let is_here = |&name: &_| labels.get(name).is_some_and(|l| l.0 == procedure);
                    let candidates = labels.names().filter(is_here);
                    diagnostic.help = suggest::nearest(self.ast, label.name, candidates)
                        .map(suggest::did_you_mean);
                }
                diagnostic
            }
        };
        self.report(diagnostic);
    }
}

/// A number with its noun.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
