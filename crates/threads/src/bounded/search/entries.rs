//! Which invocations there are in which history of a thread.
//!
//! The *history* of a thread is all that other threads know of it: the shared globals with which
//! each of its contexts began (`Boundary(0)`, `Boundary(2)`, …) and ended (`Boundary(1)`, …), what
//! it was given when it was started (`Given(0)`) and what the threads that it has started were
//! given (`Given(1)`, …). An entry relates a history to a state in which a procedure was entered.
//! Entries and path edges of the same scope, joined, are the tuples of the paper's `Reach`.

use crate::bounded::encoding::columns::Column;
use crate::bounded::encoding::moves::Moves;
use crate::bounded::encoding::profile::{ProfileId, ScopeId};
use crate::bounded::encoding::scopes::Kind;
use crate::bounded::search::calls::Waiting;
use crate::bounded::search::path_edges::{Growing, PathEdges, Place, given_slots};
use hardbop_bdd::{Bdd, Exhausted, Roots};
use hardbop_machine::{Action, GlobalId, ProcId, Storage, Variable};
use hardbop_symbolic::QUANTIFY;
use std::collections::HashMap;

/// Which entries belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryKey {
    /// The first frame of the thread.
    pub(crate) base: ScopeId,
    /// The kind of the frame that was entered.
    pub(crate) scope: ScopeId,
    /// The contexts up to the entry.
    pub(crate) profile: ProfileId,
}

/// All entries.
#[derive(Default)]
pub(crate) struct Entries {
    table: Vec<(EntryKey, Growing)>,
    index: HashMap<EntryKey, usize>,
    clock: u64,
}

impl Entries {
    /// All entries, in order of discovery.
    pub(crate) fn table(&self) -> &[(EntryKey, Growing)] {
        &self.table
    }

    /// Some entries.
    pub(crate) fn get(&self, key: EntryKey) -> Option<&Growing> {
        self.index.get(&key).map(|&at| &self.table[at].1)
    }

    fn add(
        &mut self,
        moves: &mut Moves<'_, '_>,
        key: EntryKey,
        relation: Bdd,
    ) -> Result<bool, Exhausted> {
        if relation.is_false() {
            return Ok(false);
        }
        let next = self.table.len();
        let at = *self.index.entry(key).or_insert(next);
        if at == next {
            self.table.push((key, Growing::empty()));
        }
        let growing = &mut self.table[at].1;
        let new = moves.manager.diff(relation, growing.total)?;
        if new.is_false() {
            return Ok(false);
        }
        growing.total = moves.manager.or(growing.total, new)?;
        self.clock += 1;
        growing.rings.push((self.clock, new));
        Ok(true)
    }

    /// A thread begins its first context with shared globals and, if it was started, what it was
    /// given, as in `histories`.
    pub(crate) fn begin(
        &mut self,
        moves: &mut Moves<'_, '_>,
        path_edges: &mut PathEdges,
        base: ScopeId,
        profile: ProfileId,
        histories: Bdd,
    ) -> Result<(), Exhausted> {
        let shared = moves.columns.shared().to_vec();
        let mut entry = moves.equal(&shared, Column::Boundary(0), Column::Entry)?;
        let scope = path_edges.scopes.get(base).clone();
        match scope.kind {
            Kind::First(_) => {
                let initial = initial_values(moves, Storage::PerThread, Column::Entry)?;
                entry = moves.manager.and(entry, initial)?;
            }
            _ => {
                let slots = given_slots(moves, &scope.given);
                let same = moves.equal(&slots, Column::Given(0), Column::Entry)?;
                entry = moves.manager.and(entry, same)?;
            }
        }
        if let Some(inside) = moves.columns.inside() {
            let outside = moves.literal(moves.at(inside, Column::Entry), false)?;
            entry = moves.manager.and(entry, outside)?;
        }
        let entries = moves.manager.and(entry, histories)?;
        let key = EntryKey {
            base,
            scope: base,
            profile,
        };
        self.add(moves, key, entries)?;
        let mut history = moves.quantify(&shared, Column::Boundary(0));
        history.extend(moves.quantify(&given_slots(moves, &scope.given), Column::Given(0)));
        let entered = moves.project(entries, history)?;
        let mut slots = moves.globals();
        slots.extend(&scope.given);
        let same = moves.equal(&slots, Column::Entry, Column::Now)?;
        let dead = moves.columns.dead_locals(scope.start);
        let actions = moves.quantify(&dead, Column::Now);
        let states = moves.product(entered, same, actions)?;
        let place = Place {
            scope: base,
            profile,
            node: scope.start,
        };
        path_edges.add_initial(moves, place, states)
    }

