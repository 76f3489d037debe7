//! Dense sets of small numbers: one bit per element.
//!
//! [`BitSet`] is a single set, [`BitRows`] many sets in one allocation. A machine can have millions of nodes, and a
//! heap block for each of their sets would cost more than the sets themselves.

const WORD_BITS: usize = u64::BITS as usize;

/// A set of numbers below a fixed bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
    bound: usize,
}

impl BitSet {
    /// The empty set of numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        Self {
            words: vec![0; bound.div_ceil(WORD_BITS)],
            bound,
        }
    }

    /// The set of all numbers below `bound`.
    pub fn full(bound: usize) -> Self {
        let mut set = Self::new(bound);
        for element in 0..bound {
            set.insert(element);
        }
        set
    }

    /// Adds an element; whether it is new.
    pub fn insert(&mut self, element: usize) -> bool {
        debug_assert!(element < self.bound);
        insert_bit(&mut self.words, element)
    }

    /// Takes an element out.
    pub fn remove(&mut self, element: usize) {
        debug_assert!(element < self.bound);
        remove_bit(&mut self.words, element);
    }

    /// Whether it has an element; numbers past the bound are not in the set.
    pub fn contains(&self, element: usize) -> bool {
        element < self.bound && contains_bit(&self.words, element)
    }

    /// How many elements it has.
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The bound given at construction.
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// The elements, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        iter_bits(&self.words)
    }
}

/// A fixed number of sets, each with a bound of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitRows {
    words: Vec<u64>,
    starts: Vec<usize>,
}

impl BitRows {
    /// One empty set for each bound.
    pub fn new(bounds: impl IntoIterator<Item = usize>) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        starts.extend(bounds.into_iter().map(|bound| {
            end += bound.div_ceil(WORD_BITS);
            end
        }));
        Self {
            words: vec![0; end],
            starts,
        }
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no sets.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an element to a set; whether it is new.
    pub fn insert(&mut self, row: usize, element: usize) -> bool {
        let range = self.starts[row]..self.starts[row + 1];
        insert_bit(&mut self.words[range], element)
    }

    /// Whether a set has an element.
    pub fn contains(&self, row: usize, element: usize) -> bool {
        contains_bit(self.words(row), element)
    }

    /// The elements of a set, ascending.
    pub fn iter(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        iter_bits(self.words(row))
    }

    /// Adds all elements of set `from` to set `to`, which must have the same bound.
    pub fn add_row(&mut self, to: usize, from: usize) {
        let (to, from) = (self.starts[to], self.starts[from]..self.starts[from + 1]);
        for (offset, index) in from.enumerate() {
            self.words[to + offset] |= self.words[index];
        }
    }

    /// Adds the elements of `words` (element `i` is bit `i % 64` of word `i / 64`); whether there was a new one.
    pub(crate) fn add_words(&mut self, row: usize, words: &[u64]) -> bool {
        let range = self.starts[row]..self.starts[row + 1];
        let mut grown = false;
        for (old, &new) in self.words[range].iter_mut().zip(words) {
            grown |= new & !*old != 0;
            *old |= new;
        }
        grown
    }

    /// A set as words.
    pub(crate) fn words(&self, row: usize) -> &[u64] {
        &self.words[self.starts[row]..self.starts[row + 1]]
    }
}

pub(crate) fn insert_bit(words: &mut [u64], element: usize) -> bool {
    let (word, bit) = (&mut words[element / WORD_BITS], 1 << (element % WORD_BITS));
    let new = *word & bit == 0;
    *word |= bit;
    new
}

pub(crate) fn remove_bit(words: &mut [u64], element: usize) {
    words[element / WORD_BITS] &= !(1 << (element % WORD_BITS));
}

pub(crate) fn contains_bit(words: &[u64], element: usize) -> bool {
    words[element / WORD_BITS] & (1 << (element % WORD_BITS)) != 0
}

fn iter_bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                index * WORD_BITS + bit
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_what_is_put_in_across_word_borders() {
        let mut set = BitSet::new(130);
        assert!(set.insert(0) && set.insert(63) && set.insert(64) && set.insert(129));
        assert!(!set.insert(64));
        set.remove(63);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 64, 129]);
        assert!(!set.contains(500));
        assert_eq!(BitSet::full(130).count(), 130);
    }

    #[test]
    fn rows_do_not_touch_each_other() {
        let mut rows = BitRows::new([3, 0, 70, 70]);
        rows.insert(0, 2);
        rows.insert(2, 69);
        rows.add_row(3, 2);
        assert!(rows.insert(3, 0));
        assert_eq!(rows.iter(0).collect::<Vec<_>>(), [2]);
        assert_eq!(rows.iter(1).count(), 0);
        assert_eq!(rows.iter(2).collect::<Vec<_>>(), [69]);
        assert_eq!(rows.iter(3).collect::<Vec<_>>(), [0, 69]);
        assert!(!rows.add_words(3, &[1, 0]) && rows.add_words(3, &[2, 0]));
    }
}
