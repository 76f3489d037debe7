//! Many sets of small numbers that differ little from each other.
//!
//! The variables that matter at a node are mostly those of its neighbours, and the globals that a
//! procedure modifies mostly those of its callees. As a row of bits each, n sets of n numbers take
//! n² bits. Here a set is a tree whose leaves are words of 64 bits, equal trees are stored once,
//! and a set is a number: a set that differs from another in one element shares all but one path
//! with it, and sets are compared by comparing numbers.
//!
//! Operations recurse as deep as the tree: seven levels hold 16 million numbers.

const WORD_BITS: usize = u64::BITS as usize;
const CHILDREN: usize = 8;

/// A set in [`SharedSets`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct SetId(u32);

impl SetId {
    /// The empty set, at any level of a tree.
    pub const EMPTY: Self = Self(0);

    /// Its number; equal sets have equal ones.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// Sets of numbers below a bound.
#[derive(Clone, Debug)]
pub(crate) struct SharedSets {
    /// How many levels of nodes stand above the leaves.
    height: u32,
    leaves: Vec<u64>,
    nodes: Vec<[SetId; CHILDREN]>,
    known_leaves: Known<u64>,
    known_nodes: Known<[SetId; CHILDREN]>,
}

impl SharedSets {
    /// For sets of numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        let mut height = 0;
        while span(height) < bound {
            height += 1;
        }
        Self {
            height,
            leaves: vec![0],
            nodes: vec![[SetId::EMPTY; CHILDREN]],
            known_leaves: Known::from_iter([(0, SetId::EMPTY)]),
            known_nodes: Known::from_iter([([SetId::EMPTY; CHILDREN], SetId::EMPTY)]),
        }
    }

    /// Whether a set has an element.
    pub fn contains(&self, set: SetId, element: usize) -> bool {
        let (mut set, mut element) = (set, element);
        for height in (1..=self.height).rev() {
            let child = span(height - 1);
            set = self.nodes[set.0 as usize][element / child];
            element %= child;
        }
        self.leaves[set.0 as usize] >> element & 1 == 1
    }

    /// The set with one more element.
    pub fn insert(&mut self, set: SetId, element: usize) -> SetId {
        if self.contains(set, element) {
            return set;
        }
        self.change(self.height, set, element)
    }

    /// The set without an element.
    pub fn remove(&mut self, set: SetId, element: usize) -> SetId {
        if !self.contains(set, element) {
            return set;
        }
        self.change(self.height, set, element)
    }

    /// The set with an element it does not have, or without one that it has.
    fn change(&mut self, height: u32, set: SetId, element: usize) -> SetId {
        if height == 0 {
            return self.leaf(self.leaves[set.0 as usize] ^ 1 << element);
        }
        let child = span(height - 1);
        let mut children = self.nodes[set.0 as usize];
        let changed = &mut children[element / child];
        *changed = self.change(height - 1, *changed, element % child);
        self.node(children)
    }

