//! Values of the symbols tried out: the terms that the program really passes when they have these
//! values.
//!
//! With all symbols fixed, hops can be taken or not, and what is reached is found by plain search.
//! A target that is reached this way is reached by a run, whatever the clauses say. A call waits
//! for exits of its instance that are reached, so the search is a tabulation: instances are
//! explored once, whoever calls them.

use crate::encoding::closure::Closure;
use crate::encoding::symbols::Meaning;
use crate::encoding::terms::{HopKind, InstanceId, TermId};
use hardbop_bdd::Bdd;
use std::collections::VecDeque;

/// How a term was reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It is the entry of its instance.
    Entry,
    /// By this hop of this term.
    Hop(TermId, u32),
}

/// Values of all symbols and what is reached under them.
#[derive(Debug)]
pub(crate) struct Valuation {
    first: u32,
    values: Vec<bool>,
    origins: Vec<Option<Origin>>,
    /// For every instance that is entered by a call the one that did so first.
    callers: Vec<Option<(TermId, u32)>>,
    /// Terms that are reached, in order.
    reached: Vec<TermId>,
}

impl Valuation {
    /// Explores under these values of the symbols, of which those made last may be missing.
    pub(crate) fn new(closure: &Closure<'_, '_>, model: &[bool]) -> Self {
        let first = closure.symbols.first();
        let mut values: Vec<bool> = Vec::with_capacity(closure.symbols.len());
        for (index, variable) in (first..closure.symbols.end()).enumerate() {
            let value = match closure.symbols.meaning(variable) {
                // A name's function speaks of earlier symbols only.
                Meaning::Name(function) => closure
                    .manager
                    .eval(function, |v| values[(v - first) as usize]),
                Meaning::Initial | Meaning::Carried | Meaning::Choice => {
                    model.get(index).is_some_and(|&value| value)
                }
            };
            values.push(value);
        }
        let mut valuation = Self {
            first,
            values,
            origins: vec![None; closure.terms.len()],
            callers: vec![None; closure.terms.instance_count()],
            reached: Vec::new(),
        };
        valuation.explore(closure);
        valuation
    }

    /// The value of a function of symbols.
    pub(crate) fn eval(&self, closure: &Closure<'_, '_>, function: Bdd) -> bool {
        closure.manager.eval(function, |v| self.value(v))
    }

    /// The value of a symbol.
    pub(crate) fn value(&self, variable: u32) -> bool {
        self.values[(variable - self.first) as usize]
    }

    /// How a term was reached; nothing if it was not.
    pub(crate) fn origin(&self, term: TermId) -> Option<Origin> {
        self.origins[term.index()]
    }

    /// The terms that are reached, in order.
    pub(crate) fn reached(&self) -> &[TermId] {
        &self.reached
    }

    /// The call that entered an instance first.
    pub(crate) fn caller(&self, instance: InstanceId) -> Option<(TermId, u32)> {
        self.callers[instance.index()]
    }

    fn explore(&mut self, closure: &Closure<'_, '_>) {
        let mut pending = VecDeque::new();
        self.reach(&mut pending, TermId(0), Origin::Entry);
        while let Some(id) = pending.pop_front() {
            let term = closure.terms.get(id);
            for (number, hop) in (0..).zip(&term.hops) {
                if !self.eval(closure, hop.condition) {
                    continue;
                }
                match hop.kind {
                    HopKind::Step => self.reach(&mut pending, hop.to, Origin::Hop(id, number)),
                    HopKind::Call(instance) => {
                        if self.origins[hop.to.index()].is_none() {
                            self.callers[instance.index()] = Some((id, number));
                            self.reach(&mut pending, hop.to, Origin::Entry);
                        }
                    }
                    HopKind::Return(exit) => {
                        if self.origins[exit.index()].is_some() {
                            self.reach(&mut pending, hop.to, Origin::Hop(id, number));
                        }
                    }
                }
            }
            let instance = closure.terms.instance(term.instance);
            if instance.exits.contains(&id) {
                self.come_back(closure, &mut pending, id);
            }
        }
    }

    /// An exit is reached: calls that wait for it go on.
    fn come_back(
        &mut self,
        closure: &Closure<'_, '_>,
        pending: &mut VecDeque<TermId>,
        exit: TermId,
    ) {
        let instance = closure.terms.instance(closure.terms.get(exit).instance);
        let mut previous = None;
        for &(caller, _) in &instance.callers {
            if self.origins[caller.index()].is_none() || previous == Some(caller) {
                continue;
            }
            previous = Some(caller);
            for (number, hop) in (0..).zip(&closure.terms.get(caller).hops) {
                if hop.kind == HopKind::Return(exit) && self.eval(closure, hop.condition) {
                    self.reach(pending, hop.to, Origin::Hop(caller, number));
                }
            }
        }
    }

    fn reach(&mut self, pending: &mut VecDeque<TermId>, term: TermId, origin: Origin) {
        let known = &mut self.origins[term.index()];
        if known.is_none() {
            *known = Some(origin);
            self.reached.push(term);
            pending.push_back(term);
        }
    }
}
