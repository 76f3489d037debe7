//! The tables of all workers made one: the states of the first worker, then those of the second,
//! and so on.
//!
//! Nothing is looked up any more, so no hash table is made for them.

use super::ParallelSearch;
use super::directory::Directory;
use super::worker::Worker;
use crate::encoding::step::Statics;
use crate::encoding::table::StateTable;
use crate::search::exploration::{Chain, Derivation, Exploration, NO_STATE, Parts, Root, StateId};
use crate::search::watch::Stopped;
use hardbop_outcome::Limit;
use std::collections::BTreeMap;

/// What states will be called.
struct Numbers {
    /// Where the states of each worker begin.
    bases: Vec<u32>,
}

impl Numbers {
    /// The new number of a state that workers know by another.
    fn of(&self, state: StateId) -> StateId {
        let workers = self.bases.len() as u32;
        self.bases[(state % workers) as usize] + state / workers
    }
}

/// Makes an exploration of what all workers have.
pub(crate) fn gather<'s>(
    statics: Statics<'s>,
    directory: &Directory,
    workers: Vec<Worker<'_, 's>>,
    mut ended: Result<(), Stopped>,
) -> ParallelSearch<'s> {
    let bytes = workers.iter().map(Worker::bytes).sum();
    let mut numbers = Numbers { bases: Vec::new() };
    let mut count = 0;
    for worker in &workers {
        numbers.bases.push(count);
        count += worker.states.len() as u32;
    }
    let mut found: BTreeMap<_, StateId> = BTreeMap::new();
    let met = workers.iter().flat_map(|worker| &worker.found);
    for (&node, state) in met.filter_map(|(node, state)| Some((node, (*state)?))) {
        let state = numbers.of(state);
        let least = found.entry(node).or_insert(state);
        *least = state.min(*least);
    }
    let (roots, entries) = roots(directory, &workers, &numbers);
    let transitions = workers.iter().map(|worker| worker.transitions).sum();
    let summaries = workers.iter().map(|worker| worker.summaries).sum();
    let mut derivations: Vec<Derivation> = Vec::with_capacity(count as usize);
    let mut states = StateTable::default();
    for worker in workers {
        let own = worker.derivations.iter();
        derivations.extend(own.map(|d| d.renumbered(|state| numbers.of(state))));
        if states.append_unsearchable(&worker.states).is_none() {
            ended = Err(Stopped::Limit(Limit::Memory));
            found.clear();
        }
    }
    ParallelSearch {
        exploration: Exploration::from_parts(
            statics,
            Parts {
                states,
                entries,
                roots,
                derivations,
                transitions,
                summaries,
            },
        ),
        found,
        ended,
        bytes,
    }
}

/// All roots in order of their numbers, and the table of their keys.
fn roots(
    directory: &Directory,
    workers: &[Worker<'_, '_>],
    numbers: &Numbers,
) -> (Vec<Root>, StateTable) {
    let mut listings = Vec::new();
    directory.update(&mut listings);
    let mut entries = StateTable::default();
    let roots = listings.iter().map(|listing| {
        let owner = &workers[listing.owner];
        let index = listing.index;
        let inserted = entries.insert(owner.keys.get(index as u32));
        debug_assert!(
            matches!(inserted, Some((_, true))),
            "roots differ in their keys"
        );
        let first = &owner.roots[index].first;
        // The first state may still have been in the post when the search was ended; then nothing
        // refers to it.
        let entry = workers
            .iter()
            .zip(&numbers.bases)
            .find_map(|(worker, base)| {
                let state = worker.states.find(first)?;
                Some(base + state)
            });
        Root {
            invocation: listing.invocation.clone(),
            entry: entry.unwrap_or(NO_STATE),
            callers: Chain::default(),
            exits: Chain::default(),
        }
    });
    (roots.collect(), entries)
}
