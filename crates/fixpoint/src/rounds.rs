//! What happened round by round: for people who watch, and for whoever reads runs off the rounds later.

use crate::term::PredicateId;
use hardbop_bdd::Bdd;

/// One round of a relation, as reported while it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The relation's name.
    pub relation: String,
    /// How many iterations there are around this one.
    pub depth: usize,
    /// The number of the round, from 1.
    pub round: u64,
    /// BDD nodes of what the round changed.
    pub news: usize,
    /// BDD nodes of the value after it.
    pub nodes: usize,
}

/// What a round added to a relation. (For a greatest fixed point: to its complement, so `news` is what was taken away.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Counts the rounds of the solver. What a round added follows from what relations had at smaller or equal numbers; members of one group
    /// are visited one after the other, so equal numbers mean an earlier visit in the same round.
    pub step: u64,
    /// What was added.
    pub news: Bdd,
    /// All there was after it.
    pub value: Bdd,
}

/// Told of each round.
pub type Observer<'a> = &'a dyn Fn(&Round);

/// The rounds of the last evaluation of each predicate, if they are to be kept.
pub(crate) struct History<'a> {
    observer: Option<Observer<'a>>,
    rings: Option<Vec<Vec<Ring>>>,
}

impl<'a> History<'a> {
    pub fn new(observer: Option<Observer<'a>>, keep: bool, predicates: usize) -> Self {
        Self {
            observer,
            rings: keep.then(|| vec![Vec::new(); predicates]),
        }
    }

    /// An evaluation starts, from this value.
    pub fn restart(&mut self, predicate: PredicateId, start: Bdd) {
        if let Some(rings) = &mut self.rings {
            let rings = &mut rings[predicate.index()];
            // A warm start goes on where the last evaluation ended.
            if start.is_false() {
                rings.clear();
            }
        }
    }

    pub fn report(&self, round: &dyn Fn() -> Round) {
        if let Some(observer) = self.observer {
            observer(&round());
        }
    }

    pub fn keep(&mut self, predicate: PredicateId, ring: Ring) {
        if let Some(rings) = &mut self.rings {
            rings[predicate.index()].push(ring);
        }
    }

    pub fn rings(&self, predicate: PredicateId) -> &[Ring] {
        match &self.rings {
            Some(rings) => &rings[predicate.index()],
            None => &[],
        }
    }

    pub fn each_root(&self, visit: &mut dyn FnMut(Bdd)) {
        for ring in self.rings.iter().flatten().flatten() {
            visit(ring.news);
            visit(ring.value);
        }
    }
}
