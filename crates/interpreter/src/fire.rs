//! One edge, evaluated in one state of one procedure: may it be taken, and what does it write?
//!
//! The state is whatever `read` says, so that the same few lines serve whole configurations
//! ([`crate::step`]) and single runs of a procedure ([`crate::run_table`]). Guard, values and
//! arguments are all evaluated before anything is written.

use crate::step::StepError;
use hardbop_machine::expr::Leaf;
use hardbop_machine::{Action, EdgeId, ExprId, Machine, ThreadStart, Variable};
use std::collections::HashMap;

/// What an edge does in a state in which it may be taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fired {
    /// Variables of the procedure with their new values.
    pub writes: Vec<(Variable, u64)>,
    /// Arguments of a call or of a started thread.
    pub arguments: Vec<u64>,
    /// Values of a `print`.
    pub printed: Vec<u64>,
}

/// Evaluates an edge with these values of its inputs.
pub fn fire(
    machine: &Machine,
    edge: EdgeId,
    inputs: &[u64],
    read: impl Fn(Variable) -> u64,
) -> Result<Fired, StepError> {
    let edge = machine.edge(edge);
    if inputs.len() != edge.inputs.len() {
        return Err(StepError::InputCount {
            given: inputs.len(),
            needed: edge.inputs.len(),
        });
    }
    if let Some((&value, &ty)) = inputs
        .iter()
        .zip(&edge.inputs)
        .find(|(v, ty)| !ty.holds(**v))
    {
        return Err(StepError::Value { value, ty });
    }
    let now = |expr: ExprId| {
        machine.exprs.eval(expr, &mut |leaf| match leaf {
            // Outside `constrain` nothing has a next value; the lowering makes none.
            Leaf::Var(variable) | Leaf::Next(variable) => read(variable),
            Leaf::Input(input) => inputs[input.index()],
        })
    };
    if edge.guard.is_some_and(|guard| now(guard) == 0) {
        return Err(StepError::Guard);
    }
    let mut fired = Fired::default();
    match &edge.action {
        Action::Skip
        | Action::StartThread(ThreadStart::Node(_))
        | Action::EndThread
        | Action::AtomicBegin
        | Action::AtomicEnd => {}
        Action::Print(values) => fired.printed = values.iter().map(|&e| now(e)).collect(),
        Action::Assign {
            assignments,
            constrain,
        } => {
            fired.writes = assignments.iter().map(|&(x, e)| (x, now(e))).collect();
            if let Some(constrain) = *constrain {
                let next: HashMap<Variable, u64> = fired.writes.iter().copied().collect();
                let holds = machine.exprs.eval(constrain, &mut |leaf| match leaf {
                    Leaf::Var(variable) => read(variable),
                    Leaf::Next(variable) => next
                        .get(&variable)
                        .copied()
                        .unwrap_or_else(|| read(variable)),
                    Leaf::Input(input) => inputs[input.index()],
                });
                if holds == 0 {
                    return Err(StepError::Constrain);
                }
            }
        }
        Action::Call { arguments, .. }
        | Action::StartThread(ThreadStart::Procedure { arguments, .. }) => {
            fired.arguments = arguments.iter().map(|&e| now(e)).collect();
        }
        Action::Return(values) => {
            let results = machine.procedure(machine.procedure_of(edge.from)).results();
            fired.writes = results
                .zip(values)
                .map(|(result, &e)| (Variable::Local(result), now(e)))
                .collect();
        }
    }
    Ok(fired)
}
