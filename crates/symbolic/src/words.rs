//! Orders of bits in which integers that meet are interleaved.
//!
//! Orders are found for whole variables, Booleans being integers of one bit. Integers that meet (see
//! [`hardbop_machine::analysis::words`]) become a block, whose place is the middle of theirs; in a
//! block come the highest bits of all its integers first, then the next, and so on. Variables of
//! different procedures may share bits; such a bit stands where it is met first.

use hardbop_machine::analysis::words::{beside_inputs, each_meeting};
use hardbop_machine::{EdgeId, Machine, ProcId, Variable};
use std::collections::BTreeMap;
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

    /// Makes one block of the integers that meet on some edge of a machine. `word` gives the number
    /// of a variable, nothing for one that has no place in the order.
    pub fn join_those_that_meet(
        &mut self,
        machine: &Machine,
        word: impl Fn(ProcId, Variable) -> Option<usize>,
    ) {
        if self.bits.iter().all(|bits| bits.len() <= 1) {
            return;
        }
        for edge in machine.edge_ids() {
            each_meeting(machine, edge, |met| {
                let mut placed = met
                    .words
                    .iter()
                    .filter_map(|&(owner, met)| word(owner, met));
                if let Some(first) = placed.next() {
                    placed.for_each(|other| self.join(first, other));
                }
            });
        }
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
        self.blocks(order).concat()
    }

    /// The bits of each block, first to last, for an order of all variables.
    pub fn blocks(&mut self, order: &[usize]) -> Vec<Vec<u32>> {
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
        let end = self.bits.iter().map(|bits| bits.end).max().unwrap_or(0);
        let mut is_placed = vec![false; end as usize];
        let of_block = |block: usize| {
            let members = &members[block];
            let width = members.iter().map(|&word| self.bits[word].len()).max();
            let mut list = Vec::new();
            for bit in (0..width.unwrap_or(0)).rev() {
                let bits = members.iter().map(|&word| &self.bits[word]);
                let wide = bits.filter(|bits| bits.len() > bit);
                let numbers = wide.map(|bits| bits.start + bit as u32);
                list.extend(
                    numbers.filter(|&at| !std::mem::replace(&mut is_placed[at as usize], true)),
                );
            }
            list
        };
        blocks.into_iter().map(of_block).collect()
    }
}

/// The BDD variables of the choices of those edges that have some beside an integer. `beside` gives
/// the variable of a choice that stands beside a bit; others are numbered from `first` on.
pub fn choices_beside_integers(
    machine: &Machine,
    first: u32,
    beside: impl Fn(ProcId, Variable, u8) -> u32,
) -> BTreeMap<EdgeId, Vec<u32>> {
    let mut all = BTreeMap::new();
    for edge in machine.edge_ids() {
        let words = beside_inputs(machine, edge);
        if words.iter().all(Option::is_none) {
            continue;
        }
        let mut choices: Vec<u32> = Vec::new();
        for (ty, word) in machine.edge(edge).inputs.iter().zip(words) {
            for bit in 0..ty.width() {
                let place = word.map(|(owner, variable)| beside(owner, variable, bit as u8));
                // Locals of caller and callee may share bits, two choices may not.
                let place = place.filter(|place| !choices.contains(place));
                choices.push(place.unwrap_or(first + choices.len() as u32));
            }
        }
        all.insert(edge, choices);
    }
    all
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
    fn a_bit_that_variables_share_has_one_place() {
        // x and y of one procedure, a Boolean and z of another.
        let mut words = Words::new(vec![0..2, 2..4, 0..1, 1..3]);
        words.join(0, 1);
        assert_eq!(
            words.blocks(&[0, 1, 2, 3]),
            [vec![1, 3, 0, 2], vec![], vec![]]
        );
    }

    #[test]
    fn booleans_keep_their_order() {
        let mut words = Words::new((0..4).map(|bit| bit..bit + 1).collect());
        assert_eq!(words.interleaved(&[2, 0, 3, 1]), [2, 0, 3, 1]);
    }
}
