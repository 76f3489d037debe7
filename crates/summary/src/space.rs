//! Which BDD variable stands for which bit of the program.
//!
//! **Slots, not names.** Locals of different procedures never meet in one relation, so they share
//! slots: there are as many slots as bits of globals, plus those of the procedure with the most
//! locals, plus those of the one with the most results. Each slot has four BDD variables next to
//! each other, its copies:
//!
//! | copy | forward | backward |
//! | --- | --- | --- |
//! | `Outer` | value at the procedure's entry | value at the procedure's exit |
//! | `Now` | value at the node | value at the node |
//! | `Next` | value after a step, or at a callee's exit | the same |
//! | `Argument` | value of a callee's parameter while a call is made | the same |
//!
//! Copies of one slot stand together, so that moving a relation from one copy to another keeps the
//! order of variables and costs one pass. Below all slots come the choices of an edge, which are
//! quantified as soon as they have been used; above all stands one flag that the backward search
//! uses.

use hardbop_machine::bits::BitLayout;
use hardbop_machine::{Machine, ProcId, Variable};

/// The backward search's flag: true for "a target is reached", false for "the exit is reached".
pub const REACHES_TARGET: u32 = 0;

/// One of the variables of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// At the other end of the procedure: its entry (forward) or its exit (backward).
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
pub struct Slot(pub u32);

/// The slots of a machine and their order.
#[derive(Clone, Debug)]
pub struct Space {
    layout: BitLayout,
    global_bits: u32,
    first_result: u32,
    /// Per slot its place in the order.
    position: Vec<u32>,
    /// Per place in the order its slot.
    slot_at: Vec<Slot>,
}

impl Space {
    /// The slots of a machine, in the order of declaration.
    pub fn new(machine: &Machine) -> Self {
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
        Self {
            layout,
            global_bits,
            first_result,
            position: (0..count).collect(),
            slot_at: (0..count).map(Slot).collect(),
        }
    }

    /// Puts the slots into another order: a list of all slots, first to last.
    pub fn reorder(&mut self, order: Vec<Slot>) {
        debug_assert_eq!(order.len(), self.position.len());
        for (place, slot) in order.iter().enumerate() {
            self.position[slot.0 as usize] = place as u32;
        }
        self.slot_at = order;
    }

    /// How many slots there are.
    pub fn slot_count(&self) -> usize {
        self.position.len()
    }

    /// The first slot of a variable as seen from a procedure; its other bits follow.
    pub fn first_slot(&self, machine: &Machine, procedure: ProcId, variable: Variable) -> Slot {
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
    pub fn slot(&self, machine: &Machine, procedure: ProcId, variable: Variable, bit: u8) -> Slot {
        let first = self.first_slot(machine, procedure, variable);
        Slot(first.0 + u32::from(bit))
    }

    /// Whether a slot is that of a global.
    pub fn is_global(&self, slot: Slot) -> bool {
        slot.0 < self.global_bits
    }

    /// The BDD variable of a copy of a slot.
    pub fn variable(&self, slot: Slot, copy: Copy) -> u32 {
        1 + self.position[slot.0 as usize] * COPIES + copy as u32
    }

    /// The slot and copy that a BDD variable stands for; nothing for the flag and for choices.
    pub fn meaning(&self, variable: u32) -> Option<(Slot, Copy)> {
        let at = variable.checked_sub(1)?;
        let slot = *self.slot_at.get((at / COPIES) as usize)?;
        let copy = match at % COPIES {
            0 => Copy::Outer,
            1 => Copy::Now,
            2 => Copy::Next,
            _ => Copy::Argument,
        };
        Some((slot, copy))
    }

    /// The BDD variable of the n-th choice bit of an edge.
    pub fn choice(&self, number: u32) -> u32 {
        1 + self.position.len() as u32 * COPIES + number
    }

    /// Whether a BDD variable stands for a choice, and for which.
    pub fn choice_number(&self, variable: u32) -> Option<u32> {
        variable.checked_sub(self.choice(0))
    }
}
