//! Quantifiers where they cost least.
//!
//! `exists` goes into disjunctions and past conjuncts that do not need it, conjuncts that share no
//! quantified bit part ways, and the one-point rule removes what is determined:
//! `exists t. t.a = s.a & R(t)` is `R` with `s.a` in the place of `t.a`. Formulas for programs are
//! full of such equalities (everything a step leaves alone), and each of them would otherwise cost
//! a copy of the bit, a conjunction and a quantification in every round.

use crate::encoding::term::{Argument, BitId, Term, TermId, Terms};
use std::collections::BTreeMap;

/// How many quantifiers may be pushed through alternating connectives below each other; deeper ones
/// stay where they are.
const MAX_DEPTH: u32 = 64;

/// Conjuncts with more cases are not split.
const MAX_CASES: usize = 3;

/// `exists bits. a`, pushed inwards.
pub(crate) fn exists(terms: &mut Terms, bits: &[BitId], a: TermId) -> TermId {
    push(terms, bits, a, 0)
}

fn push(terms: &mut Terms, bits: &[BitId], a: TermId, depth: u32) -> TermId {
    let free = terms.free(a);
    let bits: Vec<BitId> = bits
        .iter()
        .copied()
        .filter(|bit| free.binary_search(bit).is_ok())
        .collect();
    if bits.is_empty() {
        return a;
    }
    if depth > MAX_DEPTH {
        return terms.exists_here(&bits, a);
    }
    match terms.get(a).clone() {
        // A bit that is quantified can be chosen as it is needed.
        Term::Bit(_) => terms.constant(true),
        Term::Not(inner) if matches!(terms.get(inner), Term::Bit(_)) => terms.constant(true),
        Term::Or(parts) => {
            let parts: Vec<TermId> = parts
                .into_iter()
                .map(|part| push(terms, &bits, part, depth + 1))
                .collect();
            terms.or(parts)
        }
        Term::And(parts) => conjunction(terms, &bits, parts, depth),
        Term::Ite(c, a, b) if !depends(terms, c, &bits) => {
            let a = push(terms, &bits, a, depth + 1);
            let b = push(terms, &bits, b, depth + 1);
            terms.ite(c, a, b)
        }
        _ => terms.exists_here(&bits, a),
    }
}

fn depends(terms: &Terms, a: TermId, bits: &[BitId]) -> bool {
    let free = terms.free(a);
    bits.iter().any(|bit| free.binary_search(bit).is_ok())
}

fn conjunction(terms: &mut Terms, bits: &[BitId], parts: Vec<TermId>, depth: u32) -> TermId {
    if let Some(points) = points(terms, bits, &parts) {
        let whole = terms.and(parts);
        let whole = substitute(terms, whole, &points);
        return push(terms, bits, whole, depth + 1);
    }
    if let Some(place) = parts
        .iter()
        .position(|&part| is_case_split(terms, part, &parts))
    {
        let Term::Or(cases) = terms.get(parts[place]).clone() else {
            unreachable!("only a disjunction splits into cases");
        };
        let cases: Vec<TermId> = cases
            .into_iter()
            .map(|case| {
                let mut parts = parts.clone();
                parts[place] = case;
                conjunction(terms, bits, parts, depth + 1)
            })
            .collect();
        return terms.or(cases);
    }
    // Conjuncts that share quantified bits belong together.
    let mut owner: BTreeMap<BitId, usize> = BTreeMap::new();
    let mut parent: Vec<usize> = (0..parts.len()).collect();
    for (at, &part) in parts.iter().enumerate() {
        let free = terms.free(part);
        for bit in bits.iter().filter(|bit| free.binary_search(bit).is_ok()) {
            let other = *owner.entry(*bit).or_insert(at);
            let (one, other) = (root(&mut parent, at), root(&mut parent, other));
            parent[one.max(other)] = one.min(other);
        }
    }
    let mut clusters: BTreeMap<usize, Vec<TermId>> = BTreeMap::new();
    for (at, &part) in parts.iter().enumerate() {
        clusters
            .entry(root(&mut parent, at))
            .or_default()
            .push(part);
    }
    let is_split = clusters.len() > 1;
    let quantified: Vec<TermId> = clusters
        .into_values()
        .map(|cluster| {
            if cluster.len() == 1 {
                return push(terms, bits, cluster[0], depth + 1);
            }
            let together = terms.and(cluster);
            if is_split {
                push(terms, bits, together, depth + 1)
            } else {
                terms.exists_here(bits, together)
            }
        })
        .collect();
    terms.and(quantified)
}

