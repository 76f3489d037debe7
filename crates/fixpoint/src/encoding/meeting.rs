//! Where two relations that change meet, they meet last and smallest.
//!
//! In `exists x, y, z. R(u, x) & Call(x, y) & R(y, z) & Give(z, v) & …` the conjunction of the two
//! copies of `R` is the bottleneck. Section 4.2 of the Getafix paper rewrites such a clause by hand:
//! each copy is first conjoined with what speaks of it, and what nobody else speaks of is
//! quantified; only then do the two meet, over the bits that both know. Here that is done for any
//! formula. Each part that changes is a *side*; the parts that do not change go to the side where
//! they let the most quantified bits leave before the sides meet. A clause is rewritten if at least
//! two sides get rid of something.
//!
//! The relations of a side that do not change become one, an abbreviation that nobody wrote, so that
//! what is new meets them in one step. What a side becomes is a term of its own, so a round that brings news to one side finds the other
//! one as it was left in the round before.

use crate::encoding::dependency::Dependencies;
use crate::encoding::model::{Model, Predicate};
use crate::encoding::term::{Argument, BitId, PredicateId, Term, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Products with more parts stay as they are.
const MAX_PARTS: usize = 64;

/// How often all parts are looked at for a better side.
const MAX_PASSES: usize = 8;

/// Lets sides meet last in the bodies of all fixed points; whether any do.
pub(crate) fn split(model: &mut Model, dependencies: &Dependencies) -> bool {
    let component_of = dependencies.component_numbers(model.predicates.len());
    let mut joined = Joined {
        next: model.predicates.len() as u32,
        predicates: Vec::new(),
    };
    let mut is_changed = false;
    for predicate in model.predicate_ids() {
        let changes =
            |read: PredicateId| component_of[read.index()] == component_of[predicate.index()];
        let mut reads = dependencies.reads(predicate).iter();
        if reads.any(|&(read, _)| changes(read)) {
            let body = model.predicate(predicate).body;
            let new = split_body(&mut model.terms, &mut joined, body, &changes);
            is_changed |= new != body;
            model.predicates[predicate.index()].body = new;
        }
    }
    model.predicates.extend(joined.predicates);
    is_changed
}

/// Relations that are conjoined once and for all.
struct Joined {
    /// The number of the next one.
    next: u32,
    predicates: Vec<Predicate>,
}

impl Joined {
    /// The application of a relation that is the conjunction of some.
    fn join(&mut self, terms: &mut Terms, parts: &[TermId]) -> TermId {
        let body = terms.and(parts.iter().copied());
        let known = self.predicates.iter().zip(0..);
        let known = known.filter(|(predicate, _)| predicate.body == body);
        let id = match known.map(|(_, at)| at).next() {
            Some(at) => PredicateId(self.next + at),
            None => {
                let names = parts.len();
                self.predicates.push(Predicate {
                    name: format!("{names} relations at once"),
                    parameters: terms.free(body).to_vec(),
                    body,
                    is_fixed_point: false,
                    is_complemented: false,
                });
                PredicateId(self.next + self.predicates.len() as u32 - 1)
            }
        };
        let arguments = terms.free(body).iter().map(|&bit| Argument::Bit(bit));
        let arguments = arguments.collect();
        terms.apply(id, arguments)
    }
}

fn split_body(
    terms: &mut Terms,
    joined: &mut Joined,
    body: TermId,
    changes: &dyn Fn(PredicateId) -> bool,
) -> TermId {
    let mut new: BTreeMap<TermId, TermId> = BTreeMap::new();
    let mut changing: BTreeSet<TermId> = BTreeSet::new();
    for id in terms.reachable([body]) {
        let term = terms.get(id).clone();
        let mut is_changing = matches!(&term, Term::Apply(read, _) if changes(*read));
        term.each_operand(|operand| is_changing |= changing.contains(&new[&operand]));
        let replaced = match &term {
            Term::Exists(bits, inner) => split_product(terms, joined, bits, new[inner], &changing),
            term => terms.rebuilt(id, term, &new),
        };
        if is_changing {
            changing.insert(replaced);
        }
        new.insert(id, replaced);
    }
    new[&body]
}

/// The parts of a product, each on a side.
struct Sides<'t> {
    terms: &'t Terms,
    quantified: &'t [BitId],
    parts: Vec<TermId>,
    /// Per part the number of its side.
    side: Vec<usize>,
}

