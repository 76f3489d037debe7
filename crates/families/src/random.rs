//! The random numbers of the generator: Vigna's splitmix64, the same on every platform and in every
//! version.
//!
//! A seed that once found a bug must find it again, so no library's generator is used: those may
//! change their streams.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `count - 1`; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        if count == 0 {
            return 0;
        }
        (self.next_number() % count as u64) as usize
    }

    /// A number from 0 to `most`.
    pub(crate) fn up_to(&mut self, most: u32) -> u32 {
        self.below(most as usize + 1) as u32
    }

    /// True in this many of a hundred cases.
    pub fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance as usize
    }

    /// One of some things; nothing if there are none.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        let index = self.below(things.len());
        things.get(index)
    }

    /// The index of one of some weights, each as likely as it is heavy; 0 if all are zero.
    pub(crate) fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: usize = weights.iter().map(|&weight| weight as usize).sum();
        let mut rest = self.below(total);
        for (index, &weight) in weights.iter().enumerate() {
            match rest.checked_sub(weight as usize) {
                Some(left) => rest = left,
                None => return index,
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next_number()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn a_weight_of_zero_is_never_picked() {
        let mut random = Random::new(1);
        let mut counts = [0; 4];
        for _ in 0..1000 {
            counts[random.weighted(&[0, 3, 0, 1])] += 1;
        }
        assert_eq!((counts[0], counts[2]), (0, 0));
        assert!(counts[1] > 2 * counts[3], "{counts:?}");
    }
}
