//! Steps taken again: a derivation says which edge led to a state, not which bits were decided for
//! it. Whoever reads a run finds out by trying, as the search did.

use super::{Derivation, Exploration, StateId, Via};
use crate::encoding::step::{Decision, Fired, next_leaf};
use hardbop_machine::EdgeId;

impl Exploration<'_> {
    /// Takes the last step of a derivation again, so that [`Exploration::stepper`] holds the states
    /// around it. Gives its edge.
    pub(crate) fn repeat(&mut self, derivation: Derivation, to: StateId) -> Option<EdgeId> {
        let from = self.statics().machine.node(self.node_of(derivation.from));
        let mut decisions = Vec::new();
        for edge in from.edges.clone().map(EdgeId) {
            if matches!(derivation.via(), Via::Edge(other) if other != edge) {
                continue;
            }
            decisions.clear();
            loop {
                match self.fire(derivation.from, edge, &decisions) {
                    Fired::Needs(split) => {
                        decisions.push(Decision::first(split));
                        continue;
                    }
                    Fired::Taken if self.leads_to(derivation, edge, to) => return Some(edge),
                    Fired::Taken | Fired::Disabled => {}
                }
                if !next_leaf(&mut decisions, 0) {
                    break;
                }
            }
        }
        None
    }

    /// Whether the edge that was fired last leads to a state in the way of a derivation.
    fn leads_to(&mut self, derivation: Derivation, edge: EdgeId, to: StateId) -> bool {
        match (derivation.via(), self.statics().callee(edge)) {
            (Via::Edge(_), Some(callee)) => {
                self.moves.seal_entry(callee, false);
                self.moves.words() == self.entries.get(self.root_of(to))
            }
            (Via::Edge(_), None) => {
                self.seal_next(derivation.from, edge);
                self.moves.words() == self.states.get(to)
            }
            (Via::Exit(exit), Some(callee)) => {
                self.moves.seal_entry(callee, false);
                if self.moves.words() != self.entries.get(self.root_of(exit)) {
                    return false;
                }
                self.return_from(derivation.from, edge, exit);
                self.moves.words() == self.states.get(to)
            }
            (Via::Exit(_), None) => false,
        }
    }
}
