//! What a search knows at each node, what of it is still to be propagated, and in which order.
//!
//! Both directions work on it: relations grow by news, news waits in a queue of nodes, and what has
//! been propagated is remembered as rings, from which runs are read off later (Bebop, section 3.2).

use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::analysis::{CallGraph, NodeOrder};
use hardbop_machine::{Machine, NodeId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When a delta was propagated: visits are numbered.
pub type Time = u32;

/// What was propagated together.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// The number of the visit.
    pub time: Time,
    /// What was new then.
    pub edges: Bdd,
}

/// What is known at a node.
#[derive(Clone, Debug)]
pub struct NodeState {
    /// All that is known, pending news included.
    pub reached: Bdd,
    /// What has not been propagated.
    pub pending: Bdd,
    /// What has, in order. A visit that runs out half-way leaves its ring and is repeated with
    /// another one.
    pub rings: Vec<Ring>,
}

/// Smaller comes first: procedure, then place in it.
pub type Priority = (u32, u32);

/// Garbage is collected when there are this many BDD nodes, and later when their number has
/// doubled.
pub const FIRST_COLLECTION: usize = 1 << 20;

/// Where nodes stand: callees before callers, and within a procedure along the control flow.
pub struct Places {
    rank: Vec<u32>,
    order: NodeOrder,
}

impl Places {
    /// The places of all nodes of a machine.
    pub fn new(machine: &Machine, calls: &CallGraph) -> Self {
        let mut rank = vec![0; machine.procedures.len()];
        for (place, procedure) in calls.bottom_up().enumerate() {
            rank[procedure.index()] = place as u32;
        }
        Self {
            rank,
            order: NodeOrder::new(machine),
        }
    }

    /// The place of a node.
    pub fn of(&self, machine: &Machine, node: NodeId) -> Priority {
        let procedure = machine.procedure_of(node);
        (self.rank[procedure.index()], self.order.position(node))
    }
}

/// A node that waits to be visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiting {
    priority: Priority,
    /// The node.
    pub node: NodeId,
}

/// The relations of a search and its queue.
pub struct Frontier {
    nodes: Vec<NodeState>,
    queue: BinaryHeap<Reverse<Waiting>>,
    queued: Vec<bool>,
    time: Time,
}

impl Frontier {
    /// Nothing is known at any of so many nodes.
    pub fn new(count: usize) -> Self {
        let nothing = NodeState {
            reached: Bdd::FALSE,
            pending: Bdd::FALSE,
            rings: Vec::new(),
        };
        Self {
            nodes: vec![nothing; count],
            queue: BinaryHeap::new(),
            queued: vec![false; count],
            time: 0,
        }
    }

    /// What is known at a node.
    pub fn node(&self, node: NodeId) -> &NodeState {
        &self.nodes[node.index()]
    }

    /// Adds to what is known at a node (`Propagate` in Figure 3 of the Bebop paper); news makes the
    /// node wait for a visit.
    pub fn add(
        &mut self,
        manager: &mut Manager<'_>,
        node: NodeId,
        more: Bdd,
        priority: Priority,
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
            self.queue.push(Reverse(Waiting { priority, node }));
        }
        Ok(())
    }

    /// Takes the next node out of the queue. It counts as queued until [`Frontier::end_visit`] or
    /// [`Frontier::put_back`].
    pub fn take_next(&mut self) -> Option<Waiting> {
        self.queue.pop().map(|Reverse(waiting)| waiting)
    }

    /// Puts a node back whose visit ran out.
    pub fn put_back(&mut self, waiting: Waiting) {
        self.queue.push(Reverse(waiting));
    }

    /// Remembers what a visit propagates. The ring comes first: a visit that runs out half-way has
    /// led somewhere all the same, and runs must find the way back.
    pub fn begin_visit(&mut self, node: NodeId, delta: Bdd) {
        self.time += 1;
        self.nodes[node.index()].rings.push(Ring {
            time: self.time,
            edges: delta,
        });
    }

    /// Ends a visit that has propagated all of a delta. The node waits again if there is more.
    pub fn end_visit(
        &mut self,
        manager: &mut Manager<'_>,
        node: NodeId,
        delta: Bdd,
        priority: Priority,
    ) -> Result<(), Exhausted> {
        let state = &mut self.nodes[node.index()];
        state.pending = manager.diff(state.pending, delta)?;
        if state.pending.is_false() {
            self.queued[node.index()] = false;
        } else {
            self.queue.push(Reverse(Waiting { priority, node }));
        }
        Ok(())
    }

    /// BDDs to keep.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.nodes.iter().flat_map(|state| {
            let rings = state.rings.iter().map(|ring| ring.edges);
            rings.chain([state.reached, state.pending])
        })
    }

    /// The size in BDD nodes of the largest relation.
    pub fn widest(&self, manager: &Manager<'_>) -> u64 {
        let mut relations: Vec<Bdd> = self.nodes.iter().map(|state| state.reached).collect();
        relations.sort_unstable();
        relations.dedup();
        let sizes = relations.into_iter().map(|bdd| manager.size(bdd));
        sizes.max().unwrap_or(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_waits_once_in_order_and_is_remembered() {
        let mut manager = Manager::new(100);
        let mut frontier = Frontier::new(2);
        let (x, y) = (manager.variable(0).unwrap(), manager.variable(1).unwrap());
        frontier.add(&mut manager, NodeId(1), x, (2, 0)).unwrap();
        frontier.add(&mut manager, NodeId(0), x, (1, 0)).unwrap();
        frontier.add(&mut manager, NodeId(1), y, (2, 0)).unwrap();
        assert_eq!(frontier.take_next().map(|w| w.node), Some(NodeId(0)));
        let second = frontier.take_next().unwrap();
        assert_eq!(second.node, NodeId(1));
        assert!(frontier.take_next().is_none());
        frontier.begin_visit(NodeId(1), x);
        frontier
            .end_visit(&mut manager, NodeId(1), x, (2, 0))
            .unwrap();
        let rest = manager.diff(y, x).unwrap();
        assert_eq!(frontier.node(NodeId(1)).pending, rest);
        assert_eq!(frontier.take_next().map(|w| w.node), Some(NodeId(1)));
        assert_eq!(frontier.node(NodeId(1)).rings.len(), 1);
    }
}
