//! Search in order of distance: the runs it finds are shortest.
//!
//! Distance is hierarchical (Bebop, section 3.2): a call that returns is one step, however long the
//! callee takes. So a summary that is found late can be a short cut, and plain breadth-first order
//! is not enough. Two things make up for it. A state that gets a shorter distance is advanced
//! again. And states are taken in order of the *least distance that anything derived from them can
//! have*: for a state of the first procedure its own, for one below a root that of the nearest call
//! that waits for the root, plus one, for the callee may return there. A target at distance d is
//! settled once all states with a smaller bound are done.
//!
//! A waiting call may lower the bound of a root whose states are queued already. It is registered
//! by a state that is taken now, so the bound is not below the current one, and it was at most one
//! more: states are at most one too late in the queue, and the search goes on for one more bound.

use crate::encoding::step::Decision;
use crate::search::exploration::{Advance, Derivation, Exploration, Starts, StateId, Successor};
use crate::search::watch::{Stopped, Watch};
use hardbop_machine::NodeId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

const FAR: u32 = u32::MAX;

/// What a search knows about distances.
#[derive(Debug, Default)]
pub(crate) struct BreadthFirst {
    distance: Vec<u32>,
    derivation: Vec<Option<Derivation>>,
    /// The distance with which a state was advanced last.
    advanced: Vec<u32>,
    /// For each root the least distance of a state after one of its returns.
    bound: Vec<u32>,
    /// States by bound and distance.
    queue: BinaryHeap<Reverse<(u32, u32, StateId)>>,
    /// The nearest state at each target.
    nearest: BTreeMap<NodeId, StateId>,
}

impl BreadthFirst {
    /// Searches until every target is reached by a shortest run or everything has been seen.
    pub(crate) fn run(
        &mut self,
        exploration: &mut Exploration<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        watch.stops_early = false;
        self.start(exploration, watch)?;
        let mut decisions: Vec<Decision> = Vec::new();
        while let Some(Reverse((bound, distance, state))) = self.queue.pop() {
            if distance != self.distance[state as usize]
                || self.advanced[state as usize] <= distance
            {
                continue;
            }
            if watch.is_settled() && bound > self.farthest_target() {
                return Err(Stopped::Settled);
            }
            let again = self.advanced[state as usize] != FAR;
            self.advanced[state as usize] = distance;
            let mut cursor = exploration.cursor(state, &decisions, again);
            loop {
                match exploration.advance(&mut cursor, &mut decisions)? {
                    Advance::Done => break,
                    Advance::Pending => watch.look(exploration, self.bytes())?,
                    Advance::Successor(successor) => {
                        watch.tick(exploration, self.bytes())?;
                        self.relax(exploration, successor, watch);
                        if successor.is_new {
                            watch.meet(exploration, successor.state)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn start(
        &mut self,
        exploration: &mut Exploration<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        let mut starts = Starts::default();
        while let Some(state) = exploration.next_start(&mut starts)? {
            watch.meet(exploration, state)?;
            watch.tick(exploration, self.bytes())?;
            let derivation = exploration.derivation(state);
            self.improve(exploration, state, 0, derivation, watch);
        }
        Ok(())
    }

    /// Takes note of a way to a state.
    fn relax(&mut self, exploration: &Exploration<'_>, successor: Successor, watch: &Watch<'_>) {
        let from = successor.derivation.from;
        let distance = self.distance[from as usize] + 1;
        if successor.enters {
            let root = exploration.root_of(successor.state) as usize;
            let caller = exploration.root_of(from) as usize;
            self.make_room(exploration);
            self.bound[root] = self.bound[root].min(distance).min(self.bound[caller]);
        }
        self.improve(
            exploration,
            successor.state,
            distance,
            successor.derivation,
            watch,
        );
    }

    fn improve(
        &mut self,
        exploration: &Exploration<'_>,
        state: StateId,
        distance: u32,
        derivation: Derivation,
        watch: &Watch<'_>,
    ) {
        self.make_room(exploration);
        if self.distance[state as usize] <= distance {
            return;
        }
        self.distance[state as usize] = distance;
        self.derivation[state as usize] = Some(derivation);
        let bound = self.bound[exploration.root_of(state) as usize].min(distance);
        self.queue.push(Reverse((bound, distance, state)));
        let node = exploration.node_of(state);
        if watch.is_target(node) {
            let nearest = self.nearest.entry(node).or_insert(state);
            if distance < self.distance[*nearest as usize] {
                *nearest = state;
            }
        }
    }

    fn make_room(&mut self, exploration: &Exploration<'_>) {
        let states = exploration.len();
        if self.distance.len() < states {
            self.distance.resize(states, FAR);
            self.derivation.resize(states, None);
            self.advanced.resize(states, FAR);
        }
        self.bound.resize(exploration.roots().len(), FAR);
    }

    fn farthest_target(&self) -> u32 {
        let distances = self.nearest.values();
        let distances = distances.map(|&state| self.distance[state as usize]);
        distances.max().unwrap_or(0)
    }

    /// For each node that was looked for and reached the nearest state.
    pub(crate) fn all_found(&self) -> BTreeMap<NodeId, StateId> {
        self.nearest.clone()
    }

    /// The last step of a shortest way to a state.
    pub(crate) fn derivation(&self, state: StateId) -> Derivation {
        self.derivation[state as usize].expect("a state in the queue was derived")
    }

    fn bytes(&self) -> usize {
        self.distance.capacity() * 8
            + self.derivation.capacity() * size_of::<Option<Derivation>>()
            + self.queue.capacity() * 12
    }
}
