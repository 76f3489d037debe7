//! Terms as circuits, for the check of models: words are lists of literals, lowest bit first.
//!
//! The circuits are written for this check alone. Nothing of the translation into a machine is
//! used, so a mistake there cannot hide itself here.

use crate::terms::{Op, Term, TermId, Terms, VarId};
use hardbop_sat::{CircuitOf, Clauses, Lit};
use rustc_hash::FxHashMap;

/// A word, lowest bit first.
pub type Bits = Vec<Lit>;

/// The bits of variables.
pub type BitsOf = FxHashMap<VarId, Bits>;

/// The bits of some terms.
pub fn translate<S: Clauses>(
    circuit: &mut CircuitOf<S>,
    terms: &Terms,
    variables: &BitsOf,
    roots: &[TermId],
) -> Vec<Bits> {
    let mut known: FxHashMap<TermId, Bits> = FxHashMap::default();
    for id in terms.below(roots) {
        let width = terms.sort(id).width() as usize;
        let bits = match terms.get(id) {
            Term::Constant(value) => number(circuit, *value, width),
            Term::Variable(variable) => variables[variable].clone(),
            Term::Apply(op, operands) => {
                let operands: Vec<&Bits> = operands.iter().map(|id| &known[id]).collect();
                apply(circuit, *op, &operands, width)
            }
        };
        debug_assert_eq!(bits.len(), width);
        known.insert(id, bits);
    }
    roots.iter().map(|root| known[root].clone()).collect()
}

/// New variables for a word.
pub fn fresh<S: Clauses>(circuit: &mut CircuitOf<S>, width: u32) -> Bits {
    (0..width).map(|_| circuit.input()).collect()
}

fn number<S: Clauses>(circuit: &CircuitOf<S>, value: u64, width: usize) -> Bits {
    let bit = |position: usize| circuit.constant(value >> position & 1 == 1);
    (0..width).map(bit).collect()
}

fn apply<S: Clauses>(c: &mut CircuitOf<S>, op: Op, v: &[&Bits], width: usize) -> Bits {
    match op {
        Op::Not => vec![!v[0][0]],
        Op::And => vec![c.all(v.iter().map(|bits| bits[0]))],
        Op::Or => vec![c.any(v.iter().map(|bits| bits[0]))],
        Op::Equal => vec![equal(c, v[0], v[1])],
        Op::Ite => choose(c, v[0][0], v[1], v[2]),
        Op::WordNot => v[0].iter().map(|&bit| !bit).collect(),
        Op::WordAnd => pairs(v[0], v[1], |a, b| c.and(a, b)),
        Op::WordOr => pairs(v[0], v[1], |a, b| c.or(a, b)),
        Op::WordXor | Op::Xor => pairs(v[0], v[1], |a, b| c.xor(a, b)),
        Op::Negate => negate(c, v[0]),
        Op::Add => {
            let carry = c.constant(false);
            sum(c, v[0], v[1], carry)
        }
        Op::Subtract => difference(c, v[0], v[1]),
        Op::Multiply => product(c, v[0], v[1]),
        Op::Divide => quotient(c, v[0], v[1]).0,
        Op::Remainder => quotient(c, v[0], v[1]).1,
        Op::SignedDivide => {
            let (a, b) = (magnitude(c, v[0]), magnitude(c, v[1]));
            let unsigned = quotient(c, &a, &b).0;
            let is_negative = c.xor(top(v[0]), top(v[1]));
            let negative = negate(c, &unsigned);
            choose(c, is_negative, &negative, &unsigned)
        }
        Op::SignedRemainder => signed_remainder(c, v[0], v[1]),
        Op::SignedModulo => {
            let rest = signed_remainder(c, v[0], v[1]);
            let differs = c.xor(top(&rest), top(v[1]));
            let is_some = c.any(rest.iter().copied());
            // By zero the remainder is the dividend, and adding zero changes nothing.
            let corrects = c.and(differs, is_some);
            let carry = c.constant(false);
            let corrected = sum(c, &rest, v[1], carry);
            choose(c, corrects, &corrected, &rest)
        }
        Op::ShiftLeft => {
            let turned: Bits = v[0].iter().rev().copied().collect();
            let zero = c.constant(false);
            let mut shifted = shifted_down(c, &turned, v[1], zero);
            shifted.reverse();
            shifted
        }
        Op::ShiftRight => {
            let zero = c.constant(false);
            shifted_down(c, v[0], v[1], zero)
        }
        Op::SignedShiftRight => shifted_down(c, v[0], v[1], top(v[0])),
        Op::Less => vec![less(c, v[0], v[1])],
        Op::LessEqual => vec![!less(c, v[1], v[0])],
        Op::SignedLess => vec![signed_less(c, v[0], v[1])],
        Op::SignedLessEqual => vec![!signed_less(c, v[1], v[0])],
        Op::Concat => v[1].iter().chain(v[0]).copied().collect(),
        Op::Extract(high, low) => v[0][usize::from(low)..=usize::from(high)].to_vec(),
        Op::ZeroExtend => extended(v[0], width, c.constant(false)),
        Op::SignExtend => extended(v[0], width, top(v[0])),
        Op::Predicate(_) | Op::Forall | Op::Exists => {
            // Clauses have neither. A value that is not known can prove nothing.
            vec![c.input()]
        }
    }
}

