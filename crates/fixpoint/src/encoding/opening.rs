//! Opens abbreviations where that determines quantified bits.
//!
//! An abbreviation is a relation of its own with a BDD of its own. Often it says, among other
//! things, that bits are equal: a step that leaves the module alone, a move that permutes places.
//! Below a quantifier over such bits its conjuncts are better than its name: the one-point rule of
//! [`crate::encoding::scope`] removes the bits, and where nothing but equations is left, an image is
//! a renaming. The other conjuncts become parts of the product one by one, so that they can meet
//! what they speak of ([`crate::encoding::meeting`]).
//!
//! Only abbreviations that read no fixed point are opened: what reads what stays as it is, and so
//! does the nesting of systems that are not monotone.

use crate::encoding::dependency::Dependencies;
use crate::encoding::model::Model;
use crate::encoding::scope;
use crate::encoding::term::{Argument, BitId, PredicateId, Term, TermId, Terms};
use std::collections::BTreeMap;

/// Abbreviations made of more terms stay closed.
const MAX_TERMS: usize = 2000;

/// An abbreviation as a conjunction.
struct Conjunction {
    parameters: Vec<BitId>,
    parts: Vec<TermId>,
}

type Conjunctions = BTreeMap<PredicateId, Conjunction>;

/// Opens what is worth it in all bodies; whether anything was.
pub(crate) fn open(model: &mut Model, dependencies: &Dependencies) -> bool {
    let conjunctions = conjunctions(model, dependencies);
    let mut is_changed = false;
    for predicate in model.predicate_ids() {
        let mut reads = dependencies.reads(predicate).iter();
        if reads.any(|(read, _)| conjunctions.contains_key(read)) {
            let body = model.predicate(predicate).body;
            let opened = open_body(&mut model.terms, body, &conjunctions);
            is_changed |= opened != body;
            model.predicates[predicate.index()].body = opened;
        }
    }
    is_changed
}

/// Abbreviations that read no fixed point and have an equation or a value among their conjuncts.
fn conjunctions(model: &mut Model, dependencies: &Dependencies) -> Conjunctions {
    let everyone: Vec<PredicateId> = model.predicate_ids().collect();
    let mut is_closed = vec![false; everyone.len()];
    let mut found = Conjunctions::new();
    for id in dependencies.components(&everyone).into_iter().flatten() {
        let mut reads = dependencies.reads(id).iter();
        let predicate = model.predicate(id);
        // What is read comes first; a member of a cycle reads something that is not known yet.
        if predicate.is_fixed_point || !reads.all(|(read, _)| is_closed[read.index()]) {
            continue;
        }
        is_closed[id.index()] = true;
        let (body, parameters) = (predicate.body, predicate.parameters.clone());
        let terms = &mut model.terms;
        if !is_plain(terms, body) {
            continue;
        }
        let mut parts = Vec::new();
        for part in conjuncts(terms, body) {
            match opened(terms, part, &found, |_| true) {
                Some(inner) => parts.extend(inner),
                None => parts.push(part),
            }
        }
        if parts.iter().any(|&part| point(terms, part).is_some()) {
            found.insert(id, Conjunction { parameters, parts });
        }
    }
    found
}

/// Whether a term is small, and free of quantifiers and of functions that depend on the order.
fn is_plain(terms: &Terms, body: TermId) -> bool {
    if !matches!(
        terms.get(body),
        Term::And(_) | Term::Iff(..) | Term::Bit(_) | Term::Not(_) | Term::Apply(..)
    ) {
        return false;
    }
    if terms.has_quantifiers(body) {
        return false;
    }
    let all = terms.reachable([body]);
    all.len() <= MAX_TERMS && terms.bits_of_cofactors(&[body]).is_empty()
}

fn conjuncts(terms: &Terms, id: TermId) -> Vec<TermId> {
    match terms.get(id) {
        Term::And(parts) => parts.clone(),
        _ => vec![id],
    }
}

/// The bits of an equation or of a literal.
fn point(terms: &Terms, id: TermId) -> Option<Vec<BitId>> {
    let bit = |id: TermId| match *terms.get(id) {
        Term::Bit(bit) => Some(bit),
        _ => None,
    };
    match *terms.get(id) {
        Term::Bit(only) => Some(vec![only]),
        Term::Not(inner) => Some(vec![bit(inner)?]),
        Term::Iff(a, b) => Some(vec![bit(a)?, bit(b)?]),
        _ => None,
    }
}

/// The conjuncts of the application of an abbreviation, if it determines a bit that is wanted.
fn opened(
    terms: &mut Terms,
    part: TermId,
    conjunctions: &Conjunctions,
    is_wanted: impl Fn(BitId) -> bool,
) -> Option<Vec<TermId>> {
    let Term::Apply(predicate, arguments) = terms.get(part).clone() else {
        return None;
    };
    let conjunction = conjunctions.get(&predicate)?;
    let parameters = conjunction.parameters.iter().copied();
    let replaced: BTreeMap<BitId, Argument> = parameters.zip(arguments).collect();
    let wants = |bit: BitId| match replaced.get(&bit) {
        Some(&Argument::Bit(bit)) => is_wanted(bit),
        _ => false,
    };
    let points = conjunction.parts.iter();
    let mut points = points.filter_map(|&part| point(terms, part)).flatten();
    if !points.any(wants) {
        return None;
    }
    let parts = conjunction.parts.iter();
    let parts = parts.map(|&part| scope::substitute(terms, part, &replaced));
    Some(parts.collect())
}

fn open_body(terms: &mut Terms, body: TermId, conjunctions: &Conjunctions) -> TermId {
    let mut new: BTreeMap<TermId, TermId> = BTreeMap::new();
    for id in terms.reachable([body]) {
        let term = match terms.get(id).clone() {
            Term::Exists(bits, inner) => open_product(terms, &bits, new[&inner], conjunctions),
            term => terms.rebuilt(id, &term, &new),
        };
        new.insert(id, term);
    }
    new[&body]
}

/// `exists bits. inner` with those abbreviations opened that determine one of the bits.
fn open_product(
    terms: &mut Terms,
    bits: &[BitId],
    inner: TermId,
    conjunctions: &Conjunctions,
) -> TermId {
    let parts = conjuncts(terms, inner);
    // Bits of cofactors are never replaced.
    let fixed = terms.bits_of_cofactors(&parts);
    let is_wanted = |bit: BitId| bits.binary_search(&bit).is_ok() && !fixed.contains(&bit);
    let mut list = Vec::with_capacity(parts.len());
    for &part in &parts {
        match opened(terms, part, conjunctions, is_wanted) {
            Some(inner) => list.extend(inner),
            None => list.push(part),
        }
    }
    let all = terms.and(list);
    if all == inner {
        return terms.exists_here(bits, inner);
    }
    scope::exists(terms, bits, all)
}
