//! Relations written out as formulas, for values that have no small BDD.
//!
//! A function that got a name ([`crate::encoding::symbols`]) is one whose BDD grows. To relate
//! states by BDDs, the definitions of all names would have to be put back and the symbols
//! quantified away, which is the very thing that names avoid. In the first instance that need not
//! be: a symbol of the initial state *is* a bit of the entry state, and a choice that some variable
//! still holds is that variable's bit now. So where all symbols are of these kinds nothing is left
//! to be quantified, and "now is this function of the entry state" goes into the certificate as it
//! stands, names as shared parts of a formula. It is then for the checker's solver, not for BDDs,
//! to see that it is inductive and excludes the targets.
//!
//! Where control can reach no target any more, nothing has to be said, and nothing is: what dead
//! variables held often cannot be.

use crate::encoding::blocks::Argument;
use crate::encoding::closure::Closure;
use crate::encoding::evaluate::Frame;
use crate::encoding::symbols::Meaning;
use hardbop_bdd::Bdd;
use hardbop_outcome::certificate::{Bit, Formula};
use hardbop_symbolic::FormulaWriter;
use std::collections::BTreeMap;

/// The states of one term, or of a node behind it, in the first instance.
#[derive(Clone, Debug)]
pub(crate) struct WrittenOut {
    /// Where on the symbols they are passed.
    condition: Bdd,
    /// Constants among the entry arguments, by slot.
    entry: Vec<(u32, Bdd)>,
    /// Values of the arguments, by slot.
    values: Vec<(u32, Bdd)>,
    /// The bits that symbols are.
    bits: BTreeMap<u32, Place>,
    /// The definitions of the names that conditions, values and definitions speak of.
    names: BTreeMap<u32, Bdd>,
}

/// A bit of the entry state or of the current one, by slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Entry(u32),
    Now(u32),
}

impl WrittenOut {
    /// All states.
    pub(crate) fn anything() -> Self {
        Self {
            condition: Bdd::TRUE,
            entry: Vec::new(),
            values: Vec::new(),
            bits: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }

    /// The states with these values where the condition holds; nothing if some symbol is not a bit
    /// of a state.
    pub(crate) fn new(
        closure: &Closure<'_, '_>,
        condition: Bdd,
        entry: (&[Argument], &Frame),
        now: (&[Argument], &Frame),
    ) -> Option<Self> {
        let manager = &closure.manager;
        let variable = |value: Bdd| match manager.branch(value) {
            Some((variable, Bdd::FALSE, Bdd::TRUE)) => Some(variable),
            _ => None,
        };
        let is_name = |variable: u32| {
            variable >= closure.symbols.first()
                && matches!(closure.symbols.meaning(variable), Meaning::Name(_))
        };
        let known = |(arguments, frame): (&[Argument], &Frame)| -> Vec<(u32, Bdd)> {
            let slots = arguments.iter().map(|argument| argument.slot);
            slots
                .filter_map(|slot| Some((slot, frame[slot as usize]?)))
                .collect()
        };
        let mut written = Self {
            condition,
            entry: known(entry),
            values: known(now),
            bits: BTreeMap::new(),
            names: BTreeMap::new(),
        };
        for &(slot, value) in &written.entry {
            if let Some(symbol) = variable(value) {
                written.bits.entry(symbol).or_insert(Place::Entry(slot));
            }
        }
        for &(slot, value) in &written.values {
            if let Some(symbol) = variable(value)
                && !is_name(symbol)
            {
                written.bits.entry(symbol).or_insert(Place::Now(slot));
            }
        }
        let values = written.entry.iter().chain(&written.values);
        let mut pending: Vec<Bdd> = values.map(|&(_, value)| value).collect();
        pending.push(condition);
        while let Some(function) = pending.pop() {
            for symbol in manager.support(function) {
                if written.bits.contains_key(&symbol) || written.names.contains_key(&symbol) {
                    continue;
                }
                if !is_name(symbol) {
                    return None;
                }
                if let Meaning::Name(definition) = closure.symbols.meaning(symbol) {
                    written.names.insert(symbol, definition);
                    pending.push(definition);
                }
            }
        }
        Some(written)
    }

    /// Writes the formula; `bits` are those that the procedure sees, by slot.
    pub(crate) fn write(
        &self,
        closure: &Closure<'_, '_>,
        writer: &mut FormulaWriter,
        bits: &[Bit],
    ) -> u32 {
        writer.forget_bdds();
        let manager = &closure.manager;
        let mut leaves: BTreeMap<u32, Formula> = BTreeMap::new();
        for (&symbol, place) in &self.bits {
            let leaf = match *place {
                Place::Entry(slot) => Formula::Entry(bits[slot as usize]),
                Place::Now(slot) => Formula::Now(bits[slot as usize]),
            };
            leaves.insert(symbol, leaf);
        }
        // A definition speaks of earlier symbols only.
        for (&name, &definition) in &self.names {
            let written = writer.bdd(manager, definition, |symbol| leaves[&symbol].clone());
            leaves.insert(name, Formula::And(vec![written]));
        }
        let mut parts = vec![writer.bdd(manager, self.condition, |symbol| leaves[&symbol].clone())];
        let entry = self
            .entry
            .iter()
            .map(|&(slot, value)| (Place::Entry(slot), value));
        let values = self
            .values
            .iter()
            .map(|&(slot, value)| (Place::Now(slot), value));
        for (place, value) in entry.chain(values) {
            let (Place::Entry(slot) | Place::Now(slot)) = place;
            let bit = match place {
                Place::Entry(_) => Formula::Entry(bits[slot as usize]),
                Place::Now(_) => Formula::Now(bits[slot as usize]),
            };
            let bit = writer.formula(bit);
            let value = writer.bdd(manager, value, |symbol| leaves[&symbol].clone());
            let opposite = writer.formula(Formula::Not(value));
            parts.push(writer.formula(Formula::Ite(bit, value, opposite)));
        }
        writer.formula(Formula::And(parts))
    }
}
