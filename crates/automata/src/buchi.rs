//! Büchi automata while they are being made and reduced: a graph with guards and one set of
//! accepting states.

use crate::components::Components;
use crate::guard::{Guard, Letter, TooManyCubes};
use std::collections::BTreeMap;

/// A Büchi automaton: a run is accepted if it visits accepting states again and again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Buchi {
    /// Edges by source: at most one to each target, with a guard that can hold.
    pub edges: Vec<BTreeMap<u32, Guard>>,
    /// Which states are accepting.
    pub accepting: Vec<bool>,
    /// Initial states.
    pub initial: Vec<u32>,
}

impl Buchi {
    /// Adds a state without edges.
    pub(crate) fn add_state(&mut self, accepting: bool) {
        self.edges.push(BTreeMap::new());
        self.accepting.push(accepting);
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }

    /// Adds an edge, or widens the one that is there.
    pub(crate) fn add_edge(
        &mut self,
        from: u32,
        guard: &Guard,
        to: u32,
    ) -> Result<(), TooManyCubes> {
        if guard.is_never() {
            return Ok(());
        }
        let edge = self.edges[from as usize].entry(to).or_default();
        *edge = std::mem::take(edge).or(guard)?;
        Ok(())
    }

    /// The strongly connected components of its graph.
    pub(crate) fn components(&self) -> Components {
        let successors: Vec<Vec<u32>> = self
            .edges
            .iter()
            .map(|edges| edges.keys().copied().collect())
            .collect();
        Components::new(&successors)
    }

    /// Removes states that no run reaches or from which none is accepted; nothing is accepting that
    /// lies on no cycle. Gives back what became of each state.
    pub(crate) fn trim(&mut self) -> Vec<Option<u32>> {
        let components = self.components();
        let mut is_useful = vec![false; components.is_cyclic.len()];
        for state in 0..self.len() {
            self.accepting[state] &= components.on_cycle(state);
            is_useful[components.of[state] as usize] |= self.accepting[state];
        }
        // Edges lead to larger components, so those come first.
        let mut by_component: Vec<usize> = (0..self.len()).collect();
        by_component.sort_by_key(|&state| std::cmp::Reverse(components.of[state]));
        for state in by_component {
            let mut targets = self.edges[state].keys();
            let leads_on = targets.any(|&to| is_useful[components.of[to as usize] as usize]);
            is_useful[components.of[state] as usize] |= leads_on;
        }
        let useful = |state: u32| is_useful[components.of[state as usize] as usize];
        let mut reached = vec![false; self.len()];
        let mut pending: Vec<u32> = self.initial.clone();
        while let Some(state) = pending.pop() {
            if useful(state) && !std::mem::replace(&mut reached[state as usize], true) {
                pending.extend(self.edges[state as usize].keys());
            }
        }
        let mut count = 0;
        let renamed: Vec<Option<u32>> = reached
            .iter()
            .map(|&is_kept| {
                count += u32::from(is_kept);
                is_kept.then(|| count - 1)
            })
            .collect();
        let keep = |state: u32| renamed[state as usize];
        let mut kept = Buchi::default();
        for (state, edges) in std::mem::take(&mut self.edges).into_iter().enumerate() {
            if renamed[state].is_some() {
                let edges = edges.into_iter();
                let edges = edges.filter_map(|(to, guard)| Some((keep(to)?, guard)));
                kept.edges.push(edges.collect());
                kept.accepting.push(self.accepting[state]);
            }
        }
        kept.initial = self.initial.iter().filter_map(|&s| keep(s)).collect();
        kept.initial.sort_unstable();
        kept.initial.dedup();
        *self = kept;
        renamed
    }

    /// Whether the infinite word `stem` `cycle` `cycle` … is accepted.
    pub(crate) fn accepts(&self, stem: &[Letter], cycle: &[Letter]) -> bool {
        assert!(!cycle.is_empty(), "an infinite word needs a cycle");
        let letters: Vec<Letter> = stem.iter().chain(cycle).copied().collect();
        let length = letters.len();
        // Product states: before reading the letter of a position in a state of the automaton.
        let mut successors = vec![Vec::new(); length * self.len()];
        let mut reached = vec![false; successors.len()];
        let mut pending: Vec<u32> = self.initial.iter().map(|s| s * length as u32).collect();
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut reached[node as usize], true) {
                continue;
            }
            let (state, position) = (node as usize / length, node as usize % length);
            let after = if position + 1 == length {
                stem.len()
            } else {
                position + 1
            };
            let edges = self.edges[state].iter();
            let taken = edges.filter(|(_, guard)| guard.holds(letters[position]));
            successors[node as usize] = taken
                .map(|(to, _)| to * length as u32 + after as u32)
                .collect();
            pending.extend_from_slice(&successors[node as usize]);
        }
        let components = Components::new(&successors);
        (0..successors.len())
            .any(|node| reached[node] && self.accepting[node / length] && components.on_cycle(node))
    }
}
