//! What a search knows at each node, what of it is still to be propagated, and in which order.
//!
//! Relations grow by news, news waits in a queue of nodes, and what has been propagated is
//! remembered as rings, from which runs are read off later (Bebop, section 3.2).

use hardbop_bdd::{Bdd, Exhausted, Manager, Roots};
use hardbop_machine::{Machine, NodeId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When a delta was propagated: visits are numbered.
pub(crate) type Time = u32;

/// What was propagated together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    /// The number of the visit.
    pub(crate) time: Time,
    /// What was new then.
    pub(crate) edges: Bdd,
}

/// What is known at a node.
#[derive(Clone, Debug)]
pub(crate) struct NodeState {
    /// All that is known, pending news included.
    pub(crate) reached: Bdd,
    /// What has not been propagated.
    pub(crate) pending: Bdd,
    /// What has, in order. A visit that runs out half-way leaves its ring and is repeated with
    /// another one.
    pub(crate) rings: Vec<Ring>,
}

/// Smaller comes first: callees before callers, and within a procedure along the control flow.
type Priority = (u32, u32);

/// Garbage is collected when there are this many BDD nodes, and later when their number has
/// doubled.
pub(crate) const FIRST_COLLECTION: usize = 1 << 20;

fn priorities(machine: &Machine) -> Vec<Priority> {
    let mut rank = vec![0; machine.procedures.len()];
    for (place, procedure) in machine.calls().bottom_up().enumerate() {
        rank[procedure.index()] = place as u32;
    }
    let order = machine.node_order();
    let nodes = machine.node_ids();
    nodes
        .map(|node| {
            let procedure = machine.procedure_of(node);
            (rank[procedure.index()], order.position(node))
        })
        .collect()
}

/// The relations of a search and its queue.
pub(crate) struct Frontier {
    nodes: Vec<NodeState>,
    queue: BinaryHeap<Reverse<(Priority, NodeId)>>,
    queued: Vec<bool>,
    priorities: Vec<Priority>,
    time: Time,
}

impl Frontier {
    /// Nothing is known at any node.
    pub(crate) fn new(machine: &Machine) -> Self {
        let count = machine.nodes.len();
        let nothing = NodeState {
            reached: Bdd::FALSE,
            pending: Bdd::FALSE,
            rings: Vec::new(),
        };
        Self {
            nodes: vec![nothing; count],
            queue: BinaryHeap::new(),
            queued: vec![false; count],
            priorities: priorities(machine),
            time: 0,
        }
    }

    /// What is known at a node.
    pub(crate) fn node(&self, node: NodeId) -> &NodeState {
        &self.nodes[node.index()]
    }

    /// Adds to what is known at a node (`Propagate` in Figure 3 of the Bebop paper); news makes the
    /// node wait for a visit.
    pub(crate) fn add(
        &mut self,
        manager: &mut Manager<'_>,
        node: NodeId,
        more: Bdd,
    ) -> Result<(), Exhausted> {
        if more.is_false() {
            return Ok(());
        }
        let state = &mut self.nodes[node.index()];
        let fresh = manager.diff(more, state.reached)?;
        if fresh.is_false() {
            return Ok(());
        }
        let reached = manager.or(state.reached, fresh)?;
        state.pending = manager.or(state.pending, fresh)?;
        state.reached = reached;
        if !std::mem::replace(&mut self.queued[node.index()], true) {
            self.put_back(node);
        }
        Ok(())
    }

    /// Takes the next node out of the queue. It counts as queued until [`Frontier::end_visit`] or
    /// [`Frontier::put_back`].
    pub(crate) fn take_next(&mut self) -> Option<NodeId> {
        self.queue.pop().map(|Reverse((_, node))| node)
    }

    /// Puts a node back whose visit ran out.
    pub(crate) fn put_back(&mut self, node: NodeId) {
        self.queue
            .push(Reverse((self.priorities[node.index()], node)));
    }

    /// Remembers what a visit propagates. The ring comes first: a visit that runs out half-way has
    /// led somewhere all the same, and runs must find the way back.
    pub(crate) fn begin_visit(&mut self, node: NodeId, delta: Bdd) {
        self.time += 1;
        self.nodes[node.index()].rings.push(Ring {
            time: self.time,
            edges: delta,
        });
    }

    /// Ends a visit that has propagated all of a delta. The node waits again if there is more.
    pub(crate) fn end_visit(
        &mut self,
        manager: &mut Manager<'_>,
        node: NodeId,
        delta: Bdd,
    ) -> Result<(), Exhausted> {
        let state = &mut self.nodes[node.index()];
        state.pending = manager.diff(state.pending, delta)?;
        if state.pending.is_false() {
            self.queued[node.index()] = false;
        } else {
            self.put_back(node);
        }
        Ok(())
    }

    /// The size in BDD nodes of the largest relation.
    pub(crate) fn widest(&self, manager: &Manager<'_>) -> u64 {
        let mut relations: Vec<Bdd> = self.nodes.iter().map(|state| state.reached).collect();
        relations.sort_unstable();
        relations.dedup();
        let sizes = relations.into_iter().map(|bdd| manager.size(bdd));
        sizes.max().unwrap_or(0) as u64
    }
}

impl Roots for Frontier {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        for state in &self.nodes {
            [state.reached, state.pending].each_root(keep);
            state.rings.iter().for_each(|ring| keep(ring.edges));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::{ProcId, from_text};

    #[test]
    fn news_waits_once_in_order_and_is_remembered() {
        let machine = from_text("t.bp", "void main() begin skip; end").unwrap();
        let mut manager = Manager::new(100);
        let mut frontier = Frontier::new(&machine);
        let (x, y) = (manager.variable(0).unwrap(), manager.variable(1).unwrap());
        let main = machine.procedure(ProcId(0));
        frontier.add(&mut manager, main.exit, x).unwrap();
        frontier.add(&mut manager, main.entry, x).unwrap();
        frontier.add(&mut manager, main.exit, y).unwrap();
        assert_eq!(frontier.take_next(), Some(main.entry));
        assert_eq!(frontier.take_next(), Some(main.exit));
        assert!(frontier.take_next().is_none());
        frontier.begin_visit(main.exit, x);
        frontier.end_visit(&mut manager, main.exit, x).unwrap();
        let rest = manager.diff(y, x).unwrap();
        assert_eq!(frontier.node(main.exit).pending, rest);
        assert_eq!(frontier.take_next(), Some(main.exit));
        assert_eq!(frontier.node(main.exit).rings.len(), 1);
    }
}
