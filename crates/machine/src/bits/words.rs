//! Words as lists of bits, lowest first: the circuits of the operators, and expressions translated
//! with them.

use super::graph::{BitGraph, BitId, BitNode};
use crate::expr::{BinaryOp, Expr, ExprArena, UnaryOp};
use crate::ids::ExprId;
use crate::types::Type;

/// A word, lowest bit first.
pub type Word = Vec<BitId>;

/// Translates an expression into its bits.
pub fn translate(graph: &mut BitGraph, exprs: &ExprArena, root: ExprId) -> Word {
    exprs.fold(root, |expr, operands: &mut Vec<Word>| match *expr {
        Expr::Const(value, ty) => (0..ty.width())
            .map(|bit| BitId::constant(value >> bit & 1 == 1))
            .collect(),
        Expr::Var(variable, ty) => leaves(graph, ty, |bit| BitNode::Var(variable, bit)),
        Expr::Next(variable, ty) => leaves(graph, ty, |bit| BitNode::Next(variable, bit)),
        Expr::Input(input, ty) => leaves(graph, ty, |bit| BitNode::Input(input, bit)),
        Expr::Unary(UnaryOp::Not, _) => vec![graph.not(operands[0][0])],
        Expr::Unary(UnaryOp::Resize(ty), _) => {
            let mut word = std::mem::take(&mut operands[0]);
            word.resize(ty.width() as usize, BitId::FALSE);
            word
        }
        Expr::Binary(op, ..) => binary(graph, op, &operands[0], &operands[1]),
        Expr::Ite(..) => ite(graph, operands[0][0], &operands[1], &operands[2]),
    })
}

fn leaves(graph: &mut BitGraph, ty: Type, node: impl Fn(u8) -> BitNode) -> Word {
    (0..ty.width() as u8)
        .map(|bit| graph.leaf(node(bit)))
        .collect()
}

fn binary(graph: &mut BitGraph, op: BinaryOp, a: &[BitId], b: &[BitId]) -> Word {
    match op {
        BinaryOp::And => each_bit(a, b, |a, b| graph.and(a, b)),
        BinaryOp::Or => each_bit(a, b, |a, b| graph.or(a, b)),
        BinaryOp::Xor => each_bit(a, b, |a, b| graph.xor(a, b)),
        BinaryOp::Implies => {
            let not_a = graph.not(a[0]);
            vec![graph.or(not_a, b[0])]
        }
        BinaryOp::Equal => {
            let differs = differs(graph, a, b);
            vec![graph.not(differs)]
        }
        BinaryOp::NotEqual => vec![differs(graph, a, b)],
        BinaryOp::Less => vec![less(graph, a, b)],
        BinaryOp::LessEqual => {
            let greater = less(graph, b, a);
            vec![graph.not(greater)]
        }
        BinaryOp::Add => add(graph, a, b, BitId::FALSE).0,
        BinaryOp::Subtract => subtract(graph, a, b).0,
        BinaryOp::Multiply => multiply(graph, a, b),
        BinaryOp::Divide => divide(graph, a, b).0,
        BinaryOp::Remainder => divide(graph, a, b).1,
        BinaryOp::SignedDivide => signed_divide(graph, a, b).0,
        BinaryOp::SignedRemainder => signed_divide(graph, a, b).1,
        BinaryOp::ShiftLeft => {
            let turned: Word = a.iter().rev().copied().collect();
            let mut shifted = shift_right(graph, &turned, b, BitId::FALSE);
            shifted.reverse();
            shifted
        }
        BinaryOp::ShiftRight => shift_right(graph, a, b, BitId::FALSE),
        BinaryOp::SignedShiftRight => shift_right(graph, a, b, sign(a)),
    }
}

fn each_bit(a: &[BitId], b: &[BitId], mut op: impl FnMut(BitId, BitId) -> BitId) -> Word {
    a.iter().zip(b).map(|(&a, &b)| op(a, b)).collect()
}

fn sign(word: &[BitId]) -> BitId {
    word[word.len() - 1]
}

fn differs(graph: &mut BitGraph, a: &[BitId], b: &[BitId]) -> BitId {
    let mut differs = BitId::FALSE;
    for (&a, &b) in a.iter().zip(b) {
        let here = graph.xor(a, b);
        differs = graph.or(differs, here);
    }
    differs
}

