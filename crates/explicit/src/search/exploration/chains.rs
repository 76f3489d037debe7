//! Many short lists in one arena.
//!
//! Each root has a list of callers and one of exits, most of them of one item, and long programs
//! have many roots: a vector for each list would take more room than what it holds. Here the items
//! of all lists lie in one vector, each with the number of the next of its list. Items are added at
//! the end of a list, also while somebody goes through it.

use crate::encoding::table::reserve;

/// The items of some lists.
#[derive(Clone, Debug)]
pub(crate) struct Chains<T>(Vec<Link<T>>);

#[derive(Clone, Debug)]
struct Link<T> {
    item: T,
    next: u32,
}

/// A list: its first and its last item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    first: u32,
    last: u32,
}

/// No item.
const NONE: u32 = u32::MAX;

impl Default for Chain {
    fn default() -> Self {
        Self {
            first: NONE,
            last: NONE,
        }
    }
}

impl<T> Default for Chains<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Chains<T> {
    /// Adds an item to a list; nothing if 32 bits do not suffice to number items.
    pub(crate) fn push(&mut self, chain: &mut Chain, item: T) -> Option<()> {
        let number = u32::try_from(self.0.len()).ok().filter(|&n| n < NONE - 1)?;
        reserve(&mut self.0, 1);
        self.0.push(Link { item, next: NONE });
        match chain.first {
            NONE => chain.first = number,
            _ => self.0[chain.last as usize].next = number,
        }
        chain.last = number;
        Some(())
    }

    /// The number of the item after one of a list, or of its first.
    pub(crate) fn after(&self, chain: Chain, item: Option<u32>) -> Option<u32> {
        let next = item.map_or(chain.first, |item| self.0[item as usize].next);
        (next != NONE).then_some(next)
    }

    /// An item.
    pub(crate) fn get(&self, number: u32) -> &T {
        &self.0[number as usize].item
    }

    /// The same, to change it.
    pub(crate) fn get_mut(&mut self, number: u32) -> &mut T {
        &mut self.0[number as usize].item
    }

    /// Bytes of all items.
    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * size_of::<Link<T>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_grow_in_turns_keep_their_own_items_in_order() {
        let mut chains = Chains::default();
        let mut lists = [Chain::default(); 3];
        for item in 0..30 {
            let list = &mut lists[item % 3];
            assert_eq!(chains.after(*list, None).is_none(), item < 3);
            assert_eq!(chains.push(list, item), Some(()));
        }
        for (number, &list) in lists.iter().enumerate() {
            let mut at = None;
            let next = || {
                at = chains.after(list, at);
                at.map(|at| *chains.get(at))
            };
            let items: Vec<usize> = std::iter::from_fn(next).collect();
            assert!(items.into_iter().eq((number..30).step_by(3)));
        }
    }
}
