//! Back from a tuple over a call that has returned, or out of one that is still open.

use crate::bounded::encoding::columns::{Column, Slot};
use crate::bounded::encoding::scopes::Kind;
use crate::bounded::evidence::tuples::{Tuple, Unwinder, Values, value};
use crate::bounded::evidence::unwind::Caller;
use crate::bounded::search::calls::Waiting;
use crate::bounded::search::entries::{EntryKey, shift};
use crate::bounded::search::path_edges::Place;
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_machine::{Action, EdgeId};
use hardbop_symbolic::QUANTIFY;

impl Unwinder<'_, '_, '_> {
    /// Back over a return: the caller before the call, and the callee at its exit.
    pub(crate) fn return_back(
        &mut self,
        tuple: &Tuple,
        history: &Values,
        time: u64,
    ) -> Result<Option<(Caller, Tuple)>, Exhausted> {
        let machine = self.moves.columns.machine();
        for &edge in self.incoming.row(tuple.place.node.index()) {
            let Action::Call { callee, .. } = machine.edge(edge).action else {
                continue;
            };
            let inner_scope = self
                .path_edges
                .scopes
                .id(&self.moves.columns, Kind::Called(callee));
            for outer in self.path_edges.profiles_of(tuple.place.scope) {
                for inner in self.path_edges.profiles_of(inner_scope) {
                    let joined = self.path_edges.profiles.joined(outer, inner);
                    if joined != Some(tuple.place.profile) {
                        continue;
                    }
                    let caller = Place {
                        profile: outer,
                        node: machine.edge(edge).from,
                        ..tuple.place
                    };
                    let exit = Place {
                        scope: inner_scope,
                        profile: inner,
                        node: machine.procedure(callee).exit,
                    };
                    let found = self.returned_from(tuple, history, time, (caller, exit, edge))?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(None)
    }

    fn returned_from(
        &mut self,
        tuple: &Tuple,
        history: &Values,
        time: u64,
        (caller, exit, edge): (Place, Place, EdgeId),
    ) -> Result<Option<(Caller, Tuple)>, Exhausted> {
        let machine = self.moves.columns.machine();
        let callee = self.path_edges.scopes.get(exit.scope).procedure;
        let made = self.moves.call(edge)?;
        let results = self.moves.results(edge);
        let at_exit = self.before(exit, time)?;
        let at_call = self.before(caller, time)?;
        if at_exit.is_false() || at_call.is_false() {
            return Ok(None);
        }
        // The callee at its exit, out of the caller's way: its entry as `Callee`, its state as
        // `Next`.
        let inner_before = self
            .path_edges
            .profiles
            .joined(tuple.before, caller.profile);
        let Some(inner_before) = inner_before else {
            return Ok(None);
        };
        let boundaries = self.boundary_values(history, inner_before, exit.profile);
        let boundaries_cube = self.cube(&boundaries)?;
        let mut entry = self.moves.globals();
        entry.extend(self.moves.columns.parameters(callee));
        let mut state = self.moves.globals();
        state.extend(self.moves.columns.locals(callee));
        let mut actions = self.moves.rename(&entry, Column::Entry, Column::Callee);
        actions.extend(self.moves.rename(&state, Column::Now, Column::Next));
        actions.extend(boundaries.iter().map(|&(variable, _)| (variable, QUANTIFY)));
        let returning = self.moves.product(at_exit, boundaries_cube, actions)?;
        let mut parts = self.entry_values(tuple);
        parts.extend(self.boundary_values(history, tuple.before, caller.profile));
        let globals = self.moves.globals();
        for slot in self.known_slots(tuple.place) {
            let now = value(&tuple.values, self.at(slot, Column::Now));
            let result = results.iter().find(|&&(_, target)| target == slot);
            let variable = match result {
                Some(&(result, _)) => self.at(result, Column::Next),
                None if globals.contains(&slot) => self.at(slot, Column::Next),
                None => self.at(slot, Column::Now),
            };
            parts.push((variable, now));
        }
        let cube = self.cube(&parts)?;
        let wanted = self.moves.manager.and(cube, returning)?;
        let wanted = self.moves.manager.and(wanted, made.full)?;
        let both = self.moves.manager.and(wanted, at_call)?;
        let Some(picked) = self.moves.manager.pick(both) else {
            return Ok(None);
        };
        let picked: Values = picked.into_iter().collect();
        let mut at_exit = Values::new();
        for slot in entry {
            let value = value(&picked, self.at(slot, Column::Callee));
            at_exit.insert(self.at(slot, Column::Entry), value);
        }
        for slot in self.known_slots(exit) {
            let value = value(&picked, self.at(slot, Column::Next));
            at_exit.insert(self.at(slot, Column::Now), value);
        }
        debug_assert_eq!(machine.procedure(callee).exit, exit.node);
        Ok(Some((
            Caller {
                tuple: self.tuple_of(caller, tuple.before, &picked),
                edge,
                inputs: self.inputs_of(edge, &picked),
            },
            Tuple {
                place: exit,
                before: inner_before,
                values: at_exit,
            },
        )))
    }

    /// The caller of an invocation that has not returned: the one whose own entry was found first.
    pub(crate) fn open_caller(
        &mut self,
        key: EntryKey,
        tuple: &Tuple,
        history: &Values,
    ) -> Result<Option<(EntryKey, Caller)>, Exhausted> {
        let mut parts = self.history_values(history, key.profile);
        parts.extend(self.given_values(history, key.base));
        let Some(time) = self.entry_time(key, &parts, tuple) else {
            return Ok(None);
        };
        let scope = self.path_edges.scopes.get(key.scope).clone();
        let mut slots = self.moves.globals();
        slots.extend(&scope.given);
        parts.extend(slots.into_iter().map(|slot: Slot| {
            let entered = value(&tuple.values, self.at(slot, Column::Entry));
            (self.at(slot, Column::Callee), entered)
        }));
        let entered = self.cube(&parts)?;
        let machine = self.moves.columns.machine();
        let calls: Vec<Waiting> = self.path_edges.waiting().copied().collect();
        let mut best: Option<(u64, EntryKey, Caller)> = None;
        for call in calls {
            let edge = machine.edge(call.edge);
            if !matches!(edge.action, Action::Call { callee, .. } if callee == scope.procedure) {
                continue;
            }
            for (outer, growing) in self.entries.table() {
                let joined = self.path_edges.profiles.joined(outer.profile, call.profile);
                if (outer.base, outer.scope, joined) != (key.base, call.scope, Some(key.profile)) {
                    continue;
                }
                let place = Place {
                    scope: call.scope,
                    profile: call.profile,
                    node: edge.from,
                };
                let made = self.moves.call(call.edge)?;
                let states = self.before(place, u64::MAX)?;
                let actions = shift(self.path_edges, self.moves, outer.profile, call.profile);
                let states = self.moves.project(states, actions)?;
                let wanted = self.moves.manager.and(entered, made.full)?;
                let wanted = self.moves.manager.and(wanted, states)?;
                let limit = best.as_ref().map_or(time, |(found, ..)| *found);
                for &(found, ring) in growing.rings.iter().filter(|&&(found, _)| found < limit) {
                    let both = self.moves.manager.and(ring, wanted)?;
                    if let Some(picked) = self.moves.manager.pick(both) {
                        let picked: Values = picked.into_iter().collect();
                        let caller = Caller {
                            tuple: self.tuple_of(place, outer.profile, &picked),
                            edge: call.edge,
                            inputs: self.inputs_of(call.edge, &picked),
                        };
                        best = Some((found, *outer, caller));
                        break;
                    }
                }
            }
        }
        Ok(best.map(|(_, key, caller)| (key, caller)))
    }

    /// When the entry of an invocation was found, in a thread whose history is given.
    fn entry_time(&self, key: EntryKey, history: &[(u32, bool)], tuple: &Tuple) -> Option<u64> {
        let mut values: Values = history.iter().copied().collect();
        values.extend(self.entry_values(tuple));
        let rings = &self.entries.get(key)?.rings;
        let contains =
            |&&(_, ring): &&(u64, Bdd)| self.moves.manager.eval(ring, |v| value(&values, v));
        rings.iter().find(contains).map(|&(time, _)| time)
    }
}