    /// Follows calls: histories of callers become those of callees.
    pub(crate) fn run(
        &mut self,
        moves: &mut Moves<'_, '_>,
        path_edges: &mut PathEdges,
    ) -> Result<(), Exhausted> {
        let waiting: Vec<Waiting> = path_edges.waiting().copied().collect();
        let mut calls: HashMap<ScopeId, Vec<Waiting>> = HashMap::new();
        for waiting in waiting {
            // The callee's entry stays in its own column until the caller's has been used.
            let scope = path_edges.scopes.get(waiting.scope);
            let locals: Vec<_> = moves.columns.locals(scope.procedure).collect();
            let actions = moves.quantify(&locals, Column::Now);
            let relation = moves.project(waiting.relation, actions)?;
            let of_scope = calls.entry(waiting.scope).or_default();
            of_scope.push(Waiting {
                relation,
                ..waiting
            });
        }
        let mut done: HashMap<(usize, usize), Bdd> = HashMap::new();
        loop {
            let mut has_grown = false;
            let mut at = 0;
            while at < self.table.len() {
                let of_scope = calls.get(&self.table[at].0.scope);
                for (number, call) in of_scope.into_iter().flatten().enumerate() {
                    let (key, growing) = &self.table[at];
                    let (key, total) = (*key, growing.total);
                    if done.insert((at, number), total) != Some(total) {
                        has_grown |= self.follow(moves, path_edges, key, total, call)?;
                    }
                }
                at += 1;
            }
            if !has_grown {
                return Ok(());
            }
        }
    }

    fn follow(
        &mut self,
        moves: &mut Moves<'_, '_>,
        path_edges: &mut PathEdges,
        key: EntryKey,
        entries: Bdd,
        call: &Waiting,
    ) -> Result<bool, Exhausted> {
        let Some(profile) = path_edges.profiles.joined(key.profile, call.profile) else {
            return Ok(false);
        };
        let Action::Call { callee, .. } = moves.columns.machine().edge(call.edge).action else {
            return Ok(false);
        };
        if path_edges.exceeds_limits(profile) {
            return Ok(false);
        }
        let shifted = shift(path_edges, moves, key.profile, call.profile);
        let relation = moves.project(call.relation, shifted)?;
        let mut actions = forget_entry(moves, path_edges, key.scope);
        let mut kept = moves.globals();
        kept.extend(moves.columns.parameters(callee));
        actions.extend(moves.rename(&kept, Column::Callee, Column::Entry));
        let reached = moves.product(entries, relation, actions)?;
        let scope = path_edges.scopes.id(&moves.columns, Kind::Called(callee));
        let key = EntryKey {
            scope,
            profile,
            ..key
        };
        self.add(moves, key, reached)
    }

    /// The ways to cut the contexts of a thread into those before the entry of a running procedure
    /// and those after.
    pub(crate) fn splits(
        &self,
        path_edges: &mut PathEdges,
        base: ScopeId,
        profile: ProfileId,
    ) -> Vec<(EntryKey, ProfileId)> {
        let mut splits = Vec::new();
        for (key, _) in &self.table {
            if key.base != base {
                continue;
            }
            for inner in path_edges.profiles_of(key.scope) {
                if path_edges.profiles.joined(key.profile, inner) == Some(profile) {
                    splits.push((*key, inner));
                }
            }
        }
        splits
    }
}

impl Roots for Entries {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        for (_, growing) in &self.table {
            growing.each_root(keep);
        }
    }
}

/// Actions that move the boundaries inside an invocation behind those before its entry.
pub(crate) fn shift(
    path_edges: &PathEdges,
    moves: &Moves<'_, '_>,
    before: ProfileId,
    inside: ProfileId,
) -> Vec<(u32, u32)> {
    let profiles = &path_edges.profiles;
    let distance = 2 * profiles.interruptions(before);
    let mut actions = Vec::new();
    if distance > 0 {
        // One more: where the invocation is left, if it is.
        for number in 1..=2 * profiles.interruptions(inside) + 1 {
            let (from, to) = (
                Column::Boundary(number),
                Column::Boundary(number + distance),
            );
            actions.extend(moves.rename(moves.columns.shared(), from, to));
        }
    }
    let started = profiles.start_count(before);
    actions.extend(path_edges.given_actions(moves, inside, |number| Some(number + started)));
    actions
}

/// Actions that forget the state in which a frame was entered.
pub(crate) fn forget_entry(
    moves: &Moves<'_, '_>,
    path_edges: &PathEdges,
    scope: ScopeId,
) -> Vec<(u32, u32)> {
    let mut slots = moves.globals();
    slots.extend(&path_edges.scopes.get(scope).given);
    moves.quantify(&slots, Column::Entry)
}

/// The initial values of globals in a column, where there are any.
pub(crate) fn initial_values(
    moves: &mut Moves<'_, '_>,
    storage: Storage,
    column: Column,
) -> Result<Bdd, Exhausted> {
    let machine = moves.columns.machine();
    let mut result = Bdd::TRUE;
    for (number, global) in machine.globals.iter().enumerate() {
        let Some(value) = global.initial.filter(|_| global.storage == storage) else {
            continue;
        };
        let variable = Variable::Global(GlobalId::new(number));
        for (bit, slot) in (0..).zip(moves.columns.bits_of(ProcId(0), variable)) {
            let literal = moves.literal(moves.at(slot, column), value >> bit & 1 == 1)?;
            result = moves.manager.and(result, literal)?;
        }
    }
    Ok(result)
}

/// Actions that forget a boundary.
pub(crate) fn forget_boundary(moves: &Moves<'_, '_>, number: u32) -> Vec<(u32, u32)> {
    let shared = moves.columns.shared().iter();
    let variables = shared.map(|&slot| moves.at(slot, Column::Boundary(number)));
    variables.map(|variable| (variable, QUANTIFY)).collect()
}
