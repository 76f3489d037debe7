//! From a target that is reached to a run of the whole program.
//!
//! A schedule whose boundary values fit a history that reaches the target is picked; then, thread
//! by thread, a run with just this history is read ([`crate::bounded::evidence::unwind`]); the
//! interpreter takes their steps in the order of the schedule and writes them down.

use crate::bounded::encoding::columns::Column;
use crate::bounded::encoding::profile::{Leave, ProfileId, ScopeId};
use crate::bounded::encoding::scopes::started_by;
use crate::bounded::evidence::record::Runs;
use crate::bounded::evidence::tuples::{Unwinder, Values, value};
use crate::bounded::evidence::unwind::{Deed, ThreadRun};
use crate::bounded::search::entries::{EntryKey, forget_entry, shift};
use crate::bounded::search::leaving::{has_ended, may_be_left};
use crate::bounded::search::levels::Search;
use crate::bounded::search::path_edges::{Place, given_slots};
use crate::bounded::search::schedule::Candidate;
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_machine::NodeId;
use hardbop_outcome::{Target, Trace};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A place at which a target is reached, in a thread's history.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    key: EntryKey,
    place: Place,
}

/// Threads that run the same code and are about to begin the same kind of context.
type Group = (ScopeId, ProfileId);

/// What has to become of a thread at the end of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// It is where it is: at the target.
    There,
    /// Another thread takes over.
    Left,
    /// It has returned from its first procedure, or ended otherwise.
    Ended,
}

impl<'m, 'i> Search<'m, 'i> {
    /// The places at which some thread is at a node: where the thread itself is there, and where it
    /// has just started one there.
    fn places_at(&self, node: NodeId) -> Vec<Place> {
        let machine = self.moves.columns.machine();
        let incoming = &self.incoming;
        let starts_there = |place: Place| {
            let started = self.path_edges.profiles.recent_starts(place.profile).last();
            let Some(scope) = started.map(|&id| self.path_edges.scopes.get(id)) else {
                return false;
            };
            scope.start == node
                && place.node != self.path_edges.ended()
                && incoming
                    .row(place.node.index())
                    .iter()
                    .any(|&edge| started_by(machine, edge) == Some(scope.kind))
        };
        let places = self.path_edges.places_at(node).iter().copied();
        places
            .filter(|&place| place.node == node || starts_there(place))
            .collect()
    }

    /// The histories with which a frame at a place is the running one of its thread.
    fn histories_at(&mut self, hit: Hit) -> Result<Bdd, Exhausted> {
        let Hit { key, place } = hit;
        let (Some(entries), Some(states)) = (self.entries.get(key), self.path_edges.get(place))
        else {
            return Ok(Bdd::FALSE);
        };
        let (entries, states) = (entries.total, states.total);
        let procedure = self.path_edges.scopes.get(place.scope).procedure;
        let mut private = self.moves.globals();
        private.extend(self.moves.columns.locals(procedure));
        let mut actions = self.moves.quantify(&private, Column::Now);
        actions.extend(shift(
            &self.path_edges,
            &self.moves,
            key.profile,
            place.profile,
        ));
        let states = self.moves.project(states, actions)?;
        let actions = forget_entry(&self.moves, &self.path_edges, key.scope);
        self.moves.product(entries, states, actions)
    }

    /// All ways in which threads of a group may be at some places, with their histories.
    fn hits(
        &mut self,
        places: &[Place],
        (base, open): Group,
    ) -> Result<Vec<(Hit, Bdd)>, Exhausted> {
        let keys: Vec<EntryKey> = self.entries.table().iter().map(|(key, _)| *key).collect();
        let mut hits = Vec::new();
        for &place in places {
            for &key in &keys {
                if key.base != base || key.scope != place.scope {
                    continue;
                }
                let profiles = &mut self.path_edges.profiles;
                let joined = profiles.joined(key.profile, place.profile);
                if joined.map(|joined| profiles.reopened(joined)) != Some(open) {
                    continue;
                }
                let hit = Hit { key, place };
                let histories = self.histories_at(hit)?;
                if !histories.is_false() {
                    hits.push((hit, histories));
                }
            }
        }
        Ok(hits)
    }

    /// A run of `init` that reaches a node.
    pub(crate) fn reached_in_init(&mut self, target: &Target) -> Result<Option<Trace>, Exhausted> {
        let Some((base, _)) = self.init else {
            return Ok(None);
        };
        let open = self.path_edges.profiles.first(None);
        let places = self.places_at(target.node);
        for (hit, histories) in self.hits(&places, (base, open))? {
            if let Some(picked) = self.moves.manager.pick(histories) {
                let history: Values = picked.into_iter().collect();
                let states = self.states_at(hit.place);
                let run = self.read(hit, states, &history, Ending::There)?;
                let runs = Runs {
                    contexts: Vec::new(),
                    threads: Vec::new(),
                    init: run,
                    start: history,
                };
                return Ok(self.written(&runs, target));
            }
        }
        Ok(None)
    }

