//! Expressions over states with undetermined bits.
//!
//! A result is known, or is a copy of undetermined bits as they are, or *needs* a bit: then some
//! symbol must be decided before the value is known. Operators look no further than they must:
//! `a & b` is 0 if either is, an unequal known bit settles `=`, the possible range settles `<`, and
//! what shares its symbols is equal. Comparisons ask for the highest undetermined bit first, so
//! that `x = 5` splits an `int<n>` into n + 1 cases and not into 2^n.

use crate::encoding::code::{Code, Op, Program};
use crate::encoding::frame::Frame;
use crate::encoding::layout::Place;
use hardbop_machine::{BinaryOp, Type, UnaryOp};

/// Where undetermined bits were copied from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// From the state before, from this bit on.
    Now(u32),
    /// From the state after, from this bit on.
    Next(u32),
    /// From a choice, from this bit on.
    Input(u32),
    /// From nowhere: this symbol must be decided first.
    Needs(u32),
}

/// A value some of whose bits are undetermined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partial {
    /// Values of known bits; others are 0.
    pub(crate) value: u64,
    /// Which bits are undetermined.
    pub(crate) unknown: u64,
    /// What the undetermined bits are; of no meaning if there are none.
    pub(crate) origin: Origin,
}

impl Partial {
    fn known(value: u64) -> Self {
        Self {
            value,
            unknown: 0,
            origin: Origin::Needs(0),
        }
    }

    fn needs(symbol: u32, width_mask: u64) -> Self {
        Self {
            value: 0,
            unknown: width_mask,
            origin: Origin::Needs(symbol),
        }
    }

    fn is_known(self) -> bool {
        self.unknown == 0
    }

    fn is(self, value: u64) -> bool {
        self.is_known() && self.value == value
    }

    /// Only some bits of it; the others are 0.
    fn within(self, mask: u64) -> Self {
        Self {
            value: self.value & mask,
            unknown: self.unknown & mask,
            origin: self.origin,
        }
    }

    fn largest(self) -> u64 {
        self.value | self.unknown
    }
}

/// What an expression is evaluated on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    /// The state before the step.
    pub(crate) now: &'a Frame,
    /// The state after the step.
    pub(crate) next: &'a Frame,
    /// The choices, one word each.
    pub(crate) inputs: &'a Frame,
}

