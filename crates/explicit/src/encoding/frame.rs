//! States with undetermined bits, opened for computing and sealed for storing.
//!
//! An open [`Frame`] has, for every bit, a value or a *symbol*; bits with the same symbol are
//! equal, whatever they are. So `x := y` of an undetermined `y` copies the symbol, and nothing is
//! decided. After the variables come the *entry bits*: one for each symbol with which the procedure
//! was entered (numbered in [`Shape::homes`]), so that a state says what it assumes of its entry.
//!
//! Sealed, symbols have no names: the words say which bits are undetermined; an undetermined bit
//! whose value bit is set is equal to the entry bit it started as (its *home*), which makes
//! variables that are never touched cost nothing; other equalities are listed as links to the first
//! bit of their class, those of neighbours as one. Then comes what [`Blocks`] say of whole words, in
//! terms of first bits. Equal states have equal words, and a state without undetermined bits is just
//! its values.

use crate::encoding::blocks::{Block, Blocks, Interval};
use crate::encoding::layout::Place;
use crate::encoding::tail::{Item, Kind};

const WORD_BITS: u32 = u64::BITS;

/// How a frame is divided: words of variables, then one entry bit per home.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'a> {
    /// Words of variables.
    pub(crate) words: usize,
    /// For each entry bit the bit of the variable that it was first, ascending.
    pub(crate) homes: &'a [u32],
    /// The lowest bits of variables.
    pub(crate) starts: &'a [u64],
}

impl Shape<'_> {
    /// Words of variables and entry bits.
    pub(crate) fn all_words(self) -> usize {
        self.words + self.homes.len().div_ceil(WORD_BITS as usize)
    }

    /// The number of an entry bit, counted over all words.
    pub(crate) fn entry_bit(self, index: usize) -> u32 {
        self.words as u32 * WORD_BITS + index as u32
    }
}

/// A state with a symbol for every undetermined bit. The value of an undetermined bit is 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Values of bits.
    pub(crate) values: Vec<u64>,
    /// Which bits are undetermined.
    pub(crate) unknown: Vec<u64>,
    /// Symbols of undetermined bits; other entries have no meaning.
    pub(crate) symbols: Vec<u32>,
    /// What was known of words when the state was opened.
    pub(crate) blocks: Blocks,
}

impl Frame {
    /// All bits known to be 0.
    pub(crate) fn reset(&mut self, words: usize) {
        self.values.clear();
        self.values.resize(words, 0);
        self.unknown.clear();
        self.unknown.resize(words, 0);
        self.symbols.resize(words * WORD_BITS as usize, 0);
    }

    /// Becomes a copy of the first words of another frame.
    pub(crate) fn copy_words(&mut self, other: &Frame, words: usize) {
        self.values.clear();
        self.values.extend_from_slice(&other.values[..words]);
        self.unknown.clear();
        self.unknown.extend_from_slice(&other.unknown[..words]);
        self.symbols.clear();
        let bits = words * WORD_BITS as usize;
        self.symbols.extend_from_slice(&other.symbols[..bits]);
    }

    /// Opens a sealed state; its symbols are numbered from `first`. Gives the first number that is
    /// not used.
    pub(crate) fn open(&mut self, sealed: &[u64], shape: Shape<'_>, first: u32) -> u32 {
        let all = shape.all_words();
        self.reset(all);
        self.blocks.clear();
        self.values.copy_from_slice(&sealed[..all]);
        if sealed.len() == all {
            return first;
        }
        self.unknown.copy_from_slice(&sealed[all..2 * all]);
        let tail = &sealed[2 * all..];
        let mut links = tail.iter().map(|&word| (Kind::of(word), Item::read(word)));
        // The bits that the next link is about and those they are equal to; behind all bits if
        // there is none.
        let mut next_link = || match links.next() {
            Some((Kind::Link, link)) => (link.bit, link.bit + link.length, link.other),
            _ => (u32::MAX, u32::MAX, 0),
        };
        let (mut linked, mut end, mut other) = next_link();
        let mut next = first;
        for bit in set_bits(&self.unknown[shape.words..]) {
            self.symbols[shape.entry_bit(0) as usize + bit as usize] = next;
            next += 1;
        }
        for word in 0..shape.words {
            let unknown = self.unknown[word];
            for bit in set_bits(&[unknown]) {
                let bit = word as u32 * WORD_BITS + bit;
                let is_home = self.values[word] >> (bit % WORD_BITS) & 1 == 1;
                while bit >= end {
                    (linked, end, other) = next_link();
                }
                self.symbols[bit as usize] = if is_home {
                    let home = shape.homes.binary_search(&bit);
                    let home = home.expect("only homes are marked as equal to their entry bit");
                    self.symbols[shape.entry_bit(home) as usize]
                } else if bit >= linked {
                    self.symbols[(other + bit - linked) as usize]
                } else {
                    next += 1;
                    next - 1
                };
            }
            self.values[word] &= !unknown;
        }
        if !tail.is_empty() {
            self.open_blocks(tail);
        }
        next
    }

