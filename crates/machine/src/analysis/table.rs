//! A list of items per row, all in one allocation: predecessors of nodes, call sites of procedures.

/// For each row a list of items.
#[derive(Clone, Debug)]
pub struct Table<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Table<T> {
    /// Sorts `(row, item)` pairs into `rows` rows; items of one row keep their order.
    pub fn new(rows: usize, mut pairs: Vec<(usize, T)>) -> Self {
        pairs.sort_by_key(|&(row, _)| row);
        let mut starts = vec![0; rows + 1];
        for &(row, _) in &pairs {
            starts[row + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        Self {
            starts,
            items: pairs.into_iter().map(|(_, item)| item).collect(),
        }
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
        let table = Table::new(4, vec![(2, 'a'), (0, 'b'), (2, 'c')]);
        assert_eq!(table.row(0), ['b']);
        assert!(table.row(1).is_empty() && table.row(3).is_empty());
        assert_eq!(table.row(2), ['a', 'c']);
    }
}
