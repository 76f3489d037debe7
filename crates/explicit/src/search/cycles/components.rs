//! Strongly connected components along a path (Gabow, *Path-based depth-first search for strong and
//! biconnected components*, 2000).
//!
//! The open states stand on a stack in order of discovery; `bounds` divides it into the components
//! that the explored graph has so far along the path. A link back to an open state makes one
//! component of all that lie above it: early, so that the search can stop as soon as a component
//! with a cycle has something fair in it.

use crate::search::exploration::StateId;

const UNVISITED: u32 = 0;
const CLOSED: u32 = u32::MAX;

/// A component that is still open.
#[derive(Clone, Copy, Debug)]
struct Bound {
    /// Where it begins on the stack of open states.
    start: u32,
    /// Whether it has a fair state or a fair link inside.
    is_fair: bool,
    /// Whether the link that led to it is fair.
    entered_fairly: bool,
}

/// The components of one pass over the graph.
#[derive(Debug, Default)]
pub(crate) struct Components {
    /// For each state one more than its place on the stack, or one of the constants above.
    index: Vec<u32>,
    open: Vec<StateId>,
    bounds: Vec<Bound>,
}

/// What a state is to a link that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nothing yet.
    Unvisited,
    /// It may be on a cycle with the link.
    Open,
    /// Its component is complete.
    Closed,
}

impl Components {
    /// What a state is.
    pub(crate) fn seen(&self, state: StateId) -> Seen {
        match self.index.get(state as usize).copied().unwrap_or(UNVISITED) {
            UNVISITED => Seen::Unvisited,
            CLOSED => Seen::Closed,
            _ => Seen::Open,
        }
    }

    /// Opens a state as a component of its own.
    pub(crate) fn open(&mut self, state: StateId, is_fair: bool, entered_fairly: bool) {
        let start = self.open.len() as u32;
        self.open.push(state);
        if self.index.len() <= state as usize {
            self.index.resize(state as usize + 1, UNVISITED);
        }
        self.index[state as usize] = start + 1;
        self.bounds.push(Bound {
            start,
            is_fair,
            entered_fairly,
        });
    }

    /// A link from the last component leads to an open state: all components above that one's are
    /// one. Gives the states of the component if it is fair.
    pub(crate) fn close_cycle(&mut self, to: StateId, is_fair: bool) -> Option<&[StateId]> {
        let place = self.index[to as usize] - 1;
        let mut is_fair = is_fair;
        while let Some(&bound) = self.bounds.last() {
            if bound.start <= place {
                break;
            }
            is_fair |= bound.is_fair | bound.entered_fairly;
            self.bounds.pop();
        }
        let bound = self.bounds.last_mut()?;
        bound.is_fair |= is_fair;
        let start = bound.start as usize;
        bound.is_fair.then(|| &self.open[start..])
    }

    /// Everything from a state has been seen: if its component begins with it, the component is
    /// complete.
    pub(crate) fn leave(&mut self, state: StateId) {
        let place = self.index[state as usize] - 1;
        if self.bounds.last().is_some_and(|bound| bound.start == place) {
            self.bounds.pop();
            for member in self.open.drain(place as usize..) {
                self.index[member as usize] = CLOSED;
            }
        }
    }

    /// Bytes of all tables.
    pub(crate) fn bytes(&self) -> usize {
        (self.index.capacity() + self.open.capacity()) * 4
            + self.bounds.capacity() * size_of::<Bound>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_fair_if_a_state_or_a_link_of_it_is() {
        // 0 -> 1 -> 2 -> 1: the fair state 0 is on no cycle, the link from 0 to 1 neither.
        let mut components = Components::default();
        components.open(0, true, false);
        components.open(1, false, true);
        components.open(2, false, false);
        assert_eq!(components.close_cycle(1, false), None);
        // 2 -> 0 closes a larger one.
        assert_eq!(components.close_cycle(0, false), Some(&[0, 1, 2][..]));
    }

    #[test]
    fn a_self_loop_is_a_cycle_and_a_lone_state_is_none() {
        let mut components = Components::default();
        components.open(5, true, false);
        components.open(3, false, false);
        assert_eq!(components.close_cycle(3, false), None);
        assert_eq!(components.close_cycle(3, true), Some(&[3][..]));
        components.leave(3);
        assert_eq!(components.seen(3), Seen::Closed);
        assert_eq!(components.seen(5), Seen::Open);
        assert_eq!(components.close_cycle(5, false), Some(&[5][..]));
        components.leave(5);
        assert_eq!(components.seen(5), Seen::Closed);
        assert_eq!(components.seen(4), Seen::Unvisited);
    }
}
