//! The loops that the listed heads make, and a time that grows along every step.
//!
//! A cyclic component of a procedure's graph is the loop of the head in it that is listed first;
//! the components of what is left without that head are treated in the same way. Components are put
//! in an order in which steps between them lead forward. The *time* of a node within its frame is,
//! for each loop around it from the outermost on, the position of the loop and how often it has
//! been repeated, and then the position of the node.
//!
//! **Time grows along every step** from `u` to `v`, compared as lists. Let both be in the same
//! loops down to some depth, with the same repetitions. Below that, `u` and `v` are in different
//! components (or one is the head, which comes first), and a step between components leads forward;
//! or `v` is the head of the innermost of these loops, and then its repetitions have grown by one.

use hardbop_machine::{Action, Machine, NodeId};

/// The loops of a machine.
pub(crate) struct Loops {
    /// By node: the loops around it, outermost first. A head is in its own loop.
    around: Vec<Vec<Around>>,
    /// By node.
    positions: Vec<u32>,
}

/// A loop around a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Around {
    head: NodeId,
    position: u32,
}

impl Loops {
    /// The loops of these heads; a node of a cyclic component without a head otherwise.
    pub fn new(machine: &Machine, heads: &[NodeId]) -> Result<Self, NodeId> {
        let count = machine.nodes.len();
        let mut rank = vec![u32::MAX; count];
        for (number, head) in (0..).zip(heads) {
            rank[head.index()] = number;
        }
        let mut loops = Self {
            around: vec![Vec::new(); count],
            positions: vec![0; count],
        };
        let graph = Successors::new(machine);
        // Sets of nodes that are to be ordered, in reverse, with the loops around them. A set that
        // is known to be no more than its node is marked.
        let mut pending: Vec<(Vec<NodeId>, Vec<Around>, bool)> = Vec::new();
        for procedure in &machine.procedures {
            pending.push((procedure.node_ids().collect(), Vec::new(), false));
        }
        let mut member_of = vec![0; count];
        let mut next_set = 0;
        let mut next_position = 0;
        while let Some((nodes, around, is_single)) = pending.pop() {
            if is_single {
                let node = nodes[0].index();
                loops.positions[node] = next_position;
                loops.around[node] = around;
                next_position += 1;
                continue;
            }
            next_set += 1;
            for node in &nodes {
                member_of[node.index()] = next_set;
            }
            let is_member = |node: NodeId| member_of[node.index()] == next_set;
            let mut parts: Vec<(Vec<NodeId>, Vec<Around>, bool)> = Vec::new();
            for component in graph.components(&nodes, is_member) {
                let first = component[0];
                if component.len() == 1 && !graph.after[first.index()].contains(&first) {
                    parts.push((component, around.clone(), true));
                    continue;
                }
                let head = component.iter().min_by_key(|node| rank[node.index()]);
                let head = *head.unwrap_or(&first);
                if rank[head.index()] == u32::MAX {
                    return Err(head);
                }
                let mut inside = around.clone();
                inside.push(Around {
                    head,
                    position: next_position + parts.iter().map(|p| p.0.len() as u32).sum::<u32>(),
                });
                let rest = component.into_iter().filter(|&node| node != head);
                parts.push((vec![head], inside.clone(), true));
                parts.push((rest.collect(), inside, false));
            }
            parts.retain(|(nodes, ..)| !nodes.is_empty());
            pending.extend(parts.into_iter().rev());
        }
        Ok(loops)
    }

    /// The head of the loop that a step within a frame repeats.
    pub fn repeated(&self, from: NodeId, to: NodeId) -> Option<NodeId> {
        let innermost = self.around[to.index()].last()?;
        let is_back = innermost.head == to && self.around[from.index()].contains(innermost);
        is_back.then_some(to)
    }

    /// How often the loops around a node have been repeated when the procedure begins there.
    pub fn at_start(&self, node: NodeId) -> Vec<u32> {
        vec![0; self.around[node.index()].len()]
    }

    /// How often the loops around a node have been repeated after a step within the frame.
    pub fn after(&self, from: NodeId, repeated: &[u32], to: NodeId) -> Vec<u32> {
        let mut now = self.at_start(to);
        let (old, new) = (&self.around[from.index()], &self.around[to.index()]);
        for (depth, one) in new.iter().enumerate() {
            if old.get(depth) != Some(one) {
                break;
            }
            now[depth] = repeated[depth];
        }
        if self.repeated(from, to).is_some() {
            // The loop of a head is the innermost one around it.
            if let Some(last) = now.last_mut() {
                *last += 1;
            }
        }
        now
    }

    /// The time at a node.
    pub fn time(&self, node: NodeId, repeated: &[u32]) -> Vec<u32> {
        let around = self.around[node.index()].iter().zip(repeated);
        let mut time: Vec<u32> = around
            .flat_map(|(one, &times)| [one.position, times])
            .collect();
        time.push(self.positions[node.index()]);
        time
    }
}

/// Steps within a frame: a call leads to where it returns.
struct Successors {
    after: Vec<Vec<NodeId>>,
    before: Vec<Vec<NodeId>>,
}

impl Successors {
    fn new(machine: &Machine) -> Self {
        let none = vec![Vec::new(); machine.nodes.len()];
        let mut graph = Self {
            after: none.clone(),
            before: none,
        };
        for edge in &machine.edges {
            if !matches!(edge.action, Action::EndThread) {
                graph.after[edge.from.index()].push(edge.to);
                graph.before[edge.to.index()].push(edge.from);
            }
        }
        graph
    }

    /// The strong components of some nodes, each before all that it leads to: the last node that a
    /// depth-first search finishes is in a component that no other leads to, and that component is
    /// what reaches it backwards (Kosaraju's algorithm).
    fn components(&self, nodes: &[NodeId], is_member: impl Fn(NodeId) -> bool) -> Vec<Vec<NodeId>> {
        let mut seen = std::collections::BTreeSet::new();
        let mut finished = Vec::with_capacity(nodes.len());
        let mut stack: Vec<(NodeId, usize)> = Vec::new();
        for &root in nodes {
            if !seen.insert(root) {
                continue;
            }
            stack.push((root, 0));
            while let Some((node, next)) = stack.last_mut() {
                let Some(&successor) = self.after[node.index()].get(*next) else {
                    finished.push(*node);
                    stack.pop();
                    continue;
                };
                *next += 1;
                if is_member(successor) && seen.insert(successor) {
                    stack.push((successor, 0));
                }
            }
        }
        let mut components = Vec::new();
        while let Some(root) = finished.pop() {
            if !seen.remove(&root) {
                continue;
            }
            let mut component = vec![root];
            let mut next = 0;
            while let Some(&node) = component.get(next) {
                next += 1;
                for &before in &self.before[node.index()] {
                    if is_member(before) && seen.remove(&before) {
                        component.push(before);
                    }
                }
            }
            components.push(component);
        }
        components
    }
}