    /// Reads what the end of a sealed state says of words.
    fn open_blocks(&mut self, tail: &[u64]) {
        let mut words = tail.iter();
        while let Some(&word) = words.next() {
            let Item { bit, other, length } = Item::read(word);
            let first = self.symbols[bit as usize];
            match Kind::of(word) {
                Kind::Link => {}
                Kind::Frozen => {
                    let bits = bit as usize..(bit + length) as usize;
                    self.blocks.frozen.extend(&self.symbols[bits]);
                }
                Kind::Values => {
                    let mut next = || *words.next().expect("an interval has two words");
                    let (first_value, more) = (next(), next());
                    let values = Interval {
                        first: first_value,
                        more,
                    };
                    self.blocks.blocks.push(Block {
                        is_pinned: other == 1,
                        ..Block::base(first, length, values)
                    });
                }
                Kind::Offset => {
                    let offset = *words.next().expect("an offset has a word");
                    let base = self.symbols[other as usize];
                    self.blocks.blocks.push(Block {
                        base,
                        offset,
                        ..Block::base(first, length, Interval::all(length))
                    });
                }
            }
        }
    }

    /// Appends the sealed form to `out`. Only the given live bits of variables count; all symbols
    /// are below `symbols`, and `blocks` says what is known of them.
    pub(crate) fn seal(
        &self,
        shape: Shape<'_>,
        live: &[u64],
        symbols: u32,
        blocks: &Blocks,
        out: &mut Sealer,
    ) {
        let all = shape.all_words();
        let start = out.words.len();
        let masks = || live.iter().copied().chain(std::iter::repeat(u64::MAX));
        let values = self.values[..all].iter().zip(masks());
        out.words.extend(values.map(|(value, mask)| value & mask));
        let unknown = self.unknown[..all].iter().zip(masks());
        if unknown.clone().all(|(unknown, mask)| unknown & mask == 0) {
            return;
        }
        out.words
            .extend(unknown.map(|(unknown, mask)| unknown & mask));
        out.seen.clear();
        out.seen.resize(symbols as usize, NOWHERE);
        for bit in set_bits(&self.unknown[shape.words..all]) {
            let bit = shape.entry_bit(bit as usize);
            out.seen[self.symbols[bit as usize] as usize] = bit;
        }
        for (word, &live) in live.iter().enumerate() {
            for bit in set_bits(&[self.unknown[word] & live]) {
                let bit = word as u32 * WORD_BITS + bit;
                let leader = &mut out.seen[self.symbols[bit as usize] as usize];
                if *leader == NOWHERE {
                    *leader = bit;
                } else if *leader >= shape.entry_bit(0)
                    && shape.homes[(*leader - shape.entry_bit(0)) as usize] == bit
                {
                    out.words[start + word] |= 1 << (bit % WORD_BITS);
                } else {
                    let other = *leader;
                    Item::push_link(&mut out.words, start + 2 * all, bit, other);
                }
            }
        }
        if !blocks.is_empty() {
            out.seal_blocks(blocks);
        }
    }

    /// Gives a place a known value.
    pub(crate) fn set(&mut self, place: Place, value: u64) {
        place.write(&mut self.values, value);
        place.write(&mut self.unknown, 0);
    }

    /// Gives a place a value with undetermined bits, whose symbols `symbol` knows.
    pub(crate) fn set_partial(
        &mut self,
        place: Place,
        value: u64,
        unknown: u64,
        symbol: impl Fn(u32) -> u32,
    ) {
        place.write(&mut self.values, value);
        place.write(&mut self.unknown, unknown);
        for bit in set_bits(&[unknown]) {
            self.symbols[(place.first_bit() + bit) as usize] = symbol(bit);
        }
    }

    /// Gives a place new symbols, from `first` on; gives the first number that is not used.
    pub(crate) fn set_fresh(&mut self, place: Place, first: u32) -> u32 {
        self.set_partial(place, 0, place.mask(), |bit| first + bit);
        first + place.width
    }

    /// The symbol of an undetermined bit among the live ones, if there is one.
    pub(crate) fn some_symbol(&self, live: &[u64]) -> Option<u32> {
        let words = self.unknown.iter().zip(live).enumerate();
        let (word, bits) = words
            .map(|(word, (unknown, live))| (word, unknown & live))
            .find(|&(_, bits)| bits != 0)?;
        let bit = word as u32 * WORD_BITS + bits.trailing_zeros();
        Some(self.symbols[bit as usize])
    }

