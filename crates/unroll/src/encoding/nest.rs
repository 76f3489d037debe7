//! The loops of a procedure, nested in each other, and the order in which its nodes are unrolled.
//!
//! A cyclic component of the graph is a loop; one of its nodes is its head, and the components of
//! what is left without the head are the loops inside (F. Bourdoncle, *Efficient chaotic iteration
//! strategies with widenings*, 1993). Components come in topological order, and the head comes
//! first in its own. So every edge leads forward in this order, or back to the head of a loop that
//! it stays in. That makes the numbers of repetitions, outermost first, a path's clock: see
//! [`LoopNest::clock`].
//!
//! The head is a node at which the loop is entered, so loops of structured programs have the head
//! that a reader expects. Any other choice is as sound.

use hardbop_machine::{Action, Machine, NodeId, ProcId};

/// The loops of one procedure.
#[derive(Clone, Debug)]
pub(crate) struct LoopNest {
    first_node: u32,
    /// By node of the procedure: its number in the order.
    positions: Vec<u32>,
    /// By node of the procedure: the heads of the loops around it, outermost first. A head is in its
    /// own loop.
    heads: Vec<Vec<NodeId>>,
    /// All heads, those of outer loops before those inside.
    pub(crate) all_heads: Vec<NodeId>,
}

/// What is left to be ordered.
enum Part {
    Nodes(Vec<NodeId>, Vec<NodeId>),
    Ordered(NodeId, Vec<NodeId>),
}

impl LoopNest {
    /// The loops of a procedure.
    pub(crate) fn new(machine: &Machine, id: ProcId) -> Self {
        let procedure = machine.procedure(id);
        let first_node = procedure.nodes.start;
        let count = procedure.nodes.len();
        let mut nest = Self {
            first_node,
            positions: vec![0; count],
            heads: vec![Vec::new(); count],
            all_heads: Vec::new(),
        };
        let graph = ProcedureGraph::new(machine, id);
        let mut next = 0;
        let mut parts = vec![Part::Nodes(procedure.node_ids().collect(), Vec::new())];
        while let Some(part) = parts.pop() {
            match part {
                Part::Ordered(node, heads) => {
                    let index = nest.index(node);
                    nest.positions[index] = next;
                    nest.heads[index] = heads;
                    next += 1;
                }
                Part::Nodes(nodes, around) => {
                    // Components come last to first, as the stack wants them.
                    for component in graph.components(&nodes) {
                        if !graph.is_cyclic(&component) {
                            parts.push(Part::Ordered(component[0], around.clone()));
                            continue;
                        }
                        let head = graph.head_of(&component, procedure.entry);
                        let mut inside = around.clone();
                        inside.push(head);
                        let rest = component.iter().copied().filter(|&node| node != head);
                        parts.push(Part::Nodes(rest.collect(), inside.clone()));
                        parts.push(Part::Ordered(head, inside));
                    }
                }
            }
        }
        let is_head = |&node: &NodeId| nest.heads[nest.index(node)].last() == Some(&node);
        let mut all_heads: Vec<NodeId> = procedure.node_ids().filter(is_head).collect();
        all_heads.sort_by_key(|&head| nest.positions[nest.index(head)]);
        nest.all_heads = all_heads;
        nest
    }

    fn index(&self, node: NodeId) -> usize {
        (node.0 - self.first_node) as usize
    }

    /// The heads of the loops around a node, outermost first.
    pub(crate) fn heads_around(&self, node: NodeId) -> &[NodeId] {
        &self.heads[self.index(node)]
    }

    /// Whether a step between two nodes of the procedure repeats the loop of the second.
    pub(crate) fn repeats(&self, from: NodeId, to: NodeId) -> bool {
        let around = self.heads_around(to);
        around.last() == Some(&to) && self.heads_around(from).starts_with(around)
    }

    /// The repetitions of the loops around a node after a step to it.
    pub(crate) fn repetitions(&self, from: NodeId, counts: &[u32], to: NodeId) -> Vec<u32> {
        let (before, after) = (self.heads_around(from), self.heads_around(to));
        let common = before.iter().zip(after).take_while(|(a, b)| a == b).count();
        let mut counts = counts[..common].to_vec();
        counts.resize(after.len(), 0);
        if self.repeats(from, to)
            && let Some(last) = counts.last_mut()
        {
            *last += 1;
        }
        counts
    }

    /// A number in mixed radix that grows along every step, whichever way it leads: for each loop
    /// around the node the place of the loop and its repetitions, then the place of the node.
    pub(crate) fn clock(&self, node: NodeId, counts: &[u32]) -> Vec<u32> {
        let around = self.heads_around(node).iter().zip(counts);
        let mut clock = Vec::with_capacity(2 * counts.len() + 1);
        for (&head, &count) in around {
            clock.extend([self.positions[self.index(head)], count]);
        }
        clock.push(self.positions[self.index(node)]);
        clock
    }
}

/// The graph of a procedure; a call is a step to where it returns.
struct ProcedureGraph {
    first_node: u32,
    successors: Vec<Vec<NodeId>>,
    predecessors: Vec<Vec<NodeId>>,
}

/// A node that Tarjan's algorithm has begun.
struct Begun {
    node: usize,
    next: usize,
}

