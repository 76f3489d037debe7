//! Which BDD variable stands for which bit of the program.
//!
//! **Slots, not names.** Locals of different procedures never meet in one relation, so they share
//! slots: the n-th local of a width has the same slots in every procedure, and so have results. Each
//! slot has four or five BDD variables next to each other, its copies:
//!
//! | copy | value |
//! | --- | --- |
//! | `Outer` | at the procedure's entry |
//! | `Now` | at the node |
//! | `Next` | after a step, or at a callee's exit |
//! | `Argument` | of a callee's parameter while a call is made |
//! | `Choice` | of a choice that meets the variable; only in programs that have such choices |
//!
//! Copies of one slot stand together, so that moving a relation from one copy to another keeps the
//! order of variables and costs one pass. Below all slots come the other choices of an edge. Choices
//! are quantified as soon as they have been used.

use crate::encoding::order::{Order, slot_order};
use hardbop_machine::analysis::{Slice, VariableIndex};
use hardbop_machine::{Edge, EdgeId, Machine, ProcId, Type, Variable};
use hardbop_symbolic::choices_beside_integers;
use std::collections::BTreeMap;
use std::ops::Range;

/// One of the variables of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copy {
    /// At the procedure's entry.
    Outer,
    /// At the node.
    Now,
    /// After a step.
    Next,
    /// A parameter of a callee.
    Argument,
    /// A choice beside an integer.
    Choice,
}

/// A bit of a global, or a place for a bit of a local of any procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(pub u32);

/// The slots of a machine and their order.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    variables: VariableIndex,
    /// The first slot of each variable.
    first_slots: Vec<u32>,
    /// Per slot its place in the order.
    position: Vec<u32>,
    /// Per place in the order its slot.
    slot_at: Vec<Slot>,
    /// How many copies a slot has.
    copies: u32,
    /// Per edge with choices beside an integer all its choices.
    choices: BTreeMap<EdgeId, Vec<u32>>,
}

impl Space {
    /// The slots of a machine, ordered for the variables that are relevant.
    pub(crate) fn new(machine: &Machine, order: Order, slice: &Slice) -> Self {
        let mut words: Vec<Range<u32>> = Vec::new();
        let mut first_slots = Vec::new();
        let add = |words: &mut Vec<Range<u32>>, width: u32| {
            let start = words.last().map_or(0, |last| last.end);
            words.push(start..start + width);
            start
        };
        for global in &machine.globals {
            first_slots.push(add(&mut words, global.ty.width()));
        }
        // For locals, then for results: the slots of each width so far.
        let mut known: [BTreeMap<u32, Vec<u32>>; 2] = Default::default();
        for procedure in &machine.procedures {
            let first_result = procedure.locals.len() - procedure.result_count as usize;
            let mut used: [BTreeMap<u32, usize>; 2] = Default::default();
            for (index, local) in procedure.locals.iter().enumerate() {
                let (kind, width) = (usize::from(index >= first_result), local.ty.width());
                let number = used[kind].entry(width).or_default();
                let slots = known[kind].entry(width).or_default();
                if slots.len() == *number {
                    slots.push(add(&mut words, width));
                }
                first_slots.push(slots[*number]);
                *number += 1;
            }
        }
        let count = words.last().map_or(0, |last| last.end);
        let mut space = Self {
            variables: VariableIndex::new(machine),
            first_slots,
            position: (0..count).collect(),
            slot_at: Vec::new(),
            copies: 4,
            choices: BTreeMap::new(),
        };
        space.slot_at = slot_order(machine, &space, words, order, slice);
        for (place, slot) in space.slot_at.iter().enumerate() {
            space.position[slot.0 as usize] = place as u32;
        }
        let is_integer = |edge: &Edge| edge.inputs.iter().any(|&ty| ty != Type::Bool);
        if machine.edges.iter().any(is_integer) {
            space.copies = 5;
            space.choices = choices_beside_integers(machine, space.first_choice(), |p, v, bit| {
                space.variable(space.slot(p, v, bit), Copy::Choice)
            });
        }
        space
    }

    /// How many slots there are.
    pub(crate) fn slot_count(&self) -> usize {
        self.position.len()
    }

    /// The first slot of a variable as seen from a procedure; its other bits follow.
    pub(crate) fn first_slot(&self, procedure: ProcId, variable: Variable) -> Slot {
        Slot(self.first_slots[self.variables.index(procedure, variable)])
    }

    /// The slot of one bit.
    pub(crate) fn slot(&self, procedure: ProcId, variable: Variable, bit: u8) -> Slot {
        let first = self.first_slot(procedure, variable);
        Slot(first.0 + u32::from(bit))
    }

    /// The BDD variable of a copy of a slot.
    pub(crate) fn variable(&self, slot: Slot, copy: Copy) -> u32 {
        self.position[slot.0 as usize] * self.copies + copy as u32
    }

    /// The slot and copy that a BDD variable stands for; nothing for choices.
    pub(crate) fn meaning(&self, variable: u32) -> Option<(Slot, Copy)> {
        let slot = *self.slot_at.get((variable / self.copies) as usize)?;
        let copy = match variable % self.copies {
            0 => Copy::Outer,
            1 => Copy::Now,
            2 => Copy::Next,
            3 => Copy::Argument,
            _ => return None,
        };
        Some((slot, copy))
    }

    /// The first choice that is not beside an integer.
    pub(crate) fn first_choice(&self) -> u32 {
        self.position.len() as u32 * self.copies
    }

    /// The BDD variable of the n-th choice bit of an edge.
    pub(crate) fn choice(&self, edge: EdgeId, number: u32) -> u32 {
        let placed = self.choices.get(&edge);
        let placed = placed.and_then(|choices| choices.get(number as usize));
        placed.copied().unwrap_or(self.first_choice() + number)
    }

    /// Whether a BDD variable is a choice of an edge.
    pub(crate) fn is_choice(&self, variable: u32) -> bool {
        variable >= self.first_choice() || variable % self.copies == Copy::Choice as u32
    }
}
