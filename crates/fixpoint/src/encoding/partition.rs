//! Union-find, with the smallest member as the representative so that results do not depend on the
//! order of unions.

pub(crate) struct Partition {
    parent: Vec<u32>,
}

impl Partition {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            parent: (0..size as u32).collect(),
        }
    }

    pub(crate) fn find(&mut self, at: usize) -> usize {
        let mut at = at as u32;
        while self.parent[at as usize] != at {
            let above = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = above;
            at = above;
        }
        at as usize
    }

    /// Joins two representatives; gives the new one and the one that is none any more.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> (usize, usize) {
        let (kept, dropped) = (a.min(b), a.max(b));
        self.parent[dropped] = kept as u32;
        (kept, dropped)
    }
}
