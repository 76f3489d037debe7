//! A node in the middle of an edge, so that a question about an edge becomes a question about a node.
//!
//! Queries name nodes. Whether a branch is ever taken, or what would happen if something changed right after a step, is asked of a
//! machine in which the edge is two: the first half has its guard and action, the second does nothing. Every run of
//! the one machine is a run of the other with those extra steps, so all nodes keep their verdicts.

use crate::ids::{EdgeId, NodeId};
use crate::ir::{Action, Assertion, Edge, Label, Machine, Node, NodeKind, Procedure, ThreadStart};

/// A machine some of whose edges have been split, and where the parts of the original are in it.
#[derive(Clone, Debug)]
pub struct Split {
    /// The machine with the new nodes.
    pub machine: Machine,
    /// For every node of the original its id in the new machine.
    pub nodes: Vec<NodeId>,
    /// For every edge of the original its first half, or the whole edge if it was not split.
    pub edges: Vec<EdgeId>,
    /// For every edge of the original the node in its middle, if it was split.
    pub middles: Vec<Option<NodeId>>,
}

/// Splits the edges that are asked for. An edge that ends its thread leads nowhere and is never split. The middle of a call is
/// behind the return.
pub fn split_edges(machine: &Machine, is_wanted: impl Fn(EdgeId) -> bool) -> Split {
    let is_split = |id: EdgeId| machine.edge(id).action != Action::EndThread && is_wanted(id);
    let (nodes, middles) = number_nodes(machine, is_split);
    let mut split = Split {
        machine: Machine {
            procedures: Vec::with_capacity(machine.procedures.len()),
            nodes: Vec::with_capacity(machine.nodes.len()),
            edges: Vec::with_capacity(machine.edges.len()),
            ..machine.clone()
        },
        edges: Vec::with_capacity(machine.edges.len()),
        nodes,
        middles,
    };
    for procedure in &machine.procedures {
        split.add_procedure(machine, procedure);
    }
    let place = |node: NodeId| split.nodes[node.index()];
    let labels = machine.labels.iter().map(|label| Label {
        node: place(label.node),
        ..label.clone()
    });
    let assertions = machine.assertions.iter().map(|assertion| Assertion {
        node: place(assertion.node),
        failure: place(assertion.failure),
        ..assertion.clone()
    });
    split.machine.labels = labels.collect();
    split.machine.assertions = assertions.collect();
    split
}

/// The new ids of all nodes: the middles of a node's edges come right after it, so that exits stay last.
fn number_nodes(
    machine: &Machine,
    is_split: impl Fn(EdgeId) -> bool,
) -> (Vec<NodeId>, Vec<Option<NodeId>>) {
    let mut nodes = Vec::with_capacity(machine.nodes.len());
    let mut middles = vec![None; machine.edges.len()];
    let mut next = 0;
    let mut number = || {
        next += 1;
        NodeId(next - 1)
    };
    for node in machine.node_ids() {
        nodes.push(number());
        for edge in machine.edges_from(node).filter(|&edge| is_split(edge)) {
            middles[edge.index()] = Some(number());
        }
    }
    (nodes, middles)
}

impl Split {
    fn add_procedure(&mut self, machine: &Machine, old: &Procedure) {
        let (first_node, first_edge) = (self.next_node(), self.next_edge());
        for node in old.node_ids() {
            self.add_node(machine, node);
        }
        self.machine.procedures.push(Procedure {
            entry: self.nodes[old.entry.index()],
            exit: self.nodes[old.exit.index()],
            nodes: first_node..self.next_node(),
            edges: first_edge..self.next_edge(),
            ..old.clone()
        });
    }

    /// A node with its edges, then the middles of those edges with theirs.
    fn add_node(&mut self, machine: &Machine, id: NodeId) {
        let first_edge = self.next_edge();
        for edge in machine.edges_from(id) {
            let old = machine.edge(edge);
            self.edges.push(EdgeId(self.next_edge()));
            let to = self.middles[edge.index()].unwrap_or(self.nodes[old.to.index()]);
            let mut action = old.action.clone();
            if let Action::StartThread(ThreadStart::Node(start)) = &mut action {
                *start = self.nodes[start.index()];
            }
            self.machine.edges.push(Edge {
                from: self.nodes[id.index()],
                to,
                action,
                ..old.clone()
            });
        }
        self.machine.nodes.push(Node {
            edges: first_edge..self.next_edge(),
            ..machine.node(id).clone()
        });
        for edge in machine.edges_from(id) {
            let Some(middle) = self.middles[edge.index()] else {
                continue;
            };
            let old = machine.edge(edge);
            let leaving = self.next_edge();
            self.machine.edges.push(Edge {
                from: middle,
                to: self.nodes[old.to.index()],
                guard: None,
                action: Action::Skip,
                inputs: Vec::new(),
                span: old.span,
            });
            self.machine.nodes.push(Node {
                procedure: machine.procedure_of(id),
                edges: leaving..leaving + 1,
                kind: NodeKind::Internal,
                span: old.span,
            });
        }
    }

    fn next_node(&self) -> u32 {
        self.machine.nodes.len() as u32
    }

    fn next_edge(&self) -> u32 {
        self.machine.edges.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "decl g;
        void main() begin
          L: if (g) then f(); else assert(!g); fi
          start_thread goto L;
          end_thread;
        end
        void f() begin M: g := *; end";

    fn machine() -> Machine {
        crate::from_text("test.bp", TEXT).expect("the program is valid")
    }

    #[test]
    fn a_split_machine_has_the_order_that_every_machine_has() {
        let split = split_edges(&machine(), |_| true).machine;
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
        let split = split_edges(&machine, |edge| machine.edge(edge).guard.is_some());
        let mut splits = 0;
        for id in machine.edge_ids() {
            let old = machine.edge(id);
            let new = split.machine.edge(split.edges[id.index()]);
            assert_eq!(new.from, split.nodes[old.from.index()]);
            assert_eq!((new.guard, &new.inputs), (old.guard, &old.inputs));
            assert_eq!(split.middles[id.index()].is_some(), old.guard.is_some());
            let end = match split.middles[id.index()] {
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
        let split = split_edges(&machine, |_| true);
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
        let split = split_edges(&machine, |_| true);
        let ends = machine
            .edge_ids()
            .filter(|&id| machine.edge(id).action == Action::EndThread);
        let middles: Vec<_> = ends.map(|id| split.middles[id.index()]).collect();
        assert_eq!(middles, [None]);
    }
}
