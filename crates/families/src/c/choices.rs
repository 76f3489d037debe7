//! The decisions behind a generated program.
//!
//! A generator asks for numbers and never sees where they come from: a seed, or a list. So a program
//! is made smaller without knowing C, by leaving out or lowering numbers of its list and generating
//! it again (the way of Hypothesis: `MacIver`, Donaldson, ECOOP 2020). What comes out is still a
//! program without undefined behaviour, because the generator makes no others. A list that has come
//! to its end gives zeros, so generators put their simplest alternative first.

use crate::random::Random;

/// A source of decisions that remembers them.
#[derive(Clone, Debug)]
pub struct Choices {
    source: Decider,
    taken: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Decider {
    Seed(Random),
    List(std::vec::IntoIter<u32>),
}

impl Choices {
    /// Random decisions.
    pub fn of_seed(seed: u64) -> Self {
        Self {
            source: Decider::Seed(Random::new(seed)),
            taken: Vec::new(),
        }
    }

    /// These decisions, then zeros.
    pub fn of_list(list: Vec<u32>) -> Self {
        Self {
            source: Decider::List(list.into_iter()),
            taken: Vec::new(),
        }
    }

    /// The decisions that were taken.
    pub fn into_taken(self) -> Vec<u32> {
        self.taken
    }

    /// A number from 0 to `count - 1`; 0 if `count` is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        let number = match &mut self.source {
            Decider::Seed(random) => random.below(count) as u32,
            Decider::List(list) => {
                let most = count.saturating_sub(1) as u32;
                list.next().unwrap_or_default().min(most)
            }
        };
        self.taken.push(number);
        number as usize
    }

    /// True in this many of a hundred cases; lowered decisions make it false.
    pub(super) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) >= 100 - chance
    }

    /// One of some things.
    pub(super) fn pick<'t>(&mut self, things: &[&'t str]) -> &'t str {
        let index = self.below(things.len());
        things.get(index).copied().unwrap_or_default()
    }
}

/// Lists of decisions that are smaller than the given one, those that leave out most first.
pub fn smaller(list: &[u32]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    let mut length = list.len();
    while length > 0 {
        for start in (0..list.len()).step_by(length) {
            let end = (start + length).min(list.len());
            let mut shorter = list.to_vec();
            shorter.drain(start..end);
            all.push(shorter);
            if list[start..end].iter().any(|&number| number > 0) {
                let mut lower = list.to_vec();
                lower[start..end].fill(0);
                all.push(lower);
            }
        }
        length /= 2;
    }
    for (index, &number) in list.iter().enumerate() {
        if number > 1 {
            for lower in [number / 2, number - 1] {
                let mut other = list.to_vec();
                other[index] = lower;
                all.push(other);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_repeats_what_a_seed_decided_and_ends_in_zeros() {
        let mut random = Choices::of_seed(3);
        let numbers: Vec<usize> = (0..20).map(|_| random.below(50)).collect();
        let taken = random.into_taken();
        let mut again = Choices::of_list(taken.clone());
        assert_eq!(
            (0..20).map(|_| again.below(50)).collect::<Vec<_>>(),
            numbers
        );
        assert_eq!((again.below(50), again.percent(99)), (0, false));
    }

    #[test]
    fn everything_smaller_is_shorter_or_lower() {
        let list = [4, 0, 7, 1];
        let sum = |list: &[u32]| list.iter().sum::<u32>();
        for other in smaller(&list) {
            assert!(
                other.len() < list.len() || sum(&other) < sum(&list),
                "{other:?}"
            );
        }
        assert!(smaller(&[]).is_empty());
    }
}