fn split_product(
    terms: &mut Terms,
    joined: &mut Joined,
    bits: &[BitId],
    inner: TermId,
    changing: &BTreeSet<TermId>,
) -> TermId {
    let whole = |terms: &mut Terms| terms.exists_here(bits, inner);
    let Term::And(parts) = terms.get(inner).clone() else {
        return whole(terms);
    };
    if parts.len() > MAX_PARTS {
        return whole(terms);
    }
    let seeds = seeds(terms, &parts, changing);
    if seeds.len() < 2 {
        return whole(terms);
    }
    let mut sides = Sides {
        terms,
        quantified: bits,
        side: vec![0; parts.len()],
        parts,
    };
    sides.assign(&seeds);
    let private: Vec<Vec<BitId>> = (0..seeds.len()).map(|side| sides.private(side)).collect();
    if private.iter().filter(|bits| !bits.is_empty()).count() < 2 {
        return whole(terms);
    }
    let Sides { parts, side, .. } = sides;
    let mut meeting = Vec::with_capacity(seeds.len());
    for (at, private) in private.iter().enumerate() {
        let parts = parts.iter().zip(&side).filter(|(_, side)| **side == at);
        let parts = parts.map(|(&part, _)| part);
        let is_constant = |&part: &TermId| {
            !changing.contains(&part) && matches!(terms.get(part), Term::Apply(..))
        };
        let (constant, mut others): (Vec<TermId>, Vec<TermId>) = parts.partition(is_constant);
        match constant[..] {
            [] => {}
            [only] => others.push(only),
            _ => others.push(joined.join(terms, &constant)),
        }
        let all = terms.and(others);
        meeting.push(terms.exists_here(private, all));
    }
    let all = terms.and(meeting);
    terms.exists_here(bits, all)
}

/// The parts that are sides of their own: those that change, unless another one speaks of all their
/// bits.
fn seeds(terms: &Terms, parts: &[TermId], changing: &BTreeSet<TermId>) -> Vec<usize> {
    let dynamic: Vec<usize> = (0..parts.len())
        .filter(|&at| changing.contains(&parts[at]))
        .collect();
    let is_within = |a: usize, b: usize| {
        let (a, b) = (terms.free(parts[a]), terms.free(parts[b]));
        a.len() < b.len() && a.iter().all(|bit| b.binary_search(bit).is_ok())
    };
    let is_seed = |&at: &usize| !dynamic.iter().any(|&other| is_within(at, other));
    dynamic.iter().copied().filter(is_seed).collect()
}

