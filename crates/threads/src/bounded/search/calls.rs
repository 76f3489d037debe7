//! Calls and returns: a waiting caller meets what its callee has done (the clauses *call* and *ret*
//! of section 5.1).
//!
//! The callee may have been interrupted. Then its boundaries come after those of the caller, and
//! caller and callee agree on what was watched in the context of the call.

use crate::bounded::encoding::columns::Column;
use crate::bounded::encoding::moves::{Actions, Moves};
use crate::bounded::encoding::profile::{ProfileId, ScopeId, WatchId};
use crate::bounded::encoding::scopes::Kind;
use crate::bounded::search::path_edges::{PathEdges, Place};
use hardbop_bdd::{Bdd, Exhausted, Roots};
use hardbop_machine::{EdgeId, ProcId};
use hardbop_symbolic::QUANTIFY;

/// A call whose callee is running.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// The kind of the caller's frame.
    pub(crate) scope: ScopeId,
    /// The contexts before the call.
    pub(crate) profile: ProfileId,
    /// The call.
    pub(crate) edge: EdgeId,
    /// Between the caller's entry, boundaries, what matters of its locals, and the callee's entry.
    pub(crate) relation: Bdd,
}

/// A procedure's path edges at its exit, from where it can return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    /// The contexts of the invocation.
    pub(crate) profile: ProfileId,
    /// The path edges.
    pub(crate) relation: Bdd,
}

impl Roots for Waiting {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        keep(self.relation);
    }
}

impl Roots for Summary {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        keep(self.relation);
    }
}

impl PathEdges {
    /// A call: enters the callee, and goes on wherever the callee is known to return.
    pub(crate) fn called(
        &mut self,
        moves: &mut Moves<'_, '_>,
        place: Place,
        edge: EdgeId,
        callee: ProcId,
        news: Bdd,
    ) -> Result<(), Exhausted> {
        let made = moves.call(edge)?;
        let waiting = moves.manager.relprod(news, made.relation, &made.plan)?;
        if waiting.is_false() {
            return Ok(());
        }
        let is_this = |known: &Waiting| {
            (known.scope, known.profile, known.edge) == (place.scope, place.profile, edge)
        };
        let callers = &mut self.waiting[callee.index()];
        let this = Waiting {
            scope: place.scope,
            profile: place.profile,
            edge,
            relation: waiting,
        };
        match callers.iter_mut().find(|known| is_this(known)) {
            Some(known) => known.relation = moves.manager.or(known.relation, waiting)?,
            None => callers.push(this),
        }
        let watch = self.profiles.watch(place.profile);
        self.enter(moves, callee, watch, &this)?;
        for at in 0..self.summaries[callee.index()].len() {
            let summary = self.summaries[callee.index()][at];
            self.join(moves, &this, callee, summary)?;
        }
        Ok(())
    }

    /// Path edges of length 0 at the callee's entry.
    fn enter(
        &mut self,
        moves: &mut Moves<'_, '_>,
        callee: ProcId,
        watch: Option<WatchId>,
        waiting: &Waiting,
    ) -> Result<(), Exhausted> {
        let actions = self.forget_caller(moves, waiting, callee);
        let entered = moves.project(waiting.relation, actions)?;
        let mut globals = moves.globals();
        globals.extend(moves.columns.parameters(callee));
        let same = moves.equal(&globals, Column::Entry, Column::Now)?;
        let place = Place {
            scope: self.scopes.id(&moves.columns, Kind::Called(callee)),
            profile: self.profiles.first(watch),
            node: moves.columns.machine().procedure(callee).entry,
        };
        let dead = moves.columns.dead_locals(place.node);
        let actions = moves.quantify(&dead, Column::Now);
        let edges = moves.product(entered, same, actions)?;
        self.add(moves, place, edges)
    }

