//! The computed table: what operations gave before. Direct-mapped and lossy, so it never grows past
//! its share.
//!
//! An entry is one `u128`. So it lies in one cache line, a comparison is one of words, and a new
//! table of zeros is memory that the system gives without it being written. The place of an entry
//! is given by the top bits of its hash, so entries keep their order when the table grows, and it
//! grows where it is. Four neighbours, whose first operands differ in their last bits only, share a
//! cache line: nodes are made in the order in which a recursion comes by them, so the next step of
//! the next recursion often asks for a neighbour.
//!
//! There are as many to twice as many entries as nodes. With half of that, wide searches wait less
//! for memory, but some searches forget what they need: `examples/calculus/milner-scheduler.mu`
//! then takes 200 times the work. Such a strain shows in work that makes no new nodes, and the table
//! grows.

use crate::hash::spread;
use crate::manager::Bdd;
use crate::marks::Marks;

/// The most entries there ever are: 32 MB. Twice as many answer more, but memory that no cache of
/// the processor holds answers too slowly for that to pay.
const MAX_ENTRIES: usize = 1 << 21;
/// Both are powers of two, as is every number of entries.
const FIRST_ENTRIES: usize = 1 << 12;

/// More steps for each new node than this are too many; a usual search takes 2 to 5.
const STRAIN: u64 = 8;

/// An operation with its operands: the upper three words of an entry, whose lowest word is the
/// result. No key is 0, which marks an empty entry.
#[derive(Clone, Copy)]
pub(crate) struct Key(u128);

/// Set in the word of the operation if that word is a third operand instead: handles have 31 bits.
const THREE_OPERANDS: u32 = 1 << 31;

/// The bits of the first operand in which neighbours differ: the lowest is the complement.
const NEIGHBOURS: u64 = 0b110 << 32;

impl Key {
    /// An operation, which is not 0, on two operands.
    #[inline]
    pub(crate) fn new(operation: u32, f: Bdd, g: Bdd) -> Self {
        Self(u128::from(f.0) << 96 | u128::from(g.0) << 64 | u128::from(operation) << 32)
    }

    /// The one operation on three operands.
    #[inline]
    pub(crate) fn if_then_else(c: Bdd, f: Bdd, g: Bdd) -> Self {
        Self::new(g.0 | THREE_OPERANDS, c, f)
    }

    /// The same for neighbours.
    #[inline]
    fn hash(self) -> u64 {
        spread((self.0 >> 64) as u64 & !NEIGHBOURS, (self.0 >> 32) as u32)
    }

    /// Different for neighbours. The second operand has a say, so that what is asked of the same
    /// nodes beside other ones is not always in the same quarter of a line.
    #[inline]
    fn offset(self) -> usize {
        let pair = (self.0 >> 64) as u64;
        ((pair >> 33 ^ pair >> 1) & 3) as usize
    }
}

/// Where an entry belongs. The table may have grown since: then the entry is not found any more,
/// which is a loss and no error.
#[derive(Clone, Copy)]
pub(crate) struct Place(usize);

pub(crate) struct Cache {
    entries: Vec<u128>,
    /// How far a hash is shifted to give a place.
    shift: u32,
}

impl Cache {
    pub(crate) fn new() -> Self {
        Self {
            entries: vec![0; FIRST_ENTRIES],
            shift: u64::BITS - FIRST_ENTRIES.trailing_zeros(),
        }
    }

    #[inline]
    fn place(&self, key: Key) -> usize {
        (key.hash() >> self.shift) as usize ^ key.offset()
    }

