//! Writes a run down step by step: calls that come back become completed ones, calls that stay open are entered.

use hardbop_machine::{EdgeId, LocalId, ProcId, Variable};
use hardbop_outcome::{CompletedCall, Decision, Skeleton};
use std::rc::Rc;

/// How a frame was entered.
#[derive(Clone, Debug)]
pub struct Entered {
    /// The call edge.
    pub edge: EdgeId,
    /// Values of its choices.
    pub inputs: Vec<u64>,
    /// The callee.
    pub procedure: ProcId,
    /// First values of its locals that are no parameters; what is not mentioned is 0.
    pub locals: Vec<(LocalId, u64)>,
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
    /// Takes an edge that is no call.
    pub fn edge(&mut self, edge: EdgeId, inputs: Vec<u64>) {
        self.push(Decision::Edge { edge, inputs });
    }

    /// Enters a callee.
    pub fn enter(&mut self, entered: Entered) {
        self.open.push((entered, Vec::new()));
    }

    /// Comes back from the callee that was entered last.
    pub fn leave(&mut self) {
        let Some((entered, steps)) = self.open.pop() else {
            return;
        };
        self.calls.push(CompletedCall {
            procedure: entered.procedure,
            locals: entered.locals,
            steps,
        });
        self.push(Decision::Call {
            edge: entered.edge,
            inputs: entered.inputs,
            call: self.calls.len() - 1,
        });
    }

    fn push(&mut self, decision: Decision) {
        let top = self.open.last_mut().map(|(_, steps)| steps);
        top.unwrap_or(&mut self.steps).push(decision);
    }

    /// The run from these initial values.
    pub fn finish(self, start: Vec<(Variable, u64)>) -> Skeleton {
        let mut steps = self.steps;
        for (entered, decisions) in self.open {
            steps.push(Decision::Enter {
                edge: entered.edge,
                inputs: entered.inputs,
                locals: entered.locals,
            });
            steps.extend(decisions);
        }
        Skeleton {
            start,
            steps,
            calls: Rc::new(self.calls),
        }
    }
}