impl Sides<'_> {
    fn assign(&mut self, seeds: &[usize]) {
        for (number, &seed) in seeds.iter().enumerate() {
            self.side[seed] = number;
        }
        let others: Vec<usize> = (0..self.parts.len())
            .filter(|at| !seeds.contains(at))
            .collect();
        for &at in &others {
            let shared = |side: &usize| self.shared(at, seeds[*side]);
            let best = (0..seeds.len()).rev().max_by_key(shared);
            self.side[at] = best.unwrap_or_default();
        }
        for _ in 0..MAX_PASSES {
            let before = self.side.clone();
            for &at in &others {
                let mut best = (self.value(seeds.len()), self.side[at]);
                for side in 0..seeds.len() {
                    self.side[at] = side;
                    let value = self.value(seeds.len());
                    if value > best.0 {
                        best = (value, side);
                    }
                }
                self.side[at] = best.1;
            }
            if self.side == before {
                break;
            }
        }
    }

    /// How many quantified bits two parts share.
    fn shared(&self, a: usize, b: usize) -> usize {
        let b = self.terms.free(self.parts[b]);
        let bits = self.quantified_in(a);
        bits.filter(|bit| b.binary_search(bit).is_ok()).count()
    }

    fn quantified_in(&self, at: usize) -> impl Iterator<Item = BitId> {
        let free = self.terms.free(self.parts[at]).iter().copied();
        free.filter(|bit| self.quantified.binary_search(bit).is_ok())
    }

    /// The quantified bits that one side alone speaks of, in order.
    fn private(&self, side: usize) -> Vec<BitId> {
        let mut here: BTreeSet<BitId> = BTreeSet::new();
        let mut elsewhere: BTreeSet<BitId> = BTreeSet::new();
        for at in 0..self.parts.len() {
            let bits = self.quantified_in(at);
            if self.side[at] == side {
                here.extend(bits);
            } else {
                elsewhere.extend(bits);
            }
        }
        here.difference(&elsewhere).copied().collect()
    }

    /// How many bits leave before the sides meet: on the side where it is least, on all of them, and
    /// how few the widest side has left. The least comes first, since one side that takes every part
    /// would get rid of the most, and meet another that is as large as it ever was.
    fn value(&self, count: usize) -> (usize, usize, std::cmp::Reverse<usize>) {
        let (mut least, mut gone, mut widest) = (usize::MAX, 0, 0);
        for side in 0..count {
            let private = self.private(side).len();
            let parts = (0..self.parts.len()).filter(|&at| self.side[at] == side);
            let bits = parts.flat_map(|at| self.terms.free(self.parts[at]));
            let all: BTreeSet<BitId> = bits.copied().collect();
            least = least.min(private);
            gone += private;
            widest = widest.max(all.len() - private);
        }
        (least, gone, std::cmp::Reverse(widest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const R: PredicateId = PredicateId(0);
    const CALL: PredicateId = PredicateId(1);
    const GIVE: PredicateId = PredicateId(2);

    fn apply(terms: &mut Terms, predicate: PredicateId, bits: &[u32]) -> TermId {
        let arguments = bits.iter().map(|&bit| Argument::Bit(BitId(bit))).collect();
        terms.apply(predicate, arguments)
    }

    fn split(terms: &mut Terms, body: TermId) -> TermId {
        let joined = &mut Joined {
            next: 10,
            predicates: Vec::new(),
        };
        split_body(terms, joined, body, &|read| read == R)
    }

    #[test]
    fn two_sides_get_rid_of_what_is_theirs_before_they_meet() {
        // u = 0, v = 1, x = 2, y = 3, z = 4:
        // exists x y z. R(u, x) & Call(x, y) & R(y, z) & Give(z, v)
        let terms = &mut Terms::default();
        let caller = apply(terms, R, &[0, 2]);
        let call = apply(terms, CALL, &[2, 3]);
        let callee = apply(terms, R, &[3, 4]);
        let give = apply(terms, GIVE, &[4, 1]);
        let all = terms.and([caller, call, callee, give]);
        let body = terms.exists_here(&[BitId(2), BitId(3), BitId(4)], all);
        let left = terms.and([caller, call]);
        let left = terms.exists_here(&[BitId(2)], left);
        let right = terms.and([callee, give]);
        let right = terms.exists_here(&[BitId(4)], right);
        let both = terms.and([left, right]);
        let expected = terms.exists_here(&[BitId(3)], both);
        assert_eq!(split(terms, body), expected);
    }

    #[test]
    fn a_side_does_not_take_everything_to_get_rid_of_more() {
        // x and z have two bits, y has three: the call would get rid of more on the callee's side.
        let terms = &mut Terms::default();
        let caller = apply(terms, R, &[0, 2, 3]);
        let call = apply(terms, CALL, &[2, 3, 4, 5, 6]);
        let callee = apply(terms, R, &[4, 5, 6, 7, 8]);
        let give = apply(terms, GIVE, &[7, 8, 1]);
        let all = terms.and([caller, call, callee, give]);
        let bits: Vec<BitId> = (2..9).map(BitId).collect();
        let body = terms.exists_here(&bits, all);
        let left = terms.and([caller, call]);
        let left = terms.exists_here(&bits[..2], left);
        let right = terms.and([callee, give]);
        let right = terms.exists_here(&bits[5..], right);
        let both = terms.and([left, right]);
        let expected = terms.exists_here(&bits[2..5], both);
        assert_eq!(split(terms, body), expected);
    }

    #[test]
    fn a_product_stays_whole_where_only_one_side_gets_rid_of_something() {
        let terms = &mut Terms::default();
        let first = apply(terms, R, &[0, 2]);
        let call = apply(terms, CALL, &[2, 3]);
        let second = apply(terms, R, &[3, 1]);
        let all = terms.and([first, call, second]);
        let body = terms.exists_here(&[BitId(2), BitId(3)], all);
        assert_eq!(split(terms, body), body);
    }
}
