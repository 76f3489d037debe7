//! Reads the run of one thread off the relations, backwards.
//!
//! Every tuple was found at some time, and what it follows from was found before; so going back
//! from tuple to tuple ends at the start of the thread. A call that has returned is read from its
//! exit to its entry before its caller is read on; a call that is still open leads, through the
//! entries, to a caller in the thread's history.

use crate::bounded::encoding::columns::Column;
use crate::bounded::evidence::tuples::{Tuple, Unwinder, Values, value};
use crate::bounded::search::entries::{EntryKey, shift};
use crate::bounded::search::path_edges::Place;
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_machine::EdgeId;

/// What a thread does, in its own order.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// It takes an edge; for a call with the first values of the callee's locals.
    Edge {
        /// The edge.
        edge: EdgeId,
        /// Values of its choices.
        inputs: Vec<u64>,
        /// First values of the callee's locals.
        locals: Vec<u64>,
    },
    /// It returns.
    Return,
    /// It is interrupted.
    Switch,
}

/// The run of a thread.
#[derive(Clone, Debug)]
pub(crate) struct ThreadRun {
    /// Its first values: of globals as it sees them, and of the locals of its first frame.
    pub(crate) start: Values,
    /// What it does.
    pub(crate) deeds: Vec<Deed>,
}

/// Longer runs of one thread are not read.
const LONGEST_RUN: usize = 1 << 20;

/// Steps between two looks at the limits.
const LOOK_EVERY: usize = 1 << 10;

/// A completed call that is being read: its caller goes on here.
pub(crate) struct Caller {
    /// Where it was before the call.
    pub(crate) tuple: Tuple,
    /// The call.
    pub(crate) edge: EdgeId,
    /// Values of its choices.
    pub(crate) inputs: Vec<u64>,
}

impl Unwinder<'_, '_, '_> {
    /// Reads the run that ends in a tuple. `history` has the boundaries of the thread.
    pub(crate) fn unwind(
        &mut self,
        key: EntryKey,
        last: Tuple,
        history: &Values,
    ) -> Result<Option<ThreadRun>, Exhausted> {
        let mut deeds = Vec::new();
        let mut callers: Vec<Caller> = Vec::new();
        let (mut key, mut tuple) = (key, last);
        loop {
            self.check_length(deeds.len())?;
            if self.is_entry(&tuple) {
                let locals = self.locals_of(&tuple);
                if let Some(caller) = callers.pop() {
                    deeds.push(Deed::Edge {
                        edge: caller.edge,
                        inputs: caller.inputs,
                        locals,
                    });
                    tuple = caller.tuple;
                    continue;
                }
                if self.path_edges.scopes.get(key.scope).is_first() {
                    deeds.reverse();
                    return Ok(Some(ThreadRun {
                        start: tuple.values,
                        deeds,
                    }));
                }
                let Some((caller_key, caller)) = self.open_caller(key, &tuple, history)? else {
                    return Ok(None);
                };
                deeds.push(Deed::Edge {
                    edge: caller.edge,
                    inputs: caller.inputs,
                    locals,
                });
                (key, tuple) = (caller_key, caller.tuple);
                continue;
            }
            let Some(time) = self.time_of(&tuple, history) else {
                return Ok(None);
            };
            if let Some((before, deed)) = self.step_back(&tuple, history, time)? {
                deeds.push(deed);
                tuple = before;
            } else if let Some(before) = self.switch_back(&tuple, history, time)? {
                deeds.push(Deed::Switch);
                tuple = before;
            } else if let Some((caller, exit)) = self.return_back(&tuple, history, time)? {
                deeds.push(Deed::Return);
                callers.push(caller);
                tuple = exit;
            } else {
                return Ok(None);
            }
        }
    }

    /// Calls are written out, so a run may be astronomically long, and hardly any step of it makes
    /// a new BDD node at which a limit would be noticed.
    fn check_length(&self, length: usize) -> Result<(), Exhausted> {
        if length > LONGEST_RUN {
            return Err(Exhausted::Nodes);
        }
        if length.is_multiple_of(LOOK_EVERY) && (self.interrupt)() {
            return Err(Exhausted::Interrupted);
        }
        Ok(())
    }

    /// Whether a tuple is the beginning of an invocation.
    fn is_entry(&mut self, tuple: &Tuple) -> bool {
        let scope = self.path_edges.scopes.get(tuple.place.scope).clone();
        let watch = self.path_edges.profiles.watch(tuple.place.profile);
        let mut slots = self.moves.globals();
        slots.extend(&scope.given);
        scope.start == tuple.place.node
            && self.path_edges.profiles.first(watch) == tuple.place.profile
            && slots.iter().all(|&slot| {
                let now = self.at(slot, Column::Now);
                let is_known = tuple.values.contains_key(&now);
                let entry = value(&tuple.values, self.at(slot, Column::Entry));
                !is_known || value(&tuple.values, now) == entry
            })
    }

    /// The values of all locals of the running procedure, as far as they are known.
    fn locals_of(&self, tuple: &Tuple) -> Vec<u64> {
        let procedure = self.path_edges.scopes.get(tuple.place.scope).procedure;
        self.locals_in(procedure, &tuple.values)
    }

    /// A tuple at a place with which the thread has this history; `states` are those that come into
    /// question.
    pub(crate) fn find(
        &mut self,
        key: EntryKey,
        place: Place,
        states: Bdd,
        history: &Values,
    ) -> Result<Option<Tuple>, Exhausted> {
        let Some(growing) = self.entries.get(key) else {
            return Ok(None);
        };
        let Some(profile) = self.path_edges.profiles.joined(key.profile, place.profile) else {
            return Ok(None);
        };
        let actions = shift(self.path_edges, self.moves, key.profile, place.profile);
        let states = self.moves.project(states, actions)?;
        let mut parts = self.history_values(history, profile);
        parts.extend(self.given_values(history, key.base));
        let cube = self.cube(&parts)?;
        let both = self.moves.manager.and(states, cube)?;
        let both = self.moves.manager.and(both, growing.total)?;
        let picked = self.moves.manager.pick(both);
        Ok(picked.map(|picked| {
            let picked = picked.into_iter().collect();
            self.tuple_of(place, key.profile, &picked)
        }))
    }
}
