//! Orders of bits in which integers that meet are interleaved.
//!
//! Orders are found for whole variables, Booleans being integers of one bit. Integers that meet (see
//! [`hardbop_machine::analysis::words`]) become a block, whose place is the middle of theirs; in a
//! block come the highest bits of all its integers first, then the next, and so on.

use std::ops::Range;

/// Variables as ranges of bits, and which of them are in one block.
#[derive(Clone, Debug)]
pub struct Words {
    bits: Vec<Range<u32>>,
    /// Towards the first word of the block.
    parents: Vec<usize>,
}

impl Words {
    /// Variables of these bits, each a block of its own.
    pub fn new(bits: Vec<Range<u32>>) -> Self {
        let parents = (0..bits.len()).collect();
        Self { bits, parents }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Makes one block of the blocks of two variables.
    pub fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.block(one), self.block(other));
        self.parents[one.max(other)] = one.min(other);
    }

    fn block(&mut self, word: usize) -> usize {
        let mut block = word;
        while self.parents[block] != block {
            self.parents[block] = self.parents[self.parents[block]];
            block = self.parents[block];
        }
        block
    }

    /// The order of bits for an order of all variables.
    pub fn interleaved(&mut self, order: &[usize]) -> Vec<u32> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        let mut places = vec![0; self.len()];
        for (place, &word) in order.iter().enumerate() {
            let block = self.block(word);
            members[block].push(word);
            places[block] += place;
        }
        let mut blocks: Vec<usize> = (0..self.len())
            .filter(|&b| !members[b].is_empty())
            .collect();
        // The middle as a fraction, compared without dividing.
        blocks.sort_by(|&a, &b| {
            let (left, right) = (places[a] * members[b].len(), places[b] * members[a].len());
            left.cmp(&right).then(a.cmp(&b))
        });
        let mut list = Vec::new();
        for block in blocks {
            let members = &members[block];
            let width = members.iter().map(|&word| self.bits[word].len()).max();
            for bit in (0..width.unwrap_or(0)).rev() {
                let bits = members.iter().map(|&word| &self.bits[word]);
                let wide = bits.filter(|bits| bits.len() > bit);
                list.extend(wide.map(|bits| bits.start + bit as u32));
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_that_meet_are_interleaved_and_others_stay_whole() {
        // a, x (3 bits), b, y (2 bits), z (2 bits)
        let mut words = Words::new(vec![0..1, 1..4, 4..5, 5..7, 7..9]);
        words.join(1, 3);
        let order = words.interleaved(&[0, 1, 2, 3, 4]);
        assert_eq!(order, [0, 3, 2, 6, 1, 5, 4, 8, 7]);
    }

    #[test]
    fn booleans_keep_their_order() {
        let mut words = Words::new((0..4).map(|bit| bit..bit + 1).collect());
        assert_eq!(words.interleaved(&[2, 0, 3, 1]), [2, 0, 3, 1]);
    }
}
