//! The order in which a worklist should visit nodes, and the edges that lead to a node.
//!
//! Within each procedure the nodes stand in reverse postorder of a depth-first search from the
//! entry that takes the last edge first. Predecessors then come before successors except along back
//! edges, and, as a condition's first edge leads into the loop, a loop's body comes before what
//! follows the loop: the order is also a weak topological one for structured programs. What the
//! entry does not reach comes after all else, in order of the text.

use super::bit_set::BitSet;
use super::table::Table;
use crate::ids::{EdgeId, NodeId};
use crate::ir::{Action, ThreadStart};
use crate::machine::Machine;

/// The visiting order of all nodes of a machine.
#[derive(Clone, Debug)]
pub struct NodeOrder {
    order: Vec<NodeId>,
    position: Vec<u32>,
    loop_heads: BitSet,
}

impl NodeOrder {
    /// Orders the nodes of every procedure; the procedures keep their order. Linear.
    pub(crate) fn new(machine: &Machine) -> Self {
        let mut state = Search {
            visited: BitSet::new(machine.nodes.len()),
            open: BitSet::new(machine.nodes.len()),
            loop_heads: BitSet::new(machine.nodes.len()),
            postorder: Vec::new(),
        };
        let mut order = Vec::with_capacity(machine.nodes.len());
        for procedure in &machine.procedures {
            state.postorder.clear();
            state.run(machine, procedure.entry);
            order.extend(state.postorder.iter().rev());
            let unreached = procedure.node_ids();
            order.extend(unreached.filter(|node| !state.visited.contains(node.index())));
        }
        let mut position = vec![0; machine.nodes.len()];
        for (index, node) in order.iter().enumerate() {
            position[node.index()] = index as u32;
        }
        Self {
            order,
            position,
            loop_heads: state.loop_heads,
        }
    }

    /// All nodes, procedure by procedure, each procedure's in visiting order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.order
    }

    /// Where a node stands in [`NodeOrder::nodes`]: worklists take the smallest first.
    pub fn position(&self, node: NodeId) -> u32 {
        self.position[node.index()]
    }

    /// Whether a back edge leads to the node.
    pub fn is_loop_head(&self, node: NodeId) -> bool {
        self.loop_heads.contains(node.index())
    }
}

struct Search {
    visited: BitSet,
    open: BitSet,
    loop_heads: BitSet,
    postorder: Vec<NodeId>,
}

impl Search {
    fn run(&mut self, machine: &Machine, entry: NodeId) {
        // The nodes on the way from the entry, each with its successors that are still to be
        // visited.
        let mut path: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
        let mut next = Some(entry);
        loop {
            if let Some(node) = next.take() {
                if self.visited.insert(node.index()) {
                    self.open.insert(node.index());
                    path.push((node, successors(machine, node)));
                } else if self.open.contains(node.index()) {
                    self.loop_heads.insert(node.index());
                }
            }
            let Some((node, pending)) = path.last_mut() else {
                return;
            };
            next = pending.pop();
            if next.is_none() {
                self.open.remove(node.index());
                self.postorder.push(*node);
                path.pop();
            }
        }
    }
}

/// The nodes of the same procedure that an edge of the node leads to, first edge first.
fn successors(machine: &Machine, node: NodeId) -> Vec<NodeId> {
    let mut successors = Vec::new();
    for edge in machine.edges_from(node) {
        let edge = machine.edge(edge);
        if edge.action != Action::EndThread {
            successors.push(edge.to);
        }
        if let Action::StartThread(ThreadStart::Node(start)) = edge.action {
            successors.push(start);
        }
    }
    successors
}

/// For each node the edges whose `to` it is. `EndThread` leads nowhere and is left out.
pub fn predecessors(machine: &Machine) -> Table<EdgeId> {
    let edges = (0..).map(EdgeId).zip(&machine.edges);
    let pairs = edges
        .filter(|(_, edge)| edge.action != Action::EndThread)
        .map(|(id, edge)| (edge.to.index(), id));
    Table::new(machine.nodes.len(), pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_builder::Builder;

    #[test]
    fn a_loop_body_comes_before_what_follows_the_loop_and_unreached_nodes_come_last() {
        let mut b = Builder::new();
        let main = b.procedure("main", &[], &[], 0, 5);
        let skip = || Action::Skip;
        // 0: while → body 2, after 1; 2 → 0; 1 → exit; 3 is not reached.
        b.edge(main.at(0), main.at(2), None, skip());
        b.edge(main.at(0), main.at(1), None, skip());
        b.edge(main.at(2), main.at(0), None, skip());
        b.edge(main.at(1), main.exit(), None, skip());
        b.edge(main.at(3), main.exit(), None, skip());
        let machine = b.finish(main.id);
        let order = NodeOrder::new(&machine);
        let indices: Vec<u32> = order.nodes().iter().map(|n| n.0).collect();
        assert_eq!(indices, [0, 2, 1, 4, 3]);
        assert_eq!(order.position(NodeId(2)), 1);
        assert!(order.is_loop_head(NodeId(0)) && !order.is_loop_head(NodeId(1)));
        let incoming = predecessors(&machine);
        assert_eq!(incoming.row(0), [EdgeId(3)]);
        assert_eq!(incoming.row(4), [EdgeId(2), EdgeId(4)]);
    }

    #[test]
    fn a_long_procedure_does_not_overflow_the_stack() {
        let mut b = Builder::new();
        let main = b.procedure("main", &[], &[], 0, 200_000);
        for i in 0..199_999 {
            b.edge(main.at(i), main.at(i + 1), None, Action::Skip);
        }
        let machine = b.finish(main.id);
        assert_eq!(NodeOrder::new(&machine).position(main.exit()), 199_999);
    }
}
