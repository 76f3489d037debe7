//! What a property sees of configurations.
//!
//! A proposition reads variables, so they must have values: a configuration in which one of them
//! has none is split. Every configuration of a part has a predecessor wherever one of the whole
//! has, so runs are still found from their end.

use crate::exact::search::steps::TooManyCases;
use crate::exact::search::transitions::{Row, Transitions};
use hardbop_automata::{Letter, Propositions};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Machine, NodeId, Storage, Variable};
use std::cell::Cell;

/// Reads propositions off configurations.
#[derive(Clone, Copy)]
pub(crate) struct Letters<'l> {
    /// The machine.
    pub(crate) machine: &'l Machine,
    /// What the property sees.
    pub(crate) propositions: &'l Propositions,
}

impl Letters<'_> {
    /// The parts of a configuration in which every proposition has a value.
    pub(crate) fn split(
        &self,
        transitions: &mut Transitions<'_>,
        row: Row,
    ) -> Result<Vec<Row>, TooManyCases> {
        transitions.split(row, |transitions, row| self.read(transitions, row).err())
    }

    /// The letter of a configuration, or the variable that must be known first.
    pub(crate) fn read(
        &self,
        transitions: &Transitions<'_>,
        row: &[u32],
    ) -> Result<Letter, (u32, Variable)> {
        let missing = Cell::new(None);
        let threads = Transitions::running(row);
        let running: Vec<(u32, NodeId)> = threads
            .filter_map(|thread| Some((thread, transitions.node(row, thread)?)))
            .collect();
        let nodes: Vec<NodeId> = running.iter().map(|&(_, node)| node).collect();
        let letter =
            self.propositions
                .letter_of_threads(self.machine, &nodes, |place, variable| {
                    let thread = match (place, variable) {
                        (Some(place), _) => running[place].0,
                        (None, Variable::Global(id))
                            if self.machine.global(id).storage == Storage::Shared =>
                        {
                            0
                        }
                        (None, _) => return 0,
                    };
                    let value = transitions.value(row, thread, variable);
                    if value.is_none() {
                        missing.set(Some((thread, variable)));
                    }
                    value.unwrap_or(0)
                });
        missing.get().map_or(Ok(letter), Err)
    }

    /// Whether all threads have ended, or an assertion has failed: the run stays where it is.
    pub(crate) fn has_ended(&self, transitions: &Transitions<'_>, row: &[u32]) -> bool {
        let nodes = Transitions::running(row).filter_map(|thread| transitions.node(row, thread));
        let mut kinds = nodes.map(|node| self.machine.node(node).kind).peekable();
        kinds.peek().is_none() || kinds.any(NodeKind::is_failure)
    }
}
