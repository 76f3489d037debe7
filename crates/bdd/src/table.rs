//! The nodes and the unique table that keeps each of them single.
//!
//! The table is open-addressed with linear probing. A slot has the hash of a node beside its index,
//! so nodes are looked at only where the hash is right, and growing and sweeping need not look at
//! them at all. Slots are in the order of hashes: growing reads and writes from front to back.

use crate::hash::spread;
use crate::manager::Bdd;
use crate::marks::Marks;

/// The level of the constant.
pub(crate) const TERMINAL_LEVEL: u32 = u32::MAX;
/// The level of a node that has been freed.
const FREE_LEVEL: u32 = u32::MAX - 1;
/// The end of the list of free nodes: the constant is never free.
const NONE: u32 = 0;

const FIRST_SLOTS: usize = 1 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    pub level: u32,
    pub low: Bdd,
    pub high: Bdd,
}

impl Node {
    #[inline]
    fn hash(self) -> u32 {
        let pair = u64::from(self.low.0) << 32 | u64::from(self.high.0);
        (spread(pair, self.level) >> 32) as u32
    }
}

/// The unique table: a slot is the hash of a node above its index, or 0 where there is no node.
struct Slots {
    words: Vec<u64>,
    /// How far a hash is shifted to give the first slot to look at.
    shift: u32,
}

impl Slots {
    /// The number of slots is a power of two.
    fn new(count: usize) -> Self {
        Self {
            words: vec![0; count],
            shift: u32::BITS - count.trailing_zeros(),
        }
    }

    #[inline]
    fn first(&self, hash: u32) -> usize {
        (hash >> self.shift) as usize
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.words.len() - 1)
    }

    /// Enters a node that is not there.
    fn put(&mut self, word: u64) {
        let mut slot = self.first((word >> 32) as u32);
        while self.words[slot] != 0 {
            slot = self.after(slot);
        }
        self.words[slot] = word;
    }

    /// Makes a table of this size of the nodes that are to be kept.
    fn rebuild(&mut self, count: usize, is_kept: impl Fn(usize) -> bool) {
        let old = std::mem::replace(self, Self::new(count));
        for word in old.words {
            if word != 0 && is_kept(word as u32 as usize) {
                self.put(word);
            }
        }
    }
}

/// Where a node that is not there yet belongs.
pub(crate) struct Vacancy {
    slot: usize,
    hash: u32,
}

pub(crate) struct Table {
    nodes: Vec<Node>,
    slots: Slots,
    /// The first free node; the handle of the next is its low edge.
    free: u32,
    live: usize,
}

impl Table {
    pub(crate) fn new() -> Self {
        let terminal = Node {
            level: TERMINAL_LEVEL,
            low: Bdd::TRUE,
            high: Bdd::TRUE,
        };
        Self {
            nodes: vec![terminal],
            slots: Slots::new(FIRST_SLOTS),
            free: NONE,
            live: 1,
        }
    }

    #[inline]
    pub(crate) fn node(&self, bdd: Bdd) -> &Node {
        let node = &self.nodes[bdd.index()];
        debug_assert!(
            node.level != FREE_LEVEL,
            "{bdd:?} was freed by a collection"
        );
        node
    }

    /// Nodes in use.
    #[inline]
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Slots ever used; indices are below this.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// The index of a node, or where it belongs.
    #[inline]
    pub(crate) fn find(&self, node: Node) -> Result<u32, Vacancy> {
        let hash = node.hash();
        let mut slot = self.slots.first(hash);
        loop {
            let word = self.slots.words[slot];
            if word == 0 {
                return Err(Vacancy { slot, hash });
            }
            let at = word as u32;
            if (word >> 32) as u32 == hash && self.nodes[at as usize] == node {
                return Ok(at);
            }
            slot = self.slots.after(slot);
        }
    }

    /// Adds a node where it belongs.
    #[inline]
    pub(crate) fn insert(&mut self, vacancy: Vacancy, node: Node) -> u32 {
        let at = if self.free == NONE {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        } else {
            let at = self.free;
            self.free = self.nodes[at as usize].low.0;
            self.nodes[at as usize] = node;
            at
        };
        self.slots.words[vacancy.slot] = u64::from(vacancy.hash) << 32 | u64::from(at);
        self.live += 1;
        let count = self.slots.words.len();
        if self.live > count / 8 * 5 {
            self.slots.rebuild(count * 2, |_| true);
        }
        at
    }

    /// Frees every node that is not marked. The first to be used again is the one with the lowest
    /// index, so that nodes made together are close together.
    pub(crate) fn sweep(&mut self, marks: &Marks) {
        self.free = NONE;
        self.live = 1;
        for (at, node) in self.nodes.iter_mut().enumerate().skip(1).rev() {
            if marks.contains(at) {
                self.live += 1;
            } else {
                node.level = FREE_LEVEL;
                node.low = Bdd(self.free);
                self.free = at as u32;
            }
        }
        let count = self.slots.words.len();
        self.slots.rebuild(count, |at| marks.contains(at));
    }
}
