//! The value of a term, by the text of SMT-LIB: what a refutation is checked with.

use crate::terms::{Op, Sort, Term, TermId, Terms, VarId};
use rustc_hash::FxHashMap;

/// Values of variables.
pub type Valuation = FxHashMap<VarId, u64>;

/// The values of some terms; a variable without a value is zero.
pub fn evaluate(terms: &Terms, valuation: &Valuation, roots: &[TermId]) -> Vec<u64> {
    let mut values: FxHashMap<TermId, u64> = FxHashMap::default();
    for id in terms.below(roots) {
        let value = match terms.get(id) {
            Term::Constant(value) => *value,
            Term::Variable(variable) => valuation.get(variable).copied().unwrap_or(0),
            Term::Apply(op, operands) => {
                let values: Vec<u64> = operands.iter().map(|operand| values[operand]).collect();
                let inner = operands
                    .first()
                    .map_or(Sort::Bool, |&first| terms.sort(first));
                let last = operands.last().map_or(Sort::Bool, |&last| terms.sort(last));
                apply(*op, &values, inner, last, terms.sort(id))
            }
        };
        values.insert(id, terms.sort(id).wrap(value));
    }
    roots.iter().map(|root| values[root]).collect()
}

/// The value of an operator; `inner` is the sort of its first operand and `last` of its last.
fn apply(op: Op, v: &[u64], inner: Sort, last: Sort, sort: Sort) -> u64 {
    let signed = |value: u64| -> i128 {
        let width = inner.width();
        let value = i128::from(value);
        if value >> (width - 1) & 1 == 1 {
            value - (1 << width)
        } else {
            value
        }
    };
    let width = u64::from(inner.width());
    let word = |value: i128| -> u64 { (value & i128::from(u64::MAX)).cast_unsigned() as u64 };
    match op {
        Op::Not => 1 - v[0],
        Op::And => u64::from(v.iter().all(|&value| value == 1)),
        Op::Or => u64::from(v.contains(&1)),
        Op::Xor | Op::WordXor => v[0] ^ v[1],
        Op::Equal => u64::from(v[0] == v[1]),
        Op::Ite => v[if v[0] == 1 { 1 } else { 2 }],
        Op::WordNot => !v[0],
        Op::WordAnd => v[0] & v[1],
        Op::WordOr => v[0] | v[1],
        Op::Negate => v[0].wrapping_neg(),
        Op::Add => v[0].wrapping_add(v[1]),
        Op::Subtract => v[0].wrapping_sub(v[1]),
        Op::Multiply => v[0].wrapping_mul(v[1]),
        Op::Divide => v[0].checked_div(v[1]).unwrap_or(u64::MAX),
        Op::Remainder => v[0].checked_rem(v[1]).unwrap_or(v[0]),
        Op::SignedDivide => match (signed(v[0]), signed(v[1])) {
            (a, 0) => word(if a < 0 { 1 } else { -1 }),
            (a, b) => word(a / b),
        },
        Op::SignedRemainder => match (signed(v[0]), signed(v[1])) {
            (_, 0) => v[0],
            (a, b) => word(a % b),
        },
        Op::SignedModulo => match (signed(v[0]), signed(v[1])) {
            (_, 0) => v[0],
            (a, b) => {
                let rest = a % b;
                word(if rest != 0 && (rest < 0) != (b < 0) {
                    rest + b
                } else {
                    rest
                })
            }
        },
        Op::ShiftLeft | Op::ShiftRight if v[1] >= width => 0,
        Op::ShiftLeft => v[0] << v[1],
        Op::ShiftRight => v[0] >> v[1],
        Op::SignedShiftRight => word(signed(v[0]) >> v[1].min(width - 1)),
        Op::Less => u64::from(v[0] < v[1]),
        Op::LessEqual => u64::from(v[0] <= v[1]),
        Op::SignedLess => u64::from(signed(v[0]) < signed(v[1])),
        Op::SignedLessEqual => u64::from(signed(v[0]) <= signed(v[1])),
        Op::Concat => v[0] << last.width() | v[1],
        Op::Extract(_, low) => v[0] >> low,
        Op::ZeroExtend => v[0],
        Op::SignExtend => word(signed(v[0])),
        Op::Forall | Op::Exists | Op::Predicate(_) => {
            debug_assert!(sort == Sort::Bool, "clauses have neither");
            0
        }
    }
}
