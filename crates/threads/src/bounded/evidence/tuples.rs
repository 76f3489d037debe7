//! Single tuples of the relations: what one frame of one run looks like at one moment.
//!
//! Tuples do not carry boundaries: those of a run are fixed once its history is, and every frame of
//! the thread sees a part of them under its own numbers.

use crate::bounded::encoding::columns::{Column, Slot};
use crate::bounded::encoding::moves::Moves;
use crate::bounded::encoding::profile::{ProfileId, ScopeId};
use crate::bounded::encoding::scopes::Kind;
use crate::bounded::search::entries::Entries;
use crate::bounded::search::path_edges::{PathEdges, Place, given_slots};
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_machine::analysis::Table;
use hardbop_machine::{EdgeId, LocalId, ProcId, Variable};
use std::collections::HashMap;

/// Values of BDD variables; those not mentioned are 0.
pub(crate) type Values = HashMap<u32, bool>;

/// A tuple: where a frame is, and the values of its columns.
#[derive(Clone, Debug)]
pub(crate) struct Tuple {
    /// Where.
    pub(crate) place: Place,
    /// The contexts of the thread before the frame's entry.
    pub(crate) before: ProfileId,
    /// Entry and current state. (Boundaries are those of the thread.)
    pub(crate) values: Values,
}

/// Reads runs.
pub(crate) struct Unwinder<'u, 'm, 'i> {
    /// BDDs.
    pub(crate) moves: &'u mut Moves<'m, 'i>,
    /// The path edges.
    pub(crate) path_edges: &'u mut PathEdges,
    /// The entries.
    pub(crate) entries: &'u Entries,
    /// The edges that lead to each node.
    pub(crate) incoming: &'u Table<EdgeId>,
    /// Whether it is time to stop.
    pub(crate) interrupt: &'i dyn Fn() -> bool,
}

