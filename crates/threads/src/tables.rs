//! Things with numbers, and rows of such numbers: what configurations are stored in.

use hardbop_machine::analysis::QuickMap;
use std::hash::Hash;
use std::rc::Rc;

/// Marks a slot of the index without an entry.
const EMPTY: u32 = u32::MAX;
/// Odd, with bits all over (from the golden ratio).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A set of rows of one width, in one array with an index beside it.
#[derive(Clone, Debug)]
pub(crate) struct Configurations {
    width: usize,
    cells: Vec<u32>,
    /// Open addressing; at most half full.
    slots: Vec<u32>,
}

impl Configurations {
    /// No rows yet; each will have this many numbers.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width,
            cells: Vec::new(),
            slots: vec![EMPTY; 64],
        }
    }

    /// How many numbers a row has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.cells.len() / self.width
    }

    /// A row.
    pub(crate) fn get(&self, id: u32) -> &[u32] {
        let start = id as usize * self.width;
        &self.cells[start..start + self.width]
    }

    /// The number of a row, which is added if it is new.
    pub(crate) fn insert(&mut self, row: &[u32]) -> u32 {
        debug_assert_eq!(row.len(), self.width);
        let slot = self.find(row);
        if self.slots[slot] != EMPTY {
            return self.slots[slot];
        }
        let id = self.len() as u32;
        self.slots[slot] = id;
        self.cells.extend_from_slice(row);
        if self.len() * 2 > self.slots.len() {
            self.slots = vec![EMPTY; self.slots.len() * 2];
            for id in 0..self.len() as u32 {
                let slot = self.find(self.get(id));
                self.slots[slot] = id;
            }
        }
        id
    }

    /// Bytes of the tables, slack included.
    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.cells.capacity() + self.slots.capacity()) as u64
    }

    /// The slot with the row, or the one where it belongs.
    fn find(&self, row: &[u32]) -> usize {
        let mask = self.slots.len() - 1;
        let mut hash = MULTIPLIER;
        for &cell in row {
            hash = (hash ^ u64::from(cell)).wrapping_mul(MULTIPLIER);
            hash ^= hash >> 32;
        }
        let mut slot = hash as usize & mask;
        while self.slots[slot] != EMPTY && self.get(self.slots[slot]) != row {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// Numbers things in the order in which they come.
#[derive(Clone, Debug)]
pub(crate) struct Numbering<T> {
    numbers: QuickMap<Rc<T>, u32>,
    things: Vec<Rc<T>>,
}

impl<T> Default for Numbering<T> {
    fn default() -> Self {
        Self {
            numbers: QuickMap::default(),
            things: Vec::new(),
        }
    }
}

impl<T: Eq + Hash> Numbering<T> {
    /// The number of a thing.
    pub(crate) fn number(&mut self, thing: T) -> u32 {
        if let Some(&number) = self.numbers.get(&thing) {
            return number;
        }
        let number = self.things.len() as u32;
        let thing = Rc::new(thing);
        self.things.push(Rc::clone(&thing));
        self.numbers.insert(thing, number);
        number
    }

    /// How many things there are.
    pub(crate) fn len(&self) -> usize {
        self.things.len()
    }

    /// The thing with a number.
    pub(crate) fn get(&self, number: u32) -> &Rc<T> {
        &self.things[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_one_number_however_often_it_comes() {
        let mut table = Configurations::new(2);
        let row = |i: u32| [i % 100, i / 100];
        for _ in 0..2 {
            for i in 0..5000 {
                assert_eq!(table.insert(&row(i)), i);
            }
        }
        assert_eq!(table.len(), 5000);
        assert!((0..5000).all(|i| table.get(i) == row(i)));
    }
}
