//! Generalised Büchi automata with acceptance on edges, and the way from there to one set of
//! accepting states.
//!
//! A run is accepted if it takes edges of every set again and again. To have one set instead,
//! states are multiplied by a *level*: how many of the sets, in order, have been met since the last
//! round. An edge climbs as many levels as the sets it is in allow; the top level is accepting, and
//! from there counting starts again at the bottom. Levels matter only inside one strongly connected
//! component that has all the sets; an edge that leaves its component starts again at the bottom,
//! and components that cannot be accepting have one level.

use crate::buchi::Buchi;
use crate::components::Components;
use crate::guard::{Guard, TooManyCubes};
use std::collections::HashMap;

/// A generalised Büchi automaton.
#[derive(Clone, Debug, Default)]
pub(crate) struct Generalised {
    /// Edges by source.
    pub edges: Vec<Vec<GeneralisedEdge>>,
    /// Initial states.
    pub initial: Vec<u32>,
    /// How many acceptance sets there are, at most 64.
    pub sets: u32,
}

/// An edge of a generalised Büchi automaton.
#[derive(Clone, Debug)]
pub(crate) struct GeneralisedEdge {
    /// When it may be taken.
    pub guard: Guard,
    /// Where it leads.
    pub to: u32,
    /// The sets it belongs to, as bits.
    pub fulfilled: u64,
}

impl Generalised {
    /// The same language with one set of accepting states; with it, for each new state, the old one
    /// and its level.
    pub(crate) fn degeneralise(&self) -> Result<(Buchi, Vec<(u32, u32)>), TooManyCubes> {
        let components = self.components();
        let is_accepting = self.accepting_components(&components);
        let mut result = Buchi::default();
        let mut origins: Vec<(u32, u32)> = Vec::new();
        let mut ids: HashMap<(u32, u32), u32> = HashMap::new();
        let mut number = |origin: (u32, u32), origins: &mut Vec<(u32, u32)>| {
            *ids.entry(origin).or_insert_with(|| {
                origins.push(origin);
                origins.len() as u32 - 1
            })
        };
        for &state in &self.initial {
            let id = number((state, 0), &mut origins);
            result.initial.push(id);
        }
        let mut next = 0;
        while let Some(&(state, level)) = origins.get(next) {
            let component = components.of[state as usize];
            let counts = is_accepting[component as usize];
            result.add_state(counts && level == self.sets);
            for edge in &self.edges[state as usize] {
                let stays = components.of[edge.to as usize] == component;
                let level = if stays && counts {
                    self.climb(level, edge.fulfilled)
                } else {
                    0
                };
                let to = number((edge.to, level), &mut origins);
                result.add_edge(next as u32, &edge.guard, to)?;
            }
            next += 1;
        }
        Ok((result, origins))
    }

    /// The level after an edge that belongs to these sets.
    fn climb(&self, level: u32, fulfilled: u64) -> u32 {
        let start = if level == self.sets { 0 } else { level };
        let climbed = (start..self.sets).find(|&set| fulfilled >> set & 1 == 0);
        climbed.unwrap_or(self.sets)
    }

    fn components(&self) -> Components {
        let successors: Vec<Vec<u32>> = self
            .edges
            .iter()
            .map(|edges| edges.iter().map(|edge| edge.to).collect())
            .collect();
        Components::new(&successors)
    }

    /// Which components have a cycle through all sets.
    fn accepting_components(&self, components: &Components) -> Vec<bool> {
        let mut found = vec![0u64; components.is_cyclic.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                if components.of[from] == components.of[edge.to as usize] {
                    found[components.of[from] as usize] |= edge.fulfilled;
                }
            }
        }
        let has_all = |fulfilled: u64| (0..self.sets).all(|set| fulfilled >> set & 1 == 1);
        let cyclic = components.is_cyclic.iter();
        cyclic
            .zip(found)
            .map(|(&is_cyclic, fulfilled)| is_cyclic && has_all(fulfilled))
            .collect()
    }
}
