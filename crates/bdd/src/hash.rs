//! How words become places in tables.

use crate::manager::Bdd;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A number whose upper bits depend on all bits of the operands.
#[inline]
pub(crate) fn spread(pair: u64, third: u32) -> u64 {
    let mixed = pair ^ u64::from(third).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A set of functions for one look at them: their handles are our own making, so that nothing has
/// to be guarded against.
pub(crate) type BddSet = HashSet<Bdd, BuildHasherDefault<HandleHasher>>;
/// The same with something for each.
pub(crate) type BddMap<T> = HashMap<Bdd, T, BuildHasherDefault<HandleHasher>>;

#[derive(Default)]
pub(crate) struct HandleHasher(u64);

impl Hasher for HandleHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, word: u32) {
        // The tables of the standard library take places from the lower bits.
        self.0 = spread(self.0, word).rotate_left(32);
    }
}
