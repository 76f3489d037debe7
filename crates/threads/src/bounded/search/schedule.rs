//! Schedules: which thread runs in which context, and which shared globals meet at the boundaries.
//!
//! Schedules are explicit, a tree in which each level adds a context. A node holds the sequences of
//! boundary values (`Boundary(0)` … `Boundary(m)`) for which every thread has a history that fits:
//! the conjunction of the histories, so adding a context is one conjunction with a relation that
//! all threads with the same code share. Nothing about stacks or private variables is in there. Of
//! threads that are identical and have not run yet only the first is tried.

use crate::bounded::encoding::columns::Column;
use crate::bounded::encoding::moves::{Actions, Moves};
use crate::bounded::encoding::profile::{Leave, ProfileId, ScopeId, WatchId};
use crate::bounded::search::path_edges::{PathEdges, given_slots};
use hardbop_bdd::{Bdd, Exhausted};
use std::rc::Rc;

/// A thread of a schedule.
#[derive(Clone, Debug)]
pub(crate) struct ThreadHistory {
    /// Its first frame.
    pub(crate) base: ScopeId,
    /// The column in which the schedule keeps what it was given; nothing for the machine's own
    /// threads.
    pub(crate) given: Option<u32>,
    /// Which of the machine's threads it is an instance of.
    pub(crate) template: Option<u32>,
    /// Its contexts so far with the way it was left; nothing if it has not run.
    pub(crate) past: Option<(ProfileId, Leave)>,
    /// The numbers of its contexts.
    pub(crate) contexts: Vec<u32>,
    /// The columns in which the schedule keeps what the threads it has started were given.
    pub(crate) children: Vec<u32>,
}

/// A schedule.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// The thread that ran last.
    pub(crate) last: Option<usize>,
    /// All threads in order of their start.
    pub(crate) threads: Vec<Rc<ThreadHistory>>,
    /// The threads that wait inside an atomic block; the one that ran most recently is last.
    pub(crate) holders: Vec<(usize, WatchId)>,
    /// How many contexts there were.
    pub(crate) contexts: u32,
    /// How many rounds these are.
    pub(crate) rounds: u32,
    /// The boundary values.
    pub(crate) boundaries: Bdd,
}

/// A thread that may run next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The schedule so far.
    pub(crate) schedule: usize,
    /// The thread.
    pub(crate) thread: usize,
    /// Its contexts, the new one included.
    pub(crate) open: ProfileId,
    /// What is watched in the new context.
    pub(crate) watch: Option<WatchId>,
    /// The boundary values with which it may run.
    pub(crate) boundaries: Bdd,
}

impl Schedule {
    /// Whether a thread need not be tried: an identical one before it has not run either.
    fn is_redundant(&self, thread: usize) -> bool {
        let this = &self.threads[thread];
        this.template.is_some()
            && this.past.is_none()
            && self.threads[..thread]
                .iter()
                .any(|other| other.template == this.template && other.past.is_none())
    }

    /// The round in which a thread would run next, with a bound on rounds.
    pub(crate) fn round_of(&self, thread: usize) -> u32 {
        match self.last {
            None => 1,
            Some(last) => self.rounds + u32::from(thread < last),
        }
    }

    /// The threads that may run next. With a bound on rounds, threads in the order of their start.
    pub(crate) fn candidates(
        &self,
        moves: &mut Moves<'_, '_>,
        path_edges: &mut PathEdges,
        number: usize,
        rounds: Option<u32>,
    ) -> Result<Vec<Candidate>, Exhausted> {
        let mut found = Vec::new();
        for (thread, history) in self.threads.iter().enumerate() {
            let is_excluded = match rounds {
                Some(bound) => self.round_of(thread) > bound,
                None => self.is_redundant(thread),
            };
            if is_excluded || self.last == Some(thread) {
                continue;
            }
            let mut others = self.holders.iter().filter(|(holder, _)| *holder != thread);
            let watch = others.next_back().map(|&(_, watch)| watch);
            let mut boundaries = self.boundaries;
            if let Some(&(holder, blocked)) = self.holders.last()
                && holder != thread
            {
                let blocked = self.at_boundary(moves, path_edges.watches[blocked.0 as usize])?;
                boundaries = moves.manager.and(boundaries, blocked)?;
            }
            let own = self.holders.iter().find(|(holder, _)| *holder == thread);
            if let Some(&(_, blocked)) = own {
                let blocked = self.at_boundary(moves, path_edges.watches[blocked.0 as usize])?;
                boundaries = moves.manager.diff(boundaries, blocked)?;
            }
            if boundaries.is_false() {
                continue;
            }
            let profiles = &mut path_edges.profiles;
            let open = match history.past {
                None => profiles.first(watch),
                Some((past, leave)) => {
                    let left = profiles.left(past, leave);
                    profiles.resumed(left, watch)
                }
            };
            found.push(Candidate {
                schedule: number,
                thread,
                open,
                watch,
                boundaries,
            });
        }
        Ok(found)
    }

