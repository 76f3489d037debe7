//! Garbage collection: the caller names what it still needs, everything else goes.
//!
//! There are no reference counts, so copying a handle costs nothing; in exchange only the caller
//! knows the roots, and only between operations. Handles that survive stay valid.

use crate::manager::{Bdd, Manager};

impl Manager<'_> {
    /// Frees all nodes that no root needs.
    pub fn collect(&mut self, roots: impl IntoIterator<Item = Bdd>) {
        let mut marked = vec![false; self.table.capacity()];
        marked[0] = true;
        let mut pending: Vec<Bdd> = Vec::new();
        for root in roots {
            pending.push(root);
            while let Some(bdd) = pending.pop() {
                if !std::mem::replace(&mut marked[bdd.index()], true) {
                    let node = self.table.node(bdd);
                    pending.push(node.low);
                    pending.push(node.high);
                }
            }
        }
        self.table.sweep(&marked);
        self.cache.keep_marked(&marked);
    }
}
