//! Static orders of the BDD variables.
//!
//! A relation is small when variables that constrain each other stand close together. Three orders
//! are offered; the bits of integers that meet are interleaved in all of them ([`Words`]), and the
//! copies of one bit always stand together (see [`crate::encoding::space`]).
//! `docs/variable-order.md` reports what they cost on the benchmark families.

use crate::encoding::space::{Slot, Space};
use hardbop_bdd::force;
use hardbop_machine::analysis::Slice;
use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::{Machine, ProcId, Variable};
use hardbop_symbolic::Words;
use std::ops::Range;

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
    words: Vec<Range<u32>>,
    order: Order,
    slice: &Slice,
) -> Vec<Slot> {
    let mut word_at = vec![0; space.slot_count()];
    for (number, slots) in words.iter().enumerate() {
        word_at[slots.start as usize] = number;
    }
    let word = |procedure, variable| word_at[space.first_slot(procedure, variable).0 as usize];
    let mut words = Words::new(words);
    words.join_those_that_meet(machine, |procedure, variable| {
        let is_relevant = slice.relevant(procedure, variable);
        is_relevant.then(|| word(procedure, variable))
    });
    let order = match order {
        Order::Declaration => (0..words.len()).collect(),
        Order::FirstUse => first_use(words.len(), &hyperedges(machine, slice, word)),
        Order::Force => force(words.len(), &hyperedges(machine, slice, word)),
    };
    words.interleaved(&order).into_iter().map(Slot).collect()
}

/// Words in the order in which they are met.
fn first_use(count: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; count];
    let met = edges.iter().flatten().copied().chain(0..count);
    met.filter(|&word| !std::mem::replace(&mut seen[word], true))
        .collect()
}

/// For every edge of the machine the relevant words that it mentions.
fn hyperedges(
    machine: &Machine,
    slice: &Slice,
    word: impl Fn(ProcId, Variable) -> usize,
) -> Vec<Vec<usize>> {
    let mut list = Vec::new();
    let mut pins = 0;
    for edge in machine.edge_ids() {
        let procedure = machine.procedure_of(machine.edge(edge).from);
        let mut words: Vec<usize> = Vec::new();
        let mut add = |variable: Variable| {
            if slice.relevant(procedure, variable) {
                words.push(word(procedure, variable));
            }
        };
        each_write(machine, edge, &mut add);
        each_read(machine, edge, &mut add);
        if words.len() > 1 {
            pins += words.len();
            list.push(words);
        }
        if pins > MAX_PINS {
            break;
        }
    }
    list
}
