//! A node in the middle of an edge, so that a question about an edge becomes a question about a
//! node.
//!
//! Questions name nodes. Whether a branch is ever taken is asked of a machine in which the edge is
//! two: the first half has its guard and action, the second does nothing.
//!
//! **Sound.** Every run of the one machine is a run of the other with those extra steps, so all
//! nodes keep their verdicts. A run goes back by leaving the second halves out. A certificate goes
//! back by leaving the middles out: what holds there holds at the end of the edge too (forward),
//! and what holds at the end holds there (backward), so the conditions for the two halves together
//! give the one for the edge.

mod coverage;

pub use coverage::CoverageQuestion;

use crate::correspondence::Correspondence;
use crate::draft::{Draft, DraftEdge};
use crate::transform::{NoWayBack, TargetMap, Transform};
use hardbop_machine::{Action, EdgeId, Machine, NodeId};
use hardbop_outcome::{Certificate, Question, Trace};

/// A machine some of whose edges have been split, and where the parts of the original are in it.
#[derive(Clone, Debug)]
pub struct Split {
    /// The machine with the new nodes.
    pub machine: Machine,
    /// For every node of the original its id in the new machine.
    pub nodes: Vec<NodeId>,
    /// For every edge of the original the node in its middle, if it was split.
    pub middles: Vec<Option<NodeId>>,
    back: Correspondence,
    targets: TargetMap,
}

/// Splits the edges that are asked for. An edge that ends its thread leads nowhere and is never
/// split. The middle of a call is behind the return.
pub fn split_edges(
    machine: &Machine,
    question: &Question,
    is_wanted: impl Fn(EdgeId) -> bool,
) -> Split {
    let mut draft = Draft::of(machine);
    let mut places = vec![None; machine.edges.len()];
    for (index, procedure) in draft.procedures.iter_mut().enumerate() {
        for (at, id) in machine.procedures[index].edge_ids().enumerate() {
            let (to, span) = (procedure.edges[at].to, procedure.edges[at].span);
            if machine.edge(id).action != Action::EndThread && is_wanted(id) {
                let middle = procedure.node(span);
                procedure.edges[at].to = middle;
                let half = DraftEdge::silent(middle, to, None, Action::Skip, span);
                procedure.edges.push(half);
                places[id.index()] = Some((index, middle));
            }
        }
    }
    let (machine, back, ids) = draft.finish();
    let middles = places.into_iter();
    let middles = middles.map(|place| place.map(|(procedure, place)| ids[procedure][place]));
    let count = back.nodes.iter().flatten().count();
    let nodes = (0..count).map(|node| back.standing_for(NodeId::new(node))[0]);
    Split {
        nodes: nodes.collect(),
        middles: middles.collect(),
        targets: TargetMap::at_nodes(question, |node| back.standing_for(node)),
        machine,
        back,
    }
}

impl Transform for Split {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn targets(&self) -> &TargetMap {
        &self.targets
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        let target = self.targets.target_of(trace);
        self.back.run_back(&self.machine, original, trace, target)
    }

    fn certificate_back(
        &self,
        original: &Machine,
        certificate: Certificate,
    ) -> Result<Certificate, NoWayBack> {
        self.back
            .certificate_back(original, &self.targets, certificate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correspondence::Origin;
    use hardbop_machine::ThreadStart;

    const TEXT: &str = "decl g;
        void main() begin
          L: if (g) then f(); else assert(!g); fi
          start_thread goto L;
          end_thread;
        end
        void f() begin M: g := *; end";

    fn machine() -> Machine {
        hardbop_machine::from_text("test.bp", TEXT).expect("the program is valid")
    }

    #[test]
    fn a_split_machine_has_the_order_that_every_machine_has() {
        let split = split_edges(&machine(), &Question::reach(Vec::new()), |_| true).machine;
        let mut next_node = 0;
        let mut next_edge = 0;
        for id in split.procedure_ids() {
            let procedure = split.procedure(id);
            assert_eq!(
                (procedure.nodes.start, procedure.edges.start),
                (next_node, next_edge)
            );
            assert_eq!(procedure.exit.0 + 1, procedure.nodes.end);
            assert!(procedure.nodes.contains(&procedure.entry.0));
            for node in procedure.node_ids() {
                assert_eq!(split.procedure_of(node), id);
                assert_eq!(split.node(node).edges.start, next_edge);
                next_edge = split.node(node).edges.end;
                assert!(
                    split
                        .edges_from(node)
                        .all(|edge| split.edge(edge).from == node)
                );
            }
            next_node = procedure.nodes.end;
        }
        assert_eq!(next_node as usize, split.nodes.len());
        assert_eq!(next_edge as usize, split.edges.len());
    }

    #[test]
    fn every_edge_leads_through_its_middle_to_where_it_led() {
        let machine = machine();
        let is_wanted = |edge: EdgeId| machine.edge(edge).guard.is_some();
        let split = split_edges(&machine, &Question::reach(Vec::new()), is_wanted);
        let mut splits = 0;
        for (id, origin) in split.back.edges.iter().enumerate() {
            let &Origin::Edge(old_id) = origin else {
                continue;
            };
            let (old, new) = (machine.edge(old_id), &split.machine.edges[id]);
            assert_eq!(new.from, split.nodes[old.from.index()]);
            assert_eq!((new.guard, &new.inputs), (old.guard, &old.inputs));
            assert_eq!(split.middles[old_id.index()].is_some(), old.guard.is_some());
            let end = match split.middles[old_id.index()] {
                None => new.to,
                Some(middle) => {
                    splits += 1;
                    assert_eq!(new.to, middle);
                    let [half] = split.machine.edges_from(middle).collect::<Vec<_>>()[..] else {
                        panic!("a middle has one edge");
                    };
                    split.machine.edge(half).to
                }
            };
            assert_eq!(end, split.nodes[old.to.index()]);
        }
        assert!(
            splits >= 4,
            "two branches and two ways out of the assertion: {splits}"
        );
    }

    #[test]
    fn labels_assertions_and_started_threads_keep_their_places() {
        let machine = machine();
        let split = split_edges(&machine, &Question::reach(Vec::new()), |_| true);
        let place = |node: NodeId| split.nodes[node.index()];
        for (old, new) in machine.labels.iter().zip(&split.machine.labels) {
            assert_eq!(place(old.node), new.node);
        }
        let (old, new) = (&machine.assertions[0], &split.machine.assertions[0]);
        assert_eq!(
            (place(old.node), place(old.failure)),
            (new.node, new.failure)
        );
        let started = |machine: &Machine| {
            machine.edges.iter().find_map(|edge| match edge.action {
                Action::StartThread(ThreadStart::Node(node)) => Some(node),
                _ => None,
            })
        };
        assert_eq!(started(&machine).map(place), started(&split.machine));
    }

    #[test]
    fn the_end_of_a_thread_is_not_split() {
        let machine = machine();
        let split = split_edges(&machine, &Question::reach(Vec::new()), |_| true);
        let ends = machine
            .edge_ids()
            .filter(|&id| machine.edge(id).action == Action::EndThread);
        let middles: Vec<_> = ends.map(|id| split.middles[id.index()]).collect();
        assert_eq!(middles, [None]);
    }
}
