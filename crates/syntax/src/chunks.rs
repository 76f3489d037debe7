//! A growing list in pieces of one size.
//!
//! A tree of a large program takes as much memory as the machine that is made of it. In pieces, it
//! is never copied while it grows, and [`Chunks::release_before`] gives back what has been read.

use std::ops::{Index, IndexMut};

/// Items in a piece: so many that the allocator is not kept from giving memory back to the system
/// by pieces that come one after another.
const SIZE: usize = 8192;

/// A list in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunks<T> {
    pieces: Vec<Vec<T>>,
    len: usize,
    released: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            len: 0,
            released: 0,
        }
    }
}

impl<T: Clone> Chunks<T> {
    /// The same item so many times.
    pub fn filled(item: T, len: usize) -> Self {
        let starts = (0..len).step_by(SIZE);
        let pieces = starts.map(|start| vec![item.clone(); SIZE.min(len - start)]);
        Self {
            pieces: pieces.collect(),
            len,
            released: 0,
        }
    }
}

impl<T> Chunks<T> {
    /// How many items there are, released ones included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an item.
    pub fn push(&mut self, item: T) {
        if self.len.is_multiple_of(SIZE) {
            // A short list stays small: `Vec` grows from nothing in the first piece.
            let room = if self.len == 0 { 0 } else { SIZE };
            self.pieces.push(Vec::with_capacity(room));
        }
        self.pieces[self.len / SIZE].push(item);
        self.len += 1;
    }

    /// The items in order; those of released pieces are left out.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flatten()
    }

    /// The same, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.pieces.iter_mut().flatten()
    }

    /// Drops pieces whose items all stand before an index. They must not be asked for any more.
    pub fn release_before(&mut self, index: usize) {
        let end = (index / SIZE).min(self.pieces.len());
        while self.released < end {
            self.pieces[self.released] = Vec::new();
            self.released += 1;
        }
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.pieces[index / SIZE][index % SIZE]
    }
}

impl<T> IndexMut<usize> for Chunks<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.pieces[index / SIZE][index % SIZE]
    }
}

impl<'c, T> IntoIterator for &'c Chunks<T> {
    type Item = &'c T;
    type IntoIter = std::iter::Flatten<std::slice::Iter<'c, Vec<T>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.pieces.iter().flatten()
    }
}

impl<'c, T> IntoIterator for &'c mut Chunks<T> {
    type Item = &'c mut T;
    type IntoIter = std::iter::Flatten<std::slice::IterMut<'c, Vec<T>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.pieces.iter_mut().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_items_are_gone_and_all_others_keep_their_place() {
        let mut list = Chunks::default();
        (0..50_000).for_each(|i| list.push(i));
        assert!(list.iter().copied().eq(0..50_000));
        list.release_before(3 * SIZE - 1);
        assert_eq!(list.iter().next(), Some(&(2 * SIZE)));
        assert!((2 * SIZE..50_000).all(|i| list[i] == i));
        list.push(50_000);
        assert_eq!((list.len(), list[50_000]), (50_001, 50_000));
    }

    #[test]
    fn a_filled_list_goes_on_like_any_other() {
        for len in [0, 1, SIZE, SIZE + 1] {
            let mut list = Chunks::filled(7, len);
            list.push(8);
            assert!(list.iter().take(len).all(|&item| item == 7));
            assert_eq!((list.len(), list[len]), (len + 1, 8));
        }
    }
}
