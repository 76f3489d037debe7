//! Expressions over states with undetermined bits.
//!
//! A result is known, or is a copy of undetermined bits as they are, or *needs* a bit: then some
//! symbol must be decided before the value is known. Operators look no further than they must:
//! `a & b` is 0 if either is, an unequal known bit settles `=`, the possible range settles `<`, and
//! what shares its symbols is equal. Comparisons and sums of words that are open as a whole are in
//! [`crate::encoding::words`]; what is open in part is compared from the highest bit down, so that
//! `x = 5` needs a case for each bit and not for each value.

use crate::encoding::blocks::Blocks;
use crate::encoding::code::{Code, Op, Program};
use crate::encoding::frame::{Frame, Shape, set_bits};
use crate::encoding::layout::Place;
use crate::encoding::step::Split;
use crate::encoding::words::Runs;
use hardbop_machine::{BinaryOp, Type, UnaryOp};
use std::cell::{OnceCell, RefCell};

/// Where undetermined bits were copied from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// From the state before, from this bit on.
    Now(u32),
    /// From the state after, from this bit on.
    Next(u32),
    /// From a choice, from this bit on.
    Input(u32),
    /// A word plus an offset: the sum with this number among the [`Notes`].
    Sum(u32),
    /// From nowhere: this symbol must be decided first.
    Needs(u32),
    /// From nowhere: the split with this number among the [`Notes`] must be decided first.
    Cuts(u32),
}

impl Origin {
    /// Whether there is a symbol for each bit.
    fn is_copy(self) -> bool {
        matches!(self, Self::Now(_) | Self::Next(_) | Self::Input(_))
    }
}

/// A word plus an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// The first symbol of the word.
    pub(crate) base: u32,
    /// What is added.
    pub(crate) offset: u64,
}

/// What the values of one step say of words. Few expressions do, and values are copied
/// often: it is kept apart from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    sums: Vec<Sum>,
    splits: Vec<Split>,
}

impl Notes {
    /// A sum by its number.
    pub(crate) fn sum(&self, number: u32) -> Sum {
        self.sums[number as usize]
    }

    /// Nothing has been said.
    pub(crate) fn clear(&mut self) {
        self.sums.clear();
        self.splits.clear();
    }
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
    /// A known value.
    pub(crate) fn known(value: u64) -> Self {
        Self {
            value,
            unknown: 0,
            origin: Origin::Now(0),
        }
    }

    fn needs(origin: Origin, width_mask: u64) -> Self {
        Self {
            value: 0,
            unknown: width_mask,
            origin,
        }
    }

    /// Whether no bit is undetermined.
    pub(crate) fn is_known(self) -> bool {
        self.unknown == 0
    }

    /// Whether it is known to be this.
    pub(crate) fn is(self, value: u64) -> bool {
        self.is_known() && self.value == value
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
    /// What is known of words.
    pub(crate) blocks: &'a Blocks,
    /// How the words of the state before share symbols, found out when it matters.
    pub(crate) runs: &'a OnceCell<Runs>,
    /// What values of this step say of words.
    pub(crate) notes: &'a RefCell<Notes>,
    /// The shape of the state before.
    pub(crate) shape: &'a Shape<'a>,
    /// All symbols are below.
    pub(crate) symbols: u32,
    /// Whether words may stay open.
    pub(crate) lazy: bool,
}

impl Scene<'_> {
    /// The symbol of an undetermined bit of a copy.
    #[inline]
    pub(crate) fn symbol(&self, origin: Origin, bit: u32) -> u32 {
        match origin {
            Origin::Now(first) => self.now.symbols[(first + bit) as usize],
            Origin::Next(first) => self.next.symbols[(first + bit) as usize],
            Origin::Input(first) => self.inputs.symbols[(first + bit) as usize],
            Origin::Sum(_) | Origin::Needs(_) | Origin::Cuts(_) => {
                unreachable!("only copies have symbols")
            }
        }
    }

    /// What must be decided for a bit of an open value.
    pub(crate) fn need(&self, origin: Origin, bit: u32) -> Split {
        match self.needed(origin, bit) {
            Origin::Needs(symbol) => Split::Bit(symbol),
            Origin::Cuts(split) => self.notes.borrow().splits[split as usize],
            _ => unreachable!("what is needed is a bit or a split"),
        }
    }

    /// The same as an origin.
    #[inline]
    fn needed(&self, origin: Origin, bit: u32) -> Origin {
        let symbol = match origin {
            Origin::Needs(_) | Origin::Cuts(_) => return origin,
            Origin::Sum(sum) => self.sum_of(sum).base,
            copy => self.symbol(copy, bit),
        };
        if self.blocks.blocks.is_empty() {
            return Origin::Needs(symbol);
        }
        self.note_split(self.blocks.need(symbol))
    }

