//! What has been proved so far, counted; the one place where a condition becomes a proved one.

use crate::rejected::Rejected;
use hardbop_evidence::Limit;
use hardbop_sat::{Lit, ProvingCircuit, Refutation};

/// A certificate is what it says it is: none of its targets can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// How many conditions were checked.
    pub obligations: u64,
    /// How many of them needed a search, whose proof was checked.
    pub searches: u64,
    /// How many conflicts all searches had.
    pub conflicts: u64,
}

impl std::ops::AddAssign for Accepted {
    fn add_assign(&mut self, other: Self) {
        self.obligations += other.obligations;
        self.searches += other.searches;
        self.conflicts += other.conflicts;
    }
}

impl Accepted {
    /// Whether the assumptions, the premises and the negation of the conclusion, cannot hold
    /// together. If they can, the circuit has a model that shows it.
    pub(crate) fn prove(
        &mut self,
        circuit: &mut ProvingCircuit<'_>,
        assumptions: &[Lit],
    ) -> Result<bool, Rejected> {
        self.obligations += 1;
        let conflicts = circuit.solver().conflicts();
        let refutation = circuit.refute(assumptions);
        self.conflicts += circuit.solver().conflicts() - conflicts;
        match refutation {
            Refutation::Immediate => Ok(true),
            Refutation::Searched => {
                self.searches += 1;
                Ok(true)
            }
            Refutation::Model => Ok(false),
            Refutation::Interrupted => Err(Rejected::Interrupted(Limit::Interrupted)),
            Refutation::Unproved => Err(Rejected::Unproved),
        }
    }
}
