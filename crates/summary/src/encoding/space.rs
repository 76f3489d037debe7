//! Which BDD variable stands for which bit of the program.
//!
//! **Slots, not names.** Locals of different procedures never meet in one relation, so they share
//! slots: there are as many slots as bits of globals, plus those of the procedure with the most
//! locals, plus those of the one with the most results. Each slot has four BDD variables next to
//! each other, its copies:
//!
//! | copy | value |
//! | --- | --- |
//! | `Outer` | at the procedure's entry |
//! | `Now` | at the node |
//! | `Next` | after a step, or at a callee's exit |
//! | `Argument` | of a callee's parameter while a call is made |
//!
//! Copies of one slot stand together, so that moving a relation from one copy to another keeps the
//! order of variables and costs one pass. Below all slots come the choices of an edge, which are
//! quantified as soon as they have been used.

use crate::encoding::order::{Order, slot_order};
use hardbop_machine::analysis::Slice;
use hardbop_machine::bits::BitLayout;
use hardbop_machine::{Machine, ProcId, Variable};

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
}

const COPIES: u32 = 4;

/// A bit of a global, or a place for a bit of a local of any procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(pub u32);

/// The slots of a machine and their order.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    layout: BitLayout,
    first_result: u32,
    /// Per slot its place in the order.
    position: Vec<u32>,
    /// Per place in the order its slot.
    slot_at: Vec<Slot>,
}

impl Space {
    /// The slots of a machine, ordered for the variables that are relevant.
    pub(crate) fn new(machine: &Machine, order: Order, slice: &Slice) -> Self {
        let layout = BitLayout::new(machine);
        let global_bits: u32 = machine.globals.iter().map(|g| g.ty.width()).sum();
        let (mut most_locals, mut most_results) = (0, 0);
        for procedure in &machine.procedures {
            let first_result = procedure.locals.len() - procedure.result_count as usize;
            let (locals, results) = procedure.locals.split_at(first_result);
            most_locals = most_locals.max(locals.iter().map(|l| l.ty.width()).sum());
            most_results = most_results.max(results.iter().map(|l| l.ty.width()).sum());
        }
        let first_result = global_bits + most_locals;
        let count = first_result + most_results;
        let mut space = Self {
            layout,
            first_result,
            position: (0..count).collect(),
            slot_at: Vec::new(),
        };
        space.slot_at = slot_order(machine, &space, order, slice);
        for (place, slot) in space.slot_at.iter().enumerate() {
            space.position[slot.0 as usize] = place as u32;
        }
        space
    }

    /// How many slots there are.
    pub(crate) fn slot_count(&self) -> usize {
        self.position.len()
    }

    /// The first slot of a variable as seen from a procedure; its other bits follow.
    pub(crate) fn first_slot(
        &self,
        machine: &Machine,
        procedure: ProcId,
        variable: Variable,
    ) -> Slot {
        let bits = self.layout.bits_of(procedure, variable);
        let Variable::Local(local) = variable else {
            return Slot(bits.start);
        };
        let owner = machine.procedure(procedure);
        let first_result = owner.locals.len() - owner.result_count as usize;
        if local.index() < first_result {
            return Slot(bits.start);
        }
        let results = Variable::Local(hardbop_machine::LocalId::new(first_result));
        let offset = bits.start - self.layout.bits_of(procedure, results).start;
        Slot(self.first_result + offset)
    }

    /// The slot of one bit.
    pub(crate) fn slot(
        &self,
        machine: &Machine,
        procedure: ProcId,
        variable: Variable,
        bit: u8,
    ) -> Slot {
        let first = self.first_slot(machine, procedure, variable);
        Slot(first.0 + u32::from(bit))
    }

    /// The BDD variable of a copy of a slot.
    pub(crate) fn variable(&self, slot: Slot, copy: Copy) -> u32 {
        self.position[slot.0 as usize] * COPIES + copy as u32
    }

    /// The slot and copy that a BDD variable stands for; nothing for choices.
    pub(crate) fn meaning(&self, variable: u32) -> Option<(Slot, Copy)> {
        let slot = *self.slot_at.get((variable / COPIES) as usize)?;
        let copy = match variable % COPIES {
            0 => Copy::Outer,
            1 => Copy::Now,
            2 => Copy::Next,
            _ => Copy::Argument,
        };
        Some((slot, copy))
    }

    /// The BDD variable of the n-th choice bit of an edge.
    pub(crate) fn choice(&self, number: u32) -> u32 {
        self.position.len() as u32 * COPIES + number
    }
}
