//! The proofs of conditions, for those who want another checker to look at them.

use crate::rejected::{Broken, Condition, Witness};
use hardbop_machine::{EdgeId, Machine, NodeId};
use hardbop_sat::{Lit, Proof, ProvingCircuit};

/// A condition that was proved.
#[derive(Clone, Debug)]
pub struct ProvedCondition {
    /// Its position, and what would be wrong if it did not hold.
    pub excluded: String,
    /// Why it holds: clauses that say that it does not, and their refutation.
    pub proof: Proof,
}

/// Is given the proof of each condition.
pub type ProofSink<'s> = dyn FnMut(&ProvedCondition) + 's;

/// Where the proofs of a certificate go, if anywhere.
#[derive(Default)]
pub(crate) struct Proofs<'s>(Option<&'s mut ProofSink<'s>>);

impl<'s> Proofs<'s> {
    /// All to one sink.
    pub fn to(sink: &'s mut ProofSink<'s>) -> Self {
        Self(Some(sink))
    }

    /// Whether they are wanted.
    pub fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Passes on the refutation that the circuit found last.
    pub fn add(
        &mut self,
        machine: &Machine,
        condition: Condition,
        (node, edge): (NodeId, Option<EdgeId>),
        circuit: &mut ProvingCircuit<'_>,
        assumptions: &[Lit],
    ) {
        if let Some(sink) = &mut self.0 {
            let broken = Broken::new(machine, condition, node, edge, Witness::default());
            sink(&ProvedCondition {
                excluded: broken.place_and_condition(),
                proof: circuit.solver().proof(assumptions),
            });
        }
    }
}
