//! The nodes and the unique table that keeps each of them single.
//!
//! The table is open-addressed with linear probing. A slot is 32 bits wide, as much of it as indices
//! leave free is a part of the node's hash, and nodes are looked at only where that part is right:
//! small slots and few looks keep the table within the processor's caches.

use crate::hash::spread;
use crate::manager::Bdd;
use crate::marks::Marks;

/// The level of the constant.
pub(crate) const TERMINAL_LEVEL: u32 = u32::MAX;
/// The level of a node that has been freed.
const FREE_LEVEL: u32 = u32::MAX - 1;
/// The end of the list of free nodes: the constant is never free.
const NONE: u32 = 0;

const FIRST_BITS: u32 = 10;
/// Below this a table grows in larger steps.
const QUICK_BITS: u32 = 20;

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

/// The unique table: a slot is the index of a node below lower bits of its hash, or 0 where there
/// is no node. There are more slots than indices.
struct Slots {
    words: Vec<u32>,
    /// The binary logarithm of their number, which is not 0.
    bits: u32,
}

impl Slots {
    fn new(bits: u32) -> Self {
        Self {
            words: vec![0; 1 << bits],
            bits,
        }
    }

    /// The first slot to look at: by the upper bits, which are not in slots.
    #[inline]
    fn first(&self, hash: u32) -> usize {
        (hash >> (u32::BITS - self.bits)) as usize
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.words.len() - 1)
    }

    #[inline]
    fn word(&self, hash: u32, index: u32) -> u32 {
        hash << self.bits | index
    }

    /// The index in a slot that has the right part of the hash.
    #[inline]
    fn index(&self, word: u32, hash: u32) -> Option<u32> {
        let index = word & (self.words.len() as u32 - 1);
        (word == self.word(hash, index)).then_some(index)
    }
}

/// Where a node that is not there yet belongs.
#[derive(Clone, Copy)]
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
            slots: Slots::new(FIRST_BITS),
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
            if let Some(at) = self.slots.index(word, hash)
                && self.nodes[at as usize] == node
            {
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
        self.slots.words[vacancy.slot] = self.slots.word(vacancy.hash, at);
        self.live += 1;
        at
    }

    /// As many nodes can be there before there are more slots.
    pub(crate) fn room(&self) -> usize {
        self.slots.words.len() / 8 * 5
    }

    /// Grows with the number of nodes: every node has to be placed anew, so a small table grows to
    /// four times its size at once.
    pub(crate) fn fit(&mut self, nodes: usize) {
        if nodes > self.room() {
            let bits = self.slots.bits;
            self.rebuild(bits + if bits < QUICK_BITS { 2 } else { 1 });
        }
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
        self.rebuild(self.slots.bits);
    }

    fn rebuild(&mut self, bits: u32) {
        let mut slots = Slots::new(bits);
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            if node.level != FREE_LEVEL {
                let hash = node.hash();
                let mut slot = slots.first(hash);
                while slots.words[slot] != 0 {
                    slot = slots.after(slot);
                }
                slots.words[slot] = slots.word(hash, at as u32);
            }
        }
        self.slots = slots;
    }
}