    /// A run with one context more than the schedules that reaches a node in that context.
    pub(crate) fn reached_in_context(
        &mut self,
        target: &Target,
    ) -> Result<Option<Trace>, Exhausted> {
        let places = self.places_at(target.node);
        if places.is_empty() {
            return Ok(None);
        }
        let mut known: HashMap<Group, Vec<(Hit, Bdd)>> = HashMap::new();
        for at in 0..self.candidates.len() {
            let candidate = self.candidates[at];
            let base = self.schedules[candidate.schedule].threads[candidate.thread].base;
            let group = (base, candidate.open);
            let found = match known.entry(group) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(self.hits(&places, group)?),
            };
            for &mut (hit, histories) in found {
                if let Some(trace) = self.reached_by(candidate, hit, histories, target)? {
                    return Ok(Some(trace));
                }
            }
        }
        Ok(None)
    }

    fn reached_by(
        &mut self,
        candidate: Candidate,
        hit: Hit,
        histories: Bdd,
        target: &Target,
    ) -> Result<Option<Trace>, Exhausted> {
        let schedule = self.schedules[candidate.schedule].clone();
        let profile = self
            .path_edges
            .profiles
            .joined(hit.key.profile, hit.place.profile);
        let Some(profile) = profile else {
            return Ok(None);
        };
        let past = (profile, Leave::Free);
        let (after, actions) = schedule.after(
            &self.moves,
            &self.path_edges,
            candidate.thread,
            past,
            self.limits.threads,
        );
        if after.threads.len() as u32 > self.limits.threads {
            self.is_short_of_threads = true;
            return Ok(None);
        }
        let fitting = self.moves.project(histories, actions)?;
        let fitting = self.moves.manager.and(fitting, candidate.boundaries)?;
        let Some(picked) = self.moves.manager.pick(fitting) else {
            return Ok(None);
        };
        let boundaries: Values = picked.into_iter().collect();
        let mut threads: Vec<Option<ThreadRun>> = Vec::new();
        let mut contexts = vec![0; after.contexts as usize];
        for (number, thread) in after.threads.iter().enumerate() {
            for &context in &thread.contexts {
                contexts[context as usize] = number;
            }
            let Some((profile, leave)) = thread.past else {
                threads.push(None);
                continue;
            };
            let history = self.history_of(&after.threads[number], &boundaries);
            if number == candidate.thread {
                let states = self.states_at(hit.place);
                threads.push(self.read(hit, states, &history, Ending::There)?);
                continue;
            }
            let run = self.read_left(thread.base, (profile, leave), &history)?;
            threads.push(run);
        }
        let mut runs = Runs {
            contexts,
            threads,
            init: None,
            start: boundaries.clone(),
        };
        if let Some((base, ended)) = self.init.clone() {
            for (profile, seen) in ended {
                let run = self.read_init(base, profile, seen, &after.threads, &boundaries)?;
                if let Some((run, start)) = run {
                    runs.init = Some(run);
                    runs.start = start;
                    break;
                }
            }
        }
        Ok(self.written(&runs, target))
    }

    /// The run of a thread that was left for the last time: it need not go further than its history
    /// demands.
    fn read_left(
        &mut self,
        base: ScopeId,
        (profile, leave): (ProfileId, Leave),
        history: &Values,
    ) -> Result<Option<ThreadRun>, Exhausted> {
        let end = 2 * self.path_edges.profiles.interruptions(profile) + 1;
        let mut best: Option<(u64, Hit, Bdd)> = None;
        for (key, inner) in self.entries.splits(&mut self.path_edges, base, profile) {
            for (place, states) in self.path_edges.places_of(key.scope, inner) {
                let states = may_be_left(&mut self.moves, &self.path_edges, place, states, leave)?;
                let states = self.at_end(states, end, history)?;
                let mut unwinder = self.unwinder();
                let Some(tuple) = unwinder.find(key, place, states, history)? else {
                    continue;
                };
                let time = unwinder.time_of(&tuple, history).unwrap_or(u64::MAX);
                if best.as_ref().is_none_or(|(earliest, ..)| time < *earliest) {
                    best = Some((time, Hit { key, place }, states));
                }
            }
        }
        match best {
            Some((_, hit, states)) => self.read(hit, states, history, Ending::Left),
            None => Ok(None),
        }
    }

    fn unwinder(&mut self) -> Unwinder<'_, 'm, 'i> {
        Unwinder {
            moves: &mut self.moves,
            path_edges: &mut self.path_edges,
            entries: &self.entries,
            incoming: &self.incoming,
            interrupt: self.limits.interrupt,
        }
    }

    /// The trace of a run that is known to exist. If it cannot be judged, the answer must not be
    /// that there is none.
    fn written(&mut self, runs: &Runs, target: &Target) -> Option<Trace> {
        let trace = self.assemble(runs, target);
        trace.map_err(|why| self.lost = Some(why)).ok()
    }

    /// Those states in which the shared globals are what the history has at a boundary.
    fn at_end(&mut self, states: Bdd, end: u32, history: &Values) -> Result<Bdd, Exhausted> {
        let mut states = states;
        for slot in self.moves.columns.shared().to_vec() {
            let wanted = value(history, self.moves.at(slot, Column::Boundary(end)));
            let literal = self
                .moves
                .literal(self.moves.at(slot, Column::Now), wanted)?;
            states = self.moves.manager.and(states, literal)?;
        }
        Ok(states)
    }

    /// The history of a thread in its own columns.
    fn history_of(
        &self,
        thread: &crate::bounded::search::schedule::ThreadHistory,
        boundaries: &Values,
    ) -> Values {
        let mut history = Values::new();
        let moves = &self.moves;
        let mut copy = |slots: &[u32], from: Column, to: Column| {
            for &slot in slots {
                history.insert(moves.at(slot, to), value(boundaries, moves.at(slot, from)));
            }
        };
        let shared = moves.columns.shared();
        let columns = thread.contexts.iter().flat_map(|&c| [c, c + 1]);
        for (to, from) in (0..).zip(columns) {
            copy(shared, Column::Boundary(from), Column::Boundary(to));
        }
        if let Some(given) = thread.given {
            let slots = given_slots(moves, &self.path_edges.scopes.get(thread.base).given);
            copy(&slots, Column::Given(given), Column::Given(0));
        }
        let starts = thread
            .past
            .map(|(profile, _)| self.path_edges.profiles.starts(profile));
        let starts = starts.unwrap_or_default();
        for (to, (&from, scope)) in (1..).zip(thread.children.iter().zip(starts)) {
            let slots = given_slots(moves, &self.path_edges.scopes.get(scope).given);
            copy(&slots, Column::Given(from), Column::Given(to));
        }
        history
    }

    /// All states at a place.
    fn states_at(&self, place: Place) -> Bdd {
        let growing = self.path_edges.get(place);
        growing.map_or(Bdd::FALSE, |growing| growing.total)
    }

    /// The run of a thread with a history that ends in one of these states at a place.
    fn read(
        &mut self,
        hit: Hit,
        states: Bdd,
        history: &Values,
        ending: Ending,
    ) -> Result<Option<ThreadRun>, Exhausted> {
        let is_at_exit = hit.place.node != self.path_edges.ended()
            && has_ended(&self.moves, &self.path_edges, hit.place);
        let mut unwinder = self.unwinder();
        let Some(tuple) = unwinder.find(hit.key, hit.place, states, history)? else {
            return Ok(None);
        };
        // Only by its last step a thread leaves an atomic block in which it has come to its end.
        let is_inside = unwinder
            .moves
            .columns
            .inside()
            .is_some_and(|inside| value(&tuple.values, unwinder.moves.at(inside, Column::Now)));
        let run = unwinder.unwind(hit.key, tuple, history)?;
        Ok(run.map(|mut run| {
            let has_to_return = match ending {
                Ending::There => false,
                Ending::Left => is_inside,
                Ending::Ended => true,
            };
            if is_at_exit && has_to_return {
                run.deeds.push(Deed::Return);
            }
            run
        }))
    }

    /// The run of `init` before the first context, and the shared globals at its start.
    fn read_init(
        &mut self,
        base: ScopeId,
        profile: ProfileId,
        seen: Bdd,
        threads: &[std::rc::Rc<crate::bounded::search::schedule::ThreadHistory>],
        boundaries: &Values,
    ) -> Result<Option<(ThreadRun, Values)>, Exhausted> {
        let starts = self.path_edges.profiles.starts(profile);
        let started = threads
            .iter()
            .zip(&starts)
            .take_while(|(t, s)| t.base == **s && t.given.is_some());
        if started.count() != starts.len() {
            return Ok(None);
        }
        let mut fitting = seen;
        let mut parts = Vec::new();
        for slot in self.moves.columns.shared() {
            let from = self.moves.at(*slot, Column::Boundary(0));
            parts.push((
                self.moves.at(*slot, Column::Boundary(1)),
                value(boundaries, from),
            ));
        }
        for (number, scope) in (1..).zip(&starts) {
            for slot in given_slots(&self.moves, &self.path_edges.scopes.get(*scope).given) {
                let variable = self.moves.at(slot, Column::Given(number));
                parts.push((variable, value(boundaries, variable)));
            }
        }
        for (variable, wanted) in parts {
            let literal = self.moves.literal(variable, wanted)?;
            fitting = self.moves.manager.and(fitting, literal)?;
        }
        let Some(picked) = self.moves.manager.pick(fitting) else {
            return Ok(None);
        };
        let history: Values = picked.into_iter().collect();
        for (key, inner) in self.entries.splits(&mut self.path_edges, base, profile) {
            for (place, _) in self.path_edges.places_of(key.scope, inner) {
                if !has_ended(&self.moves, &self.path_edges, place) {
                    continue;
                }
                let states = self.at_end(self.states_at(place), 1, &history)?;
                if let Some(run) = self.read(Hit { key, place }, states, &history, Ending::Ended)? {
                    return Ok(Some((run, history)));
                }
            }
        }
        Ok(None)
    }
}
