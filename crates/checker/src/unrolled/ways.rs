//! Which nodes and edges a run to a target can pass, by the graph alone.
//!
//! `leaving` has the nodes from which the exit of the procedure can be reached, `within` those from
//! which a target can be reached before the procedure returns, `useful` adds those from which one
//! can be reached after it has returned to some caller. A call is passed only if its callee can
//! return. Each set is the least one that is closed under the steps of [`Ways::close`]; they follow
//! a run to the target backwards, so every node of such a run is in `useful` and every edge kept.

use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId};
use std::collections::BTreeSet;

/// The nodes and edges that matter.
pub(crate) struct Ways {
    leaving: Vec<bool>,
    within: Vec<bool>,
    useful: Vec<bool>,
}

/// What else a marked node marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closure {
    Leaving,
    Within,
    Useful,
}

impl Ways {
    /// The ways to some targets. Linear.
    pub fn new(machine: &Machine, targets: &BTreeSet<NodeId>) -> Self {
        let none = vec![false; machine.nodes.len()];
        let mut ways = Self {
            leaving: none.clone(),
            within: none.clone(),
            useful: none,
        };
        let graph = Graph::new(machine);
        let exits = machine.procedures.iter().map(|procedure| procedure.exit);
        ways.close(machine, &graph, Closure::Leaving, exits.collect());
        ways.close(
            machine,
            &graph,
            Closure::Within,
            targets.iter().copied().collect(),
        );
        let within = machine.node_ids().filter(|node| ways.within[node.index()]);
        let within = within.collect();
        ways.close(machine, &graph, Closure::Useful, within);
        ways
    }

    fn close(
        &mut self,
        machine: &Machine,
        graph: &Graph,
        closure: Closure,
        mut pending: Vec<NodeId>,
    ) {
        while let Some(node) = pending.pop() {
            let marks = match closure {
                Closure::Leaving => &mut self.leaving,
                Closure::Within => &mut self.within,
                Closure::Useful => &mut self.useful,
            };
            if std::mem::replace(&mut marks[node.index()], true) {
                continue;
            }
            for &id in &graph.into[node.index()] {
                let edge = machine.edge(id);
                let Action::Call { callee, .. } = edge.action else {
                    pending.push(edge.from);
                    continue;
                };
                if self.returns(machine, callee) {
                    pending.push(edge.from);
                    if closure == Closure::Useful {
                        pending.push(machine.procedure(callee).exit);
                    }
                }
            }
            let procedure = machine.procedure_of(node);
            if node == machine.procedure(procedure).entry && closure != Closure::Useful {
                for &id in &graph.calls[procedure.index()] {
                    let edge = machine.edge(id);
                    // A call whose callee was not known to return when its end was marked.
                    if closure == Closure::Within || self.leaving[edge.to.index()] {
                        pending.push(edge.from);
                    }
                }
            }
        }
    }

    fn returns(&self, machine: &Machine, procedure: ProcId) -> bool {
        self.leaving[machine.procedure(procedure).entry.index()]
    }

    /// Whether a run to a target can be at a node.
    pub fn keeps(&self, node: NodeId) -> bool {
        self.useful[node.index()]
    }

    /// Whether a run to a target can take an edge.
    pub fn keeps_edge(&self, machine: &Machine, id: EdgeId) -> bool {
        let edge = machine.edge(id);
        match edge.action {
            Action::EndThread => false,
            Action::Call { callee, .. } => {
                let entry = machine.procedure(callee).entry;
                self.within[entry.index()] || self.returns(machine, callee) && self.keeps(edge.to)
            }
            _ => self.keeps(edge.to),
        }
    }
}

/// The edges into each node and the calls of each procedure.
struct Graph {
    into: Vec<Vec<EdgeId>>,
    calls: Vec<Vec<EdgeId>>,
}

impl Graph {
    fn new(machine: &Machine) -> Self {
        let mut graph = Self {
            into: vec![Vec::new(); machine.nodes.len()],
            calls: vec![Vec::new(); machine.procedures.len()],
        };
        for id in machine.edge_ids() {
            let edge = machine.edge(id);
            match edge.action {
                Action::EndThread => continue,
                Action::Call { callee, .. } => graph.calls[callee.index()].push(id),
                _ => {}
            }
            graph.into[edge.to.index()].push(id);
        }
        graph
    }
}
