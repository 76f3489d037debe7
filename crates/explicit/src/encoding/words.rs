//! Open words in expressions: comparisons and sums that look at a word as a whole.
//!
//! A word that has all its lower bits open is a base plus an offset ([`crate::encoding::blocks`]).
//! Along the interval of the base a comparison changes its value at few places: where an operand
//! passes zero, and where it passes what it is compared with. If there is no such place the
//! comparison is settled; otherwise the interval is cut at the first one. So `x = 5` splits a free
//! word in two (intervals go round), and so does `x < 5`, signed or not: flipping the highest bit is
//! an offset.

use crate::encoding::blocks::{Interval, halved, mask};
use crate::encoding::frame::{Frame, Shape, set_bits};
use crate::encoding::partial::{Origin, Partial, Scene, Sum};
use crate::encoding::step::Split;
use hardbop_machine::{BinaryOp, Type};

/// An operand that is open as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    /// The first symbol of its base.
    base: u32,
    /// How many bits are open.
    width: u32,
    /// What is added to the base, modulo 2^width.
    offset: u64,
    /// The known bits above.
    above: u64,
    /// The values of the base.
    values: Interval,
}

impl Word {
    /// Its value for a value of the base.
    fn at(self, base: u64) -> u64 {
        self.above | base.wrapping_add(self.offset) & mask(self.width)
    }

    /// The value of the base for which it passes zero.
    fn zero(self) -> u64 {
        self.offset.wrapping_neg() & mask(self.width)
    }

    /// Its smallest and largest value.
    fn bounds(self) -> (u64, u64) {
        let values = self.values.plus(self.offset, self.width);
        let last = values.last(self.width);
        if last < values.first {
            (self.above, self.above | mask(self.width))
        } else {
            (self.above | values.first, self.above | last)
        }
    }
}

/// How symbols follow each other in the words of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    /// Whether a symbol is followed by the next one in some word.
    joined: Vec<bool>,
    /// Whether one of the two occurs without the other beside it.
    parted: Vec<bool>,
}

impl Runs {
    /// Those of a state; all symbols are below `symbols`.
    pub(crate) fn new(frame: &Frame, shape: Shape<'_>, symbols: u32) -> Self {
        let mut runs = Self {
            joined: vec![false; symbols as usize],
            parted: vec![false; symbols as usize],
        };
        let is_start = |bit: u32| {
            let word = shape.starts.get((bit / u64::BITS) as usize).copied();
            word.unwrap_or(0) >> (bit % u64::BITS) & 1 == 1
        };
        // Where a bit lies among the variables, entry bits where they were first.
        let first_entry = shape.entry_bit(0);
        let home = |bit: u32| match bit.checked_sub(first_entry) {
            Some(entry) => shape.homes[entry as usize],
            None => bit,
        };
        let mut last: Option<(u32, u32)> = None;
        for (word, &unknown) in frame.unknown.iter().enumerate() {
            for bit in set_bits(&[unknown]) {
                let bit = word as u32 * u64::BITS + bit;
                let symbol = frame.symbols[bit as usize];
                let is_beside = |before: u32| {
                    before + 1 == bit && home(before) + 1 == home(bit) && !is_start(home(bit))
                };
                match last {
                    Some((before, other)) if is_beside(before) && other + 1 == symbol => {
                        runs.joined[other as usize] = true;
                    }
                    _ => {
                        runs.part_before(symbol);
                        runs.part_after(last);
                    }
                }
                last = Some((bit, symbol));
            }
        }
        runs.part_after(last);
        runs
    }

    fn part_before(&mut self, symbol: u32) {
        if let Some(before) = symbol.checked_sub(1) {
            self.parted[before as usize] = true;
        }
    }

    fn part_after(&mut self, last: Option<(u32, u32)>) {
        if let Some((_, symbol)) = last {
            self.parted[symbol as usize] = true;
        }
    }

    /// Whether some symbols occur as one word only.
    pub(crate) fn is_whole(&self, first: u32, width: u32) -> bool {
        let at = |flags: &[bool], symbol: u32| flags.get(symbol as usize).copied() == Some(true);
        let mut inside = first..first + width - 1;
        !inside.any(|symbol| at(&self.parted, symbol))
            && !first.checked_sub(1).is_some_and(|s| at(&self.joined, s))
            && !at(&self.joined, first + width - 1)
    }
}

