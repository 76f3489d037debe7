//! What is known of open words, as formulas over columns: an interval is two comparisons with
//! constants, a difference one sum, bit by bit from below.

use super::{Cubes, Writer};
use crate::encoding::blocks::{Block, Interval, mask};
use hardbop_outcome::certificate::Formula;

/// What is known of one word, given by the columns of its bits, lowest first. It is ordered so that
/// formulas do not depend on the order in which states were found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fact {
    /// It is this or one of the values that follow.
    Values {
        bits: Vec<u32>,
        first: u64,
        more: u64,
    },
    /// It is another word plus an offset.
    Offset {
        bits: Vec<u32>,
        base: Vec<u32>,
        offset: u64,
    },
}

/// All that a state says of words.
pub(super) type Condition = Vec<Fact>;

impl Cubes<'_, '_> {
    /// What the state that was added last says of words.
    pub(super) fn condition(&self) -> Condition {
        let blocks = &self.now.blocks.blocks;
        let fact = |block: &Block| {
            let bits = self.bits(block)?;
            if block.base == block.first {
                let Interval { first, more } = block.values;
                return (more != mask(block.width)).then_some(Fact::Values { bits, first, more });
            }
            let base = blocks.iter().find(|other| other.first == block.base)?;
            Some(Fact::Offset {
                bits,
                base: self.bits(base)?,
                offset: block.offset,
            })
        };
        blocks.iter().filter_map(fact).collect()
    }

    /// The columns of a word, lowest bit first; nothing if it has none.
    fn bits(&self, block: &Block) -> Option<Vec<u32>> {
        let symbols = block.first..block.first + block.width;
        let columns = symbols.map(|symbol| self.first_column[symbol as usize]);
        columns.map(|c| (c != u32::MAX).then_some(c)).collect()
    }
}

impl Writer {
    /// A condition as a formula.
    pub(super) fn condition(&mut self, condition: &Condition) -> u32 {
        let mut all = Vec::new();
        for fact in condition {
            match fact {
                Fact::Values { bits, first, more } => {
                    let bits = self.columns_of(bits);
                    let values = Interval {
                        first: *first,
                        more: *more,
                    };
                    let last = values.last(bits.len() as u32);
                    let lower = self.at_least(&bits, values.first);
                    let upper = self.at_most(&bits, last);
                    all.push(if last < values.first {
                        self.any(vec![lower, upper])
                    } else {
                        self.both(lower, upper)
                    });
                }
                Fact::Offset { bits, base, offset } => {
                    let (bits, base) = (self.columns_of(bits), self.columns_of(base));
                    all.extend(self.sum_equals(&base, *offset, &bits));
                }
            }
        }
        match all[..] {
            [] => self.add(Formula::Constant(true)),
            [only] => only,
            _ => self.add(Formula::And(all)),
        }
    }

    fn columns_of(&self, bits: &[u32]) -> Vec<u32> {
        let columns = bits.iter().map(|&column| self.columns[column as usize]);
        columns.collect()
    }

    fn choose(&mut self, bit: u32, yes: u32, no: u32) -> u32 {
        if yes == no {
            yes
        } else {
            self.add(Formula::Ite(bit, yes, no))
        }
    }

    /// Whether a word is at least a constant.
    fn at_least(&mut self, bits: &[u32], bound: u64) -> u32 {
        let yes = self.add(Formula::Constant(true));
        let no = self.add(Formula::Constant(false));
        let mut holds = yes;
        for (index, &bit) in bits.iter().enumerate() {
            holds = if bound >> index & 1 == 1 {
                self.choose(bit, holds, no)
            } else {
                self.choose(bit, yes, holds)
            };
        }
        holds
    }

    /// Whether a word is at most a constant.
    fn at_most(&mut self, bits: &[u32], bound: u64) -> u32 {
        let yes = self.add(Formula::Constant(true));
        let no = self.add(Formula::Constant(false));
        let mut holds = yes;
        for (index, &bit) in bits.iter().enumerate() {
            holds = if bound >> index & 1 == 1 {
                self.choose(bit, holds, yes)
            } else {
                self.choose(bit, no, holds)
            };
        }
        holds
    }

    /// That a word plus a constant is another word, bit by bit.
    fn sum_equals(&mut self, word: &[u32], constant: u64, sum: &[u32]) -> Vec<u32> {
        let mut carry = self.add(Formula::Constant(false));
        let mut equal = Vec::with_capacity(word.len());
        for (index, (&bit, &wanted)) in word.iter().zip(sum).enumerate() {
            let is_one = constant >> index & 1 == 1;
            let not_carry = self.add(Formula::Not(carry));
            // The sum of bit, carry and the constant's bit, and the carry out of it.
            let (odd, even) = if is_one {
                (carry, not_carry)
            } else {
                (not_carry, carry)
            };
            let total = self.add(Formula::Ite(bit, odd, even));
            let not_total = self.add(Formula::Not(total));
            equal.push(self.add(Formula::Ite(wanted, total, not_total)));
            carry = self.add(if is_one {
                Formula::Or(vec![bit, carry])
            } else {
                Formula::And(vec![bit, carry])
            });
        }
        equal
    }
}