    /// A predicate over the shared globals now, at the last boundary.
    fn at_boundary(&self, moves: &mut Moves<'_, '_>, predicate: Bdd) -> Result<Bdd, Exhausted> {
        let last = Column::Boundary(self.contexts);
        let actions = moves.rename(moves.columns.shared(), Column::Now, last);
        moves.project(predicate, actions)
    }

    /// Actions that make of boundary values the history of a thread that is about to run.
    pub(crate) fn to_history(
        &self,
        moves: &Moves<'_, '_>,
        path_edges: &PathEdges,
        thread: usize,
    ) -> Actions {
        let mut actions = Vec::new();
        let history = &self.threads[thread];
        let columns = history_columns(history, self.contexts);
        let shared = moves.columns.shared();
        for number in 0..=self.contexts {
            let from = Column::Boundary(number);
            match columns.iter().position(|&column| column == number) {
                None => actions.extend(moves.quantify(shared, from)),
                Some(to) if to as u32 == number => {}
                Some(to) => actions.extend(moves.rename(shared, from, Column::Boundary(to as u32))),
            }
        }
        for other in &self.threads {
            let Some(column) = other.given else { continue };
            let slots = given_slots(moves, &path_edges.scopes.get(other.base).given);
            let child = history.children.iter().position(|&child| child == column);
            let to = if history.given == Some(column) {
                Some(0)
            } else {
                child.map(|at| at as u32 + 1)
            };
            let from = Column::Given(column);
            match to {
                None => actions.extend(moves.quantify(&slots, from)),
                Some(to) if to == column => {}
                Some(to) => actions.extend(moves.rename(&slots, from, Column::Given(to))),
            }
        }
        actions
    }

    /// The schedule after a context with which the thread's history has this profile, and actions
    /// that turn such a history into boundary values. What threads beyond the limit were given is
    /// forgotten.
    pub(crate) fn after(
        &self,
        moves: &Moves<'_, '_>,
        path_edges: &PathEdges,
        thread: usize,
        (profile, leave): (ProfileId, Leave),
        thread_limit: u32,
    ) -> (Schedule, Actions) {
        let mut next = self.clone();
        let mut history = ThreadHistory::clone(&self.threads[thread]);
        history.past = Some((profile, leave));
        history.contexts.push(self.contexts);
        let mut columns = history_columns(&self.threads[thread], self.contexts);
        columns.push(self.contexts + 1);
        let given = self.threads.iter().filter(|thread| thread.given.is_some());
        let first_new = given.count() as u32 + 1;
        let started = path_edges.profiles.recent_starts(profile);
        for (number, &base) in (first_new..).zip(started) {
            history.children.push(number);
            next.threads.push(Rc::new(ThreadHistory {
                base,
                given: Some(number),
                template: None,
                past: None,
                contexts: Vec::new(),
                children: Vec::new(),
            }));
        }
        let shared = moves.columns.shared();
        let mut actions = Vec::new();
        for (from, &to) in (0..).zip(&columns) {
            if from != to {
                let (from, to) = (Column::Boundary(from), Column::Boundary(to));
                actions.extend(moves.rename(shared, from, to));
            }
        }
        if let Some(to) = history.given {
            let slots = given_slots(moves, &path_edges.scopes.get(history.base).given);
            actions.extend(moves.rename(&slots, Column::Given(0), Column::Given(to)));
        }
        let children = history.children.clone();
        let place = |number: u32| {
            let column = children.get(number as usize - 1).copied();
            column.filter(|&column| column <= thread_limit)
        };
        actions.extend(path_edges.given_actions(moves, profile, place));
        next.threads[thread] = Rc::new(history);
        next.rounds = self.round_of(thread);
        next.last = Some(thread);
        next.contexts += 1;
        next.holders.retain(|&(holder, _)| holder != thread);
        if let Leave::Holding(watch) = leave {
            next.holders.push((thread, watch));
        }
        (next, actions)
    }
}

/// The boundaries of a thread's contexts in a schedule, beginning and end in turn, and that at
/// which it begins another one.
fn history_columns(history: &ThreadHistory, next: u32) -> Vec<u32> {
    let past = history.contexts.iter();
    past.flat_map(|&context| [context, context + 1])
        .chain([next])
        .collect()
}
