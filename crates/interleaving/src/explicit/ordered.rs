//! Runs with the fewest context switches, and of those the fewest steps.
//!
//! Configurations that remember who stepped last, in order of switches and then of steps: a step of the same thread costs a step, one
//! of another thread a switch as well. The order is lexicographic, and costs only grow along a run, so the first time a
//! configuration is taken from the queue its cost is least (Dijkstra). Nothing is left out but exchanged threads, whose runs cost the same:
//! steps that commute differ in switches. So this search is for nodes that are known to be reachable, and ends there.

use crate::explicit::configurations::Configurations;
use crate::explicit::reduced::wanted_places;
use crate::explicit::steps::TooManyCases;
use crate::explicit::transitions::{Memory, NOBODY, Row, Transitions};
use crate::explicit::{Allowance, find_wanted};
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::Limit;
use std::collections::{BTreeMap, BTreeSet};

/// Context switches in the upper half, steps in the lower.
type Cost = u64;

const ONE_SWITCH: Cost = 1 << 32;
const FAR: Cost = Cost::MAX;
const NO_PARENT: u32 = u32::MAX;

/// A search and what it has found.
pub struct OrderedSearch<'m> {
    /// The configurations' steps.
    pub transitions: Transitions<'m>,
    configurations: Configurations,
    costs: Vec<Cost>,
    parents: Vec<u32>,
    is_settled: Vec<bool>,
    queue: BTreeMap<Cost, Vec<u32>>,
    wanted: Vec<Vec<Option<NodeId>>>,
    left: BTreeSet<NodeId>,
    /// The first configuration at each wanted node that was reached.
    reached: BTreeMap<NodeId, u32>,
}

impl<'m> OrderedSearch<'m> {
    /// A search for some nodes that has not begun.
    pub fn new(machine: &'m Machine, cast: &'m Cast, wanted: &BTreeSet<NodeId>) -> Self {
        let transitions = Transitions::new(machine, cast, Memory::LastStep, true);
        Self {
            configurations: Configurations::new(transitions.width()),
            costs: Vec::new(),
            parents: Vec::new(),
            is_settled: Vec::new(),
            queue: BTreeMap::new(),
            wanted: wanted_places(machine, &transitions, wanted),
            left: wanted.clone(),
            reached: BTreeMap::new(),
            transitions,
        }
    }

    /// How many configurations there are.
    pub fn len(&self) -> usize {
        self.configurations.len()
    }

    /// The configurations of a cheapest run to a node.
    pub fn path_to(&self, node: NodeId) -> Option<Vec<Row>> {
        let mut id = *self.reached.get(&node)?;
        let mut path = Vec::new();
        while id != NO_PARENT {
            path.push(self.configurations.get(id).to_vec());
            id = self.parents[id as usize];
        }
        path.reverse();
        Some(path)
    }

    /// Explores until every wanted node is reached or nothing new is left.
    pub fn run(&mut self, allowance: &Allowance<'_>) -> Result<(), Limit> {
        let initial = self.transitions.initial();
        self.offer(initial, 0, NO_PARENT);
        let mut expanded = 0;
        while let Some((cost, ids)) = self.queue.pop_first() {
            for id in ids {
                if self.left.is_empty() {
                    return Ok(());
                }
                if !self.is_settled[id as usize] && self.costs[id as usize] == cost {
                    self.settle(id, cost)?;
                }
                let bytes = self.configurations.bytes() + 13 * self.costs.capacity() as u64;
                expanded += 1;
                let spent = allowance.is_spent(expanded, self.len(), bytes, &self.transitions);
                if let Some(limit) = spent {
                    return Err(limit);
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self, id: u32, cost: Cost) -> Result<(), TooManyCases> {
        self.is_settled[id as usize] = true;
        let row = self.configurations.get(id).to_vec();
        let (left, reached) = (&mut self.left, &mut self.reached);
        find_wanted(&self.transitions, &row, &self.wanted, |node| {
            if left.remove(&node) {
                reached.insert(node, id);
            }
        });
        let last = self.transitions.turn(&row).thread;
        let threads: Vec<u32> = Transitions::running(&row).collect();
        for thread in threads {
            let is_switch = last != NOBODY && last != thread;
            let after = cost + 1 + if is_switch { ONE_SWITCH } else { 0 };
            for transition in self.transitions.of_thread(&row, thread)? {
                if let Some(row) = transition.after {
                    self.offer(row, after, id);
                }
            }
        }
        Ok(())
    }

    fn offer(&mut self, row: Row, cost: Cost, parent: u32) {
        let row = self.transitions.in_order(row);
        let id = self.configurations.insert(&row) as usize;
        if id == self.costs.len() {
            self.costs.push(FAR);
            self.parents.push(NO_PARENT);
            self.is_settled.push(false);
        }
        if cost < self.costs[id] {
            self.costs[id] = cost;
            self.parents[id] = parent;
            self.queue.entry(cost).or_default().push(id as u32);
        }
    }
}