    fn note_split(&self, split: Split) -> Origin {
        if let Split::Bit(symbol) = split {
            return Origin::Needs(symbol);
        }
        let splits = &mut self.notes.borrow_mut().splits;
        splits.push(split);
        Origin::Cuts(splits.len() as u32 - 1)
    }

    /// Notes a word plus an offset.
    pub(crate) fn note_sum(&self, sum: Sum) -> Origin {
        let sums = &mut self.notes.borrow_mut().sums;
        sums.push(sum);
        Origin::Sum(sums.len() as u32 - 1)
    }

    /// A noted sum.
    pub(crate) fn sum_of(&self, sum: u32) -> Sum {
        self.notes.borrow().sum(sum)
    }

    fn highest(&self, partial: Partial) -> Origin {
        self.needed(
            partial.origin,
            u64::BITS - 1 - partial.unknown.leading_zeros(),
        )
    }

    fn lowest(&self, partial: Partial) -> Origin {
        self.needed(partial.origin, partial.unknown.trailing_zeros())
    }

    /// Only some bits of a value; the others are 0. A part of a word of which something is known
    /// as a whole has no symbols to be copied.
    #[inline]
    fn within(&self, partial: Partial, mask: u64) -> Partial {
        let unknown = partial.unknown & mask;
        let is_part = unknown != partial.unknown && unknown != 0;
        Partial {
            value: partial.value & mask,
            unknown,
            origin: if is_part {
                self.part(partial.origin, unknown)
            } else {
                partial.origin
            },
        }
    }

    /// The origin of some bits of a value.
    fn part(&self, origin: Origin, unknown: u64) -> Origin {
        match origin {
            Origin::Sum(_) => self.needed(origin, 0),
            copy if copy.is_copy() && !self.blocks.blocks.is_empty() => {
                let mut bits = set_bits(&[unknown]);
                let bit = bits.find(|&bit| self.blocks.of(self.symbol(copy, bit)).is_some());
                bit.map_or(copy, |bit| self.needed(copy, bit))
            }
            other => other,
        }
    }

