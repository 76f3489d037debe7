//! Calls and returns: callees, and as many arguments, targets and values as the procedure says.

use crate::body::count;
use crate::checker::Checker;
use crate::ids::{LocalId, ProcId};
use crate::infer::Context;
use crate::mismatch::Reason;
use crate::suggest;
use hardbop_syntax::ast::{ExprId, Ident, StmtId, Target};
use hardbop_syntax::{Diagnostic, Span, codes};

impl Checker<'_> {
    /// Resolves the callee and checks the arguments.
    pub fn check_call(
        &mut self,
        id: StmtId,
        callee: Ident,
        arguments: &[ExprId],
        context: Context,
    ) {
        let Some(procedure) = self.resolve_procedure(callee) else {
            for &argument in arguments {
                self.check_expr(argument, context, Reason::Free);
            }
            return;
        };
        self.tables.set_callee(id, procedure);
        if context.procedure != Some(procedure) {
            self.is_called[procedure.index()] = true;
        }
        let parameters = self.procedures[procedure.index()].parameter_count as usize;
        if parameters != arguments.len() {
            let name = self.text(callee.name);
            let message = format!(
                "`{name}` has {} but is called with {}",
                count(parameters, "parameter", "parameters"),
                count(arguments.len(), "argument", "arguments"),
            );
            let declared = self.syntax(procedure).name.span;
            self.report(
                Diagnostic::new(codes::WRONG_ARGUMENT_COUNT, callee.span, message)
                    .at(count(arguments.len(), "argument here", "arguments here"))
                    .also(
                        declared,
                        count(parameters, "parameter here", "parameters here"),
                    ),
            );
        }
        for (index, &argument) in arguments.iter().enumerate() {
            let reason = if index < parameters {
                Reason::Parameter(procedure, LocalId::new(index))
            } else {
                Reason::Free
            };
            self.check_expr(argument, context, reason);
        }
    }

    fn resolve_procedure(&mut self, callee: Ident) -> Option<ProcId> {
        let found = self.lookup_procedure(callee.name);
        if found.is_some() {
            return found;
        }
        let name = self.text(callee.name);
        if let Some(elsewhere) = self.scopes.all_thread_procedures.get(callee.name) {
            let thread = self.procedures[elsewhere.index()].thread;
            let thread = thread.map_or("", |thread| self.text(thread));
            let message = format!(
                "`{name}` is a procedure of the thread `{thread}` and cannot be called from here"
            );
            let declared = self.syntax(elsewhere).name.span;
            self.report(
                Diagnostic::new(codes::CALL_INTO_THREAD, callee.span, message)
                    .at(format!("only procedures of `{thread}` can call it"))
                    .also(declared, "defined inside the thread")
                    .help("move it out of the `thread` block to share it"),
            );
            return None;
        }
        let message = format!("there is no procedure `{name}`");
        let mut diagnostic = Diagnostic::new(codes::UNDECLARED_PROCEDURE, callee.span, message)
            .at("called here, defined nowhere");
        if self.may_suggest() {
            let scopes = &self.scopes;
            let candidates = scopes
                .thread_procedures
                .names()
                .chain(scopes.procedures.names());
            let nearest = suggest::nearest(self.ast, callee.name, candidates);
            let meant = nearest.or_else(|| suggest::nearest_keyword(self.ast, callee.name));
            diagnostic.help = meant.map(suggest::did_you_mean);
        }
        self.report(diagnostic);
        None
    }

    /// Checks the variables that a call assigns its results to. A call without any throws its
    /// results away.
    pub fn check_result_targets(
        &mut self,
        id: StmtId,
        span: Span,
        targets: &[Target],
        context: Context,
    ) {
        let context = Context {
            fixed_indexes: true,
            ..context
        };
        let first = self.check_targets(id, targets, context);
        let Some(procedure) = self.tables.callee(id) else {
            return;
        };
        let results = self.procedures[procedure.index()].result_count as usize;
        let name = self.syntax(procedure).name;
        if !targets.is_empty() && targets.len() != results {
            let message = format!(
                "`{}` has {} but {}",
                self.text(name.name),
                count(results, "result", "results"),
                count(
                    targets.len(),
                    "variable is assigned",
                    "variables are assigned"
                ),
            );
            self.report(
                Diagnostic::new(codes::WRONG_TARGET_COUNT, span, message)
                    .at("one variable for each result; `_` throws one away")
                    .also(name.span, count(results, "result", "results")),
            );
            return;
        }
        let types: Vec<_> = self.procedures[procedure.index()].result_types().collect();
        for (index, (target, result)) in targets.iter().zip(types).enumerate() {
            let Some(variable) = self.tables.targets[first + index] else {
                continue;
            };
            let ty = self.variable_type(context.procedure, variable);
            let place = match *target {
                Target::Variable(target) => target.span,
                Target::Element(element) => self.ast.expr(element).span,
                Target::Discard(_) => continue,
            };
            if ty != result {
                let message = format!(
                    "`{}` is {ty}, but the result of `{}` is {result}",
                    self.source.slice(place),
                    self.text(name.name),
                );
                self.report(
                    Diagnostic::new(codes::TYPE_MISMATCH, place, message)
                        .at(ty.to_string())
                        .also(name.span, result.to_string()),
                );
            }
        }
    }

    /// Checks the values of a `return`.
    pub fn check_return(
        &mut self,
        procedure: ProcId,
        span: Span,
        values: &[ExprId],
        context: Context,
    ) {
        let results = self.procedures[procedure.index()].result_count as usize;
        if values.len() != results {
            let name = self.syntax(procedure).name;
            let message = format!(
                "`{}` has {} but returns {}",
                self.text(name.name),
                count(results, "result", "results"),
                count(values.len(), "value", "values"),
            );
            let mut diagnostic = Diagnostic::new(codes::WRONG_RETURN_COUNT, span, message)
                .at(count(values.len(), "value here", "values here"))
                .also(name.span, count(results, "result", "results"));
            if results == 0 {
                let result = if values.len() == 1 {
                    "bool".to_owned()
                } else {
                    format!("bool<{}>", values.len())
                };
                diagnostic = diagnostic.help(format!(
                    "declare it with results: `{result} {}(…)`",
                    self.text(name.name)
                ));
            }
            self.report(diagnostic);
        }
        for (index, &value) in values.iter().enumerate() {
            let reason = if index < results {
                Reason::Result(procedure, index as u32)
            } else {
                Reason::Free
            };
            self.check_expr(value, context, reason);
        }
    }
}
