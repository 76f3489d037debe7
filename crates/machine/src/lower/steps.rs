//! The edges that statements are made of: assignments, calls, branches, each under the condition of
//! `enforce`.

use super::expressions::Time;
use super::statements::ProcedureLowering;
use crate::ids::{ExprId, NodeId, ProcId, Variable};
use crate::ir::{Action, Edge, NodeKind, ThreadStart};
use crate::list::List;
use crate::types::Type;
use hardbop_syntax::Span;
use hardbop_syntax::ast::{self, StmtId};

/// The parts of an edge that all statements have in common.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub from: NodeId,
    pub to: NodeId,
    pub span: Span,
}

/// The condition of `enforce` before and after a step, once translated. Edges share it unless it
/// has choices.
#[derive(Default)]
pub(super) struct Enforce {
    before: Option<ExprId>,
    after: Option<ExprId>,
}

impl ProcedureLowering<'_, '_> {
    /// Adds an edge on which `enforce` holds before the step.
    pub fn edge(
        &mut self,
        step: Step,
        guard: Option<ExprId>,
        action: Action,
        mut inputs: Vec<Type>,
    ) {
        let enforced = self.enforced(Time::Before, &mut inputs);
        let guard = self.translator.and(enforced, guard);
        self.plain_edge(step, guard, action, inputs);
    }

    /// Adds an edge as it is.
    pub(crate) fn plain_edge(
        &mut self,
        step: Step,
        guard: Option<ExprId>,
        action: Action,
        inputs: Vec<Type>,
    ) {
        self.draft.edge(Edge {
            from: step.from,
            to: step.to,
            guard,
            action,
            inputs: inputs.into(),
            span: step.span,
        });
    }

    /// The condition of `enforce`, if there is one.
    fn enforced(&mut self, time: Time, inputs: &mut Vec<Type>) -> Option<ExprId> {
        let condition = self.program.syntax(self.id).enforce?;
        let known = match time {
            Time::Before => &mut self.enforce.before,
            Time::After => &mut self.enforce.after,
        };
        if known.is_some() {
            return *known;
        }
        let earlier_inputs = inputs.len();
        let enforced = self.translator.translate(condition, time, inputs);
        if inputs.len() == earlier_inputs {
            *known = Some(enforced);
        }
        Some(enforced)
    }

    /// The type of a variable.
    pub fn variable_type(&self, variable: Variable) -> Type {
        match variable {
            Variable::Global(id) => self.program.globals[id.index()].ty,
            Variable::Local(id) => self.program.procedures[self.id.index()].locals[id.index()].ty,
        }
    }

    /// Expressions over the values before the step.
    pub(crate) fn translate_all(
        &mut self,
        values: &[ast::ExprId],
        inputs: &mut Vec<Type>,
    ) -> List<ExprId> {
        let values = values.iter();
        values
            .map(|&value| self.translator.translate(value, Time::Before, inputs))
            .collect()
    }

    /// A parallel assignment that keeps `enforce`.
    pub fn assign(
        &mut self,
        step: Step,
        assignments: List<(Variable, ExprId)>,
        constrain: Option<ExprId>,
        mut inputs: Vec<Type>,
    ) {
        let enforced = self.enforced(Time::After, &mut inputs);
        let constrain = self.translator.and(constrain, enforced);
        let action = if assignments.is_empty() && constrain.is_none() {
            Action::Skip
        } else {
            Action::Assign {
                assignments,
                constrain,
            }
        };
        self.edge(step, None, action, inputs);
    }

    /// A call; `enforce` is checked again after the return, because the callee knows nothing of it.
    pub fn call(&mut self, step: Step, id: StmtId, arguments: &[ast::ExprId]) {
        let callee = self.program.callee(id);
        let mut inputs = Vec::new();
        let arguments = self.translate_all(arguments, &mut inputs);
        let results = self.program.procedures[callee.index()].result_count as usize;
        let mut targets: Vec<_> = self.translator.call_targets(id);
        targets.resize(results, None);
        let action = Action::Call {
            callee,
            arguments,
            targets: targets.into(),
        };
        let Step { from, to, span } = step;
        let after = if self.program.syntax(self.id).enforce.is_some() {
            let check = self.draft.node(NodeKind::Internal, span);
            let step = Step {
                from: check,
                to,
                span,
            };
            self.edge(step, None, Action::Skip, Vec::new());
            check
        } else {
            to
        };
        let step = Step {
            from,
            to: after,
            span,
        };
        self.edge(step, None, action, inputs);
    }

    /// The start of a procedure as a thread.
    pub fn start_thread(&mut self, step: Step, callee: ProcId, arguments: &[ast::ExprId]) {
        let mut inputs = Vec::new();
        let arguments = self.translate_all(arguments, &mut inputs);
        let start = ThreadStart::Procedure { callee, arguments };
        self.edge(step, None, Action::StartThread(start), inputs);
    }

    /// Two edges: where the condition holds and where it does not. Each has its own choices.
    pub fn split(&mut self, from: NodeId, condition: ast::ExprId, yes: NodeId, no: NodeId) {
        let span = self.draft.span(from);
        let first_edge = self.draft.edge_count();
        let mut inputs = Vec::new();
        let holds = self.translator.condition(condition, &mut inputs);
        let fails = holds.map(|guard| self.translator.not(guard));
        for (to, guard, inputs) in [(yes, holds, inputs.clone()), (no, fails, inputs)] {
            let step = Step { from, to, span };
            self.edge(step, guard, Action::Skip, inputs);
        }
        self.check_indexes(from, first_edge, true);
    }
}
