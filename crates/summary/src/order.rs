//! Static orders of the BDD variables.
//!
//! A relation is small when variables that constrain each other stand close together. Three orders are offered; the copies of one bit
//! always stand together (see [`crate::space`]). `docs/variable-order.md` reports what they cost on the benchmark families.

use crate::space::{Slot, Space};
use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::{Machine, ProcId, Variable};

/// How variables are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As declared: globals, then locals, then results.
    Declaration,
    /// As they are met when the program is read from the start.
    FirstUse,
    /// FORCE (Aloul, Markov and Sakallah, 2003): every variable moves to the middle of the edges it occurs on, again and again.
    #[default]
    Force,
}

/// Rounds of FORCE; more changed nothing.
const ROUNDS: usize = 30;
/// Larger programs are represented by their first edges.
const MAX_PINS: usize = 2_000_000;

/// All slots of a machine, first to last.
pub fn slot_order(
    machine: &Machine,
    space: &Space,
    order: Order,
    visible: &dyn Fn(ProcId, Variable) -> bool,
) -> Vec<Slot> {
    let declared = (0..space.slot_count() as u32).map(Slot);
    match order {
        Order::Declaration => declared.collect(),
        Order::FirstUse => {
            let mut seen = vec![false; space.slot_count()];
            let mut list = Vec::with_capacity(space.slot_count());
            let used = hyperedges(machine, space, visible).into_iter().flatten();
            for slot in used.chain(declared) {
                if !std::mem::replace(&mut seen[slot.0 as usize], true) {
                    list.push(slot);
                }
            }
            list
        }
        Order::Force => force(space.slot_count(), &hyperedges(machine, space, visible)),
    }
}

/// For every edge of the machine the slots it mentions.
fn hyperedges(
    machine: &Machine,
    space: &Space,
    visible: &dyn Fn(ProcId, Variable) -> bool,
) -> Vec<Vec<Slot>> {
    let mut list = Vec::new();
    let mut pins = 0;
    for edge in machine.edge_ids() {
        let procedure = machine.procedure_of(machine.edge(edge).from);
        let mut slots: Vec<Slot> = Vec::new();
        let mut add = |variable: Variable| {
            if visible(procedure, variable) {
                let first = space.first_slot(machine, procedure, variable);
                let width = machine.type_of(procedure, variable).width();
                slots.extend((first.0..first.0 + width).map(Slot));
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

/// FORCE: the order of the variables by where the middles of their edges are, until the edges span no less.
fn force(count: usize, edges: &[Vec<Slot>]) -> Vec<Slot> {
    let mut order: Vec<Slot> = (0..count as u32).map(Slot).collect();
    let mut place: Vec<f64> = (0..count as u32).map(f64::from).collect();
    let mut best = order.clone();
    let mut best_span = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut sum = vec![0.0; count];
        let mut uses = vec![0.0; count];
        let mut span = 0.0;
        for edge in edges {
            let places = edge.iter().map(|slot| place[slot.0 as usize]);
            let (low, high, total) = places.fold((f64::MAX, f64::MIN, 0.0), |(l, h, t), p| {
                (p.min(l), p.max(h), t + p)
            });
            span += high - low;
            let middle = total / f64::from(edge.len() as u32);
            for slot in edge {
                sum[slot.0 as usize] += middle;
                uses[slot.0 as usize] += 1.0;
            }
        }
        if span < best_span {
            best_span = span;
            best.clone_from(&order);
        }
        let pull = |slot: &Slot| {
            let at = slot.0 as usize;
            if uses[at] > 0.0 {
                sum[at] / uses[at]
            } else {
                place[at]
            }
        };
        order.sort_by(|a, b| pull(a).total_cmp(&pull(b)));
        for (index, slot) in order.iter().enumerate() {
            place[slot.0 as usize] = f64::from(index as u32);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_puts_variables_of_one_edge_together() {
        let pair = |a, b| vec![Slot(a), Slot(b)];
        let edges = [pair(0, 3), pair(3, 0), pair(1, 4), pair(2, 5)];
        let order = force(6, &edges);
        let place = |s| order.iter().position(|&slot| slot == Slot(s)).unwrap();
        for (a, b) in [(0, 3), (1, 4), (2, 5)] {
            assert_eq!(place(a).abs_diff(place(b)), 1, "{order:?}");
        }
    }
}
