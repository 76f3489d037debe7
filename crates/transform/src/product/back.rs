//! Runs of a product as runs of the program.

use super::Product;
use crate::transform::{NoWayBack, TargetMap, Transform};
use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, Lasso, Skeleton, Trace};

impl Product {
    /// The run of the program that a run of the product is. Nothing if it has too many different
    /// calls to be written down.
    pub fn trace_back(&self, original: &Machine, run: &Skeleton) -> Option<Trace> {
        self.back.trace_of(original, run, None)
    }

    /// The infinite run of the program that a run of the product is; its steps from `head` on are a
    /// loop. Nothing if it cannot be written down.
    pub fn lasso_back(&self, original: &Machine, run: &Skeleton, head: usize) -> Option<Lasso> {
        let decisions = self.back.decisions_back(original, run);
        let head = self
            .back
            .steps_back(original, run.steps.iter().take(head))
            .len();
        let returns = self.back.returns(run);
        decisions.lasso(original, head, returns)
    }
}

impl Transform for Product {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn targets(&self) -> &TargetMap {
        &self.map
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        if self.is_only_necessary {
            return Err(NoWayBack::NotInfinite);
        }
        self.back.run_back(&self.machine, original, trace, None)
    }

    /// It remains a certificate of the product, and says of which property.
    fn certificate_back(
        &self,
        _: &Machine,
        certificate: Certificate,
    ) -> Result<Certificate, NoWayBack> {
        Ok(Certificate {
            property: self.property.clone(),
            ..certificate
        })
    }
}