    /// What is in either set.
    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        self.union_at(self.height, a, b)
    }

    fn union_at(&mut self, height: u32, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        self.combine(height, a, b, |a, b| a | b, Self::union_at)
    }

    /// What is in both sets.
    pub(crate) fn intersection(&mut self, a: SetId, b: SetId) -> SetId {
        self.intersection_at(self.height, a, b)
    }

    fn intersection_at(&mut self, height: u32, a: SetId, b: SetId) -> SetId {
        if a == b {
            return a;
        }
        if a == SetId::EMPTY || b == SetId::EMPTY {
            return SetId::EMPTY;
        }
        self.combine(height, a, b, |a, b| a & b, Self::intersection_at)
    }

    /// What is in the first set and not in the second.
    pub fn difference(&mut self, a: SetId, b: SetId) -> SetId {
        self.difference_at(self.height, a, b)
    }

    fn difference_at(&mut self, height: u32, a: SetId, b: SetId) -> SetId {
        if a == b || a == SetId::EMPTY {
            return SetId::EMPTY;
        }
        if b == SetId::EMPTY {
            return a;
        }
        self.combine(height, a, b, |a, b| a & !b, Self::difference_at)
    }

    fn combine(
        &mut self,
        height: u32,
        a: SetId,
        b: SetId,
        words: fn(u64, u64) -> u64,
        sets: fn(&mut Self, u32, SetId, SetId) -> SetId,
    ) -> SetId {
        if height == 0 {
            let [x, y] = [a, b].map(|set| self.leaves[set.0 as usize]);
            let both = words(x, y);
            return match both {
                _ if both == x => a,
                _ if both == y => b,
                _ => self.leaf(both),
            };
        }
        let [x, y] = [a, b].map(|set| self.nodes[set.0 as usize]);
        let both = std::array::from_fn(|i| sets(self, height - 1, x[i], y[i]));
        match both {
            _ if both == x => a,
            _ if both == y => b,
            _ => self.node(both),
        }
    }

    fn leaf(&mut self, word: u64) -> SetId {
        let next = SetId(self.leaves.len() as u32);
        let id = *self.known_leaves.entry(word).or_insert(next);
        if id == next {
            self.leaves.push(word);
        }
        id
    }

    fn node(&mut self, children: [SetId; CHILDREN]) -> SetId {
        let next = SetId(self.nodes.len() as u32);
        let id = *self.known_nodes.entry(children).or_insert(next);
        if id == next {
            self.nodes.push(children);
        }
        id
    }

    /// How many pieces are stored.
    #[cfg(test)]
    pub fn size(&self) -> usize {
        self.leaves.len() + self.nodes.len()
    }

    /// The elements of a set, ascending.
    pub fn iter(&self, set: SetId) -> impl Iterator<Item = usize> + '_ {
        let mut pending = vec![(self.height, set, 0)];
        let mut word = 0_u64;
        let mut first = 0;
        std::iter::from_fn(move || {
            while word == 0 {
                let (height, set, start) = pending.pop()?;
                if set == SetId::EMPTY {
                    continue;
                }
                if height == 0 {
                    (word, first) = (self.leaves[set.0 as usize], start);
                } else {
                    let children = self.nodes[set.0 as usize].into_iter().enumerate();
                    let child = |(i, set)| (height - 1, set, start + i * span(height - 1));
                    pending.extend(children.map(child).rev());
                }
            }
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            Some(first + bit)
        })
    }
}

type Known<T> = QuickMap<T, SetId>;

/// A map whose keys are a few numbers of our own making: where the usual hash, which is safe against
/// keys that somebody has chosen, would take longer than everything else.
pub type QuickMap<K, V> = rustc_hash::FxHashMap<K, V>;

/// How many numbers a tree of a height holds.
fn span(height: u32) -> usize {
    WORD_BITS * CHILDREN.pow(height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn sets_have_what_was_put_in_and_equal_sets_are_one() {
        for bound in [1, 64, 65, 512, 5000] {
            let mut sets = SharedSets::new(bound);
            let mut random = 0x2545_F491_4F6C_DD1D_u64;
            let mut some = || {
                let mut set = SetId::EMPTY;
                let mut expected = BTreeSet::new();
                for _ in 0..40 {
                    random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                    let element = (random >> 33) as usize % bound;
                    if (random >> 20).trailing_zeros() >= 2 {
                        set = sets.remove(set, element);
                        expected.remove(&element);
                    } else {
                        set = sets.insert(set, element);
                        expected.insert(element);
                    }
                }
                (set, expected)
            };
            let [(a, in_a), (b, in_b)] = [some(), some()];
            for (set, expected) in [(a, &in_a), (b, &in_b)] {
                assert!(sets.iter(set).eq(expected.iter().copied()));
                let again = expected.iter().rev();
                let again = again.fold(SetId::EMPTY, |set, &e| sets.insert(set, e));
                assert_eq!(again, set);
                assert!((0..bound).all(|e| sets.contains(set, e) == expected.contains(&e)));
            }
            let union = sets.union(a, b);
            assert!(sets.iter(union).eq(in_a.union(&in_b).copied()));
            let intersection = sets.intersection(a, b);
            assert!(
                sets.iter(intersection)
                    .eq(in_a.intersection(&in_b).copied())
            );
            let difference = sets.difference(a, b);
            assert!(sets.iter(difference).eq(in_a.difference(&in_b).copied()));
        }
    }

    #[test]
    fn sets_that_grow_by_one_element_share_the_rest() {
        let mut sets = SharedSets::new(100_000);
        let mut set = SetId::EMPTY;
        for element in 0..100_000 {
            set = sets.insert(set, element);
        }
        assert!(sets.nodes.len() < 400_000, "{}", sets.nodes.len());
        assert_eq!(sets.iter(set).count(), 100_000);
    }
}
