//! A set of nodes, one bit for each.

pub(crate) struct Marks {
    words: Vec<u64>,
}

impl Marks {
    /// The empty set, for nodes below `count`.
    pub(crate) fn new(count: usize) -> Self {
        Self {
            words: vec![0; count.div_ceil(64)],
        }
    }

    /// Adds a node and says whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, index: usize) -> bool {
        let word = &mut self.words[index / 64];
        let bit = 1 << (index % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[inline]
    pub(crate) fn contains(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 1
    }
}