/// The highest bit in which the words differ decides.
fn less(graph: &mut BitGraph, a: &[BitId], b: &[BitId]) -> BitId {
    let mut less = BitId::FALSE;
    for (&a, &b) in a.iter().zip(b) {
        let differs = graph.xor(a, b);
        less = graph.ite(differs, b, less);
    }
    less
}

/// A ripple-carry adder: the sum and the last carry.
fn add(graph: &mut BitGraph, a: &[BitId], b: &[BitId], mut carry: BitId) -> (Word, BitId) {
    let sum = each_bit(a, b, |a, b| {
        let half = graph.xor(a, b);
        let sum = graph.xor(half, carry);
        carry = graph.ite(half, carry, a);
        sum
    });
    (sum, carry)
}

/// `a - b = a + !b + 1` in two's complement; there is a carry where `a >= b`.
fn subtract(graph: &mut BitGraph, a: &[BitId], b: &[BitId]) -> (Word, BitId) {
    let complement: Word = b.iter().map(|&bit| graph.not(bit)).collect();
    add(graph, a, &complement, BitId::TRUE)
}

fn ite(graph: &mut BitGraph, condition: BitId, a: &[BitId], b: &[BitId]) -> Word {
    each_bit(a, b, |a, b| graph.ite(condition, a, b))
}

/// `-a` where the condition holds, else `a`.
fn negate_if(graph: &mut BitGraph, condition: BitId, a: &[BitId]) -> Word {
    let flipped: Word = a.iter().map(|&bit| graph.xor(bit, condition)).collect();
    let zero = vec![BitId::FALSE; a.len()];
    add(graph, &flipped, &zero, condition).0
}

/// Quotient and remainder, by long division: the bits of `a` come into the remainder one by one,
/// the highest first, and `b` is taken away where it fits. Zero always fits, so that a quotient by
/// zero has all bits set and the remainder is `a`.
fn divide(graph: &mut BitGraph, a: &[BitId], b: &[BitId]) -> (Word, Word) {
    let mut divisor = b.to_vec();
    divisor.push(BitId::FALSE);
    let mut quotient = vec![BitId::FALSE; a.len()];
    let mut remainder = vec![BitId::FALSE; a.len()];
    for (index, &bit) in a.iter().enumerate().rev() {
        remainder.insert(0, bit);
        let (difference, fits) = subtract(graph, &remainder, &divisor);
        quotient[index] = fits;
        remainder = ite(graph, fits, &difference, &remainder);
        remainder.pop();
    }
    (quotient, remainder)
}

/// The same in two's complement: of absolute values, with the signs put back.
fn signed_divide(graph: &mut BitGraph, a: &[BitId], b: &[BitId]) -> (Word, Word) {
    let dividend = negate_if(graph, sign(a), a);
    let divisor = negate_if(graph, sign(b), b);
    let (quotient, remainder) = divide(graph, &dividend, &divisor);
    let differ = graph.xor(sign(a), sign(b));
    let quotient = negate_if(graph, differ, &quotient);
    (quotient, negate_if(graph, sign(a), &remainder))
}

/// Shifts by 1, 2, 4, … where that bit of `b` is set, and everything out where a higher one is.
fn shift_right(graph: &mut BitGraph, a: &[BitId], b: &[BitId], filling: BitId) -> Word {
    let mut word = a.to_vec();
    for (step, &bit) in b.iter().enumerate() {
        let distance = 1_usize.checked_shl(step as u32).unwrap_or(a.len());
        let mut shifted: Word = word.iter().skip(distance).copied().collect();
        shifted.resize(a.len(), filling);
        word = ite(graph, bit, &shifted, &word);
    }
    word
}