    /// Actions that keep of a waiting call only the callee's entry.
    fn forget_caller(&self, moves: &Moves<'_, '_>, waiting: &Waiting, callee: ProcId) -> Actions {
        let scope = self.scopes.get(waiting.scope);
        let locals: Vec<_> = moves.columns.locals(scope.procedure).collect();
        let mut actions = moves.quantify(&locals, Column::Now);
        actions.extend(moves.quantify(&moves.globals(), Column::Entry));
        actions.extend(moves.quantify(&scope.given, Column::Entry));
        for number in 1..=2 * self.profiles.interruptions(waiting.profile) {
            actions.extend(moves.quantify(moves.columns.shared(), Column::Boundary(number)));
        }
        actions.extend(self.given_actions(moves, waiting.profile, |_| None));
        let mut kept = moves.globals();
        kept.extend(moves.columns.parameters(callee));
        actions.extend(moves.rename(&kept, Column::Callee, Column::Entry));
        actions
    }

    /// The callee has come to its exit: all that wait for it go on.
    pub(crate) fn returned(
        &mut self,
        moves: &mut Moves<'_, '_>,
        procedure: ProcId,
        profile: ProfileId,
        news: Bdd,
    ) -> Result<(), Exhausted> {
        let summaries = &mut self.summaries[procedure.index()];
        match summaries.iter_mut().find(|known| known.profile == profile) {
            Some(known) => known.relation = moves.manager.or(known.relation, news)?,
            None => summaries.push(Summary {
                profile,
                relation: news,
            }),
        }
        let summary = Summary {
            profile,
            relation: news,
        };
        for at in 0..self.waiting[procedure.index()].len() {
            let waiting = self.waiting[procedure.index()][at];
            self.join(moves, &waiting, procedure, summary)?;
        }
        Ok(())
    }

    /// A waiting call goes on with what its callee has done.
    fn join(
        &mut self,
        moves: &mut Moves<'_, '_>,
        waiting: &Waiting,
        callee: ProcId,
        summary: Summary,
    ) -> Result<(), Exhausted> {
        let Some(profile) = self.profiles.joined(waiting.profile, summary.profile) else {
            return Ok(());
        };
        if self.profiles.interruptions(profile) > self.limits.interruptions {
            return Ok(());
        }
        if self.profiles.start_count(profile) > self.limits.starts {
            self.is_short_of_threads = true;
            return Ok(());
        }
        let (first, second) = self.return_actions(moves, waiting, callee, summary.profile);
        let prepared = moves.project(summary.relation, first)?;
        let after = moves.product(waiting.relation, prepared, second)?;
        let place = Place {
            scope: waiting.scope,
            profile,
            node: moves.columns.machine().edge(waiting.edge).to,
        };
        self.add(moves, place, after)
    }

    /// What makes a callee's summary fit a waiting caller, and what makes the state after the
    /// return of their product.
    pub(crate) fn return_actions(
        &self,
        moves: &mut Moves<'_, '_>,
        waiting: &Waiting,
        callee: ProcId,
        inner: ProfileId,
    ) -> (Actions, Actions) {
        let machine = moves.columns.machine();
        let results = moves.results(waiting.edge);
        let dead = moves.columns.dead_locals(machine.edge(waiting.edge).to);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let is_kept = |target| !dead.contains(&target);
        for slot in moves.columns.locals(callee) {
            let target = results
                .iter()
                .find(|&&(result, target)| result == slot && is_kept(target));
            let new = target.map_or(QUANTIFY, |&(_, target)| moves.at(target, Column::Next));
            first.push((moves.at(slot, Column::Now), new));
        }
        for &(_, target) in results.iter().filter(|&&(_, target)| is_kept(target)) {
            let now = moves.at(target, Column::Now);
            second.push((moves.at(target, Column::Next), now));
            if moves.globals().contains(&target) {
                first.push((now, QUANTIFY));
            }
        }
        let mut entry = moves.globals();
        entry.extend(moves.columns.parameters(callee));
        first.extend(moves.rename(&entry, Column::Entry, Column::Callee));
        second.extend(moves.quantify(&entry, Column::Callee));
        let shift = 2 * self.profiles.interruptions(waiting.profile);
        if shift > 0 {
            for number in 1..=2 * self.profiles.interruptions(inner) {
                let (from, to) = (Column::Boundary(number), Column::Boundary(number + shift));
                first.extend(moves.rename(moves.columns.shared(), from, to));
            }
        }
        let started = self.profiles.start_count(waiting.profile);
        first.extend(self.given_actions(moves, inner, |number| Some(number + started)));
        (first, second)
    }
}