impl Unwinder<'_, '_, '_> {
    pub(crate) fn at(&self, slot: Slot, column: Column) -> u32 {
        self.moves.at(slot, column)
    }

    /// The function that is true for these values of bits in a column.
    pub(crate) fn cube(&mut self, parts: &[(u32, bool)]) -> Result<Bdd, Exhausted> {
        let mut parts = parts.to_vec();
        parts.sort_unstable();
        let mut result = Bdd::TRUE;
        for &(variable, value) in parts.iter().rev() {
            let literal = self.moves.literal(variable, value)?;
            result = self.moves.manager.and(literal, result)?;
        }
        Ok(result)
    }

    /// The columns of a thread's history that an invocation sees, as the invocation numbers them.
    pub(crate) fn boundary_values(
        &self,
        history: &Values,
        before: ProfileId,
        inner: ProfileId,
    ) -> Vec<(u32, bool)> {
        let profiles = &self.path_edges.profiles;
        let mut values = Vec::new();
        let distance = 2 * profiles.interruptions(before);
        for number in 1..=2 * profiles.interruptions(inner) {
            for &slot in self.moves.columns.shared() {
                let from = self.at(slot, Column::Boundary(number + distance));
                let value = history.get(&from).copied().unwrap_or(false);
                values.push((self.at(slot, Column::Boundary(number)), value));
            }
        }
        let started = profiles.start_count(before);
        for (number, scope) in (1..).zip(profiles.starts(inner)) {
            let given = &self.path_edges.scopes.get(scope).given;
            for slot in given_slots(self.moves, given) {
                let from = self.at(slot, Column::Given(number + started));
                let value = history.get(&from).copied().unwrap_or(false);
                values.push((self.at(slot, Column::Given(number)), value));
            }
        }
        values
    }

    pub(crate) fn entry_values(&self, tuple: &Tuple) -> Vec<(u32, bool)> {
        let mut slots = self.moves.globals();
        slots.extend(&self.path_edges.scopes.get(tuple.place.scope).given);
        let variables = slots.iter().map(|&slot| self.at(slot, Column::Entry));
        variables.map(|v| (v, value(&tuple.values, v))).collect()
    }

    /// The bits of the current state that a relation at a place knows.
    pub(crate) fn known_slots(&self, place: Place) -> Vec<Slot> {
        let mut slots = self.moves.globals();
        if place.node != self.path_edges.ended() {
            slots.extend(self.moves.columns.live_locals(place.node));
        }
        slots
    }

    pub(crate) fn now_values(&self, tuple: &Tuple) -> Vec<(u32, bool)> {
        let slots = self.known_slots(tuple.place).into_iter();
        let variables = slots.map(|slot| self.at(slot, Column::Now));
        variables.map(|v| (v, value(&tuple.values, v))).collect()
    }

    /// The tuple at a place that a solution describes.
    pub(crate) fn tuple_of(&self, place: Place, before: ProfileId, picked: &Values) -> Tuple {
        let mut values = Values::new();
        let mut entry = self.moves.globals();
        entry.extend(&self.path_edges.scopes.get(place.scope).given);
        for slot in entry {
            let variable = self.at(slot, Column::Entry);
            values.insert(variable, value(picked, variable));
        }
        for slot in self.known_slots(place) {
            let variable = self.at(slot, Column::Now);
            values.insert(variable, value(picked, variable));
        }
        Tuple {
            place,
            before,
            values,
        }
    }

    /// The part of a history that belongs to some contexts of the thread.
    pub(crate) fn history_values(&self, history: &Values, profile: ProfileId) -> Vec<(u32, bool)> {
        let profiles = &self.path_edges.profiles;
        let mut variables = Vec::new();
        for number in 0..=2 * profiles.interruptions(profile) {
            for &slot in self.moves.columns.shared() {
                variables.push(self.at(slot, Column::Boundary(number)));
            }
        }
        for (number, scope) in (1..).zip(profiles.starts(profile)) {
            let given = &self.path_edges.scopes.get(scope).given;
            for slot in given_slots(self.moves, given) {
                variables.push(self.at(slot, Column::Given(number)));
            }
        }
        variables
            .into_iter()
            .map(|v| (v, value(history, v)))
            .collect()
    }

    pub(crate) fn given_values(&self, history: &Values, base: ScopeId) -> Vec<(u32, bool)> {
        let scope = self.path_edges.scopes.get(base);
        if matches!(scope.kind, Kind::First(_)) {
            return Vec::new();
        }
        let slots = given_slots(self.moves, &scope.given);
        let variables = slots
            .into_iter()
            .map(|slot| self.at(slot, Column::Given(0)));
        variables.map(|v| (v, value(history, v))).collect()
    }

    /// The values of a procedure's locals now.
    pub(crate) fn locals_in(&self, procedure: ProcId, values: &Values) -> Vec<u64> {
        let count = self
            .moves
            .columns
            .machine()
            .procedure(procedure)
            .locals
            .len();
        let ids = (0..count).map(|number| Variable::Local(LocalId::new(number)));
        ids.map(|id| self.word(procedure, id, values, Column::Now))
            .collect()
    }

    /// The value of a variable in a column.
    pub(crate) fn word(
        &self,
        procedure: ProcId,
        variable: Variable,
        values: &Values,
        column: Column,
    ) -> u64 {
        let slots = self.moves.columns.bits_of(procedure, variable);
        let bits = slots.map(|slot| value(values, self.at(slot, column)));
        (0..)
            .zip(bits)
            .map(|(bit, set)| u64::from(set) << bit)
            .sum()
    }

    pub(crate) fn inputs_of(&self, edge: EdgeId, picked: &Values) -> Vec<u64> {
        let types = &self.moves.columns.machine().edge(edge).inputs;
        let mut first = 0;
        let words = types.iter().map(|ty| {
            let bits = (0..ty.width()).map(|bit| {
                let choice = self.moves.columns.choice(edge, first + bit);
                u64::from(value(picked, choice)) << bit
            });
            let word = bits.sum();
            first += ty.width();
            word
        });
        words.collect()
    }

    /// When a tuple was found.
    pub(crate) fn time_of(&self, tuple: &Tuple, history: &Values) -> Option<u64> {
        let mut parts = self.entry_values(tuple);
        parts.extend(self.now_values(tuple));
        parts.extend(self.boundary_values(history, tuple.before, tuple.place.profile));
        let values: Values = parts.into_iter().collect();
        let growing = self.path_edges.get(tuple.place)?;
        let contains =
            |&&(_, ring): &&(u64, Bdd)| self.moves.manager.eval(ring, |v| value(&values, v));
        growing.rings.iter().find(contains).map(|&(time, _)| time)
    }

    /// What was known of a place before a time and may step.
    pub(crate) fn before(&mut self, place: Place, time: u64) -> Result<Bdd, Exhausted> {
        let rings = match self.path_edges.get(place) {
            Some(growing) => growing.rings.clone(),
            None => Vec::new(),
        };
        let mut result = Bdd::FALSE;
        for (_, ring) in rings.into_iter().filter(|&(found, _)| found < time) {
            result = self.moves.manager.or(result, ring)?;
        }
        self.path_edges.permitted(self.moves, place.profile, result)
    }

    /// A solution of `wanted` in a relation that was known before a time, the earliest portion
    /// first.
    pub(crate) fn earliest(
        &mut self,
        place: Place,
        time: u64,
        wanted: Bdd,
    ) -> Result<Option<(u64, Values)>, Exhausted> {
        let Some(growing) = self.path_edges.get(place) else {
            return Ok(None);
        };
        for (found, ring) in growing.rings.clone() {
            if found >= time {
                break;
            }
            let ring = self.path_edges.permitted(self.moves, place.profile, ring)?;
            let both = self.moves.manager.and(ring, wanted)?;
            if let Some(picked) = self.moves.manager.pick(both) {
                return Ok(Some((found, picked.into_iter().collect())));
            }
        }
        Ok(None)
    }
}

/// A value; 0 if there is none.
pub(crate) fn value(values: &Values, variable: u32) -> bool {
    values.get(&variable).copied().unwrap_or(false)
}
