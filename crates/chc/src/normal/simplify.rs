//! Terms with constants folded and trivial parts removed, bottom-up on the shared graph.

use crate::terms::{Op, Sort, Term, TermId, Terms};
use hardbop_machine::{BinaryOp, Type};
use rustc_hash::FxHashMap;

/// The same values in simpler terms.
pub fn simplify(terms: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    for id in terms.below(roots) {
        let new = match terms.get(id).clone() {
            Term::Apply(op, operands) => {
                let operands: Vec<TermId> = operands.iter().map(|operand| done[operand]).collect();
                let sort = terms.sort(id);
                node(terms, op, &operands, sort)
            }
            Term::Constant(_) | Term::Variable(_) => id,
        };
        done.insert(id, new);
    }
    roots.iter().map(|root| done[root]).collect()
}

/// The value of a constant.
pub fn constant(terms: &Terms, id: TermId) -> Option<u64> {
    match terms.get(id) {
        Term::Constant(value) => Some(*value),
        _ => None,
    }
}

/// The negation of a Boolean.
pub fn not(terms: &mut Terms, id: TermId) -> TermId {
    match terms.get(id) {
        Term::Constant(value) => {
            let value = *value == 0;
            terms.truth(value)
        }
        Term::Apply(Op::Not, operands) => operands[0],
        _ => terms.not(id),
    }
}

fn node(terms: &mut Terms, op: Op, operands: &[TermId], sort: Sort) -> TermId {
    let values: Vec<Option<u64>> = operands.iter().map(|&id| constant(terms, id)).collect();
    match op {
        Op::Not => return not(terms, operands[0]),
        Op::And => return junction(terms, operands, true),
        Op::Or => return junction(terms, operands, false),
        Op::Equal => return equal(terms, operands[0], operands[1]),
        Op::Xor => {
            let same = equal(terms, operands[0], operands[1]);
            return not(terms, same);
        }
        Op::Ite => match values[0] {
            Some(0) => return operands[2],
            Some(_) => return operands[1],
            None if operands[1] == operands[2] => return operands[1],
            None if sort == Sort::Bool => return choice(terms, operands),
            None => {}
        },
        Op::Extract(high, low) => {
            if u32::from(high - low) + 1 == terms.sort(operands[0]).width() {
                return operands[0];
            }
            if let Some(value) = values[0] {
                return terms.constant(value >> low, sort);
            }
        }
        Op::Concat => {
            if let (Some(high), Some(low)) = (values[0], values[1]) {
                let width = terms.sort(operands[1]).width();
                return terms.constant(high << width | low, sort);
            }
        }
        Op::Add | Op::WordOr | Op::WordXor => {
            if values[0] == Some(0) {
                return operands[1];
            }
            if values[1] == Some(0) {
                return operands[0];
            }
        }
        Op::Multiply => {
            if values[0] == Some(1) {
                return operands[1];
            }
            if values[1] == Some(1) {
                return operands[0];
            }
        }
        Op::LessEqual | Op::SignedLessEqual if operands[0] == operands[1] => {
            return terms.truth(true);
        }
        Op::Less | Op::SignedLess if operands[0] == operands[1] => return terms.truth(false),
        _ => {}
    }
    if let (Some(machine_op), &[Some(a), Some(b)]) = (folded(op), &*values) {
        let inner = terms.sort(operands[0]);
        let ty = Type::Int(inner.width() as u8);
        return terms.constant(machine_op.apply(a, b, ty), sort);
    }
    if let (Op::SignedLess | Op::SignedLessEqual, &[Some(a), Some(b)]) = (op, &*values) {
        let ty = Type::Int(terms.sort(operands[0]).width() as u8);
        let (a, b) = (ty.signed(a), ty.signed(b));
        return terms.truth(if op == Op::SignedLess { a < b } else { a <= b });
    }
    terms.apply(op, operands, sort)
}

/// The machine's operator, for constants.
fn folded(op: Op) -> Option<BinaryOp> {
    Some(match op {
        Op::WordAnd => BinaryOp::And,
        Op::WordOr => BinaryOp::Or,
        Op::WordXor => BinaryOp::Xor,
        Op::Add => BinaryOp::Add,
        Op::Subtract => BinaryOp::Subtract,
        Op::Multiply => BinaryOp::Multiply,
        Op::Divide => BinaryOp::Divide,
        Op::Remainder => BinaryOp::Remainder,
        Op::SignedDivide => BinaryOp::SignedDivide,
        Op::SignedRemainder => BinaryOp::SignedRemainder,
        Op::ShiftLeft => BinaryOp::ShiftLeft,
        Op::ShiftRight => BinaryOp::ShiftRight,
        Op::SignedShiftRight => BinaryOp::SignedShiftRight,
        Op::Less => BinaryOp::Less,
        Op::LessEqual => BinaryOp::LessEqual,
        _ => return None,
    })
}

/// A conjunction or a disjunction, flat in one level, without constants and repetitions.
fn junction(terms: &mut Terms, operands: &[TermId], is_and: bool) -> TermId {
    let op = if is_and { Op::And } else { Op::Or };
    let neutral = u64::from(is_and);
    let mut parts = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for &operand in operands {
        let inner = match terms.get(operand) {
            Term::Apply(inner, inner_operands) if *inner == op => inner_operands.to_vec(),
            _ => vec![operand],
        };
        for part in inner {
            match constant(terms, part) {
                Some(value) if value == neutral => {}
                Some(_) => return terms.truth(!is_and),
                None => {
                    let negated = not(terms, part);
                    if seen.contains(&negated) {
                        return terms.truth(!is_and);
                    }
                    if seen.insert(part) {
                        parts.push(part);
                    }
                }
            }
        }
    }
    if is_and {
        terms.and(&parts)
    } else {
        terms.or(&parts)
    }
}

fn equal(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    if a == b {
        return terms.truth(true);
    }
    let (first, second) = (constant(terms, a), constant(terms, b));
    if let (Some(first), Some(second)) = (first, second) {
        return terms.truth(first == second);
    }
    if terms.sort(a) == Sort::Bool {
        match (first, second) {
            (Some(value), _) => return if value == 1 { b } else { not(terms, b) },
            (_, Some(value)) => return if value == 1 { a } else { not(terms, a) },
            _ => {}
        }
        if not(terms, a) == b {
            return terms.truth(false);
        }
    }
    let (a, b) = (a.min(b), a.max(b));
    terms.equal(a, b)
}

/// `ite` of Booleans where a branch is constant.
fn choice(terms: &mut Terms, operands: &[TermId]) -> TermId {
    let &[condition, a, b] = operands else {
        return operands[0];
    };
    let negated = not(terms, condition);
    match (constant(terms, a), constant(terms, b)) {
        (Some(1), _) => junction(terms, &[condition, b], false),
        (Some(_), _) => junction(terms, &[negated, b], true),
        (_, Some(1)) => junction(terms, &[negated, a], false),
        (_, Some(_)) => junction(terms, &[condition, a], true),
        _ => terms.apply(Op::Ite, operands, Sort::Bool),
    }
}