/// Whether a conjunct is better taken case by case: `R(x) & S(z) & (P(x) | Q(z))` can be restricted
/// before R and S meet in either case, but not in both at once.
fn is_case_split(terms: &Terms, part: TermId, parts: &[TermId]) -> bool {
    let is_application = |&term: &TermId| matches!(terms.get(term), Term::Apply(..));
    let Term::Or(cases) = terms.get(part) else {
        return false;
    };
    let bits = cases
        .iter()
        .map(|&case| terms.free(case).len())
        .sum::<usize>();
    cases.len() <= MAX_CASES
        && cases.iter().all(is_application)
        && terms.free(part).len() == bits
        && parts.iter().filter(|part| is_application(part)).count() > 1
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

/// What each conjunct that fixes a quantified bit fixes it to. Bits that others are fixed to are
/// not fixed themselves in the same go: the rule is applied again until nothing is left to fix.
fn points(terms: &Terms, bits: &[BitId], parts: &[TermId]) -> Option<BTreeMap<BitId, Argument>> {
    let fixed = terms.bits_of_cofactors(parts);
    let is_quantified =
        |bit: BitId| bits.binary_search(&bit).is_ok() && fixed.binary_search(&bit).is_err();
    let mut found: BTreeMap<BitId, Argument> = BTreeMap::new();
    let mut used: Vec<BitId> = Vec::new();
    for &part in parts {
        let (bit, value) = match *terms.get(part) {
            Term::Bit(bit) => (bit, Argument::Constant(true)),
            Term::Not(inner) => match *terms.get(inner) {
                Term::Bit(bit) => (bit, Argument::Constant(false)),
                _ => continue,
            },
            Term::Iff(a, b) => match (terms.get(a), terms.get(b)) {
                (&Term::Bit(a), &Term::Bit(b)) if is_quantified(a) => (a, Argument::Bit(b)),
                (&Term::Bit(a), &Term::Bit(b)) => (b, Argument::Bit(a)),
                _ => continue,
            },
            _ => continue,
        };
        let target = match value {
            Argument::Bit(target) => Some(target),
            Argument::Constant(_) => None,
        };
        if !is_quantified(bit)
            || found.contains_key(&bit)
            || used.contains(&bit)
            || target.is_some_and(|target| found.contains_key(&target))
        {
            continue;
        }
        used.extend(target);
        found.insert(bit, value);
    }
    (!found.is_empty()).then_some(found)
}

/// A term with bits replaced.
pub(crate) fn substitute(
    terms: &mut Terms,
    a: TermId,
    replacement: &BTreeMap<BitId, Argument>,
) -> TermId {
    let touched: Vec<BitId> = replacement.keys().copied().collect();
    let mut new: BTreeMap<TermId, TermId> = BTreeMap::new();
    for id in terms.reachable([a]) {
        if !depends(terms, id, &touched) {
            new.insert(id, id);
            continue;
        }
        let replaced = match terms.get(id).clone() {
            Term::Constant(_) => id,
            Term::Bit(bit) => match replacement[&bit] {
                Argument::Bit(other) => terms.bit(other),
                Argument::Constant(value) => terms.constant(value),
            },
            Term::Cofactor(..) => unreachable!("no point is chosen for a bit of a cofactor"),
            // A bit belongs to one quantifier, so none of those to be replaced is bound in here.
            Term::Exists(bits, inner) => push(terms, &bits, new[&inner], MAX_DEPTH),
            Term::Apply(predicate, arguments) => {
                let replace = |argument: Argument| match argument {
                    Argument::Bit(bit) => replacement.get(&bit).copied().unwrap_or(argument),
                    Argument::Constant(_) => argument,
                };
                let arguments = arguments.into_iter().map(replace).collect();
                terms.apply(predicate, arguments)
            }
            term => terms.rebuilt(id, &term, &new),
        };
        new.insert(id, replaced);
    }
    new[&a]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::term::PredicateId;

    const R: PredicateId = PredicateId(0);
    const S: PredicateId = PredicateId(1);
    const A: BitId = BitId(0);
    const B: BitId = BitId(1);
    const C: BitId = BitId(2);

    fn apply(terms: &mut Terms, predicate: PredicateId, bits: &[BitId]) -> TermId {
        let arguments = bits.iter().map(|&bit| Argument::Bit(bit)).collect();
        terms.apply(predicate, arguments)
    }

    #[test]
    fn a_bit_that_is_equal_to_another_is_replaced_by_it() {
        let terms = &mut Terms::default();
        let (a, b) = (terms.bit(A), terms.bit(B));
        let (equal, applied) = (terms.iff(a, b), apply(terms, R, &[B, C]));
        let both = terms.and([equal, applied]);
        let expected = apply(terms, R, &[A, C]);
        assert_eq!(exists(terms, &[B], both), expected);
    }

    #[test]
    fn a_bit_with_a_value_is_replaced_by_it() {
        let terms = &mut Terms::default();
        let (b, applied) = (terms.bit(B), apply(terms, R, &[A, B]));
        let not_b = terms.negate(b);
        let both = terms.and([not_b, applied]);
        let expected = terms.apply(R, vec![Argument::Bit(A), Argument::Constant(false)]);
        assert_eq!(exists(terms, &[B], both), expected);
    }

    #[test]
    fn a_circle_of_equal_bits_leaves_one_of_them() {
        let terms = &mut Terms::default();
        let [a, b, c] = [A, B, C].map(|bit| terms.bit(bit));
        let (ab, bc, ca) = (terms.iff(a, b), terms.iff(b, c), terms.iff(c, a));
        let applied = apply(terms, R, &[A, B, C]);
        let all = terms.and([ab, bc, ca, applied]);
        let quantified = exists(terms, &[A, B, C], all);
        let free_of_it = terms.free(quantified).is_empty();
        assert!(free_of_it);
        let Term::Exists(bits, _) = terms.get(quantified) else {
            panic!("one bit is left to choose");
        };
        assert_eq!(bits.len(), 1);
    }

    #[test]
    fn quantifiers_go_to_where_their_bits_are() {
        let terms = &mut Terms::default();
        let (of_a, of_b) = (apply(terms, R, &[A]), apply(terms, S, &[B]));
        let both = terms.and([of_a, of_b]);
        let either = terms.or([both, of_a]);
        // exists b. R(a) & S(b) | R(a)  is  R(a) & (exists b. S(b)) | R(a)
        let inner = terms.exists_here(&[B], of_b);
        let moved = terms.and([of_a, inner]);
        let expected = terms.or([moved, of_a]);
        assert_eq!(exists(terms, &[B], either), expected);
    }
}
