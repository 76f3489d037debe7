//! Where heads are saved: points that every infinite run passes again and again, in a frame that
//! it never leaves.
//!
//! In each procedure these are the targets of the back edges of a depth-first search, where a call
//! counts as one edge to the place after it: every cycle within a procedure contains one. The
//! entries of recursive procedures are added.

use hardbop_automata::{Automaton, StateId};
use hardbop_machine::{Machine, NodeId, ProcId};
use std::collections::BTreeMap;

/// The points of a machine, with their numbers.
pub(super) struct Points {
    numbers: BTreeMap<NodeId, u64>,
}

impl Points {
    /// The points of a machine.
    pub fn new(machine: &Machine) -> Self {
        let mut numbers = BTreeMap::new();
        let calls = machine.calls();
        for id in machine.procedure_ids().filter(|&id| calls.is_reachable(id)) {
            let procedure = machine.procedure(id);
            let mut points = back_edge_targets(machine, id);
            if calls.is_recursive(id) {
                points.push(procedure.entry);
            }
            points.sort_unstable();
            points.dedup();
            // A frame at its exit only returns.
            for node in points.into_iter().filter(|&node| node != procedure.exit) {
                let next = numbers.len() as u64;
                numbers.insert(node, next);
            }
        }
        Self { numbers }
    }

    /// The number of a point.
    pub fn number(&self, node: NodeId) -> Option<u64> {
        self.numbers.get(&node).copied()
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The points of a procedure.
    pub fn of(&self, machine: &Machine, id: ProcId) -> Vec<NodeId> {
        let nodes = machine.procedure(id).nodes.clone();
        let range = self.numbers.range(NodeId(nodes.start)..NodeId(nodes.end));
        range.map(|(&node, _)| node).collect()
    }
}

/// The targets of the back edges of a depth-first search from the entry.
fn back_edge_targets(machine: &Machine, id: ProcId) -> Vec<NodeId> {
    let procedure = machine.procedure(id);
    let first = procedure.nodes.start as usize;
    let mut is_seen = vec![false; procedure.nodes.len()];
    let mut is_open = vec![false; procedure.nodes.len()];
    let mut found = Vec::new();
    let mut path = vec![(procedure.entry, machine.edges_from(procedure.entry))];
    is_seen[procedure.entry.index() - first] = true;
    is_open[procedure.entry.index() - first] = true;
    while let Some((node, edges)) = path.last_mut() {
        let Some(edge) = edges.next() else {
            is_open[node.index() - first] = false;
            path.pop();
            continue;
        };
        let to = machine.edge(edge).to;
        if is_open[to.index() - first] {
            found.push(to);
        }
        if !is_seen[to.index() - first] {
            is_seen[to.index() - first] = true;
            is_open[to.index() - first] = true;
            path.push((to, machine.edges_from(to)));
        }
    }
    found
}

/// The states of an automaton in which the head of a fair loop can be.
pub(super) struct FairStates {
    /// Those that lie on a cycle with an accepting state, as values of the product's variable.
    pub heads: Vec<u64>,
    /// The accepting ones among them.
    pub accepting: Vec<u64>,
}

impl FairStates {
    /// The states of an automaton.
    pub fn new(automaton: &Automaton) -> Self {
        let count = automaton.states.len();
        let mut after = vec![Vec::new(); count];
        let mut before = vec![Vec::new(); count];
        for (from, successors) in after.iter_mut().enumerate() {
            for edge in automaton.edges_of(StateId::new(from)) {
                successors.push(edge.to.index());
                before[edge.to.index()].push(from);
            }
        }
        let mut is_head = vec![false; count];
        let mut accepting = Vec::new();
        for state in (0..count).filter(|&state| automaton.states[state].accepting) {
            let (later, earlier) = (reached(&after, state), reached(&before, state));
            if later[state] {
                accepting.push(state as u64);
            }
            for (other, head) in is_head.iter_mut().enumerate() {
                *head |= later[other] && earlier[other];
            }
        }
        let heads = (0..count).filter(|&state| is_head[state]);
        Self {
            heads: heads.map(|state| state as u64).collect(),
            accepting,
        }
    }

    /// Whether every loop between equal heads is fair. A loop keeps to one component.
    pub fn are_all_accepting(&self) -> bool {
        self.heads == self.accepting
    }
}

/// What is reached in at least one step.
fn reached(graph: &[Vec<usize>], start: usize) -> Vec<bool> {
    let mut is_reached = vec![false; graph.len()];
    let mut pending = graph[start].clone();
    while let Some(state) = pending.pop() {
        if !std::mem::replace(&mut is_reached[state], true) {
            pending.extend(&graph[state]);
        }
    }
    is_reached
}
