//! Garbage collection: the caller names what it still needs, everything else goes.
//!
//! There are no reference counts, so copying a handle costs nothing; in exchange only the caller
//! knows the roots, and only between operations. Handles that survive stay valid. Whatever holds
//! handles across a collection implements [`Roots`] beside its fields, so that whoever adds a field
//! sees what it has to name.

use crate::manager::{Bdd, Manager};
use crate::marks::Marks;
use crate::record::Operation;
use std::collections::BTreeMap;

/// Holds BDDs across a collection.
pub trait Roots {
    /// Calls `keep` with each of them.
    fn each_root(&self, keep: &mut dyn FnMut(Bdd));
}

impl Roots for Bdd {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        keep(*self);
    }
}

impl<T: Roots + ?Sized> Roots for &T {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        (**self).each_root(keep);
    }
}

impl<T: Roots> Roots for Option<T> {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        if let Some(part) = self {
            part.each_root(keep);
        }
    }
}

impl<T: Roots, const N: usize> Roots for [T; N] {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        for part in self {
            part.each_root(keep);
        }
    }
}

impl<T: Roots> Roots for Vec<T> {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        for part in self {
            part.each_root(keep);
        }
    }
}

impl<K, T: Roots> Roots for BTreeMap<K, T> {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        for part in self.values() {
            part.each_root(keep);
        }
    }
}

impl<A: Roots, B: Roots> Roots for (A, B) {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        self.0.each_root(keep);
        self.1.each_root(keep);
    }
}

/// A time or a number beside a BDD.
impl Roots for u64 {
    fn each_root(&self, _: &mut dyn FnMut(Bdd)) {}
}

impl Manager<'_> {
    /// Frees all nodes that no root needs.
    pub fn collect(&mut self, roots: &dyn Roots) {
        self.record(&Operation::Collect(roots), Bdd::TRUE);
        let mut marks = Marks::new(self.table.capacity());
        marks.insert(Bdd::TRUE.index());
        let mut pending: Vec<Bdd> = Vec::new();
        roots.each_root(&mut |root| {
            pending.push(root);
            while let Some(bdd) = pending.pop() {
                if marks.insert(bdd.index()) {
                    let node = self.table.node(bdd);
                    pending.push(node.low);
                    pending.push(node.high);
                }
            }
        });
        self.note_peak();
        self.table.sweep(&marks);
        self.cache.keep_marked(&marks);
    }
}