impl ProcedureGraph {
    fn new(machine: &Machine, id: ProcId) -> Self {
        let procedure = machine.procedure(id);
        let mut graph = Self {
            first_node: procedure.nodes.start,
            successors: vec![Vec::new(); procedure.nodes.len()],
            predecessors: vec![Vec::new(); procedure.nodes.len()],
        };
        for edge in procedure.edge_ids().map(|edge| machine.edge(edge)) {
            if !matches!(edge.action, Action::EndThread) {
                let (from, to) = (graph.index(edge.from), graph.index(edge.to));
                graph.successors[from].push(edge.to);
                graph.predecessors[to].push(edge.from);
            }
        }
        graph
    }

    fn index(&self, node: NodeId) -> usize {
        (node.0 - self.first_node) as usize
    }

    fn is_cyclic(&self, component: &[NodeId]) -> bool {
        component.len() > 1 || self.successors[self.index(component[0])].contains(&component[0])
    }

    /// The first node at which a loop is entered.
    fn head_of(&self, component: &[NodeId], entry: NodeId) -> NodeId {
        let mut nodes = component.to_vec();
        nodes.sort_unstable();
        let is_outside = |node: &NodeId| nodes.binary_search(node).is_err();
        let is_entered = |&&node: &&NodeId| {
            node == entry || self.predecessors[self.index(node)].iter().any(is_outside)
        };
        *nodes.iter().find(is_entered).unwrap_or(&nodes[0])
    }

    /// The strong components of a part of the graph, each after all that it leads to (R. Tarjan,
    /// *Depth-first search and linear graph algorithms*, 1972).
    fn components(&self, nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
        const UNSEEN: u32 = u32::MAX;
        const OUTSIDE: u32 = u32::MAX - 1;
        const DONE: u32 = u32::MAX - 2;
        let mut numbers = vec![OUTSIDE; self.successors.len()];
        for &node in nodes {
            numbers[self.index(node)] = UNSEEN;
        }
        let mut lowest = vec![0; self.successors.len()];
        let (mut components, mut open, mut begun) = (Vec::new(), Vec::new(), Vec::new());
        let mut next_number = 0;
        for &root in nodes {
            if numbers[self.index(root)] != UNSEEN {
                continue;
            }
            begun.push(Begun {
                node: self.index(root),
                next: 0,
            });
            while let Some(Begun { node, next }) = begun.last_mut() {
                let node = *node;
                if *next == 0 {
                    numbers[node] = next_number;
                    lowest[node] = next_number;
                    next_number += 1;
                    open.push(node);
                }
                let successor = self.successors[node].get(*next);
                *next += 1;
                if let Some(&successor) = successor {
                    let successor = self.index(successor);
                    match numbers[successor] {
                        UNSEEN => begun.push(Begun {
                            node: successor,
                            next: 0,
                        }),
                        OUTSIDE | DONE => {}
                        number => lowest[node] = lowest[node].min(number),
                    }
                    continue;
                }
                begun.pop();
                if let Some(below) = begun.last() {
                    lowest[below.node] = lowest[below.node].min(lowest[node]);
                }
                if lowest[node] == numbers[node] {
                    let mut component = Vec::new();
                    while let Some(member) = open.pop() {
                        numbers[member] = DONE;
                        component.push(NodeId(self.first_node + member as u32));
                        if member == node {
                            break;
                        }
                    }
                    components.push(component);
                }
            }
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(text: &str) -> (Machine, LoopNest) {
        let machine = hardbop_machine::from_text("t.bp", text).expect("a program");
        let nest = LoopNest::new(&machine, ProcId(0));
        (machine, nest)
    }

    #[test]
    fn every_step_moves_the_clock_forward() {
        let text = "decl g; void main() begin
            while (*) do while (g) do g := *; od if (*) then goto L; fi od
            L: g := 1; if (*) then goto M; fi while (*) do M: g := *; od
        end";
        let (machine, nest) = nest(text);
        assert_eq!(nest.all_heads.len(), 3);
        for edge in &machine.edges {
            for count in 0..3 {
                let counts = vec![count; nest.heads_around(edge.from).len()];
                let after = nest.repetitions(edge.from, &counts, edge.to);
                let (from, to) = (nest.clock(edge.from, &counts), nest.clock(edge.to, &after));
                assert!(from < to, "{edge:?}: {from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn an_inner_loop_starts_from_zero_in_each_repetition_of_the_outer_one() {
        let text = "decl g; void main() begin while (*) do while (g) do g := *; od od end";
        let (machine, nest) = nest(text);
        let [outer, inner] = nest.all_heads[..] else {
            panic!("two loops: {:?}", nest.all_heads);
        };
        assert_eq!(nest.heads_around(inner), [outer, inner]);
        let back = machine
            .edges
            .iter()
            .filter(|edge| nest.repeats(edge.from, edge.to));
        let mut back: Vec<NodeId> = back.map(|edge| edge.to).collect();
        back.sort_unstable();
        assert_eq!(back, [outer, inner]);
        assert_eq!(nest.repetitions(inner, &[1, 5], outer), [2]);
        assert_eq!(nest.repetitions(outer, &[2], inner), [2, 0]);
    }
}
