//! Runs of a product as runs of the program.

use super::{Origin, Product};
use hardbop_machine::Variable;
use hardbop_outcome::{CompletedCall, Decision, Skeleton};
use std::rc::Rc;

/// A run of the program.
#[derive(Clone, Debug)]
pub struct OriginalRun {
    /// Its decisions.
    pub decisions: Skeleton,
    /// How many of them stand before the loop.
    pub head: usize,
    /// Whether the run ends with the return of `main`.
    pub returns: bool,
}

impl Product {
    /// The run of the program that a run of the product is; its steps from `head` on are a loop.
    pub fn original_run(&self, run: &Skeleton, head: usize) -> OriginalRun {
        let (stem, cycle) = run.steps.split_at(head);
        let mut steps = self.original_steps(stem);
        let head = steps.len();
        steps.extend(self.original_steps(cycle));
        let origin_of = |decision: &Decision| match decision {
            Decision::Edge { edge, .. } => Some(self.origins[edge.index()]),
            Decision::Call { .. } | Decision::Enter { .. } => None,
        };
        let calls = run.calls.iter().map(|call| CompletedCall {
            procedure: self.procedures[call.procedure.index()],
            locals: call.locals.clone(),
            steps: self.original_steps(&call.steps),
        });
        let own = Variable::Global(self.state);
        let start = run.start.iter().copied();
        OriginalRun {
            decisions: Skeleton {
                start: start.filter(|&(variable, _)| variable != own).collect(),
                steps,
                calls: Rc::new(calls.collect()),
            },
            head,
            returns: run
                .steps
                .iter()
                .any(|step| origin_of(step) == Some(Origin::End)),
        }
    }

    fn original_steps(&self, steps: &[Decision]) -> Vec<Decision> {
        let steps = steps.iter().cloned();
        let steps = steps.filter_map(|mut decision| {
            let (Decision::Edge { edge, .. }
            | Decision::Call { edge, .. }
            | Decision::Enter { edge, .. }) = &mut decision;
            let Origin::Edge(original) = self.origins[edge.index()] else {
                return None;
            };
            *edge = original;
            Some(decision)
        });
        steps.collect()
    }
}
