//! What both directions share: lookup of relations, the loop over nodes and edges, counting,
//! reporting.

use crate::accepted::Accepted;
use crate::form::Relations;
use crate::proofs::Proofs;
use crate::rejected::{Broken, Condition, Rejected};
use crate::scene::{Reading, Scene};
use crate::support::Supports;
use hardbop_evidence::{Certificate, Limit, Target};
use hardbop_machine::{Action, EdgeId, Machine, NodeId};
use hardbop_sat::Lit;

/// A certificate being checked.
pub(crate) struct Checker<'a, 'i, 's> {
    pub machine: &'a Machine,
    pub targets: &'a [Target],
    pub relations: Relations,
    pub scene: Scene<'a, 'i>,
    supports: Supports<'a>,
    is_over: &'i dyn Fn() -> bool,
    counts: Accepted,
    proofs: Proofs<'s>,
}

/// Where a condition is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub node: NodeId,
    pub edge: Option<EdgeId>,
}

impl<'a, 'i, 's> Checker<'a, 'i, 's> {
    pub fn new(
        machine: &'a Machine,
        certificate: &'a Certificate,
        relations: Relations,
        is_over: &'i dyn Fn() -> bool,
        proofs: Proofs<'s>,
    ) -> Self {
        let mut scene = Scene::new(machine, &certificate.formulas, is_over);
        if proofs.are_wanted() {
            scene.circuit().solver().keep_proofs();
        }
        Self {
            machine,
            targets: &certificate.targets,
            relations,
            scene,
            supports: Supports::new(&certificate.formulas),
            is_over,
            counts: Accepted::default(),
            proofs,
        }
    }

    /// The work that was done.
    pub fn accepted(self) -> Accepted {
        self.counts
    }

    /// The entries of all threads that run: one or none.
    pub fn entries(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        let machine = self.machine;
        let running = machine.threads.iter().filter(|thread| thread.instances > 0);
        running.map(|thread| machine.procedure(thread.entry).entry)
    }

    /// Calls `check` for every edge that leads somewhere, with a scene at the start of the edge and
    /// the relation there, read as `before`. Edges whose conditions hold by form are only counted.
    /// The others of a node share a circuit, so that what stands at the node is translated once.
    pub fn each_edge(
        &mut self,
        relation_of: impl Fn(&Self, NodeId) -> Option<u32>,
        before: Reading,
        mut check: impl FnMut(&mut Self, EdgeId, Lit) -> Result<(), Rejected>,
        is_needed: impl Fn(&Self, EdgeId) -> bool,
    ) -> Result<(), Rejected> {
        for node in self.machine.node_ids() {
            // Asked at every node, because a single relation may be huge.
            if (self.is_over)() {
                return Err(Rejected::Interrupted(Limit::Interrupted));
            }
            let mut start = None;
            let relation = relation_of(self, node);
            for edge in self.machine.edges_from(node) {
                let ends_thread = matches!(self.machine.edge(edge).action, Action::EndThread);
                if ends_thread || !is_needed(self, edge) {
                    continue;
                }
                // If proofs are wanted, each condition has one, in separate clauses.
                if self.proofs.are_wanted() {
                    start = None;
                } else if self.changes_nothing(edge, &relation_of) {
                    self.counts.obligations += 1;
                    continue;
                }
                let literal = *start.get_or_insert_with(|| {
                    self.scene.begin(self.machine.procedure_of(node));
                    self.scene.formula(relation, before)
                });
                check(self, edge, literal)?;
            }
        }
        Ok(())
    }

    /// Whether the same relation stands at both ends of an edge that is not a call and does not
    /// touch it.
    fn changes_nothing(
        &mut self,
        id: EdgeId,
        relation_of: &impl Fn(&Self, NodeId) -> Option<u32>,
    ) -> bool {
        let edge = self.machine.edge(id);
        match relation_of(self, edge.from) {
            Some(relation) if relation_of(self, edge.to) == Some(relation) => {
                self.supports.is_untouched(self.machine, id, relation)
            }
            _ => false,
        }
    }

    /// Checks one condition: the conclusion holds wherever all premises do.
    pub fn require(
        &mut self,
        condition: Condition,
        place: Place,
        premises: &[Lit],
        conclusion: Lit,
    ) -> Result<(), Rejected> {
        let Place { node, edge } = place;
        let mut assumptions = premises.to_vec();
        assumptions.push(!conclusion);
        let circuit = self.scene.circuit();
        if self.counts.prove(circuit, &assumptions)? {
            let at = (node, edge);
            self.proofs
                .add(self.machine, condition, at, circuit, &assumptions);
            return Ok(());
        }
        let witness = self.scene.witness();
        let broken = Broken::new(self.machine, condition, node, edge, witness);
        Err(Rejected::Broken(Box::new(broken)))
    }
}