    /// Replaces symbols that have been decided by their values.
    pub(crate) fn decide(&mut self, value_of: impl Fn(u32) -> Option<bool>) {
        for word in 0..self.unknown.len() {
            for bit in set_bits(&[self.unknown[word]]) {
                let symbol = self.symbols[word * WORD_BITS as usize + bit as usize];
                if let Some(value) = value_of(symbol) {
                    self.unknown[word] &= !(1 << bit);
                    self.values[word] |= u64::from(value) << bit;
                }
            }
        }
    }
}

/// Marks a symbol that has not been met.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Where states are sealed, with what that takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sealer {
    /// The words so far.
    pub(crate) words: Vec<u64>,
    /// For each symbol the bit where it was met first.
    pub(crate) seen: Vec<u32>,
}

/// The positions of set bits over some words, ascending.
pub(crate) fn set_bits(words: &[u64]) -> impl Iterator<Item = u32> + use<> {
    // Nearly all callers pass one word; longer runs are rare enough to be collected.
    let (first, rest) = words.split_first().map_or((0, &[][..]), |(w, r)| (*w, r));
    let mut later = Vec::new();
    for (index, &word) in rest.iter().enumerate() {
        later.extend(Bits(word).map(|bit| (index as u32 + 1) * WORD_BITS + bit));
    }
    Bits(first).chain(later)
}

struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: [u64; 1] = [u64::MAX];

    fn place(shift: u32) -> Place {
        let (word, width) = (0, 1);
        Place { word, shift, width }
    }

    fn sealed(frame: &Frame, shape: Shape<'_>, live: &[u64]) -> Vec<u64> {
        let mut sealer = Sealer::default();
        frame.seal(shape, live, 100, &Blocks::default(), &mut sealer);
        sealer.words
    }

    /// A frame of one word whose first bits are a value or a symbol.
    fn frame(bits: &[Result<bool, u32>], words: usize) -> Frame {
        let mut frame = Frame::default();
        frame.reset(words);
        for (shift, bit) in bits.iter().enumerate() {
            match *bit {
                Ok(value) => frame.set(place(shift as u32), u64::from(value)),
                Err(symbol) => frame.set_partial(place(shift as u32), 0, 1, |_| symbol),
            }
        }
        frame
    }

    #[test]
    fn names_of_symbols_do_not_matter_but_which_bits_share_one_does() {
        let shape = Shape {
            words: 1,
            homes: &[],
            starts: &[],
        };
        let seal = |bits: &[Result<bool, u32>]| sealed(&frame(bits, 1), shape, &LIVE);
        let shared = seal(&[Err(7), Ok(true), Err(7), Err(9)]);
        assert_eq!(shared, seal(&[Err(3), Ok(true), Err(3), Err(0)]));
        assert_ne!(shared, seal(&[Err(3), Ok(true), Err(0), Err(0)]));
        assert_ne!(shared, seal(&[Err(3), Ok(true), Err(1), Err(0)]));
        let mut opened = Frame::default();
        assert_eq!(opened.open(&shared, shape, 10), 12);
        assert_eq!(opened.symbols[0], opened.symbols[2]);
        assert_ne!(opened.symbols[0], opened.symbols[3]);
        assert_eq!(sealed(&opened, shape, &LIVE), shared);
    }

    #[test]
    fn a_variable_that_still_is_what_it_was_at_the_entry_needs_no_link() {
        let homes = [1, 2];
        let shape = Shape {
            words: 1,
            homes: &homes,
            starts: &[],
        };
        let mut both = frame(&[Ok(false), Err(4), Err(5)], 2);
        both.unknown[1] = 0b11;
        (both.symbols[64], both.symbols[65]) = (4, 5);
        let words = sealed(&both, shape, &LIVE);
        assert_eq!(words.len(), 4, "values and unknown bits of two words");
        let mut opened = Frame::default();
        opened.open(&words, shape, 0);
        assert_eq!(opened.symbols[1], opened.symbols[64]);
        assert_eq!(opened.symbols[2], opened.symbols[65]);
        // Exchanged, each equals the other's entry bit: that must be said.
        both.symbols.swap(1, 2);
        let swapped = sealed(&both, shape, &LIVE);
        assert_eq!(swapped.len(), 6);
        opened.open(&swapped, shape, 0);
        assert_eq!(opened.symbols[1], opened.symbols[65]);
        // Decided at the entry, decided now.
        both.decide(|symbol| (symbol == 4).then_some(true));
        assert_eq!(both.values, [0b100, 0b01]);
    }

    #[test]
    fn dead_bits_are_not_stored() {
        let shape = Shape {
            words: 1,
            homes: &[],
            starts: &[],
        };
        let words = sealed(&frame(&[Err(1), Ok(true), Ok(true)], 1), shape, &[0b010]);
        assert_eq!(words, [0b010]);
    }
}
