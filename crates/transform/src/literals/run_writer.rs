//! Writes a run down step by step, with the values that a model of the solver gives: calls that
//! come back become completed ones, calls that stay open are entered.

use crate::literals::edge_circuits::ChoiceBit;
use crate::literals::frames::FreeBit;
use hardbop_machine::{Action, EdgeId, LocalId, Machine, ProcId, Variable};
use hardbop_outcome::{CompletedCall, Decision, Skeleton};
use hardbop_sat::{Circuit, Lit};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// Takes an edge that is not a call.
    Edge(EdgeId),
    /// Enters the callee of a call edge.
    Enter(EdgeId),
    /// Comes back over the call edge that was entered last.
    Leave(EdgeId),
}

/// How a frame was entered.
#[derive(Clone, Debug)]
struct Entered {
    edge: EdgeId,
    inputs: Vec<u64>,
    procedure: ProcId,
    /// First values of its locals that are not parameters; what is not mentioned is 0.
    locals: Vec<(LocalId, u64)>,
}

/// A run that is being written.
#[derive(Clone, Debug, Default)]
pub struct RunWriter {
    /// Steps of the first frame.
    steps: Vec<Decision>,
    /// Frames above it that are open, with their steps.
    open: Vec<(Entered, Vec<Decision>)>,
    calls: Vec<CompletedCall>,
}

impl RunWriter {
    /// Takes a step with the values that its choices, and the first values of a callee's locals,
    /// have in the last model.
    pub fn take(
        &mut self,
        machine: &Machine,
        circuit: &mut Circuit<'_>,
        step: PathStep,
        choices: &[ChoiceBit],
        free: &[FreeBit],
    ) {
        let (PathStep::Edge(edge) | PathStep::Enter(edge) | PathStep::Leave(edge)) = step;
        let mut inputs = vec![0; machine.edge(edge).inputs.len()];
        for choice in choices {
            inputs[choice.input.index()] |=
                u64::from(is_set(circuit, choice.literal)) << choice.bit;
        }
        match (step, &machine.edge(edge).action) {
            (PathStep::Leave(_), _) => self.leave(),
            (PathStep::Enter(_), &Action::Call { callee, .. }) => {
                let locals = values(circuit, free).into_iter();
                let locals = locals.filter_map(|(variable, value)| match variable {
                    Variable::Local(local) => Some((local, value)),
                    Variable::Global(_) => None,
                });
                let entered = Entered {
                    edge,
                    inputs,
                    procedure: callee,
                    locals: locals.collect(),
                };
                self.open.push((entered, Vec::new()));
            }
            (PathStep::Edge(_) | PathStep::Enter(_), _) => {
                let inputs = inputs.into();
                self.push(Decision::Edge { edge, inputs });
            }
        }
    }

    /// Comes back from the callee that was entered last.
    fn leave(&mut self) {
        let Some((entered, steps)) = self.open.pop() else {
            return;
        };
        self.calls.push(CompletedCall {
            procedure: entered.procedure,
            locals: entered.locals,
            steps: steps.into(),
        });
        self.push(Decision::Call {
            edge: entered.edge,
            inputs: entered.inputs.into(),
            call: self.calls.len() - 1,
        });
    }

    fn push(&mut self, decision: Decision) {
        let top = self.open.last_mut().map(|(_, steps)| steps);
        top.unwrap_or(&mut self.steps).push(decision);
    }

    /// The run from the initial values that the last model gives to what the program leaves open.
    pub fn finish_at(self, circuit: &mut Circuit<'_>, start: &[FreeBit]) -> Skeleton {
        let mut steps = self.steps;
        for (entered, decisions) in self.open {
            steps.push(Decision::Enter {
                edge: entered.edge,
                inputs: entered.inputs.into(),
                locals: entered.locals.into(),
            });
            steps.extend(decisions);
        }
        Skeleton {
            start: values(circuit, start),
            steps: steps.into(),
            calls: Rc::new(self.calls),
        }
    }
}

/// Whether a literal holds in the last model.
pub fn is_set(circuit: &mut Circuit<'_>, literal: Lit) -> bool {
    let constant = circuit.as_constant(literal);
    constant.unwrap_or_else(|| circuit.solver().value(literal) == Some(true))
}

/// The values of variables in the model, in order of the variables.
fn values(circuit: &mut Circuit<'_>, free: &[FreeBit]) -> Vec<(Variable, u64)> {
    let mut values: BTreeMap<Variable, u64> = BTreeMap::new();
    for bit in free {
        *values.entry(bit.variable).or_default() |=
            u64::from(is_set(circuit, bit.literal)) << bit.bit;
    }
    values.into_iter().collect()
}