impl Scene<'_> {
    /// The symbol of an undetermined bit of a copy.
    pub(crate) fn symbol(self, origin: Origin, bit: u32) -> u32 {
        match origin {
            Origin::Now(first) => self.now.symbols[(first + bit) as usize],
            Origin::Next(first) => self.next.symbols[(first + bit) as usize],
            Origin::Input(first) => self.inputs.symbols[(first + bit) as usize],
            Origin::Needs(symbol) => symbol,
        }
    }

    fn highest(self, partial: Partial) -> u32 {
        self.symbol(
            partial.origin,
            u64::BITS - 1 - partial.unknown.leading_zeros(),
        )
    }

    fn lowest(self, partial: Partial) -> u32 {
        self.symbol(partial.origin, partial.unknown.trailing_zeros())
    }

    /// Evaluates an expression.
    pub(crate) fn eval(self, program: &Program, code: &Code, stack: &mut Vec<Partial>) -> Partial {
        stack.clear();
        for &op in program.ops(code) {
            let partial = match op {
                Op::Const(value) => Partial::known(value),
                Op::Var(place) => read(self.now, place, Origin::Now(place.first_bit())),
                Op::Next(place) => read(self.next, place, Origin::Next(place.first_bit())),
                Op::Input(input) => Partial {
                    value: self.inputs.values[input as usize],
                    unknown: self.inputs.unknown[input as usize],
                    origin: Origin::Input(input * u64::BITS),
                },
                Op::Unary(UnaryOp::Not) => {
                    let operand = pop(stack);
                    if operand.is_known() {
                        Partial::known(1 - operand.value)
                    } else {
                        Partial::needs(self.highest(operand), 1)
                    }
                }
                Op::Unary(UnaryOp::Resize(ty)) => pop(stack).within(ty.max_value()),
                Op::Binary(op, ty) => {
                    let right = pop(stack);
                    let left = pop(stack);
                    self.binary(op, ty, left, right)
                }
                Op::Ite => {
                    let (no, yes) = (pop(stack), pop(stack));
                    let condition = pop(stack);
                    if condition.is_known() {
                        if condition.value == 1 { yes } else { no }
                    } else if self.are_equal(yes, no) == Some(true) {
                        yes
                    } else {
                        Partial::needs(self.highest(condition), yes.largest() | no.largest() | 1)
                    }
                }
            };
            stack.push(partial);
        }
        pop(stack)
    }

    fn binary(self, op: BinaryOp, ty: Type, left: Partial, right: Partial) -> Partial {
        if left.is_known() && right.is_known() {
            return Partial::known(op.apply(left.value, right.value, ty));
        }
        if let Some(result) = settled_by_one(op, left, right) {
            return result;
        }
        let are_equal = self.are_equal(left, right);
        let first = if left.is_known() { right } else { left };
        match op {
            BinaryOp::And | BinaryOp::Or if are_equal == Some(true) => left,
            BinaryOp::Implies if are_equal == Some(true) => Partial::known(1),
            BinaryOp::Xor | BinaryOp::Subtract if are_equal == Some(true) => Partial::known(0),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Xor => {
                Partial::needs(self.highest(first), ty.max_value())
            }
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::SignedDivide
            | BinaryOp::SignedRemainder
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::SignedShiftRight => Partial::needs(self.lowest(first), ty.max_value()),
            BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual => {
                match compared(op, left, right, are_equal) {
                    Some(holds) => Partial::known(u64::from(holds)),
                    None => self.compare_later(left, right),
                }
            }
        }
    }

    /// A comparison that the highest undetermined bit must be decided for.
    fn compare_later(self, left: Partial, right: Partial) -> Partial {
        let first = if left.unknown >= right.unknown {
            left
        } else {
            right
        };
        Partial::needs(self.highest(first), 1)
    }

    /// Whether two values are equal, if that is known.
    fn are_equal(self, left: Partial, right: Partial) -> Option<bool> {
        let both_known = !(left.unknown | right.unknown);
        if (left.value ^ right.value) & both_known != 0 {
            return Some(false);
        }
        let is_copy = |partial: Partial| !matches!(partial.origin, Origin::Needs(_));
        if left.unknown != right.unknown {
            return None;
        }
        let mut bits = crate::encoding::frame::set_bits(&[left.unknown]);
        let are_shared = (left.unknown == 0 || is_copy(left) && is_copy(right))
            && bits.all(|bit| self.symbol(left.origin, bit) == self.symbol(right.origin, bit));
        are_shared.then_some(true)
    }
}

/// The result where one operand settles it or hands the other one through.
fn settled_by_one(op: BinaryOp, left: Partial, right: Partial) -> Option<Partial> {
    let (absorbing, neutral) = match op {
        BinaryOp::Multiply => (Some(0), Some(1)),
        BinaryOp::Add => (None, Some(0)),
        _ => (None, None),
    };
    for (one, other) in [(left, right), (right, left)] {
        if let (true, Some(result)) = (one.is_known(), each_bit(op, one.value, other)) {
            return Some(result);
        }
        if absorbing.is_some_and(|value| one.is(value)) {
            return Some(one);
        }
        if neutral.is_some_and(|value| one.is(value)) {
            return Some(other);
        }
    }
    match op {
        BinaryOp::Implies if left.is(0) || right.is(1) => Some(Partial::known(1)),
        BinaryOp::Implies if left.is(1) => Some(right),
        BinaryOp::Subtract if right.is(0) => Some(left),
        _ => None,
    }
}

/// The operators that work bit by bit, with one operand known: its zeros settle bits of `&`, its
/// ones those of `|`, and where it has zeros `^` hands the other one through.
fn each_bit(op: BinaryOp, known: u64, other: Partial) -> Option<Partial> {
    match op {
        BinaryOp::And => Some(other.within(known)),
        BinaryOp::Or => Some(Partial {
            value: other.value | known,
            ..other.within(!known)
        }),
        BinaryOp::Xor if other.unknown & known == 0 => Some(Partial {
            value: other.value ^ known,
            ..other
        }),
        _ => None,
    }
}

/// Whether a comparison holds, if what is known of its operands settles it.
fn compared(op: BinaryOp, left: Partial, right: Partial, are_equal: Option<bool>) -> Option<bool> {
    match op {
        BinaryOp::Equal => are_equal,
        BinaryOp::NotEqual => are_equal.map(|equal| !equal),
        BinaryOp::Less if left.largest() < right.value => Some(true),
        BinaryOp::Less if left.value >= right.largest() || are_equal == Some(true) => Some(false),
        BinaryOp::LessEqual if left.largest() <= right.value || are_equal == Some(true) => {
            Some(true)
        }
        BinaryOp::LessEqual if left.value > right.largest() => Some(false),
        _ => None,
    }
}

