//! Smaller Büchi automata: states that accept the same are made one, edges that add nothing are
//! dropped.
//!
//! The relation is *direct simulation*: `p` is simulated by `q` if `q` is accepting where `p` is
//! and can answer every step of `p` by one with a guard at least as wide to a state that simulates
//! again (Etessami and Holzmann, "Optimizing Büchi automata"). States that simulate each other are
//! merged, and of two edges of a state the one that is narrower and leads to a state strictly
//! simulated by the other's target goes. A state on no cycle may count as accepting or not, so it
//! is also merged with any state that has the same edges. Simulation is quadratic; automata over
//! [`MAX_STATES`] states are only trimmed.

use crate::buchi::Buchi;
use crate::guard::{Guard, TooManyCubes};
use std::collections::{BTreeMap, HashMap};

/// Larger automata are not compared state by state.
const MAX_STATES: usize = 150;

/// Reduces until nothing changes.
pub(crate) fn reduce(mut automaton: Buchi) -> Result<Buchi, TooManyCubes> {
    automaton.trim();
    loop {
        let before = automaton.clone();
        automaton = merge_same_edges(&automaton)?;
        if automaton.len() <= MAX_STATES {
            let simulated = Simulation::new(&automaton);
            drop_dominated_edges(&mut automaton, &simulated);
            automaton = merge_equivalent(&automaton, &simulated)?;
        }
        automaton.trim();
        if automaton == before {
            return Ok(automaton);
        }
    }
}

/// Merges states with the same edges if acceptance allows it: equal, or irrelevant because one lies
/// on no cycle.
fn merge_same_edges(automaton: &Buchi) -> Result<Buchi, TooManyCubes> {
    let components = automaton.components();
    let mut representative: Vec<u32> = (0..automaton.len() as u32).collect();
    let mut groups: HashMap<&BTreeMap<u32, Guard>, Vec<u32>> = HashMap::new();
    for state in 0..automaton.len() as u32 {
        let group = groups.entry(&automaton.edges[state as usize]).or_default();
        group.push(state);
    }
    for state in 0..automaton.len() {
        let on_cycle = components.on_cycle(state);
        let accepting = automaton.accepting[state];
        let fits = |&&other: &&u32| {
            let other = other as usize;
            let other_on_cycle = components.on_cycle(other);
            !on_cycle || (other_on_cycle && automaton.accepting[other] == accepting)
        };
        let group = &groups[&automaton.edges[state]];
        // A state on a cycle is preferred: it represents those on none.
        let cyclic = group
            .iter()
            .filter(|&&other| components.on_cycle(other as usize));
        if let Some(&found) = cyclic.chain(group.iter()).find(fits) {
            representative[state] = found;
        }
    }
    quotient(automaton, &representative)
}

/// Replaces each state by its representative; edges of all that are merged are united.
fn quotient(automaton: &Buchi, representative: &[u32]) -> Result<Buchi, TooManyCubes> {
    let mut result = Buchi::default();
    for (state, (&own, &accepting)) in representative.iter().zip(&automaton.accepting).enumerate() {
        result.add_state(accepting && own as usize == state);
    }
    for (from, edges) in automaton.edges.iter().enumerate() {
        for (&to, guard) in edges {
            let (from, to) = (representative[from], representative[to as usize]);
            result.add_edge(from, guard, to)?;
        }
    }
    let initial = automaton.initial.iter();
    result.initial = initial.map(|&s| representative[s as usize]).collect();
    Ok(result)
}

/// The largest direct simulation in which each step is answered by a single cube.
struct Simulation {
    count: usize,
    related: Vec<bool>,
}

impl Simulation {
    fn new(automaton: &Buchi) -> Self {
        let count = automaton.len();
        let accepting = &automaton.accepting;
        let pairs = (0..count * count).map(|pair| (pair / count, pair % count));
        let mut simulation = Self {
            count,
            related: pairs.map(|(p, q)| accepting[q] || !accepting[p]).collect(),
        };
        let mut changed = true;
        while changed {
            changed = false;
            for p in 0..count {
                for q in 0..count {
                    if p != q && simulation.holds(p, q) && !simulation.answers(automaton, p, q) {
                        simulation.related[p * count + q] = false;
                        changed = true;
                    }
                }
            }
        }
        simulation
    }

    /// Whether the second state simulates the first.
    fn holds(&self, p: usize, q: usize) -> bool {
        self.related[p * self.count + q]
    }

    fn answers(&self, automaton: &Buchi, p: usize, q: usize) -> bool {
        automaton.edges[p].iter().all(|(&to, guard)| {
            guard.cubes().iter().all(|&cube| {
                automaton.edges[q].iter().any(|(&answer, wider)| {
                    wider.covers(cube) && self.holds(to as usize, answer as usize)
                })
            })
        })
    }
}

/// Drops what another edge of the same state does better.
fn drop_dominated_edges(automaton: &mut Buchi, simulation: &Simulation) {
    for edges in &mut automaton.edges {
        let all = edges.clone();
        for (&to, guard) in edges.iter_mut() {
            let better: Vec<&Guard> = all
                .iter()
                .filter(|&(&other, _)| {
                    let (to, other) = (to as usize, other as usize);
                    simulation.holds(to, other) && !simulation.holds(other, to)
                })
                .map(|(_, guard)| guard)
                .collect();
            let mut kept = Guard::never();
            for &cube in guard.cubes() {
                if !better.iter().any(|wider| wider.covers(cube)) {
                    kept.add(cube);
                }
            }
            *guard = kept;
        }
        edges.retain(|_, guard| !guard.is_never());
    }
    let initial = automaton.initial.clone();
    automaton.initial.retain(|&state| {
        !initial.iter().any(|&other| {
            let (state, other) = (state as usize, other as usize);
            simulation.holds(state, other) && !simulation.holds(other, state)
        })
    });
}

/// Merges states that simulate each other.
fn merge_equivalent(automaton: &Buchi, simulation: &Simulation) -> Result<Buchi, TooManyCubes> {
    let representative: Vec<u32> = (0..automaton.len())
        .map(|p| {
            let first = (0..p).find(|&q| simulation.holds(p, q) && simulation.holds(q, p));
            first.unwrap_or(p) as u32
        })
        .collect();
    quotient(automaton, &representative)
}
