//! Lanes beside a column of rows: each line from some rows to one row runs in a lane, and lines in
//! one lane do not overlap.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// A line that joins all steps to one row from one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The first row it touches.
    pub top: usize,
    /// The last row it touches.
    pub bottom: usize,
}

/// The lane of each line, from 0 outwards, and how many lanes there are. Lines that meet in a row
/// get different lanes.
pub(super) fn assign(lines: &[Line]) -> (Vec<usize>, usize) {
    let mut by_top: Vec<usize> = (0..lines.len()).collect();
    // Of lines that start together the shorter one takes the inner lane, so that they nest.
    by_top.sort_by_key(|&index| (lines[index].top, lines[index].bottom));
    let mut assigned = vec![0; lines.len()];
    let mut count = 0;
    let mut free = BTreeSet::new();
    let mut ends: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    for index in by_top {
        while let Some(&Reverse((bottom, lane))) = ends.peek()
            && bottom < lines[index].top
        {
            ends.pop();
            free.insert(lane);
        }
        let lane = free.pop_first().unwrap_or_else(|| {
            count += 1;
            count - 1
        });
        assigned[index] = lane;
        ends.push(Reverse((lines[index].bottom, lane)));
    }
    (assigned, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_meet_get_different_lanes_and_others_share_one() {
        let line = |top, bottom| Line { top, bottom };
        let lines = [line(0, 9), line(1, 3), line(3, 5), line(4, 5), line(6, 8)];
        let (assigned, count) = assign(&lines);
        assert_eq!(assigned, [0, 1, 2, 1, 1]);
        assert_eq!(count, 3);
    }
}