fn pairs(a: &[Lit], b: &[Lit], mut op: impl FnMut(Lit, Lit) -> Lit) -> Bits {
    a.iter().zip(b).map(|(&a, &b)| op(a, b)).collect()
}

fn top(bits: &[Lit]) -> Lit {
    bits[bits.len() - 1]
}

fn extended(bits: &[Lit], width: usize, with: Lit) -> Bits {
    let mut bits = bits.to_vec();
    bits.resize(width, with);
    bits
}

/// Whether two words are equal.
pub fn equal<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit], b: &[Lit]) -> Lit {
    let same = pairs(a, b, |a, b| c.equal(a, b));
    c.all(same)
}

fn choose<S: Clauses>(c: &mut CircuitOf<S>, condition: Lit, a: &[Lit], b: &[Lit]) -> Bits {
    pairs(a, b, |a, b| c.ite(condition, a, b))
}

fn sum<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit], b: &[Lit], mut carry: Lit) -> Bits {
    pairs(a, b, |a, b| {
        let either = c.xor(a, b);
        let bit = c.xor(either, carry);
        let (both, passed) = (c.and(a, b), c.and(either, carry));
        carry = c.or(both, passed);
        bit
    })
}

fn difference<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit], b: &[Lit]) -> Bits {
    let complement: Bits = b.iter().map(|&bit| !bit).collect();
    let carry = c.constant(true);
    sum(c, a, &complement, carry)
}

fn negate<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit]) -> Bits {
    let zero = number(c, 0, a.len());
    difference(c, &zero, a)
}

fn magnitude<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit]) -> Bits {
    let negative = negate(c, a);
    choose(c, top(a), &negative, a)
}

fn product<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit], b: &[Lit]) -> Bits {
    let width = a.len();
    let mut total = number(c, 0, width);
    for (position, &bit) in b.iter().enumerate() {
        if c.as_constant(bit) == Some(false) {
            continue;
        }
        let mut row = number(c, 0, position);
        for &factor in &a[..width - position] {
            row.push(c.and(factor, bit));
        }
        let carry = c.constant(false);
        total = sum(c, &total, &row, carry);
    }
    total
}

/// Quotient and remainder by school division, in words with one more bit. Every divisor fits into
/// the rest at most once, and zero always: all bits of the quotient are then set.
fn quotient<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let width = a.len();
    let divisor = extended(b, width + 1, c.constant(false));
    let mut rest = number(c, 0, width + 1);
    let mut quotient = number(c, 0, width);
    for position in (0..width).rev() {
        rest.rotate_right(1);
        rest[0] = a[position];
        let fits = !less(c, &rest, &divisor);
        let reduced = difference(c, &rest, &divisor);
        rest = choose(c, fits, &reduced, &rest);
        quotient[position] = fits;
    }
    rest.pop();
    (quotient, rest)
}

fn signed_remainder<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit], b: &[Lit]) -> Bits {
    let (dividend, divisor) = (magnitude(c, a), magnitude(c, b));
    let rest = quotient(c, &dividend, &divisor).1;
    let negative = negate(c, &rest);
    choose(c, top(a), &negative, &rest)
}

fn less<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit], b: &[Lit]) -> Lit {
    let mut less = c.constant(false);
    for (&a, &b) in a.iter().zip(b) {
        let (is_less, same) = (c.and(!a, b), c.equal(a, b));
        let stays = c.and(same, less);
        less = c.or(is_less, stays);
    }
    less
}

/// The order of two's complement is that of the words with their signs flipped.
fn signed_less<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit], b: &[Lit]) -> Lit {
    let flipped = |bits: &[Lit]| {
        let mut bits = bits.to_vec();
        let last = bits.len() - 1;
        bits[last] = !bits[last];
        bits
    };
    less(c, &flipped(a), &flipped(b))
}

/// The word moved down by a number of bits, with `with` from above.
fn shifted_down<S: Clauses>(c: &mut CircuitOf<S>, a: &[Lit], by: &[Lit], with: Lit) -> Bits {
    let width = a.len();
    let mut word = a.to_vec();
    let mut too_far = c.constant(false);
    for (position, &bit) in by.iter().enumerate() {
        let distance = 1usize.checked_shl(position as u32).unwrap_or(usize::MAX);
        if distance >= width {
            too_far = c.or(too_far, bit);
            continue;
        }
        let moved: Bits = (0..width)
            .map(|index| word.get(index + distance).copied().unwrap_or(with))
            .collect();
        word = choose(c, bit, &moved, &word);
    }
    let all = vec![with; width];
    choose(c, too_far, &all, &word)
}
