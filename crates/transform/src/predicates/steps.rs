//! What steps make of formulas: weakest preconditions, in the variables before the step.
//!
//! A call that comes back is a step too. There the formulas that matter speak of three states: the
//! caller's before the call (`Var`), the globals after it (`Next`, where the call can change them),
//! and the callee's results (`Next` of a local).

use super::formulas::Formulas;
use hardbop_machine::analysis::ModRef;
use hardbop_machine::{
    Action, EdgeId, Expr, ExprId, LocalId, Machine, ProcId, ThreadStart, Type, Variable,
};
use std::collections::BTreeMap;

/// One edge: when it is taken, and what it assigns.
#[derive(Clone, Debug, Default)]
pub(super) struct StepFormulas {
    /// Taken only where these hold; over the state before.
    pub conditions: Vec<ExprId>,
    /// New values of variables; for a call of the callee's parameters.
    pub values: BTreeMap<Variable, ExprId>,
}

impl StepFormulas {
    pub(super) fn of(machine: &Machine, formulas: &mut Formulas, id: EdgeId) -> Self {
        let edge = machine.edge(id);
        let mut step = Self::default();
        let guard = edge
            .guard
            .map(|guard| formulas.import(&machine.exprs, guard));
        step.conditions.extend(guard);
        let mut assign = |formulas: &mut Formulas, variable, value| {
            let value = formulas.import(&machine.exprs, value);
            step.values.insert(variable, value);
        };
        match &edge.action {
            Action::Assign { assignments, .. } => {
                for &(variable, value) in assignments {
                    assign(formulas, variable, value);
                }
            }
            Action::Return(values) => {
                let procedure = machine.procedure(machine.procedure_of(edge.from));
                for (result, &value) in procedure.results().zip(values) {
                    assign(formulas, Variable::Local(result), value);
                }
            }
            Action::Call {
                callee, arguments, ..
            }
            | Action::StartThread(ThreadStart::Procedure { callee, arguments }) => {
                let parameters = machine.procedure(*callee).parameters();
                for (parameter, &value) in parameters.zip(arguments) {
                    assign(formulas, Variable::Local(parameter), value);
                }
            }
            _ => {}
        }
        if let Some(constrain) = constrain_of(machine, id) {
            let constrain = formulas.import(&machine.exprs, constrain);
            let before = formulas.substitute(constrain, |formulas, leaf| {
                let Expr::Next(variable, ty) = formulas.get(leaf) else {
                    return Some(leaf);
                };
                let value = step.values.get(&variable).copied();
                Some(value.unwrap_or_else(|| formulas.make(Expr::Var(variable, ty))))
            });
            step.conditions.extend(before);
        }
        step
    }

    /// Whether the step assigns a variable of the formula.
    pub(super) fn changes(&self, formulas: &Formulas, formula: ExprId) -> bool {
        let mut leaves = formulas.leaves(formula).iter();
        leaves.any(|&leaf| match formulas.get(leaf) {
            Expr::Var(variable, _) => self.values.contains_key(&variable),
            _ => false,
        })
    }

    /// What has to hold before the step for the formula to hold after it.
    pub(super) fn before(&self, formulas: &mut Formulas, formula: ExprId) -> ExprId {
        let before = formulas.substitute(formula, |formulas, leaf| {
            let Expr::Var(variable, _) = formulas.get(leaf) else {
                return Some(leaf);
            };
            Some(self.values.get(&variable).copied().unwrap_or(leaf))
        });
        before.expect("every leaf is replaced by something")
    }
}

/// What an assignment demands of the values before and after it.
pub(super) fn constrain_of(machine: &Machine, id: EdgeId) -> Option<ExprId> {
    match machine.edge(id).action {
        Action::Assign { constrain, .. } => constrain,
        _ => None,
    }
}

/// A call that comes back.
pub(super) struct Returned<'r> {
    pub effects: &'r ModRef,
    pub callee: ProcId,
    /// The call, whose values are the arguments.
    pub call: &'r StepFormulas,
    /// The results that variables of the caller get.
    pub targets: BTreeMap<Variable, LocalId>,
}

impl<'r> Returned<'r> {
    pub(super) fn new(
        machine: &Machine,
        effects: &'r ModRef,
        id: EdgeId,
        call: &'r StepFormulas,
    ) -> Option<Self> {
        let Action::Call {
            callee, targets, ..
        } = &machine.edge(id).action
        else {
            return None;
        };
        let results = machine.procedure(*callee).results();
        let targets = targets.iter().zip(results);
        let targets = targets.filter_map(|(target, result)| Some(((*target)?, result)));
        Some(Self {
            effects,
            callee: *callee,
            call,
            targets: targets.collect(),
        })
    }

    /// A global after the call.
    fn global_after(&self, formulas: &mut Formulas, variable: Variable, ty: Type) -> ExprId {
        let changes = match variable {
            Variable::Global(id) => self.effects.modifies(self.callee, id),
            Variable::Local(_) => false,
        };
        formulas.make(if changes {
            Expr::Next(variable, ty)
        } else {
            Expr::Var(variable, ty)
        })
    }

    /// A formula of the caller, or over globals, about the state after the return.
    pub(super) fn after(&self, formulas: &mut Formulas, formula: ExprId) -> ExprId {
        let after = formulas.substitute(formula, |formulas, leaf| {
            let Expr::Var(variable, ty) = formulas.get(leaf) else {
                return Some(leaf);
            };
            Some(match self.targets.get(&variable) {
                Some(&result) => formulas.make(Expr::Next(Variable::Local(result), ty)),
                None => self.global_after(formulas, variable, ty),
            })
        });
        after.expect("every leaf is replaced by something")
    }

    /// A formula over globals about the end of the callee.
    pub(super) fn globals_at_exit(&self, formulas: &mut Formulas, formula: ExprId) -> ExprId {
        let at_exit = formulas.substitute(formula, |formulas, leaf| {
            let Expr::Var(variable, ty) = formulas.get(leaf) else {
                return Some(leaf);
            };
            Some(self.global_after(formulas, variable, ty))
        });
        at_exit.expect("every leaf is replaced by something")
    }

    /// A formula of the callee over results, globals and parameters that it never assigns, about
    /// its end.
    pub(super) fn callee_at_exit(&self, formulas: &mut Formulas, formula: ExprId) -> ExprId {
        let at_exit = formulas.substitute(formula, |formulas, leaf| {
            let Expr::Var(variable, ty) = formulas.get(leaf) else {
                return Some(leaf);
            };
            Some(match variable {
                Variable::Global(_) => self.global_after(formulas, variable, ty),
                Variable::Local(_) => match self.call.values.get(&variable) {
                    Some(&argument) => argument,
                    None => formulas.make(Expr::Next(variable, ty)),
                },
            })
        });
        at_exit.expect("every leaf is replaced by something")
    }
}
