//! The end of a sealed state: equal bits, and what is known of whole words.
//!
//! Each item starts with a word that has its kind and three numbers. An interval is followed by its
//! first value and how many follow it, an offset by its value. Items are in the order of the bits
//! that they speak of, kind by kind, and say everything in terms of the bits where symbols are met
//! first, so that equal states have equal words.

use crate::encoding::blocks::{Block, Blocks, mask};
use crate::encoding::frame::{NOWHERE, Sealer};

/// What an item says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Some bits are equal to others.
    Link,
    /// The word at a bit has an interval; `other` says whether it is pinned.
    Values,
    /// The word at a bit is that at another one plus an offset.
    Offset,
    /// Some bits are frozen.
    Frozen,
}

impl Kind {
    /// The kind of an item.
    pub(crate) fn of(word: u64) -> Self {
        match word >> 62 {
            0 => Self::Link,
            1 => Self::Values,
            2 => Self::Offset,
            _ => Self::Frozen,
        }
    }
}

/// The first word of an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// The first bit that it is about.
    pub(crate) bit: u32,
    /// The first bit that these are compared with.
    pub(crate) other: u32,
    /// How many bits, at most 64.
    pub(crate) length: u32,
}

const BITS: u32 = 28;

impl Item {
    /// Reads the first word of an item.
    pub(crate) fn read(word: u64) -> Self {
        Self {
            bit: (word >> BITS) as u32 & mask(BITS) as u32,
            other: word as u32 & mask(BITS) as u32,
            length: (word >> (2 * BITS) & 0x3f) as u32 + 1,
        }
    }

    fn write(self, kind: Kind) -> u64 {
        let Self { bit, other, length } = self;
        debug_assert!(bit | other <= mask(BITS) as u32, "states have fewer bits");
        (kind as u64) << 62
            | u64::from(length - 1) << (2 * BITS)
            | u64::from(bit) << BITS
            | u64::from(other)
    }

    /// Adds that a bit is equal to another one, to the last link from `start` on if that goes on
    /// so.
    pub(crate) fn push_link(words: &mut Vec<u64>, start: usize, bit: u32, other: u32) {
        if words.len() > start
            && let Some(last) = words.last_mut()
        {
            let item = Self::read(*last);
            let goes_on = item.bit + item.length == bit && item.other + item.length == other;
            if goes_on && item.length < u64::BITS {
                let length = item.length + 1;
                *last = Self { length, ..item }.write(Kind::Link);
                return;
            }
        }
        let length = 1;
        words.push(Self { bit, other, length }.write(Kind::Link));
    }
}

impl Sealer {
    /// Adds what is known of the words that were met.
    pub(crate) fn seal_blocks(&mut self, blocks: &Blocks) {
        let met = blocks.blocks.iter();
        let met = met.map(|block| (self.seen[block.first as usize], block));
        let mut met: Vec<(u32, &Block)> = met.filter(|&(bit, _)| bit != NOWHERE).collect();
        met.sort_unstable_by_key(|&(bit, _)| bit);
        for (index, &(bit, first)) in met.iter().enumerate() {
            if met[..index]
                .iter()
                .any(|(_, other)| other.base == first.base)
            {
                continue;
            }
            let (width, base) = (first.width, first.base);
            let mut family = blocks.blocks.iter().filter(|block| block.base == base);
            let is_pinned = family.any(|block| block.is_pinned);
            let values = blocks.values(base, width).plus(first.offset, width);
            let others = met[index + 1..]
                .iter()
                .filter(|(_, other)| other.base == base);
            if values.more == mask(width) && !is_pinned && others.clone().next().is_none() {
                continue;
            }
            let item = Item {
                bit,
                other: u32::from(is_pinned),
                length: width,
            };
            self.words
                .extend([item.write(Kind::Values), values.first, values.more]);
            for &(other_bit, other) in others {
                let item = Item {
                    bit: other_bit,
                    other: bit,
                    length: width,
                };
                let offset = other.offset.wrapping_sub(first.offset) & mask(width);
                self.words.extend([item.write(Kind::Offset), offset]);
            }
        }
        let frozen = blocks
            .frozen
            .iter()
            .map(|&symbol| self.seen[symbol as usize]);
        let mut frozen: Vec<u32> = frozen.filter(|&bit| bit != NOWHERE).collect();
        frozen.sort_unstable();
        frozen.dedup();
        for bit in frozen {
            let (other, length) = (0, 1);
            self.words
                .push(Item { bit, other, length }.write(Kind::Frozen));
        }
    }
}
