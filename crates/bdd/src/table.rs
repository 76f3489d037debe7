//! The nodes and the unique table that keeps each of them single.

use crate::manager::Bdd;

/// The level of the constant.
pub(crate) const TERMINAL_LEVEL: u32 = u32::MAX;
/// The level of a node that has been freed.
const FREE_LEVEL: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub level: u32,
    pub low: Bdd,
    pub high: Bdd,
    /// The next node in the same bucket, or in the list of free nodes.
    next: u32,
}

pub(crate) struct Table {
    nodes: Vec<Node>,
    buckets: Vec<u32>,
    free: u32,
    live: usize,
}

impl Table {
    pub(crate) fn new() -> Self {
        let terminal = Node {
            level: TERMINAL_LEVEL,
            low: Bdd::TRUE,
            high: Bdd::TRUE,
            next: NONE,
        };
        Self {
            nodes: vec![terminal],
            buckets: vec![NONE; 1 << 10],
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
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Slots ever used; indices are below this.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    fn bucket(&self, level: u32, low: Bdd, high: Bdd) -> usize {
        let mixed = (u64::from(level).wrapping_mul(0x9e37_79b9_7f4a_7c15))
            ^ (u64::from(low.0).wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
            ^ (u64::from(high.0).wrapping_mul(0x1656_67b1_9e37_79f9));
        (mixed >> 20) as usize & (self.buckets.len() - 1)
    }

    /// The node with these parts, if there is one.
    #[inline]
    pub(crate) fn find(&self, level: u32, low: Bdd, high: Bdd) -> Option<u32> {
        let mut at = self.buckets[self.bucket(level, low, high)];
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.level == level && node.low == low && node.high == high {
                return Some(at);
            }
            at = node.next;
        }
        None
    }

    /// Adds a node that is not there yet.
    pub(crate) fn insert(&mut self, level: u32, low: Bdd, high: Bdd) -> u32 {
        if self.live >= self.buckets.len() {
            self.rehash(self.buckets.len() * 2);
        }
        let bucket = self.bucket(level, low, high);
        let node = Node {
            level,
            low,
            high,
            next: self.buckets[bucket],
        };
        let at = if self.free == NONE {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        } else {
            let at = self.free;
            self.free = self.nodes[at as usize].next;
            self.nodes[at as usize] = node;
            at
        };
        self.buckets[bucket] = at;
        self.live += 1;
        at
    }

    /// Frees every node that is not marked.
    pub(crate) fn sweep(&mut self, marked: &[bool]) {
        self.free = NONE;
        self.live = 1;
        for (at, node) in self.nodes.iter_mut().enumerate().skip(1) {
            if marked[at] {
                self.live += 1;
            } else {
                node.level = FREE_LEVEL;
                node.next = self.free;
                self.free = at as u32;
            }
        }
        self.rehash(self.buckets.len());
    }

    fn rehash(&mut self, size: usize) {
        self.buckets.clear();
        self.buckets.resize(size, NONE);
        for at in 1..self.nodes.len() {
            let Node {
                level, low, high, ..
            } = self.nodes[at];
            if level != FREE_LEVEL {
                let bucket = self.bucket(level, low, high);
                self.nodes[at].next = self.buckets[bucket];
                self.buckets[bucket] = at as u32;
            }
        }
    }
}
