//! Static orders of the BDD variables.
//!
//! A relation is small when variables that constrain each other stand close together. Three orders
//! are offered; the copies of one bit always stand together (see [`crate::encoding::space`]).
//! `docs/variable-order.md` reports what they cost on the benchmark families.

use crate::encoding::space::{Slot, Space};
use hardbop_bdd::force;
use hardbop_machine::analysis::Slice;
use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::{Machine, Variable};

/// How variables are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As declared: globals, then locals, then results.
    Declaration,
    /// As they are met when the program is read from the start.
    FirstUse,
    /// By [`force`]: variables that occur on the same edges stand together.
    #[default]
    Force,
}

/// Larger programs are represented by their first edges.
const MAX_PINS: usize = 2_000_000;

/// All slots of a machine, first to last.
pub(crate) fn slot_order(
    machine: &Machine,
    space: &Space,
    order: Order,
    slice: &Slice,
) -> Vec<Slot> {
    let declared = (0..space.slot_count() as u32).map(Slot);
    match order {
        Order::Declaration => declared.collect(),
        Order::FirstUse => {
            let mut seen = vec![false; space.slot_count()];
            let mut list = Vec::with_capacity(space.slot_count());
            let used = hyperedges(machine, space, slice).into_iter().flatten();
            let used = used.map(|slot| Slot(slot as u32));
            for slot in used.chain(declared) {
                if !std::mem::replace(&mut seen[slot.0 as usize], true) {
                    list.push(slot);
                }
            }
            list
        }
        Order::Force => {
            let order = force(space.slot_count(), &hyperedges(machine, space, slice));
            order.into_iter().map(|slot| Slot(slot as u32)).collect()
        }
    }
}

/// For every edge of the machine the relevant slots that it mentions.
fn hyperedges(machine: &Machine, space: &Space, slice: &Slice) -> Vec<Vec<usize>> {
    let mut list = Vec::new();
    let mut pins = 0;
    for edge in machine.edge_ids() {
        let procedure = machine.procedure_of(machine.edge(edge).from);
        let mut slots: Vec<usize> = Vec::new();
        let mut add = |variable: Variable| {
            if slice.relevant(procedure, variable) {
                let first = space.first_slot(machine, procedure, variable);
                let width = machine.type_of(procedure, variable).width();
                slots.extend((first.0..first.0 + width).map(|slot| slot as usize));
            }
        };
        each_write(machine, edge, &mut add);
        each_read(machine, edge, &mut add);
        if slots.len() > 1 {
            pins += slots.len();
            list.push(slots);
        }
        if pins > MAX_PINS {
            break;
        }
    }
    list
}