impl Scene<'_> {
    /// An operand as a word, if all that is open of it is one.
    pub(crate) fn word(&self, partial: Partial) -> Option<Word> {
        if let Origin::Needs(_) | Origin::Cuts(_) = partial.origin {
            return None;
        }
        let width = partial.unknown.count_ones();
        if !self.lazy || width < 2 || partial.unknown != mask(width) {
            return None;
        }
        let (first, more) = match partial.origin {
            Origin::Sum(sum) => {
                let Sum { base, offset } = self.sum_of(sum);
                (base, offset)
            }
            copy => (self.symbol(copy, 0), 0),
        };
        let is_copy = !matches!(partial.origin, Origin::Sum(_));
        let mut bits = 1..width;
        if is_copy && !bits.all(|bit| self.symbol(partial.origin, bit) == first + bit) {
            return None;
        }
        let (base, offset) = match self.blocks.of(first) {
            Some(block) if block.first != first || block.width != width => return None,
            Some(block) => (block.base, block.offset),
            None if self.is_free(first, width) => (first, 0),
            None => return None,
        };
        Some(Word {
            base,
            width,
            offset: offset.wrapping_add(more) & mask(width),
            above: partial.value,
            values: self.blocks.values(base, width),
        })
    }

    /// Whether something may be said of some symbols as of a word.
    pub(crate) fn is_free(&self, first: u32, width: u32) -> bool {
        let frozen = &self.blocks.frozen;
        let symbols = first..first + width;
        !frozen.iter().any(|symbol| symbols.contains(symbol))
            && self
                .runs
                .get_or_init(|| Runs::new(self.now, *self.shape, self.symbols))
                .is_whole(first, width)
    }

    /// A sum or difference of words and constants, if it stays open.
    pub(crate) fn sum(
        &self,
        op: BinaryOp,
        ty: Type,
        left: Partial,
        right: Partial,
    ) -> Option<Partial> {
        let sign = 1 << (ty.width() - 1);
        let (open, offset) = match op {
            BinaryOp::Add if right.is_known() => (left, right.value),
            BinaryOp::Add if left.is_known() => (right, left.value),
            BinaryOp::Subtract if right.is_known() => (left, right.value.wrapping_neg()),
            BinaryOp::Xor if right.is(sign) => (left, sign),
            BinaryOp::Xor if left.is(sign) => (right, sign),
            BinaryOp::Subtract => {
                let (left, right) = (self.word(left)?, self.word(right)?);
                let is_alike = left.base == right.base && left.width == ty.width();
                let difference = left.offset.wrapping_sub(right.offset) & ty.max_value();
                return is_alike.then(|| Partial::known(difference));
            }
            _ => return None,
        };
        let word = self.word(open)?;
        (word.width == ty.width()).then(|| Partial {
            value: 0,
            unknown: ty.max_value(),
            origin: self.note_sum(Sum {
                base: word.base,
                offset: word.offset.wrapping_add(offset) & ty.max_value(),
            }),
        })
    }

    fn last_bit(&self, partial: Partial) -> Split {
        self.need(partial.origin, partial.unknown.trailing_zeros())
    }

    /// Compares where an operand is a word: the result, or what must be decided first. Nothing
    /// where bits serve as well.
    pub(crate) fn compare_words(
        &self,
        op: BinaryOp,
        left: Partial,
        right: Partial,
    ) -> Option<Result<bool, Split>> {
        let holds = |left: u64, right: u64| match op {
            BinaryOp::Equal => left == right,
            BinaryOp::NotEqual => left != right,
            BinaryOp::Less => left < right,
            _ => left <= right,
        };
        if left.is_known() || right.is_known() {
            let (open, known) = if left.is_known() {
                (right, left)
            } else {
                (left, right)
            };
            let word = self.word(open)?;
            let truth = |base: u64| {
                if left.is_known() {
                    holds(known.value, word.at(base))
                } else {
                    holds(word.at(base), known.value)
                }
            };
            let inside = known.value.wrapping_sub(word.offset) & mask(word.width);
            let behind = inside.wrapping_add(1) & mask(word.width);
            return Some(along(word, truth, &[word.zero(), inside, behind]));
        }
        let (left, right) = match (self.word(left), self.word(right)) {
            (Some(left), Some(right)) => (left, right),
            // With its last bit decided, one of them cuts the other one in two.
            (Some(_), None) if right.unknown.is_power_of_two() => {
                return Some(Err(self.last_bit(right)));
            }
            (None, Some(_)) if left.unknown.is_power_of_two() => {
                return Some(Err(self.last_bit(left)));
            }
            _ => return None,
        };
        if left.base == right.base && left.width == right.width {
            let truth = |base: u64| holds(left.at(base), right.at(base));
            return Some(along(left, truth, &[left.zero(), right.zero()]));
        }
        let ((low, high), (least, most)) = (left.bounds(), right.bounds());
        let settled = match op {
            BinaryOp::Equal if high < least || most < low => Some(false),
            BinaryOp::NotEqual if high < least || most < low => Some(true),
            BinaryOp::Less if high < least => Some(true),
            BinaryOp::Less if low >= most => Some(false),
            BinaryOp::LessEqual if high <= least => Some(true),
            BinaryOp::LessEqual if low > most => Some(false),
            _ => None,
        };
        // One of them gets a value, and cuts the other one in two.
        let fewer = if left.values.more <= right.values.more {
            left
        } else {
            right
        };
        Some(settled.ok_or_else(|| halved(fewer.base, fewer.width, fewer.values)))
    }
}

/// What is true of a word all along its interval, or where it must be cut; `changes` has the values
/// of the base before which the truth may change.
fn along(word: Word, truth: impl Fn(u64) -> bool, changes: &[u64]) -> Result<bool, Split> {
    let Word {
        width, mut values, ..
    } = word;
    let before = |base: u64| base.wrapping_sub(1) & mask(width);
    let changes = || changes.iter().copied();
    if values.more == mask(width) {
        // All values are a circle: it is cut at both ends of a part.
        let start = changes().find(|&base| truth(base) != truth(before(base)));
        values.first = start.unwrap_or(0);
    }
    let at_first = truth(values.first);
    let changes = changes().filter(|&base| truth(base) != at_first);
    let changes = changes.map(|base| values.distance(base, width));
    match changes.filter(|&steps| steps <= values.more).min() {
        None => Ok(at_first),
        Some(steps) => Err(Split::Values {
            first: word.base,
            width,
            from: values.first,
            last: before(values.first.wrapping_add(steps)),
        }),
    }
}
