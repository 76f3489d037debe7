//! Runs of a product as runs of the program.

use super::Product;
use crate::correspondence::Origin;
use hardbop_machine::Machine;
use hardbop_outcome::{Decision, Lasso, Skeleton, digest};

impl Product {
    /// The infinite run of the program that a run of the product is; its steps from `head` on are a loop. Nothing if it
    /// cannot be written down.
    pub fn lasso_back(&self, original: &Machine, run: &Skeleton, head: usize) -> Option<Lasso> {
        let decisions = self.back.decisions_back(original, run);
        let head = self.back.steps_back(original, &run.steps[..head]).len();
        let returns = |decision: &Decision| match decision {
            Decision::Edge { edge, .. } => self.back.edges[edge.index()] == Origin::Return,
            Decision::Call { .. } | Decision::Enter { .. } => false,
        };
        let returns = run.steps.iter().any(returns);
        decisions.lasso(original, &digest::of(original), head, returns)
    }
}