/// Shift and add: for each bit of `b` the shifted `a` where that bit is set.
fn multiply(graph: &mut BitGraph, a: &[BitId], b: &[BitId]) -> Word {
    let width = a.len();
    let mut product = vec![BitId::FALSE; width];
    for (shift, &bit) in b.iter().enumerate() {
        let row: Word = a[..width - shift]
            .iter()
            .map(|&a| graph.and(a, bit))
            .collect();
        let (sum, _) = add(graph, &product[shift..], &row, BitId::FALSE);
        product[shift..].copy_from_slice(&sum);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Leaf;
    use crate::{GlobalId, Variable};

    const ARITHMETIC: [BinaryOp; 17] = [
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Divide,
        BinaryOp::Remainder,
        BinaryOp::SignedDivide,
        BinaryOp::SignedRemainder,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::SignedShiftRight,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
    ];
    const BOOLEAN: [BinaryOp; 6] = [
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Implies,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
    ];

    fn variable(index: u32) -> Variable {
        Variable::Global(GlobalId(index))
    }

    /// The result type of an operator on a type.
    fn result(op: BinaryOp, ty: Type) -> Type {
        match op {
            BinaryOp::Implies
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual => Type::Bool,
            _ => ty,
        }
    }

    /// Evaluates `root` over variables 0, 1, 2 as words and as bits; both must agree.
    fn check(exprs: &ExprArena, root: ExprId, values: [u64; 3]) {
        let mut graph = BitGraph::default();
        let bits = translate(&mut graph, exprs, root);
        let by_bits = graph.eval(&bits, |node| match node {
            BitNode::Var(Variable::Global(id), bit) => values[id.index()] >> bit & 1 == 1,
            _ => unreachable!("only variables are used"),
        });
        let by_bits = (0..)
            .zip(by_bits)
            .map(|(i, bit)| u64::from(bit) << i)
            .sum::<u64>();
        let by_words = exprs.eval(root, &mut |leaf| match leaf {
            Leaf::Var(Variable::Global(id)) => values[id.index()],
            _ => unreachable!("only variables are used"),
        });
        assert_eq!(by_bits, by_words, "{:?} of {values:?}", exprs.get(root));
    }

    fn operation(exprs: &mut ExprArena, op: BinaryOp, ty: Type) -> ExprId {
        let a = exprs.add(Expr::Var(variable(0), ty));
        let b = exprs.add(Expr::Var(variable(1), ty));
        exprs.add(Expr::Binary(op, a, b, result(op, ty)))
    }

    #[test]
    fn every_operator_agrees_with_its_value_on_all_words_of_up_to_four_bits() {
        for width in 1..=4 {
            let ty = Type::Int(width);
            for op in ARITHMETIC {
                let mut exprs = ExprArena::default();
                let root = operation(&mut exprs, op, ty);
                for a in 0..=ty.max_value() {
                    for b in 0..=ty.max_value() {
                        check(&exprs, root, [a, b, 0]);
                    }
                }
            }
        }
    }

    #[test]
    fn a_word_is_cut_or_gets_zeros() {
        for (from, to) in [(5, 3), (3, 5), (4, 4), (1, 64)] {
            let mut exprs = ExprArena::default();
            let a = exprs.add(Expr::Var(variable(0), Type::Int(from)));
            let root = exprs.add(Expr::Unary(UnaryOp::Resize(Type::Int(to)), a));
            for value in 0..=Type::Int(from).max_value() {
                check(&exprs, root, [value, 0, 0]);
            }
        }
    }

    #[test]
    fn every_boolean_operator_agrees_with_its_value() {
        let mut exprs = ExprArena::default();
        let mut roots = BOOLEAN
            .map(|op| operation(&mut exprs, op, Type::Bool))
            .to_vec();
        let [a, b, c] = [0, 1, 2].map(|i| exprs.add(Expr::Var(variable(i), Type::Bool)));
        roots.push(exprs.add(Expr::Unary(UnaryOp::Not, a)));
        roots.push(exprs.add(Expr::Ite(a, b, c, Type::Bool)));
        for root in roots {
            for case in 0..8 {
                check(&exprs, root, [case & 1, case >> 1 & 1, case >> 2]);
            }
        }
    }

    #[test]
    fn operators_on_64_bits_agree_with_their_values() {
        let ty = Type::Int(64);
        // A fixed sequence (xorshift) and the corners.
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut cases = vec![
            (0, 0),
            (u64::MAX, 1),
            (u64::MAX, u64::MAX),
            (1 << 63, 1 << 63),
        ];
        cases.extend((0..20).map(|_| (random(), random())));
        for op in ARITHMETIC {
            let mut exprs = ExprArena::default();
            let root = operation(&mut exprs, op, ty);
            for &(a, b) in &cases {
                check(&exprs, root, [a, b, 0]);
            }
        }
    }

    #[test]
    fn a_choice_between_words_takes_all_bits_of_one() {
        let mut exprs = ExprArena::default();
        let c = exprs.add(Expr::Var(variable(2), Type::Bool));
        let [a, b] = [0, 1].map(|i| exprs.add(Expr::Var(variable(i), Type::Int(5))));
        let root = exprs.add(Expr::Ite(c, a, b, Type::Int(5)));
        check(&exprs, root, [0b10101, 0b01110, 1]);
        check(&exprs, root, [0b10101, 0b01110, 0]);
    }
}
