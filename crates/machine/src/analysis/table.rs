//! A list of items per row, all in one allocation: predecessors of nodes, call sites of procedures.

/// For each row a list of items.
#[derive(Clone, Debug)]
pub struct Table<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Table<T> {
    /// Sorts `(row, item)` pairs into `rows` rows; items of one row keep their order. The pairs are
    /// gone through twice, so that they need not be kept.
    pub fn new(rows: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        // A row starts one place further on than it will, until its items are there.
        let mut starts: Vec<u32> = vec![0; rows + 2];
        for (row, _) in pairs.clone() {
            starts[row + 2] += 1;
        }
        for row in 0..rows {
            starts[row + 2] += starts[row + 1];
        }
        let some = pairs.clone().next().map(|(_, item)| item);
        let mut items = some.map_or(Vec::new(), |item| vec![item; starts[rows + 1] as usize]);
        for (row, item) in pairs {
            let start = &mut starts[row + 1];
            items[*start as usize] = item;
            *start += 1;
        }
        starts.pop();
        Self { starts, items }
    }

    /// The items of a row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_in_their_row_in_the_order_given() {
        let table = Table::new(4, [(2, 'a'), (0, 'b'), (2, 'c')].into_iter());
        assert_eq!(table.row(0), ['b']);
        assert!(table.row(1).is_empty() && table.row(3).is_empty());
        assert_eq!(table.row(2), ['a', 'c']);
    }
}
