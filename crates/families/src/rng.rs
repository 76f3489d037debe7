//! A small seeded random number generator: splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
//!
//! Written here rather than taken from a crate so that a family's text for a given size and seed
//! never changes with a dependency's version: benchmark figures stay comparable.

use crate::random::Random;

/// A splitmix64 stream.
#[derive(Debug, Clone)]
pub(crate) struct Rng(Random);

impl Rng {
    /// The stream that belongs to `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// A number in `0..bound`. `bound` must not be zero; the bias of the modulus is far below what
    /// a generated program can show.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        (self.0.next_number() % u64::from(bound)) as u32
    }

    /// True in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// One element of `items`, which must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }

    /// `count` different elements of `items` (all of them if there are fewer), in random order.
    pub(crate) fn sample<'a, T>(&mut self, items: &'a [T], count: usize) -> Vec<&'a T> {
        let mut pool: Vec<&T> = items.iter().collect();
        let count = count.min(pool.len());
        for chosen in 0..count {
            let rest = (pool.len() - chosen) as u32;
            pool.swap(chosen, chosen + self.below(rest) as usize);
        }
        pool.truncate(count);
        pool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_no_element_twice() {
        let items: Vec<u32> = (0..20).collect();
        let mut rng = Rng::new(7);
        for _ in 0..50 {
            let mut sample = rng.sample(&items, 8);
            sample.sort();
            sample.dedup();
            assert_eq!(sample.len(), 8);
        }
        assert_eq!(rng.sample(&items, 99).len(), 20);
    }
}
