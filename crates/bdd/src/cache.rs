//! The computed table: what operations gave before. Direct-mapped and lossy, so it never grows past
//! its share.

use crate::manager::Bdd;

/// The most entries there ever are.
const MAX_ENTRIES: usize = 1 << 22;

#[derive(Clone, Copy, Default)]
struct Entry {
    operation: u32,
    operands: [u32; 3],
    result: u32,
}

pub(crate) struct Cache {
    entries: Vec<Entry>,
}

/// Operation number 0 marks an empty entry.
const EMPTY: u32 = 0;

impl Cache {
    pub(crate) fn new() -> Self {
        Self {
            entries: vec![Entry::default(); 1 << 12],
        }
    }

    #[inline]
    fn slot(&self, operation: u32, operands: [u32; 3]) -> usize {
        let mixed = (u64::from(operation).wrapping_mul(0x9e37_79b9_7f4a_7c15))
            ^ (u64::from(operands[0]).wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
            ^ (u64::from(operands[1]).wrapping_mul(0x1656_67b1_9e37_79f9))
            ^ (u64::from(operands[2]).wrapping_mul(0x27d4_eb2f_1656_67c5));
        (mixed >> 24) as usize & (self.entries.len() - 1)
    }

    #[inline]
    pub(crate) fn get(&self, operation: u32, operands: [u32; 3]) -> Option<Bdd> {
        let entry = &self.entries[self.slot(operation, operands)];
        (entry.operation == operation && entry.operands == operands).then_some(Bdd(entry.result))
    }

    #[inline]
    pub(crate) fn put(&mut self, operation: u32, operands: [u32; 3], result: Bdd) {
        let slot = self.slot(operation, operands);
        self.entries[slot] = Entry {
            operation,
            operands,
            result: result.0,
        };
    }

    /// Grows with the number of nodes.
    pub(crate) fn fit(&mut self, nodes: usize) {
        if nodes <= self.entries.len() || self.entries.len() >= MAX_ENTRIES {
            return;
        }
        let size = (nodes * 2).next_power_of_two().min(MAX_ENTRIES);
        let old = std::mem::replace(&mut self.entries, vec![Entry::default(); size]);
        for entry in old {
            if entry.operation != EMPTY {
                self.put(entry.operation, entry.operands, Bdd(entry.result));
            }
        }
    }

    /// Forgets every entry that speaks of a node that is not marked.
    pub(crate) fn keep_marked(&mut self, marked: &[bool]) {
        for entry in &mut self.entries {
            let is_live = |&bdd: &u32| marked[Bdd(bdd).index()];
            if entry.operation != EMPTY
                && !(is_live(&entry.result) && entry.operands.iter().all(is_live))
            {
                *entry = Entry::default();
            }
        }
    }
}
