//! The search: context by context, over all schedules at once.
//!
//! Level m has all schedules with m contexts. First the threads that may run next are told with
//! which histories they do; then their path edges and entries are completed; then the histories
//! with one more context are joined to the schedules. Path edges and entries only ever grow, so
//! each level builds on the work of all before it.

use crate::bounded::encoding::columns::Column;
use crate::bounded::encoding::moves::Moves;
use crate::bounded::encoding::profile::{Leave, ProfileId, ScopeId};
use crate::bounded::encoding::scopes::Kind;
use crate::bounded::search::entries::{Entries, forget_boundary, initial_values};
use crate::bounded::search::histories::{Continuation, Whose, histories, resume};
use crate::bounded::search::path_edges::{Limits, PathEdges};
use crate::bounded::search::schedule::{Candidate, Schedule, ThreadHistory};
use hardbop_bdd::{Bdd, Exhausted, Roots};
use hardbop_machine::analysis::{Table, order::predecessors};
use hardbop_machine::{EdgeId, Storage};
use hardbop_outcome::Limit;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// How far a search looks.
#[derive(Clone, Copy)]
pub(crate) struct SearchLimits<'i> {
    /// How far a single thread may go.
    pub(crate) of_thread: Limits,
    /// The most rounds, if rounds are what is bounded.
    pub(crate) rounds: Option<u32>,
    /// The most threads, `init` not counted.
    pub(crate) threads: u32,
    /// The most schedules of one length.
    pub(crate) schedules: usize,
    /// Says when to stop.
    pub(crate) interrupt: &'i dyn Fn() -> bool,
}

/// The state of a search.
pub(crate) struct Search<'m, 'i> {
    /// BDDs.
    pub(crate) moves: Moves<'m, 'i>,
    /// What threads do.
    pub(crate) path_edges: PathEdges,
    /// In which histories they do it.
    pub(crate) entries: Entries,
    /// All schedules of the current level.
    pub(crate) schedules: Vec<Schedule>,
    /// The threads that run next in them.
    pub(crate) candidates: Vec<Candidate>,
    /// How `init` hands over: from the globals at its start to those at its end, per profile.
    pub(crate) init: Option<(ScopeId, Vec<(ProfileId, Bdd)>)>,
    /// How far to look.
    pub(crate) limits: SearchLimits<'i>,
    /// The edges that lead to each node.
    pub(crate) incoming: Table<EdgeId>,
    /// Whether a thread was not started because there would have been too many.
    pub(crate) is_short_of_threads: bool,
    /// Why a run that reaches a target could not be written down.
    pub(crate) lost: Option<Limit>,
}

/// Histories with which threads with the same first frame run their next context.
struct Wanted {
    base: ScopeId,
    past: Option<(ProfileId, Leave)>,
    candidate: Candidate,
    histories: Bdd,
}

impl<'m, 'i> Search<'m, 'i> {
    /// Nothing searched yet.
    pub(crate) fn new(moves: Moves<'m, 'i>, limits: SearchLimits<'i>) -> Self {
        let incoming = predecessors(moves.columns.machine());
        Self {
            path_edges: PathEdges::new(&moves.columns, limits.of_thread),
            moves,
            entries: Entries::default(),
            schedules: Vec::new(),
            candidates: Vec::new(),
            init: None,
            limits,
            incoming,
            is_short_of_threads: false,
            lost: None,
        }
    }

    /// Runs `init`, if there is one, up to where it would hand over.
    pub(crate) fn run_init(&mut self) -> Result<(), Exhausted> {
        let machine = self.moves.columns.machine();
        let Some(init) = machine.init else {
            return Ok(());
        };
        let base = self
            .path_edges
            .scopes
            .id(&self.moves.columns, Kind::First(init));
        let initial = initial_values(&mut self.moves, Storage::Shared, Column::Boundary(0))?;
        let profile = self.path_edges.profiles.first(None);
        let (moves, path_edges) = (&mut self.moves, &mut self.path_edges);
        self.entries
            .begin(moves, path_edges, base, profile, initial)?;
        self.complete(&[initial])?;
        let (moves, path_edges) = (&mut self.moves, &mut self.path_edges);
        let ended = histories(
            moves,
            path_edges,
            &self.entries,
            Whose::Ended,
            base,
            profile,
        )?;
        let ended = ended.into_iter().map(|(profile, _, seen)| (profile, seen));
        self.init = Some((base, ended.collect()));
        Ok(())
    }

