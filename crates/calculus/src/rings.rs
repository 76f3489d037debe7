//! The rounds of a solved summary relation, seen node by node.
//!
//! The solver's BDDs decide on module and program counter first. [`Rings`] fixes those and copies what is left, a relation between
//! the values at the entry and now, into a manager of its own, in which there is room for choices and for a second path edge. The
//! order of the variables stays the solver's, so that copies are as small as the originals.

use crate::layout::{Class, Field, Layout};
use crate::path_edges::{ParameterBit, PathEdges};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::{Machine, NodeId};
use std::collections::HashMap;

/// Values of all fields of a state: locals, then globals.
pub type StateValues = Vec<bool>;

/// A path edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    /// Where it ends.
    pub node: NodeId,
    /// The values at the entry.
    pub entry: StateValues,
    /// The values now.
    pub now: StateValues,
}

/// Which of two path edges a variable belongs to: that of a caller, or that of the procedure it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The only one, or the caller's.
    First = 0,
    /// The callee's. Also the state after a step.
    Second = 1,
}

/// What a level of the solver stands for.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// A bit of the module's code, from the lowest.
    Module(u32),
    /// A bit of the program counter, from the lowest.
    Pc(u32),
    /// A bit that has one value everywhere.
    Fixed(bool),
    Entry(usize),
    Now(usize),
}

/// The rounds of a relation of path edges.
pub struct Rings<'r> {
    machine: &'r Machine,
    layout: &'r Layout,
    solved: &'r Manager<'r>,
    /// Everything found after each round; each contains the one before.
    rounds: Vec<Bdd>,
    /// Per level.
    meanings: Vec<Option<Meaning>>,
    last_control: Option<u32>,
    entry_ranks: Vec<u32>,
    now_ranks: Vec<u32>,
    /// Copies of relations without control, which are the same at all nodes, per side.
    copies: [HashMap<Bdd, Bdd>; 2],
}

impl<'r> Rings<'r> {
    /// The rounds of a relation; `level` gives the solver's BDD variable of a parameter's bit.
    pub fn new(
        machine: &'r Machine,
        layout: &'r Layout,
        edges: &PathEdges,
        solved: &'r Manager<'r>,
        rounds: Vec<Bdd>,
        level: impl Fn(ParameterBit) -> Option<u32>,
    ) -> Self {
        let mut meanings: Vec<Option<Meaning>> = Vec::new();
        let mut control = Vec::new();
        let mut mean = |bit: Option<&ParameterBit>, meaning: Meaning| {
            let level = bit.and_then(|&bit| level(bit))?;
            let known = meanings.len().max(level as usize + 1);
            meanings.resize(known, None);
            meanings[level as usize] = Some(meaning);
            Some(level)
        };
        control.extend(mean(edges.flag.as_ref(), Meaning::Fixed(true)));
        let shifts = |count: usize| (0..count as u32).rev();
        for state in [&edges.entry, &edges.now] {
            for (bit, shift) in state.module.iter().zip(shifts(state.module.len())) {
                control.extend(mean(Some(bit), Meaning::Module(shift)));
            }
        }
        for bit in &edges.entry.pc {
            control.extend(mean(Some(bit), Meaning::Fixed(false)));
        }
        for (bit, shift) in edges.now.pc.iter().zip(shifts(edges.now.pc.len())) {
            control.extend(mean(Some(bit), Meaning::Pc(shift)));
        }
        let locals = layout.local_fields.len();
        let slots = locals + layout.global_fields.len();
        let field_of = |slot: usize| match slot.checked_sub(locals) {
            None => (Class::Local, slot),
            Some(global) => (Class::Global, global),
        };
        let mut data = Vec::with_capacity(2 * slots);
        for slot in 0..slots {
            let (class, index) = field_of(slot);
            let index = index as u32;
            let field = Field { class, index };
            let entry = edges.entry.field(field);
            let now = edges.now.field(field);
            data.push((mean(entry.as_ref(), Meaning::Entry(slot)), slot, true));
            data.push((mean(now.as_ref(), Meaning::Now(slot)), slot, false));
        }
        // Bits without a level occur nowhere; they are put last.
        data.sort_by_key(|&(level, slot, is_entry)| (level.unwrap_or(u32::MAX), slot, is_entry));
        let mut entry_ranks = vec![0; slots];
        let mut now_ranks = vec![0; slots];
        for (rank, &(_, slot, is_entry)) in data.iter().enumerate() {
            let ranks = if is_entry {
                &mut entry_ranks
            } else {
                &mut now_ranks
            };
            ranks[slot] = rank as u32;
        }
        Self {
            machine,
            layout,
            solved,
            rounds,
            meanings,
            last_control: control.into_iter().max(),
            entry_ranks,
            now_ranks,
            copies: [HashMap::new(), HashMap::new()],
        }
    }

    /// How many fields a state has.
    pub fn slot_count(&self) -> usize {
        self.now_ranks.len()
    }

    /// The place of a field among the values of a state.
    pub fn slot(&self, field: Field) -> usize {
        match field.class {
            Class::Local => field.index as usize,
            Class::Global => self.layout.local_fields.len() + field.index as usize,
        }
    }

