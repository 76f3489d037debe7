//! Formulas as the solver works on them: over single bits, negation only before bits, applications
//! and quantifiers, one quantifier (`exists`), equal terms shared.
//!
//! Operands stand before their users in the arena, so that everything that goes over a term is a
//! loop over numbers and nesting costs no stack. Each term knows its free bits: scheduling,
//! allocation and the rules of [`crate::encoding::scope`] live on them.

use hardbop_bdd::{Bdd, Roots};
use hardbop_formula::Cofactor;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A bit of a variable of the system; all bits of all variables are numbered through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BitId(pub u32);

impl BitId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index into [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TermId(pub u32);

impl TermId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A relation, or a question that is treated as one. Index into
/// [`crate::encoding::model::Model::predicates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PredicateId(pub u32);

impl PredicateId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A label beside a BDD.
impl Roots for PredicateId {
    fn each_root(&self, _: &mut dyn FnMut(Bdd)) {}
}

/// One bit of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Argument {
    Bit(BitId),
    Constant(bool),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Constant(bool),
    Bit(BitId),
    /// Of a bit, an application or a quantifier, save where pushing it further would take deep
    /// recursion.
    Not(TermId),
    /// At least two, none a conjunction.
    And(Vec<TermId>),
    /// At least two, none a disjunction.
    Or(Vec<TermId>),
    Iff(TermId, TermId),
    Ite(TermId, TermId, TermId),
    /// All bits occur.
    Exists(Vec<BitId>, TermId),
    Apply(PredicateId, Vec<Argument>),
    /// A function that agrees with the first where the second holds. Which one depends on the order
    /// of the BDD variables, so bits in it are never replaced by others.
    Cofactor(Cofactor, TermId, TermId),
}

impl Term {
    /// Calls `visit` with each operand.
    pub(crate) fn each_operand(&self, mut visit: impl FnMut(TermId)) {
        match self {
            Term::Constant(_) | Term::Bit(_) | Term::Apply(..) => {}
            Term::Not(a) | Term::Exists(_, a) => visit(*a),
            Term::And(parts) | Term::Or(parts) => parts.iter().copied().for_each(visit),
            Term::Iff(a, b) | Term::Cofactor(_, a, b) => [*a, *b].into_iter().for_each(visit),
            Term::Ite(c, a, b) => [*c, *a, *b].into_iter().for_each(visit),
        }
    }
}

/// How deep a negation is pushed when a term is negated as a whole.
const MAX_NEGATION_DEPTH: u32 = 16;

type BitSet = Rc<[BitId]>;

/// What there is in a term.
#[derive(Clone, Copy, Default)]
struct Inside {
    applications: bool,
    quantifiers: bool,
}

/// Which terms a walk has seen, without clearing anything between walks.
#[derive(Default)]
struct Marks {
    walk: u32,
    seen_in: Vec<u32>,
}

impl Marks {
    fn start(&mut self, terms: usize) {
        if self.walk == u32::MAX {
            self.seen_in.clear();
            self.walk = 0;
        }
        self.walk += 1;
        self.seen_in.resize(terms, 0);
    }

    /// Whether this walk has not seen a term before.
    fn is_new(&mut self, id: TermId) -> bool {
        std::mem::replace(&mut self.seen_in[id.index()], self.walk) != self.walk
    }
}

/// All terms.
#[derive(Default)]
pub(crate) struct Terms {
    nodes: Vec<Term>,
    free: Vec<BitSet>,
    index: FxHashMap<Term, TermId>,
    /// Per term whether it has applications and quantifiers in it.
    inside: Vec<Inside>,
    /// Whether there is a cofactor among them.
    has_cofactors: bool,
    marks: RefCell<Marks>,
}

