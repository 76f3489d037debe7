//! The configurations that a search has met, with the way to each.
//!
//! Every configuration remembers from which one it was first reached, or reached best. So a search
//! that has met a target has a run to it, whatever happens to the search afterwards.

use crate::exact::search::transitions::{Memory, Row, Transitions};
use crate::tables::Configurations;
use hardbop_machine::cast::Cast;
use hardbop_machine::{Machine, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// The parent of the first configuration.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// Configurations, and which of the wanted nodes they have reached.
pub(crate) struct Visited<'m> {
    /// The configurations' steps.
    pub(crate) transitions: Transitions<'m>,
    configurations: Configurations,
    parents: Vec<u32>,
    /// Per kind and place the wanted node that is there.
    wanted: Vec<Vec<Option<NodeId>>>,
    left: BTreeSet<NodeId>,
    reached: BTreeMap<NodeId, u32>,
}

impl<'m> Visited<'m> {
    /// Nothing yet.
    pub(crate) fn new(
        machine: &'m Machine,
        cast: &'m Cast,
        wanted: &BTreeSet<NodeId>,
        memory: Memory,
        symmetry: bool,
    ) -> Self {
        let transitions = Transitions::new(machine, cast, memory, symmetry);
        let kinds = transitions.stepper.kinds.iter();
        let places = kinds.map(|kind| {
            let places = 0..kind.inlined.place_count();
            let nodes = places.map(|place| kind.inlined.locate(machine, place));
            let nodes = nodes.map(|located| Some(located?.1).filter(|node| wanted.contains(node)));
            nodes.collect()
        });
        Self {
            wanted: places.collect(),
            configurations: Configurations::new(transitions.width()),
            parents: Vec::new(),
            left: wanted.clone(),
            reached: BTreeMap::new(),
            transitions,
        }
    }

    /// How many configurations there are.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// A configuration.
    pub(crate) fn get(&self, id: u32) -> &[u32] {
        self.configurations.get(id)
    }

    /// Bytes of the tables.
    pub(crate) fn bytes(&self) -> u64 {
        self.configurations.bytes() + 4 * self.parents.capacity() as u64
    }

    /// The number of a configuration, and whether it is new.
    pub(crate) fn insert(&mut self, row: Row, parent: u32) -> (u32, bool) {
        let row = self.transitions.in_order(row);
        let id = self.configurations.insert(&row);
        let is_new = id as usize == self.parents.len();
        if is_new {
            self.parents.push(parent);
        }
        (id, is_new)
    }

    /// Another way to a configuration is better.
    pub(crate) fn set_parent(&mut self, id: u32, parent: u32) {
        self.parents[id as usize] = parent;
    }

    /// Looks which wanted nodes a configuration reaches; the first to reach a node is the one that
    /// a path leads to.
    pub(crate) fn note(&mut self, id: u32) {
        let row = self.configurations.get(id);
        for thread in Transitions::running(row) {
            let kind = self.transitions.stepper.kind_of[thread as usize];
            let place = self.transitions.place(row, thread);
            if let Some(node) = self.wanted[kind][place as usize] {
                self.left.remove(&node);
                self.reached.entry(node).or_insert(id);
            }
        }
    }

    /// Whether every wanted node was reached.
    pub(crate) fn is_done(&self) -> bool {
        self.left.is_empty()
    }

    /// Whether a wanted node was reached.
    pub(crate) fn has_reached(&self, node: NodeId) -> bool {
        self.reached.contains_key(&node)
    }

    /// The configurations of a run to a node.
    pub(crate) fn path_to(&self, node: NodeId) -> Option<Vec<Row>> {
        let mut id = *self.reached.get(&node)?;
        let mut path = Vec::new();
        while id != NO_PARENT {
            path.push(self.configurations.get(id).to_vec());
            id = self.parents[id as usize];
        }
        path.reverse();
        Some(path)
    }
}
