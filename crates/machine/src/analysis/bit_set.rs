//! A dense set of small numbers: one bit per element.

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
        let word = &mut self.words[element / WORD_BITS];
        let bit = 1 << (element % WORD_BITS);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Takes an element out.
    pub fn remove(&mut self, element: usize) {
        debug_assert!(element < self.bound);
        self.words[element / WORD_BITS] &= !(1 << (element % WORD_BITS));
    }

    /// Whether it has an element; numbers past the bound are not in the set.
    pub fn contains(&self, element: usize) -> bool {
        element < self.bound && self.words[element / WORD_BITS] >> (element % WORD_BITS) & 1 == 1
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

    /// The smallest element that is not below `start`.
    pub(crate) fn first_from(&self, start: usize) -> Option<usize> {
        let mut index = start / WORD_BITS;
        let mut word = self.words.get(index)? >> (start % WORD_BITS) << (start % WORD_BITS);
        while word == 0 {
            index += 1;
            word = *self.words.get(index)?;
        }
        Some(index * WORD_BITS + word.trailing_zeros() as usize)
    }
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
        let next = [0, 1, 64, 65, 129, 130, 1000].map(|start| set.first_from(start));
        let expected = [
            Some(0),
            Some(64),
            Some(64),
            Some(129),
            Some(129),
            None,
            None,
        ];
        assert_eq!(next, expected);
        assert_eq!(BitSet::full(130).count(), 130);
    }
}
