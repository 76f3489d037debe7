//! Remembers what was made last, so that equal things need not be made or kept twice.
//!
//! Procedures of generated programs repeat each other, often thousands of times. A table of
//! everything made so far would find all repetitions, and cost more than it saves where there are
//! none. This one has a fixed size and forgets.

use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// How many numbers are remembered.
const SLOTS: usize = 1024;

/// Numbers of things by the hash of what they were made from.
#[derive(Clone, Debug)]
pub struct Recent(Box<[Option<u32>]>);

impl Default for Recent {
    fn default() -> Self {
        Self(vec![None; SLOTS].into())
    }
}

impl Recent {
    /// The number of the same thing if it is remembered; otherwise `next`, which is remembered.
    pub fn get_or(&mut self, key: impl Hash, next: u32, is_same: impl FnOnce(u32) -> bool) -> u32 {
        let hash = FxBuildHasher.hash_one(key);
        let slot = &mut self.0[(hash >> 32) as usize % SLOTS];
        match *slot {
            Some(known) if is_same(known) => known,
            _ => *slot.insert(next),
        }
    }
}
