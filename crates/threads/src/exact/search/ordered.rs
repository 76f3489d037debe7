//! Runs with the fewest context switches, and of those the fewest steps.
//!
//! Configurations that remember who stepped last, in order of switches and then of steps: a step of
//! the same thread costs a step, one of another thread a switch as well. The order is
//! lexicographic, and costs only grow along a run, so the first time a configuration is taken from
//! the queue its cost is least (Dijkstra). Nothing is left out but exchanged threads, whose runs
//! cost the same: steps that commute differ in switches. So this search is for nodes that are known
//! to be reachable, and ends there.

use crate::exact::search::allowance::Allowance;
use crate::exact::search::steps::TooManyCases;
use crate::exact::search::transitions::{Memory, NOBODY, Row, Transitions};
use crate::exact::search::visited::{NO_PARENT, Visited};
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::Limit;
use std::collections::{BTreeMap, BTreeSet};

/// Context switches in the upper half, steps in the lower.
type Cost = u64;

const ONE_SWITCH: Cost = 1 << 32;
const FAR: Cost = Cost::MAX;

/// A search and what it has found.
pub(crate) struct OrderedSearch<'m> {
    /// The configurations.
    pub(crate) visited: Visited<'m>,
    costs: Vec<Cost>,
    is_settled: Vec<bool>,
    queue: BTreeMap<Cost, Vec<u32>>,
}

impl<'m> OrderedSearch<'m> {
    /// A search for some nodes that has not begun.
    pub(crate) fn new(machine: &'m Machine, cast: &'m Cast, wanted: &BTreeSet<NodeId>) -> Self {
        Self {
            visited: Visited::new(machine, cast, wanted, Memory::LastStep, true),
            costs: Vec::new(),
            is_settled: Vec::new(),
            queue: BTreeMap::new(),
        }
    }

    /// Explores until every wanted node is reached or nothing new is left.
    pub(crate) fn run(&mut self, allowance: &Allowance<'_>) -> Result<(), Limit> {
        let initial = self.visited.transitions.initial();
        self.offer(initial, 0, NO_PARENT);
        let mut expanded = 0;
        while let Some((cost, ids)) = self.queue.pop_first() {
            for id in ids {
                if self.visited.is_done() {
                    return Ok(());
                }
                if !self.is_settled[id as usize] && self.costs[id as usize] == cost {
                    self.settle(id, cost)?;
                }
                let bytes = self.visited.bytes() + 9 * self.costs.capacity() as u64;
                expanded += 1;
                if let Some(limit) = allowance.is_spent(expanded, bytes, &self.visited) {
                    return Err(limit);
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self, id: u32, cost: Cost) -> Result<(), TooManyCases> {
        self.is_settled[id as usize] = true;
        self.visited.note(id);
        let row = self.visited.get(id).to_vec();
        let last = self.visited.transitions.turn(&row).thread;
        let threads: Vec<u32> = Transitions::running(&row).collect();
        for thread in threads {
            let is_switch = last != NOBODY && last != thread;
            let after = cost + 1 + if is_switch { ONE_SWITCH } else { 0 };
            for transition in self.visited.transitions.of_thread(&row, thread)? {
                if let Some(row) = transition.after {
                    self.offer(row, after, id);
                }
            }
        }
        Ok(())
    }

    fn offer(&mut self, row: Row, cost: Cost, parent: u32) {
        let (id, is_new) = self.visited.insert(row, parent);
        if is_new {
            self.costs.push(FAR);
            self.is_settled.push(false);
        }
        if cost < self.costs[id as usize] {
            self.costs[id as usize] = cost;
            self.visited.set_parent(id, parent);
            self.queue.entry(cost).or_default().push(id);
        }
    }
}
