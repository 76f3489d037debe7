//! The BDD variables: what each stands for.
//!
//! From the top of the order down: *passing choices*, which exist only while one chain of edges is
//! evaluated and are quantified away; two bits per slot of a frame, used only to write
//! certificates; and *symbols*, one after the other as they are made. A symbol is a bit of the
//! initial state (the paper's `k` and `m`), a choice that a run makes once, or the *name* of a
//! function that got too large to be carried around as a BDD. The SAT solver sees symbols, nothing
//! else.
//!
//! **Names.** The paper's arguments are canonical BDDs, whatever they cost; the product of two
//! words has no small one. Such a value is replaced by a new variable, which the SAT solver knows
//! to be equal to it. That loses no solutions and invents none; it only makes terms different that
//! a BDD would have shown to be equal.

use crate::encoding::terms::InstanceId;
use hardbop_bdd::{Bdd, Exhausted, Manager};
use std::collections::{BTreeMap, HashMap};

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A bit of the initial state.
    Initial,
    /// The value of a global that this caller leaves arbitrary, which the callee carries along and
    /// nobody reads.
    Carried,
    /// A choice.
    Choice,
    /// This function of earlier symbols.
    Name(Bdd),
}

/// A symbol and where it was made.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    meaning: Meaning,
    instance: Option<InstanceId>,
    position: u32,
}

/// The BDD variables of a closure.
#[derive(Debug)]
pub(crate) struct Symbols {
    passing: u32,
    slots: u32,
    made: Vec<Symbol>,
    names: HashMap<Bdd, u32>,
    carried: HashMap<u32, Bdd>,
    /// Bits of the initial state by their slots.
    initials: BTreeMap<u32, Bdd>,
}

impl Symbols {
    /// No symbol yet.
    pub(crate) fn new(passing: u32, slots: u32) -> Self {
        Self {
            passing,
            slots,
            made: Vec::new(),
            names: HashMap::new(),
            carried: HashMap::new(),
            initials: BTreeMap::new(),
        }
    }

    /// How many passing choices there are: variables `0..passing`.
    pub(crate) fn passing(&self) -> u32 {
        self.passing
    }

    /// Whether a function depends on passing choices: they stand above all else.
    pub(crate) fn is_passing(&self, manager: &Manager<'_>, value: Bdd) -> bool {
        manager
            .branch(value)
            .is_some_and(|(variable, ..)| variable < self.passing)
    }

    /// The variable of a slot at the entry of the procedure.
    pub(crate) fn entry(&self, slot: u32) -> u32 {
        self.passing + 2 * slot
    }

    /// The variable of a slot now.
    pub(crate) fn now(&self, slot: u32) -> u32 {
        self.passing + 2 * slot + 1
    }

    /// The first variable that is a symbol.
    pub(crate) fn first(&self) -> u32 {
        self.passing + 2 * self.slots
    }

    /// One past the last symbol.
    pub(crate) fn end(&self) -> u32 {
        self.first() + self.made.len() as u32
    }

    /// How many symbols there are.
    pub(crate) fn len(&self) -> usize {
        self.made.len()
    }

    /// What a symbol stands for.
    pub(crate) fn meaning(&self, variable: u32) -> Meaning {
        self.made[(variable - self.first()) as usize].meaning
    }

    /// Where a symbol was made; nothing for a bit of the initial state.
    pub(crate) fn origin(&self, variable: u32) -> Option<(InstanceId, u32)> {
        let symbol = self.made[(variable - self.first()) as usize];
        symbol.instance.map(|instance| (instance, symbol.position))
    }

    fn add(&mut self, meaning: Meaning, instance: Option<InstanceId>, position: u32) -> u32 {
        let variable = self.end();
        self.made.push(Symbol {
            meaning,
            instance,
            position,
        });
        variable
    }

    /// The bit of the initial state that a slot has.
    pub(crate) fn initial(
        &mut self,
        manager: &mut Manager<'_>,
        slot: u32,
    ) -> Result<Bdd, Exhausted> {
        let variable = self.add(Meaning::Initial, None, 0);
        let value = manager.variable(variable)?;
        self.initials.insert(slot, value);
        Ok(value)
    }

    /// The slots that have symbolic initial values, in order, with these.
    pub(crate) fn initials(&self) -> impl Iterator<Item = (u32, Bdd)> {
        self.initials.iter().map(|(&slot, &value)| (slot, value))
    }

    /// The symbolic initial value of a slot, if it has one.
    pub(crate) fn initial_value(&self, slot: u32) -> Option<Bdd> {
        self.initials.get(&slot).copied()
    }

    /// The value of a global that is never read, by its slot.
    ///
    /// Liveness says of a global that is dead before a call but has a place among the callee's
    /// arguments that neither the callee nor what follows reads it. So one symbol per global serves
    /// all such calls; it says no more than that the callee, where it does not write the global,
    /// leaves it as it was.
    pub(crate) fn carried(
        &mut self,
        manager: &mut Manager<'_>,
        slot: u32,
    ) -> Result<Bdd, Exhausted> {
        if let Some(&known) = self.carried.get(&slot) {
            return Ok(known);
        }
        let variable = self.add(Meaning::Carried, None, 0);
        let value = manager.variable(variable)?;
        self.carried.insert(slot, value);
        Ok(value)
    }

    /// Whether a function is a value that is never read.
    pub(crate) fn is_carried(&self, manager: &Manager<'_>, value: Bdd) -> bool {
        manager.branch(value).is_some_and(|(variable, ..)| {
            variable >= self.first() && self.meaning(variable) == Meaning::Carried
        })
    }

    /// A choice made in an instance, at a node with this position.
    pub(crate) fn choice(&mut self, instance: InstanceId, position: u32) -> u32 {
        self.add(Meaning::Choice, Some(instance), position)
    }

    /// The name of a function that does not depend on passing choices.
    pub(crate) fn name(
        &mut self,
        manager: &mut Manager<'_>,
        value: Bdd,
        instance: InstanceId,
        position: u32,
    ) -> Result<Bdd, Exhausted> {
        let variable = match self.names.get(&value) {
            Some(&known) => known,
            None => {
                let variable = self.add(Meaning::Name(value), Some(instance), position);
                self.names.insert(value, variable);
                variable
            }
        };
        manager.variable(variable)
    }

    /// The number of names.
    pub(crate) fn name_count(&self) -> usize {
        self.names.len()
    }
}
