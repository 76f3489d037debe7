//! What is reachable, one configuration at a time, with or without partial-order reduction.
//!
//! The search is breadth-first. Without reduction what it has visited when it ends is an invariant. With it, in a configuration in which
//! every thread may step it looks for a [closed set](Independence::closed_sets) of threads such that one of them can step whatever the
//! undetermined values are, and takes the steps of these threads only, provided that all of them lead to configurations which have not
//! been expanded yet. Otherwise it takes all steps.
//!
//! **Nothing is lost.** Let a run w lead from a stored configuration s to a step that enters a target. By induction on the length of w,
//! then on how late s is expanded, the search enters the target. If s was expanded fully, or the first step of w is one of the closed
//! set T, the search takes it, and the rest of w is shorter. If a later step m of w is the first one of T, the steps before it commute
//! with m, so m can be taken first, and the same steps follow. If w has no step of T, some m of T can be taken, w can follow it, and
//! the configuration after m is expanded later than s. The last cannot go on for ever, as there are finitely many. Exchanging threads
//! of one kind changes none of this: a run of the exchanged threads has the same length and enters the same nodes.

use crate::exact::search::allowance::Allowance;
use crate::exact::search::independence::Independence;
use crate::exact::search::steps::TooManyCases;
use crate::exact::search::transitions::{Memory, Row, Transition, Transitions};
use crate::exact::search::visited::{NO_PARENT, Visited};
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::Limit;
use std::collections::BTreeSet;

/// Which reductions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Steps that commute are taken in one order only.
    pub partial_order: bool,
    /// Threads of one kind are interchangeable.
    pub symmetry: bool,
}

impl Reductions {
    /// All of them.
    pub const ALL: Self = Self {
        partial_order: true,
        symmetry: true,
    };

    /// The others.
    pub(crate) fn without_partial_order(self) -> Self {
        Self {
            partial_order: false,
            ..self
        }
    }
}

/// A search and what it has found.
pub(crate) struct Exploration<'m> {
    /// The configurations.
    pub(crate) visited: Visited<'m>,
    independence: Option<Independence>,
    /// Whether a thread was not started for want of room.
    pub(crate) missed_thread: bool,
    /// How many configurations were expanded by the steps of some threads only.
    pub(crate) reduced: usize,
}

impl<'m> Exploration<'m> {
    /// A search for some nodes that has not begun.
    pub(crate) fn new(
        machine: &'m Machine,
        cast: &'m Cast,
        wanted: &BTreeSet<NodeId>,
        reductions: Reductions,
    ) -> Self {
        let visited = Visited::new(machine, cast, wanted, Memory::Flag, reductions.symmetry);
        let kinds = &visited.transitions.stepper.kinds;
        let independence = reductions
            .partial_order
            .then(|| Independence::new(machine, kinds));
        Self {
            visited,
            independence,
            missed_thread: false,
            reduced: 0,
        }
    }

    /// Explores until every wanted node is reached or nothing new is left.
    pub(crate) fn run(&mut self, allowance: &Allowance<'_>) -> Result<(), Limit> {
        let initial = self.visited.transitions.initial();
        self.add(initial, NO_PARENT);
        let mut next = 0;
        while (next as usize) < self.visited.len() && !self.visited.is_done() {
            let bytes = self.visited.bytes();
            if let Some(limit) = allowance.is_spent(next as usize, bytes, &self.visited) {
                return Err(limit);
            }
            self.expand(next)?;
            next += 1;
        }
        Ok(())
    }

    /// The number of a configuration.
    fn add(&mut self, row: Row, parent: u32) -> u32 {
        let (id, is_new) = self.visited.insert(row, parent);
        if is_new {
            self.visited.note(id);
        }
        id
    }

    fn expand(&mut self, id: u32) -> Result<(), TooManyCases> {
        let row = self.visited.get(id).to_vec();
        let mut taken = 0u64;
        for set in self.closed_sets(&row) {
            let threads: Vec<u32> = Transitions::running(&row).collect();
            let members = threads.into_iter().filter(|thread| set >> thread & 1 == 1);
            if self.suffices(id, &row, members)? {
                self.reduced += 1;
                return Ok(());
            }
            taken |= set;
        }
        let threads: Vec<u32> = Transitions::running(&row).collect();
        for thread in threads {
            if taken.checked_shr(thread).is_none_or(|rest| rest & 1 == 0) {
                for transition in self.visited.transitions.of_thread(&row, thread)? {
                    self.follow(id, transition);
                }
            }
        }
        Ok(())
    }

    fn closed_sets(&self, row: &[u32]) -> Vec<u64> {
        let Some(independence) = &self.independence else {
            return Vec::new();
        };
        if !self.visited.transitions.is_free(row) {
            return Vec::new();
        }
        let threads = Transitions::running(row).map(|thread| {
            let kind = self.visited.transitions.stepper.kind_of[thread as usize];
            (thread, kind, self.visited.transitions.place(row, thread))
        });
        independence.closed_sets(&threads.collect::<Vec<_>>())
    }

    /// Takes the steps of some threads; whether no others need be taken.
    fn suffices(
        &mut self,
        id: u32,
        row: &[u32],
        members: impl Iterator<Item = u32>,
    ) -> Result<bool, TooManyCases> {
        let (mut can_step, mut is_later) = (false, true);
        for thread in members {
            can_step |= self.visited.transitions.is_certainly_enabled(row, thread)?;
            for transition in self.visited.transitions.of_thread(row, thread)? {
                is_later &= self.follow(id, transition).is_some_and(|after| after > id);
            }
        }
        Ok(can_step && is_later)
    }

    fn follow(&mut self, from: u32, transition: Transition) -> Option<u32> {
        let Some(after) = transition.after else {
            self.missed_thread = true;
            return None;
        };
        Some(self.add(after, from))
    }
}
