//! A list that takes one word where it stands. Changing its length copies it.
//!
//! Most statements have no labels, most edges no inputs and most calls no arguments. A program has
//! hundreds of thousands of statements and edges, a run millions of steps: three words for each list
//! would be most of their memory. An empty list is a null pointer; any other points to a slice.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut, RangeBounds};

/// A list in one word.
#[derive(Clone, PartialEq, Eq)]
pub struct List<T>(Option<Box<Box<[T]>>>);

impl<T> List<T> {
    /// Whether it has no items.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Changes it as a vector.
    pub fn edit<R>(&mut self, change: impl FnOnce(&mut Vec<T>) -> R) -> R {
        let mut items = Vec::from(std::mem::take(self));
        let result = change(&mut items);
        *self = items.into();
        result
    }

    /// Keeps the items of which `is_kept` is true.
    pub fn retain(&mut self, is_kept: impl FnMut(&T) -> bool) {
        self.edit(|items| items.retain(is_kept));
    }

    /// Takes out the item at a position.
    pub fn remove(&mut self, at: usize) -> T {
        self.edit(|items| items.remove(at))
    }

    /// Puts items in the place of those of a range.
    pub fn splice(&mut self, range: impl RangeBounds<usize>, with: impl IntoIterator<Item = T>) {
        self.edit(|items| drop(items.splice(range, with)));
    }

    /// Takes out all items.
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Some(items) => items,
            None => &[],
        }
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Some(items) => items,
            None => &mut [],
        }
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        Self((!items.is_empty()).then(|| Box::new(items.into_boxed_slice())))
    }
}

impl<T> From<List<T>> for Vec<T> {
    fn from(list: List<T>) -> Self {
        list.0.map_or(Vec::new(), |items| items.into_vec())
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<T> Extend<T> for List<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        self.edit(|items| items.extend(more));
    }
}

impl<T> IntoIterator for List<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        Vec::from(self).into_iter()
    }
}

impl<'l, T> IntoIterator for &'l List<T> {
    type Item = &'l T;
    type IntoIter = std::slice::Iter<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'l, T> IntoIterator for &'l mut List<T> {
    type Item = &'l mut T;
    type IntoIter = std::slice::IterMut<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: Hash> Hash for List<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.deref().hash(state);
    }
}

impl<T: Serialize> Serialize for List<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.deref().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}
