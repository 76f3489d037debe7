//! Keeps an eye on a search: targets and limits.

use crate::search::exploration::{Exploration, Full, StateId};
use hardbop_machine::NodeId;
use hardbop_outcome::{Budget, Event, Limit, Progress};
use std::collections::BTreeMap;

/// How many transitions pass between two looks at the limits.
const PATIENCE: u64 = 1024;
/// How many looks pass between two reports.
const REPORT: u64 = 256;

/// Why a search ended before it had seen everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// Every target is settled.
    Settled,
    /// A limit was hit.
    Limit(Limit),
}

impl From<Full> for Stopped {
    fn from(_: Full) -> Self {
        Stopped::Limit(Limit::Memory)
    }
}

/// The targets that are looked for and the limits that are kept.
pub(crate) struct Watch<'w> {
    /// For each node that is looked for the state that reached it first.
    found: BTreeMap<NodeId, Option<StateId>>,
    open: usize,
    /// Whether to stop when all targets have been met.
    pub(crate) stops_early: bool,
    /// Whether to stop when any target has been met.
    pub(crate) stops_at_first: bool,
    budget: Budget<'w>,
    progress: &'w mut dyn Progress,
    ticks: u64,
}

impl<'w> Watch<'w> {
    /// Looks for nodes.
    pub(crate) fn new(
        nodes: impl Iterator<Item = NodeId>,
        budget: Budget<'w>,
        progress: &'w mut dyn Progress,
    ) -> Self {
        let found: BTreeMap<NodeId, Option<StateId>> = nodes.map(|node| (node, None)).collect();
        Self {
            open: found.len(),
            found,
            stops_early: true,
            stops_at_first: false,
            budget,
            progress,
            ticks: 0,
        }
    }

    /// Whether a node is looked for.
    pub(crate) fn is_target(&self, node: NodeId) -> bool {
        self.found.contains_key(&node)
    }

    /// Whether every target has been met.
    pub(crate) fn is_settled(&self) -> bool {
        self.open == 0
    }

    /// The state that reached a node, if one has.
    pub(crate) fn found(&self, node: NodeId) -> Option<StateId> {
        self.found.get(&node).copied().flatten()
    }

    /// For each node that was reached the state that did so first.
    pub(crate) fn all_found(&self) -> BTreeMap<NodeId, StateId> {
        let found = self.found.iter();
        found
            .filter_map(|(&node, &state)| Some((node, state?)))
            .collect()
    }

    /// A new state has been made.
    pub(crate) fn meet(
        &mut self,
        exploration: &Exploration<'_>,
        state: StateId,
    ) -> Result<(), Stopped> {
        if let Some(slot @ None) = self.found.get_mut(&exploration.node_of(state)) {
            *slot = Some(state);
            self.open -= 1;
            if self.stops_at_first {
                return Err(Stopped::Settled);
            }
        }
        if self.stops_early && self.open == 0 {
            return Err(Stopped::Settled);
        }
        if self
            .budget
            .states
            .is_some_and(|states| exploration.len() as u64 > states)
        {
            return Err(Stopped::Limit(Limit::States));
        }
        Ok(())
    }

    /// A transition has been made; `extra` bytes are used besides the exploration's.
    pub(crate) fn tick(
        &mut self,
        exploration: &Exploration<'_>,
        extra: usize,
    ) -> Result<(), Stopped> {
        self.ticks += 1;
        if !self.ticks.is_multiple_of(PATIENCE) {
            return Ok(());
        }
        if self.ticks.is_multiple_of(PATIENCE * REPORT) {
            let states = exploration.len() as u64;
            self.progress.event(Event::Count("states", states));
        }
        self.look(exploration, extra)
    }

    /// Whether a limit has been hit.
    pub(crate) fn look(
        &mut self,
        exploration: &Exploration<'_>,
        extra: usize,
    ) -> Result<(), Stopped> {
        if let Some(limit) = self.budget.interrupt.check() {
            return Err(Stopped::Limit(limit));
        }
        let bytes = (exploration.bytes() + extra) as u64;
        if self.budget.memory.is_some_and(|memory| bytes > memory) {
            return Err(Stopped::Limit(Limit::Memory));
        }
        Ok(())
    }
}