    /// The variable of a value at the entry.
    pub fn entry_variable(&self, slot: usize, side: Side) -> u32 {
        2 * self.entry_ranks[slot] + side as u32
    }

    /// The variable of a value now.
    pub fn now_variable(&self, slot: usize, side: Side) -> u32 {
        2 * self.now_ranks[slot] + side as u32
    }

    /// The first variable that is free for choices.
    pub fn first_choice(&self) -> u32 {
        4 * self.slot_count() as u32
    }

    /// The number of rounds.
    pub fn round_count(&self) -> usize {
        self.rounds.len()
    }

    /// The first round after which a path edge is there, if it is after round `known`. Whoever goes back along a run looks for rounds
    /// just before the last one, so that is where we begin.
    pub fn round_of(&self, point: &Point, known: usize) -> Option<usize> {
        let is_missing = |round: &Bdd| !self.contains(*round, point);
        if self.rounds.get(known).is_none_or(is_missing) {
            return None;
        }
        let (mut first, mut step) = (known, 1);
        while let Some(before) = first.checked_sub(step)
            && !is_missing(&self.rounds[before])
        {
            first = before;
            step *= 2;
        }
        let low = first.saturating_sub(step);
        Some(low + self.rounds[low..first].partition_point(is_missing))
    }

    /// The last round, if there is any.
    pub fn last_round(&self) -> Option<usize> {
        self.rounds.len().checked_sub(1)
    }

    /// The first round after which some path edge ends at a node.
    pub fn first_round_at(&self, node: NodeId) -> Option<usize> {
        let is_empty = |round: &Bdd| self.descend(node, *round).is_false();
        let first = self.rounds.partition_point(is_empty);
        (first < self.rounds.len()).then_some(first)
    }

    fn contains(&self, round: Bdd, point: &Point) -> bool {
        self.solved.eval(round, |level| match self.meaning(level) {
            Some(Meaning::Entry(slot)) => point.entry[slot],
            Some(Meaning::Now(slot)) => point.now[slot],
            Some(meaning) => self.control(point.node, meaning).unwrap_or(false),
            None => false,
        })
    }

    fn meaning(&self, level: u32) -> Option<Meaning> {
        self.meanings.get(level as usize).copied().flatten()
    }

    fn control(&self, node: NodeId, meaning: Meaning) -> Option<bool> {
        match meaning {
            Meaning::Module(shift) => {
                let code = self.layout.module(self.machine.procedure_of(node));
                Some(code >> shift & 1 == 1)
            }
            Meaning::Pc(shift) => Some(self.layout.pc(node) >> shift & 1 == 1),
            Meaning::Fixed(value) => Some(value),
            Meaning::Entry(_) | Meaning::Now(_) => None,
        }
    }

    /// Follows the control bits as far as they come first.
    fn descend(&self, node: NodeId, mut at: Bdd) -> Bdd {
        while let Some((level, low, high)) = self.solved.branch(at)
            && let Some(meaning) = self.meaning(level)
            && let Some(value) = self.control(node, meaning)
        {
            at = if value { high } else { low };
        }
        at
    }

    /// The path edges at a node after a round, over the variables of a side.
    pub fn at(
        &mut self,
        manager: &mut Manager<'_>,
        node: NodeId,
        round: usize,
        side: Side,
    ) -> Result<Bdd, Exhausted> {
        let root = self.descend(node, self.rounds[round]);
        let mut here: HashMap<Bdd, Bdd> = HashMap::new();
        let mut pending = vec![root];
        while let Some(&bdd) = pending.last() {
            if self.copied(&here, bdd, side).is_some() {
                pending.pop();
                continue;
            }
            let Some((level, low, high)) = self.solved.branch(bdd) else {
                continue;
            };
            let (low, high) = (self.descend(node, low), self.descend(node, high));
            let (low_copy, high_copy) = (
                self.copied(&here, low, side),
                self.copied(&here, high, side),
            );
            let (Some(low_copy), Some(high_copy)) = (low_copy, high_copy) else {
                let missing = [(low_copy, low), (high_copy, high)];
                pending.extend(
                    missing
                        .iter()
                        .filter(|(copy, _)| copy.is_none())
                        .map(|m| m.1),
                );
                continue;
            };
            let variable = match self.meaning(level) {
                Some(Meaning::Entry(slot)) => self.entry_variable(slot, side),
                Some(Meaning::Now(slot)) => self.now_variable(slot, side),
                // Control bits are followed, and a relation speaks of its own parameters only.
                _ => self.first_choice(),
            };
            let condition = manager.variable(variable)?;
            let copy = manager.ite(condition, high_copy, low_copy)?;
            if self.last_control.is_none_or(|last| level > last) {
                self.copies[side as usize].insert(bdd, copy);
            } else {
                here.insert(bdd, copy);
            }
        }
        Ok(self.copied(&here, root, side).unwrap_or(Bdd::FALSE))
    }

    fn copied(&self, here: &HashMap<Bdd, Bdd>, bdd: Bdd, side: Side) -> Option<Bdd> {
        if bdd.is_constant() {
            return Some(bdd);
        }
        let shared = self.copies[side as usize].get(&bdd);
        shared.or_else(|| here.get(&bdd)).copied()
    }
}