impl Terms {
    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.nodes[id.index()]
    }

    /// The free bits of a term, in order.
    pub(crate) fn free(&self, id: TermId) -> &[BitId] {
        &self.free[id.index()]
    }

    fn intern(&mut self, term: Term) -> TermId {
        if let Some(&known) = self.index.get(&term) {
            return known;
        }
        let free = self.free_bits(&term);
        let id = TermId(self.nodes.len() as u32);
        let mut inside = Inside {
            applications: matches!(term, Term::Apply(..)),
            quantifiers: matches!(term, Term::Exists(..)),
        };
        term.each_operand(|operand| {
            let operand = self.inside[operand.index()];
            inside.applications |= operand.applications;
            inside.quantifiers |= operand.quantifiers;
        });
        self.inside.push(inside);
        self.nodes.push(term.clone());
        self.free.push(free);
        self.index.insert(term, id);
        id
    }

    fn free_bits(&self, term: &Term) -> BitSet {
        match term {
            Term::Constant(_) => Rc::from([]),
            Term::Bit(bit) => Rc::from([*bit]),
            Term::Not(a) => self.free[a.index()].clone(),
            Term::Apply(_, arguments) => {
                let bits = arguments.iter().filter_map(|argument| match argument {
                    Argument::Bit(bit) => Some(*bit),
                    Argument::Constant(_) => None,
                });
                bits.collect::<BTreeSet<_>>().into_iter().collect()
            }
            Term::Exists(bits, a) => {
                let inner = self.free[a.index()].iter().copied();
                inner
                    .filter(|bit| bits.binary_search(bit).is_err())
                    .collect()
            }
            Term::And(_) | Term::Or(_) | Term::Iff(..) | Term::Ite(..) | Term::Cofactor(..) => {
                self.union(term)
            }
        }
    }

    /// The free bits of all operands. The set of an operand is shared if it has them all: nests of
    /// conditions would otherwise take quadratic space.
    fn union(&self, term: &Term) -> BitSet {
        let mut all: Vec<BitId> = Vec::new();
        let mut largest: Option<&BitSet> = None;
        term.each_operand(|operand| {
            let set = &self.free[operand.index()];
            all.extend(set.iter());
            if largest.is_none_or(|known| known.len() < set.len()) {
                largest = Some(set);
            }
        });
        all.sort_unstable();
        all.dedup();
        match largest {
            Some(set) if set.len() == all.len() => set.clone(),
            _ => all.into(),
        }
    }

    pub(crate) fn constant(&mut self, value: bool) -> TermId {
        self.intern(Term::Constant(value))
    }

    pub(crate) fn bit(&mut self, bit: BitId) -> TermId {
        self.intern(Term::Bit(bit))
    }

    pub(crate) fn apply(&mut self, predicate: PredicateId, arguments: Vec<Argument>) -> TermId {
        self.intern(Term::Apply(predicate, arguments))
    }

    /// The negation, pushed inwards.
    pub(crate) fn negate(&mut self, a: TermId) -> TermId {
        self.negate_to(a, MAX_NEGATION_DEPTH)
    }

    fn negate_to(&mut self, a: TermId, depth: u32) -> TermId {
        match self.get(a).clone() {
            Term::Constant(value) => self.constant(!value),
            Term::Not(inner) => inner,
            Term::And(parts) if depth > 0 => {
                let parts = parts
                    .into_iter()
                    .map(|part| self.negate_to(part, depth - 1));
                let parts: Vec<TermId> = parts.collect();
                self.or(parts)
            }
            Term::Or(parts) if depth > 0 => {
                let parts = parts
                    .into_iter()
                    .map(|part| self.negate_to(part, depth - 1));
                let parts: Vec<TermId> = parts.collect();
                self.and(parts)
            }
            _ => self.intern(Term::Not(a)),
        }
    }

    pub(crate) fn and(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(parts, true)
    }

    pub(crate) fn or(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(parts, false)
    }

    /// A conjunction or, for `neutral` false, a disjunction.
    fn junction(&mut self, parts: impl IntoIterator<Item = TermId>, neutral: bool) -> TermId {
        let mut list: Vec<TermId> = Vec::new();
        for part in parts {
            match self.get(part) {
                Term::Constant(value) if *value == neutral => {}
                Term::Constant(_) => return self.constant(!neutral),
                Term::And(inner) if neutral => list.extend(inner),
                Term::Or(inner) if !neutral => list.extend(inner),
                _ => list.push(part),
            }
        }
        if neutral && self.has_cofactors {
            return self.conjunction_of_cofactors(list);
        }
        self.junction_of(list, neutral)
    }

    /// A conjunction: beside `g` a cofactor of `f` by `g` is `f` itself, which does not depend on
    /// the order and grows with its operands.
    fn conjunction_of_cofactors(&mut self, list: Vec<TermId>) -> TermId {
        let is_there = |g: TermId| match self.get(g) {
            Term::And(parts) => parts.iter().all(|part| list.contains(part)),
            _ => list.contains(&g),
        };
        let mut plain: Vec<TermId> = Vec::with_capacity(list.len());
        let mut has_changed = false;
        for &part in &list {
            match *self.get(part) {
                Term::Cofactor(_, f, g) if is_there(g) => {
                    has_changed = true;
                    plain.push(f);
                }
                _ => plain.push(part),
            }
        }
        if has_changed {
            return self.and(plain);
        }
        self.junction_of(list, true)
    }

    fn junction_of(&mut self, mut list: Vec<TermId>, neutral: bool) -> TermId {
        list.sort_unstable();
        list.dedup();
        match list[..] {
            [] => self.constant(neutral),
            [only] => only,
            _ if neutral => self.intern(Term::And(list)),
            _ => self.intern(Term::Or(list)),
        }
    }

    pub(crate) fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        for (one, other) in [(a, b), (b, a)] {
            match self.get(one) {
                Term::Constant(true) => return other,
                Term::Constant(false) => return self.negate(other),
                _ => {}
            }
        }
        if a == b {
            return self.constant(true);
        }
        self.intern(Term::Iff(a, b))
    }

    pub(crate) fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        match *self.get(c) {
            Term::Constant(true) => return a,
            Term::Constant(false) => return b,
            _ if a == b => return a,
            _ => {}
        }
        match (self.get(a), self.get(b)) {
            (Term::Constant(true), _) => self.or([c, b]),
            (_, Term::Constant(false)) => self.and([c, a]),
            _ => self.intern(Term::Ite(c, a, b)),
        }
    }

    pub(crate) fn cofactor(&mut self, kind: Cofactor, a: TermId, care: TermId) -> TermId {
        match (self.get(a), self.get(care)) {
            (_, Term::Constant(true)) => a,
            (_, Term::Constant(false)) => self.constant(false),
            _ => {
                self.has_cofactors = true;
                self.intern(Term::Cofactor(kind, a, care))
            }
        }
    }

    /// The free bits of all cofactors in some terms, in order.
    pub(crate) fn bits_of_cofactors(&self, parts: &[TermId]) -> Vec<BitId> {
        let mut bits = Vec::new();
        if self.has_cofactors {
            for id in self.reachable(parts.iter().copied()) {
                if matches!(self.get(id), Term::Cofactor(..)) {
                    bits.extend(self.free(id));
                }
            }
        }
        bits.sort_unstable();
        bits.dedup();
        bits
    }

    /// The quantifier as it stands; [`crate::encoding::scope`] pushes it inwards first.
    pub(crate) fn exists_here(&mut self, bits: &[BitId], a: TermId) -> TermId {
        let free = self.free[a.index()].clone();
        let occurs = |bit: &&BitId| free.binary_search(bit).is_ok();
        let mut bits: Vec<BitId> = bits.iter().filter(occurs).copied().collect();
        bits.sort_unstable();
        if bits.is_empty() {
            return a;
        }
        if let Term::Exists(inner_bits, inner) = self.get(a) {
            let inner = *inner;
            bits.extend(inner_bits);
            bits.sort_unstable();
            return self.intern(Term::Exists(bits, inner));
        }
        self.intern(Term::Exists(bits, a))
    }

    /// A term with new operands. Quantifiers are for the caller, who knows what becomes of them.
    pub(crate) fn rebuilt(
        &mut self,
        id: TermId,
        term: &Term,
        new: &BTreeMap<TermId, TermId>,
    ) -> TermId {
        match term {
            Term::Constant(_) | Term::Bit(_) | Term::Apply(..) => id,
            Term::Not(a) => self.negate(new[a]),
            Term::And(parts) => self.and(parts.iter().map(|part| new[part])),
            Term::Or(parts) => self.or(parts.iter().map(|part| new[part])),
            Term::Iff(a, b) => self.iff(new[a], new[b]),
            Term::Ite(c, a, b) => self.ite(new[c], new[a], new[b]),
            Term::Cofactor(kind, a, care) => self.cofactor(*kind, new[a], new[care]),
            Term::Exists(bits, a) => self.exists_here(bits, new[a]),
        }
    }

    /// Whether there is an application in a term.
    pub(crate) fn has_applications(&self, id: TermId) -> bool {
        self.inside[id.index()].applications
    }

    /// Whether there is a quantifier in a term.
    pub(crate) fn has_quantifiers(&self, id: TermId) -> bool {
        self.inside[id.index()].quantifiers
    }

    /// Everything a term is made of, operands first, itself last.
    pub(crate) fn reachable(&self, roots: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
        self.reachable_through(roots, &|_| true)
    }

    /// What a term is made of as far as one gets through terms that are wanted.
    pub(crate) fn reachable_through(
        &self,
        roots: impl IntoIterator<Item = TermId>,
        is_wanted: &dyn Fn(TermId) -> bool,
    ) -> Vec<TermId> {
        let mut marks = self.marks.borrow_mut();
        marks.start(self.nodes.len());
        let mut found: Vec<TermId> = Vec::new();
        let mut add = |id: TermId, found: &mut Vec<TermId>| {
            if is_wanted(id) && marks.is_new(id) {
                found.push(id);
            }
        };
        roots.into_iter().for_each(|root| add(root, &mut found));
        let mut next = 0;
        while let Some(&id) = found.get(next) {
            self.get(id)
                .each_operand(|operand| add(operand, &mut found));
            next += 1;
        }
        found.sort_unstable();
        found
    }
}
