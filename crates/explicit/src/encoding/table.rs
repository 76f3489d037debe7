//! A set of packed states: the states in one arena, and an open-addressing table of their numbers.
//!
//! A state is some words; its number is a `u32`, in order of insertion. The table holds numbers and
//! finds the words in the arena, so a state costs its own words, seven or more bytes for the table
//! and, where states differ in length, four for where its words start. A byte of the hash stands
//! beside each number: nearly always it tells two states apart without a look at the arena, which
//! would be a cache miss.

/// The tag of an empty slot.
const EMPTY: u8 = 0;
/// Odd, with bits all over (from the golden ratio).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A set of packed states.
#[derive(Clone, Debug)]
pub(crate) struct StateTable {
    words: Vec<u64>,
    /// How many states there are.
    count: usize,
    /// How many words each state has, as long as all have the same number.
    width: usize,
    /// Otherwise: where the words of each state start, and at last where they end.
    starts: Vec<u32>,
    slots: Vec<u32>,
    tags: Vec<u8>,
}

impl Default for StateTable {
    fn default() -> Self {
        Self {
            words: Vec::new(),
            count: 0,
            width: 0,
            starts: Vec::new(),
            slots: vec![0; 64],
            tags: vec![EMPTY; 64],
        }
    }
}

impl StateTable {
    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The words of a state.
    pub(crate) fn get(&self, id: u32) -> &[u64] {
        let id = id as usize;
        if self.starts.is_empty() {
            return &self.words[id * self.width..(id + 1) * self.width];
        }
        &self.words[self.starts[id] as usize..self.starts[id + 1] as usize]
    }

    /// The number of a state and whether it is new; nothing if 32 bits do not suffice to number
    /// states or words.
    pub(crate) fn insert(&mut self, state: &[u64]) -> Option<(u32, bool)> {
        self.insert_hashed(state, hash(state))
    }

    /// The same for a state whose [`hash`] is known.
    pub(crate) fn insert_hashed(&mut self, state: &[u64], hash: u64) -> Option<(u32, bool)> {
        let tag = tag(hash);
        let slot = match self.look_up(state, hash) {
            Ok(id) => return Some((id, false)),
            Err(slot) => slot,
        };
        let id = u32::try_from(self.len()).ok()?;
        self.push(state)?;
        self.tags[slot] = tag;
        self.slots[slot] = id;
        if self.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        Some((id, true))
    }

    /// Adds a state to the arena. Nothing if 32 bits do not suffice to number words.
    fn push(&mut self, state: &[u64]) -> Option<()> {
        let end = u32::try_from(self.words.len() + state.len()).ok()?;
        if self.count == 0 {
            self.width = state.len();
        }
        if self.starts.is_empty() && self.width != state.len() {
            self.write_starts();
        }
        reserve(&mut self.words, state.len());
        self.words.extend_from_slice(state);
        if !self.starts.is_empty() {
            reserve(&mut self.starts, 1);
            self.starts.push(end);
        }
        self.count += 1;
        Some(())
    }

    /// Before the first state of another width.
    #[cold]
    fn write_starts(&mut self) {
        let starts = (0..=self.count).map(|id| (id * self.width) as u32);
        self.starts = starts.collect();
    }

    /// The number of a state, if it is there.
    pub(crate) fn find(&self, state: &[u64]) -> Option<u32> {
        self.look_up(state, hash(state)).ok()
    }

    /// The number of a state, or the empty slot where it belongs.
    fn look_up(&self, state: &[u64], hash: u64) -> Result<u32, usize> {
        let (mut slot, tag) = (first_slot(hash, self.slots.len()), tag(hash));
        loop {
            match self.tags[slot] {
                EMPTY => return Err(slot),
                other if other == tag => {
                    let id = self.slots[slot];
                    if self.get(id) == state {
                        return Ok(id);
                    }
                }
                _ => {}
            }
            slot = next_slot(slot, self.slots.len());
        }
    }

    /// Appends the states of another table; they have numbers, but cannot be found. Nothing if 32
    /// bits do not suffice to number words.
    pub(crate) fn append_unsearchable(&mut self, other: &StateTable) -> Option<()> {
        self.words.reserve_exact(other.words.len());
        (0..other.count as u32).try_for_each(|id| self.push(other.get(id)))
    }