    /// The schedules without any context.
    pub(crate) fn begin(&mut self) -> Result<(), Exhausted> {
        let machine = self.moves.columns.machine();
        let starts = match self.init.clone() {
            None => {
                let start = initial_values(&mut self.moves, Storage::Shared, Column::Boundary(0))?;
                vec![(Vec::new(), start)]
            }
            Some((_, ended)) => {
                let mut starts = Vec::new();
                for (profile, seen) in ended {
                    let mut actions = forget_boundary(&self.moves, 0);
                    let shared = self.moves.columns.shared();
                    let (end, start) = (Column::Boundary(1), Column::Boundary(0));
                    actions.extend(self.moves.rename(shared, end, start));
                    let start = self.moves.project(seen, actions)?;
                    starts.push((self.path_edges.profiles.starts(profile), start));
                }
                starts
            }
        };
        for (started, boundaries) in starts {
            let history = |base, given, template| {
                Rc::new(ThreadHistory {
                    base,
                    given,
                    template,
                    past: None,
                    contexts: Vec::new(),
                    children: Vec::new(),
                })
            };
            let mut threads = Vec::new();
            for (number, base) in (1..).zip(started) {
                threads.push(history(base, Some(number), None));
            }
            for (number, thread) in (0..).zip(&machine.threads) {
                let kind = Kind::First(thread.entry);
                let base = self.path_edges.scopes.id(&self.moves.columns, kind);
                for _ in 0..thread.instances {
                    threads.push(history(base, None, Some(number)));
                }
            }
            self.schedules.push(Schedule {
                last: None,
                threads,
                holders: Vec::new(),
                contexts: 0,
                rounds: 1,
                boundaries,
            });
        }
        Ok(())
    }

    /// Lets every thread that may run next do so in all schedules.
    pub(crate) fn run_context(&mut self) -> Result<(), Exhausted> {
        self.candidates.clear();
        let mut wanted: Vec<Wanted> = Vec::new();
        for (number, schedule) in self.schedules.iter().enumerate() {
            self.check_interrupt()?;
            let (moves, path_edges) = (&mut self.moves, &mut self.path_edges);
            for candidate in schedule.candidates(moves, path_edges, number, self.limits.rounds)? {
                let history = &schedule.threads[candidate.thread];
                let actions = schedule.to_history(moves, path_edges, candidate.thread);
                let seen = moves.project(candidate.boundaries, actions)?;
                let is_this = |known: &&mut Wanted| {
                    known.base == history.base && known.candidate.open == candidate.open
                };
                match wanted.iter_mut().find(is_this) {
                    Some(known) => known.histories = moves.manager.or(known.histories, seen)?,
                    None => wanted.push(Wanted {
                        base: history.base,
                        past: history.past,
                        candidate,
                        histories: seen,
                    }),
                }
                self.candidates.push(candidate);
            }
        }
        for wanted in &wanted {
            let Wanted {
                base, histories, ..
            } = *wanted;
            let Candidate { open, watch, .. } = wanted.candidate;
            let (moves, path_edges) = (&mut self.moves, &mut self.path_edges);
            match wanted.past {
                None => self
                    .entries
                    .begin(moves, path_edges, base, open, histories)?,
                Some(past) => {
                    let entries = &self.entries;
                    resume(moves, path_edges, entries, base, past, watch, histories)?;
                }
            }
        }
        let kept: Vec<Bdd> = wanted.iter().map(|wanted| wanted.histories).collect();
        self.complete(&kept)
    }

    /// Completes path edges and entries.
    fn complete(&mut self, kept: &[Bdd]) -> Result<(), Exhausted> {
        let mut kept = kept.to_vec();
        kept.extend(self.schedules.iter().map(|schedule| schedule.boundaries));
        kept.extend(self.candidates.iter().map(|candidate| candidate.boundaries));
        if let Some((_, ended)) = &self.init {
            kept.extend(ended.iter().map(|&(_, seen)| seen));
        }
        let kept: [&dyn Roots; 2] = [&kept, &self.entries];
        self.path_edges.run(&mut self.moves, &kept)?;
        self.entries.run(&mut self.moves, &mut self.path_edges)?;
        self.is_short_of_threads |= self.path_edges.is_short_of_threads;
        Ok(())
    }

    /// Schedules may be many while each is a matter of looking up what is known; so the interrupt
    /// is asked here too.
    fn check_interrupt(&self) -> Result<(), Exhausted> {
        if (self.limits.interrupt)() {
            return Err(Exhausted::Interrupted);
        }
        Ok(())
    }

    /// Adds the context that has just run to all schedules. More schedules than the limit count as
    /// too much work.
    pub(crate) fn extend_schedules(&mut self) -> Result<(), Exhausted> {
        let mut next = Vec::new();
        let mut known: HashMap<(ScopeId, ProfileId), Vec<Continuation>> = HashMap::new();
        for candidate in std::mem::take(&mut self.candidates) {
            self.check_interrupt()?;
            let schedule = &self.schedules[candidate.schedule];
            let base = schedule.threads[candidate.thread].base;
            let (moves, path_edges) = (&mut self.moves, &mut self.path_edges);
            let open = candidate.open;
            let found = match known.entry((base, open)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let entries = &self.entries;
                    place.insert(histories(
                        moves,
                        path_edges,
                        entries,
                        Whose::All,
                        base,
                        open,
                    )?)
                }
            };
            for &mut (profile, leave, relation) in found {
                let past = (profile, leave);
                let limit = self.limits.threads;
                let (mut after, actions) =
                    schedule.after(moves, path_edges, candidate.thread, past, limit);
                let relation = moves.project(relation, actions)?;
                after.boundaries = moves.manager.and(candidate.boundaries, relation)?;
                if after.boundaries.is_false() {
                    continue;
                }
                if after.threads.len() as u32 > self.limits.threads {
                    self.is_short_of_threads = true;
                    continue;
                }
                next.push(after);
                if next.len() > self.limits.schedules {
                    return Err(Exhausted::Work);
                }
            }
        }
        self.schedules = next;
        Ok(())
    }
}
