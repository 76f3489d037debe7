//! Cut points: the nodes for which facts are computed.
//!
//! Between cut points the machine is a graph without cycles, and a step from one cut point to the
//! next, along all paths at once, is one *block* ([`crate::block`]). Relations at the other nodes
//! are weakest preconditions of those at cut points ([`crate::certificate`]). They have to be free
//! of quantifiers, so a weakest precondition is never taken over a call or over a choice of more
//! than a few bits: the nodes before such edges are cut points, too.

use hardbop_machine::{Action, Edge, EdgeId, Machine, NodeId};

/// Choices of up to this many bits are tried one by one in a weakest precondition.
pub(crate) const MOST_CHOICE_BITS: u32 = 3;
/// A node from which more paths lead to the next cut points is one itself.
const MOST_PATHS: u64 = 48;

/// Which nodes are cut points.
pub(crate) struct Cuts {
    is_cut: Vec<bool>,
}

impl Cuts {
    pub fn new(machine: &Machine, targets: &[NodeId]) -> Self {
        let mut is_cut = vec![false; machine.nodes.len()];
        for procedure in &machine.procedures {
            is_cut[procedure.entry.index()] = true;
            is_cut[procedure.exit.index()] = true;
        }
        for target in targets {
            is_cut[target.index()] = true;
        }
        let order = machine.node_order();
        for id in machine.edge_ids() {
            let edge = machine.edge(id);
            if leads_on(edge) && order.position(edge.to) <= order.position(edge.from) {
                is_cut[edge.to.index()] = true;
            }
            let is_call = matches!(edge.action, Action::Call { .. });
            if is_call || choice_bits(machine, id) > MOST_CHOICE_BITS {
                is_cut[edge.from.index()] = true;
            }
        }
        let mut paths = vec![0_u64; machine.nodes.len()];
        for &node in order.nodes().iter().rev() {
            let ways = machine.edges_from(node).map(|id| {
                let edge = machine.edge(id);
                let cases = 1 << choice_bits(machine, id).min(MOST_CHOICE_BITS);
                let after = if is_cut[edge.to.index()] {
                    1
                } else {
                    paths[edge.to.index()]
                };
                after.saturating_mul(cases)
            });
            let count = ways.fold(0, u64::saturating_add);
            paths[node.index()] = count;
            if count > MOST_PATHS {
                is_cut[node.index()] = true;
            }
        }
        Self { is_cut }
    }

    pub fn contains(&self, node: NodeId) -> bool {
        self.is_cut[node.index()]
    }
}

/// Whether an edge has a next node in the same frame.
pub(crate) fn leads_on(edge: &Edge) -> bool {
    edge.action != Action::EndThread
}

/// How many bits all choices of an edge have.
pub(crate) fn choice_bits(machine: &Machine, edge: EdgeId) -> u32 {
    let inputs = machine.edge(edge).inputs.iter();
    inputs.map(|ty| ty.width()).sum()
}