    /// Makes room for states of two words.
    pub(crate) fn with_room(states: usize) -> Self {
        let slots = (states * 4 / 3 + 1).max(64);
        Self {
            words: Vec::with_capacity(2 * states),
            count: 0,
            width: 0,
            starts: Vec::new(),
            slots: vec![0; slots],
            tags: vec![EMPTY; slots],
        }
    }

    /// Forgets how to find states; they keep their numbers. There is no room for more.
    pub(crate) fn close(&mut self) {
        (self.slots, self.tags) = (Vec::new(), Vec::new());
        self.words.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    fn grow(&mut self) {
        let count = self.slots.len() * 2;
        let (mut slots, mut tags) = (vec![0; count], vec![EMPTY; count]);
        for id in 0..self.len() as u32 {
            let hash = hash(self.get(id));
            let (mut slot, tag) = (first_slot(hash, count), tag(hash));
            while tags[slot] != EMPTY {
                slot = next_slot(slot, count);
            }
            (slots[slot], tags[slot]) = (id, tag);
        }
        (self.slots, self.tags) = (slots, tags);
    }

    /// Bytes of all tables. Room for states that are not there yet is not counted: it has not been
    /// touched.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * 8 + self.starts.len() * 4 + self.slots.len() * 5
    }
}

/// Grows by a quarter where `Vec` would double: half-empty arenas would cost more than their
/// states.
pub(crate) fn reserve<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity() - items.len() < more {
        items.reserve_exact(more + items.len() / 4 + 16);
    }
}

/// Where to look for a state first: the table is as large as it has to be, not a power of two.
fn first_slot(hash: u64, slots: usize) -> usize {
    let share = u64::from((hash >> 16) as u32);
    ((share * slots as u64) >> 32) as usize
}

/// Where to look for it next.
fn next_slot(slot: usize, slots: usize) -> usize {
    if slot + 1 == slots { 0 } else { slot + 1 }
}

/// What stands beside its number.
fn tag(hash: u64) -> u8 {
    ((hash >> 56) as u8).max(EMPTY + 1)
}

/// Multiplies word by word and folds both halves of the product.
pub(crate) fn hash(words: &[u64]) -> u64 {
    let mut hash = MULTIPLIER;
    for &word in words {
        let product = u128::from(hash ^ word) * u128::from(MULTIPLIER);
        hash = (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(32);
    }
    (hash ^ hash >> 32).wrapping_mul(MULTIPLIER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_one_number_however_often_it_comes() {
        for table in [StateTable::default(), StateTable::with_room(1999)] {
            has_one_number_for_each_state(table);
        }
    }

    fn has_one_number_for_each_state(mut table: StateTable) {
        let state = |i: u64| vec![i % 1000, i / 1000, 7 * i][..(i % 3 + 1) as usize].to_vec();
        let mut first = std::collections::HashMap::new();
        for _ in 0..2 {
            for i in 0..5000 {
                let state = state(i);
                let next = first.len() as u32;
                let is_new = !first.contains_key(&state);
                let expected = *first.entry(state.clone()).or_insert(next);
                assert_eq!(table.insert(&state), Some((expected, is_new)));
            }
        }
        assert_eq!(table.len(), first.len());
        assert!((0..5000).all(|i| table.get(first[&state(i)]) == state(i)));
    }

    #[test]
    fn a_state_of_another_width_leaves_the_others_as_they_were() {
        let state = |i: u64| vec![i, 7 * i];
        let mut table = StateTable::default();
        for i in 0..100 {
            table.insert(&state(i));
        }
        assert_eq!(table.insert(&[5]), Some((100, true)));
        assert_eq!(table.insert(&state(99)), Some((99, false)));
        assert_eq!(table.insert(&state(100)), Some((101, true)));
        assert!((0..100).all(|i| table.get(i as u32) == state(i)));
        assert_eq!(
            (table.get(100), table.get(101)),
            (&[5][..], &state(100)[..])
        );
    }

    #[test]
    fn a_one_word_state_costs_at_most_thirty_bytes() {
        let mut table = StateTable::default();
        for i in 0..100_000 {
            table.insert(&[i]);
        }
        assert!(table.bytes() < 30 * table.len(), "{} bytes", table.bytes());
    }
}