fn read(frame: &Frame, place: Place, origin: Origin) -> Partial {
    Partial {
        value: place.read(&frame.values),
        unknown: place.read(&frame.unknown),
        origin,
    }
}

fn pop(stack: &mut Vec<Partial>) -> Partial {
    stack
        .pop()
        .expect("operands are pushed before their operator")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::code::Effect;
    use crate::encoding::layout::Layouts;
    use hardbop_machine::analysis::Analyses;
    use hardbop_machine::{EdgeId, ProcId};

    /// How many cases a condition over uninitialised locals is split into, each with its value.
    fn cases(declarations: &str, condition: &str) -> Vec<u64> {
        let text =
            format!("decl r; void main() begin {declarations} r := {condition}; assert(r); end");
        let machine = hardbop_machine::from_text("test.bp", &text).expect("the program is valid");
        let analyses = Analyses::new(&machine);
        let layouts = Layouts::new(&machine, &analyses);
        let program = Program::new(&machine, &layouts, &analyses.liveness);
        let Effect::Move { writes, .. } = &program.edge(EdgeId(0)).effect else {
            panic!("the first edge is an assignment");
        };
        let layout = layouts.of(ProcId(0));
        let mut start = Frame::default();
        start.reset(layout.words());
        let symbols = layout
            .variables()
            .fold(0, |next, (_, place)| start.set_fresh(place, next));
        let mut inputs = Frame::default();
        inputs.reset(0);
        let (mut values, mut pending) = (Vec::new(), vec![vec![None; symbols as usize]]);
        while let Some(decided) = pending.pop() {
            let mut now = start.clone();
            now.decide(|symbol: u32| decided[symbol as usize]);
            let scene = Scene {
                now: &now,
                next: &now,
                inputs: &inputs,
            };
            let result = scene.eval(&program, &writes[0].1, &mut Vec::new());
            if result.is_known() {
                values.push(result.value);
                continue;
            }
            let symbol = scene.symbol(result.origin, 0) as usize;
            assert_eq!(decided[symbol], None, "a symbol is decided once");
            for value in [false, true] {
                let mut decided = decided.clone();
                decided[symbol] = Some(value);
                pending.push(decided);
            }
        }
        values.sort_unstable();
        values
    }

    #[test]
    fn operators_ask_for_no_more_bits_than_they_need() {
        assert_eq!(cases("decl a, b, c;", "0 & a & b & c"), [0]);
        assert_eq!(cases("decl a, b;", "a & b"), [0, 0, 1]);
        assert_eq!(cases("decl a;", "a = a"), [1]);
        assert_eq!(cases("decl a;", "a ^ a"), [0]);
        assert_eq!(cases("decl a, b;", "a ? b = b : 1"), [1]);
        assert_eq!(cases("decl int<8> n;", "n < n"), [0]);
        assert_eq!(cases("decl int<8> n;", "n * 0 = 0"), [1]);
        assert_eq!(cases("decl int<8> n;", "(n & 1) = 0"), [0, 1]);
        assert_eq!(cases("decl int<8> n;", "(n | 0x7f) = 0xff"), [0, 1]);
        assert_eq!(cases("decl int<8> n;", "signed(n) < 0"), [0, 1]);
        assert_eq!(cases("decl int<8> n;", "int<1>(n) = 1"), [0, 1]);
    }

    #[test]
    fn comparisons_with_constants_split_bit_by_bit() {
        assert_eq!(cases("decl int<8> n;", "n = 5").len(), 9);
        assert_eq!(cases("decl int<8> n;", "n < 128"), [0, 1]);
        assert_eq!(cases("decl int<64> n;", "n <= 0").len(), 65);
    }

    #[test]
    fn the_cases_cover_all_values() {
        // Of 64 pairs, 28 are ordered and 8 equal; cases with undecided bits stand for several.
        let exact = |condition: &str| {
            let all = cases("decl int<3> m, n;", condition);
            all.iter().filter(|&&value| value == 1).count()
        };
        assert_eq!(exact("m + n = 7"), 8);
        assert_eq!(exact("m = n"), 8);
        // 0, and what 1 has no bits of, and so on: 3^3 pairs have no bit in common.
        assert!(exact("(m & n) = 0") <= 27);
        assert_eq!(exact("(m ^ n) = 7"), 8);
        assert!(exact("m < n") <= 28);
    }
}