    /// Evaluates an expression.
    pub(crate) fn eval(&self, program: &Program, code: &Code, stack: &mut Vec<Partial>) -> Partial {
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
                Op::Unary(UnaryOp::Resize(ty)) => self.within(pop(stack), ty.max_value()),
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

    fn binary(&self, op: BinaryOp, ty: Type, left: Partial, right: Partial) -> Partial {
        if left.is_known() && right.is_known() {
            return Partial::known(op.apply(left.value, right.value, ty));
        }
        if let Some(result) = self.settled_by_one(op, left, right) {
            return result;
        }
        if ty.width() > 1
            && let Some(sum) = self.sum(op, ty, left, right)
        {
            return sum;
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
                    None => match self.compare_words(op, left, right) {
                        Some(Ok(holds)) => Partial::known(u64::from(holds)),
                        Some(Err(split)) => Partial::needs(self.note_split(split), 1),
                        None => self.compare_later(left, right),
                    },
                }
            }
        }
    }

    /// A comparison that the highest undetermined bit must be decided for.
    fn compare_later(&self, left: Partial, right: Partial) -> Partial {
        let first = if left.unknown >= right.unknown {
            left
        } else {
            right
        };
        Partial::needs(self.highest(first), 1)
    }

    /// Whether two values are equal, if that is known.
    fn are_equal(&self, left: Partial, right: Partial) -> Option<bool> {
        let both_known = !(left.unknown | right.unknown);
        if (left.value ^ right.value) & both_known != 0 {
            return Some(false);
        }
        if left.unknown != right.unknown {
            return None;
        }
        if let (Origin::Sum(left), Origin::Sum(right)) = (left.origin, right.origin) {
            return (self.sum_of(left) == self.sum_of(right)).then_some(true);
        }
        let mut bits = set_bits(&[left.unknown]);
        let are_shared = (left.unknown == 0 || left.origin.is_copy() && right.origin.is_copy())
            && bits.all(|bit| self.symbol(left.origin, bit) == self.symbol(right.origin, bit));
        are_shared.then_some(true)
    }

    /// The result where one operand settles it or hands the other one through.
    fn settled_by_one(&self, op: BinaryOp, left: Partial, right: Partial) -> Option<Partial> {
        let (absorbing, neutral) = match op {
            BinaryOp::Multiply => (Some(0), Some(1)),
            BinaryOp::Add => (None, Some(0)),
            _ => (None, None),
        };
        for (one, other) in [(left, right), (right, left)] {
            if let (true, Some(result)) = (one.is_known(), self.each_bit(op, one.value, other)) {
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
    fn each_bit(&self, op: BinaryOp, known: u64, other: Partial) -> Option<Partial> {
        match op {
            BinaryOp::And => Some(self.within(other, known)),
            BinaryOp::Or => Some(Partial {
                value: other.value | known,
                ..self.within(other, !known)
            }),
            BinaryOp::Xor if other.unknown & known == 0 => Some(Partial {
                value: other.value ^ known,
                ..other
            }),
            _ => None,
        }
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
    use crate::encoding::code::{Effect, Program};
    use crate::encoding::frame::{Sealer, Shape};
    use crate::encoding::layout::Layouts;
    use crate::encoding::step::{Decision, Fired, Statics, Stepper, next_leaf};
    use hardbop_machine::{EdgeId, NodeId, ProcId};

    /// How many cases a condition over uninitialised locals is split into, each with its value.
    fn cases(declarations: &str, condition: &str) -> Vec<u64> {
        let text =
            format!("decl r; void main() begin {declarations} r := {condition}; assert(r); end");
        let machine = hardbop_machine::from_text("test.bp", &text).expect("the program is valid");
        let layouts = Layouts::new(&machine);
        let program = Program::new(&machine, &layouts);
        let Effect::Move { writes, .. } = &program.edge(EdgeId(0)).effect else {
            panic!("the first edge is an assignment");
        };
        let statics = Statics {
            machine: &machine,
            layouts: &layouts,
            program: &program,
            lazy: true,
        };
        let layout = layouts.of(ProcId(0));
        let shape = Shape {
            words: layout.words(),
            homes: &[],
            starts: layout.starts(),
        };
        let (mut stepper, mut sealer) = (Stepper::default(), Sealer::default());
        assert_eq!(stepper.start(statics, ProcId(0), &[]), Fired::Taken);
        let live = layouts.live(ProcId(0), NodeId(0));
        let (entry, symbols) = (&stepper.entry, stepper.symbols);
        entry.seal(shape, live, symbols, &entry.blocks, &mut sealer);
        let (mut values, mut decisions) = (Vec::new(), Vec::new());
        loop {
            match stepper.fire(statics, &sealer.words, shape, EdgeId(0), &decisions) {
                Fired::Needs(split) => {
                    let decision = Decision::first(split);
                    assert!(!decisions.contains(&decision), "nothing is decided twice");
                    decisions.push(decision);
                    continue;
                }
                Fired::Taken => {
                    let place = writes[0].0;
                    values.push(place.read(&stepper.next.values));
                    // A copy may be either.
                    values.extend((place.read(&stepper.next.unknown) == 1).then_some(1));
                }
                Fired::Disabled => panic!("an assignment has no guard"),
            }
            if !next_leaf(&mut decisions, 0) {
                break;
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
    fn comparisons_of_words_split_by_the_condition() {
        assert_eq!(cases("decl int<8> n;", "n = 5"), [0, 1]);
        assert_eq!(cases("decl int<8> n;", "n = 0"), [0, 1]);
        assert_eq!(cases("decl int<8> n;", "n < 128"), [0, 1]);
        assert_eq!(cases("decl int<64> n;", "n <= 0"), [0, 1]);
        assert_eq!(cases("decl int<64> n;", "signed(n) < 5"), [0, 1]);
        assert_eq!(cases("decl int<32> n;", "n > 3 & n < 9"), [0, 0, 1]);
        assert_eq!(cases("decl int<8> n;", "n + 1 = 0"), [0, 1]);
        assert_eq!(cases("decl int<8> n;", "n + 7 < n + 5"), [0, 1]);
        assert_eq!(cases("decl int<8> n;", "n - 3 = n + 253"), [1]);
        assert_eq!(cases("decl int<8> n;", "(n + 9) - (n + 4) = 5"), [1]);
        // What is asked by bits and by values is split by both: 0 to 15 leaves bits open.
        assert_eq!(cases("decl int<8> n;", "n < 16 & (n & 1) = 1"), [0, 0, 1]);
        assert_eq!(cases("decl int<8> n;", "(n & 1) = 1 & n < 16").len(), 5 + 1);
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
        // The upper halves become bits, and what is left of the words is split by values.
        assert_eq!(exact("m >= 4 & n >= 4 & m = n"), 4);
        // 0, and what 1 has no bits of, and so on: 3^3 pairs have no bit in common.
        assert!(exact("(m & n) = 0") <= 27);
        assert_eq!(exact("(m ^ n) = 7"), 8);
        assert!(exact("m < n") <= 28);
    }
}