    /// What the operation gave before, or the place for what it gives now.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Result<Bdd, Place> {
        let place = self.place(key);
        let entry = self.entries[place];
        let result = entry as u32;
        if entry ^ key.0 == u128::from(result) {
            return Ok(Bdd(result));
        }
        Err(Place(place))
    }

    #[inline]
    pub(crate) fn put(&mut self, Place(place): Place, key: Key, result: Bdd) {
        self.entries[place] = key.0 | u128::from(result.0);
    }

    /// As many nodes can be there before it grows.
    pub(crate) fn room(&self) -> usize {
        match self.entries.len() {
            MAX_ENTRIES.. => usize::MAX,
            entries => entries,
        }
    }

    /// Grows with the number of nodes.
    pub(crate) fn fit(&mut self, nodes: usize) {
        while nodes > self.room() {
            self.grow(self.entries.len() * 2);
        }
    }

    /// Grows if entries seem to be forgotten before they are asked for: this much work was done
    /// since the last time, but so few nodes came of it. Says whether it has grown.
    pub(crate) fn relieve(&mut self, work: u64, made: usize) -> bool {
        let entries = self.entries.len();
        let is_strained = entries < MAX_ENTRIES && work > STRAIN * entries.max(made) as u64;
        if is_strained {
            self.grow(entries * 2);
        }
        is_strained
    }

    /// Moves entries apart, the last one first, so that none comes to a line in which others still
    /// wait to be moved. (Of a line that becomes two, a few displace each other.)
    fn grow(&mut self, count: usize) {
        let before = self.entries.len();
        self.entries.resize(count, 0);
        self.shift = u64::BITS - count.trailing_zeros();
        for at in (0..before).rev() {
            let entry = std::mem::take(&mut self.entries[at]);
            if entry != 0 {
                let place = self.place(Key(entry));
                self.entries[place] = entry;
            }
        }
    }

    /// Forgets every entry that speaks of a node that is not marked.
    pub(crate) fn keep_marked(&mut self, marks: &Marks) {
        let is_kept = |word: u32| marks.contains(Bdd(word).index());
        for entry in &mut self.entries {
            if *entry == 0 {
                continue;
            }
            let [result, third, second, first] =
                [0, 32, 64, 96].map(|word| (*entry >> word) as u32);
            let is_third_kept = || third & THREE_OPERANDS == 0 || is_kept(third & !THREE_OPERANDS);
            if !(is_kept(second) && is_kept(first) && is_kept(result) && is_third_kept()) {
                *entry = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys with all kinds of operands: neighbours, complements, three operands.
    fn keys() -> impl Iterator<Item = Key> {
        (2..700).flat_map(|f| {
            let (g, operation) = (Bdd(f * 7919), 1 + f % 5);
            [
                Key::new(operation, Bdd(f), g),
                Key::if_then_else(Bdd(f), g, Bdd(f + 1)),
            ]
        })
    }

    #[test]
    fn growing_keeps_most_of_what_is_known() {
        let mut cache = Cache::new();
        for (number, key) in keys().enumerate() {
            if let Err(place) = cache.get(key) {
                cache.put(place, key, Bdd(number as u32));
            }
        }
        let known =
            |cache: &Cache| -> Vec<Option<Bdd>> { keys().map(|key| cache.get(key).ok()).collect() };
        let before = known(&cache);
        cache.fit(FIRST_ENTRIES + 1);
        assert_eq!(cache.entries.len(), FIRST_ENTRIES * 2);
        let after = known(&cache);
        assert!(
            before
                .iter()
                .zip(&after)
                .all(|(one, other)| other.is_none() || one == other)
        );
        let [before, after] = [before, after].map(|known| known.iter().flatten().count());
        assert!(before > 1000);
        assert!(after * 20 > before * 19, "{before} {after}");
    }

    #[test]
    fn an_answer_that_comes_after_the_table_has_grown_is_not_taken_for_another() {
        let mut cache = Cache::new();
        let places: Vec<_> = keys()
            .filter_map(|key| Some((key, cache.get(key).err()?)))
            .collect();
        cache.fit(FIRST_ENTRIES + 1);
        for (number, &(key, place)) in places.iter().enumerate() {
            cache.put(place, key, Bdd(number as u32));
        }
        for (number, (key, _)) in places.iter().enumerate() {
            assert!(cache.get(*key).is_err() || cache.get(*key).ok() == Some(Bdd(number as u32)));
        }
    }
}
