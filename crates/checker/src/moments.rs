//! The states that a condition speaks of, bit by bit.
//!
//! There are up to seven: the caller's at its entry, now, after the step, at its exit; the callee's
//! at its entry and its exit; the caller's after the return. A bit gets a literal only when a
//! formula asks for it, and bits that must be equal get the *same* literal, so "everything else is
//! unchanged" costs nothing however many variables there are. That includes the frame of a call: a
//! global that a procedure never modifies is one literal from its entry to its exit.

use crate::rejected::{Witness, WitnessState};
use hardbop_machine::bits::BitLayout;
use hardbop_machine::{GlobalId, InputId, Machine, ProcId, Variable};
use hardbop_sat::{Lit, Model, Prover, ProvingCircuit};
use std::collections::BTreeMap;

/// A state that a condition speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// When the procedure was entered.
    Entry,
    /// Before the step.
    Now,
    /// After a step that is not a call.
    Next,
    /// When the callee is entered.
    CalleeEntry,
    /// When the callee is about to return.
    CalleeExit,
    /// After the return.
    Returned,
    /// When the procedure will be about to return.
    Exit,
}

impl Moment {
    const ALL: [Self; 7] = [
        Self::Entry,
        Self::Now,
        Self::Next,
        Self::CalleeEntry,
        Self::CalleeExit,
        Self::Returned,
        Self::Exit,
    ];

    /// Those that belong to one edge rather than to its start.
    const OF_EDGE: [Self; 4] = [
        Self::Next,
        Self::CalleeEntry,
        Self::CalleeExit,
        Self::Returned,
    ];

    fn is_of_callee(self) -> bool {
        matches!(self, Self::CalleeEntry | Self::CalleeExit)
    }

    /// As a witness names it.
    fn description(self) -> &'static str {
        match self {
            Self::Entry => "entered with",
            Self::Now => "now",
            Self::Next => "then",
            Self::CalleeEntry => "the callee is entered with",
            Self::CalleeExit => "the callee ends with",
            Self::Returned => "after the return",
            Self::Exit => "at the exit",
        }
    }
}

/// The bits of one state that have a literal.
#[derive(Default)]
struct Literals {
    by_index: Vec<Option<Lit>>,
    asked: Vec<(u32, Variable, u32)>,
}

impl Literals {
    fn clear(&mut self) {
        for (index, ..) in self.asked.drain(..) {
            self.by_index[index as usize] = None;
        }
    }

    fn get(&self, index: u32) -> Option<Lit> {
        self.by_index.get(index as usize).copied().flatten()
    }

    fn set(&mut self, index: u32, variable: Variable, bit: u32, literal: Lit) {
        if self.by_index.len() <= index as usize {
            self.by_index.resize(index as usize + 1, None);
        }
        self.by_index[index as usize] = Some(literal);
        self.asked.push((index, variable, bit));
    }
}

/// The states of one condition, in one circuit.
pub(crate) struct Moments<'a, 'i> {
    machine: &'a Machine,
    layout: BitLayout,
    pub circuit: ProvingCircuit<'i>,
    procedure: ProcId,
    callee: ProcId,
    states: [Literals; 7],
    inputs: BTreeMap<(InputId, u8), Lit>,
}

impl<'a, 'i> Moments<'a, 'i> {
    pub fn new(machine: &'a Machine, is_over: &'i dyn Fn() -> bool) -> Self {
        Self {
            machine,
            layout: BitLayout::new(machine),
            circuit: ProvingCircuit::new(Prover::new(is_over)),
            procedure: ProcId(0),
            callee: ProcId(0),
            states: Default::default(),
            inputs: BTreeMap::new(),
        }
    }

    /// Starts anew in a procedure, with an empty circuit.
    pub fn begin(&mut self, procedure: ProcId) {
        self.circuit.clear();
        self.procedure = procedure;
        for moment in Moment::ALL {
            self.states[moment as usize].clear();
        }
        self.begin_edge(None);
    }

    /// Forgets the states of the edge before; the others and the circuit stay.
    pub fn begin_edge(&mut self, callee: Option<ProcId>) {
        self.callee = callee.unwrap_or(self.procedure);
        for moment in Moment::OF_EDGE {
            self.states[moment as usize].clear();
        }
        self.inputs.clear();
    }

    /// Gives a bit its literal.
    pub fn set(&mut self, moment: Moment, variable: Variable, bit: u32, value: Lit) {
        let index = self.index(moment, variable, bit);
        self.states[moment as usize].set(index, variable, bit, value);
    }

    /// Fixes the globals with an initial value to it, now.
    pub fn fix_initial_values(&mut self) {
        for (index, global) in self.machine.globals.iter().enumerate() {
            let Some(value) = global.initial else {
                continue;
            };
            for bit in 0..global.ty.width() {
                let literal = self.circuit.constant(value >> bit & 1 == 1);
                let variable = Variable::Global(GlobalId::new(index));
                self.set(Moment::Now, variable, bit, literal);
            }
        }
    }

    /// The literal of a bit of a variable.
    pub fn literal(&mut self, moment: Moment, variable: Variable, bit: u32) -> Lit {
        let index = self.index(moment, variable, bit);
        if let Some(literal) = self.states[moment as usize].get(index) {
            return literal;
        }
        // This goes back at most from the return to the callee's exit, its entry, and now.
        let literal = match self.unchanged_since(moment, variable) {
            Some(earlier) => self.literal(earlier, variable, bit),
            None => self.circuit.input(),
        };
        self.states[moment as usize].set(index, variable, bit, literal);
        literal
    }

    /// The literal of a bit of a choice of the edge.
    pub fn choice(&mut self, input: InputId, bit: u8) -> Lit {
        *self
            .inputs
            .entry((input, bit))
            .or_insert_with(|| self.circuit.input())
    }

    fn owner(&self, moment: Moment) -> ProcId {
        if moment.is_of_callee() {
            self.callee
        } else {
            self.procedure
        }
    }

    fn index(&self, moment: Moment, variable: Variable, bit: u32) -> u32 {
        self.layout.bits_of(self.owner(moment), variable).start + bit
    }

    /// The other moment at which the variable has the same value, unless the edge says otherwise;
    /// nothing if it is arbitrary.
    fn unchanged_since(&self, moment: Moment, variable: Variable) -> Option<Moment> {
        let is_global = matches!(variable, Variable::Global(_));
        let is_kept_by = |procedure| match variable {
            Variable::Global(global) => !self.machine.effects().modifies(procedure, global),
            Variable::Local(_) => false,
        };
        match moment {
            Moment::Now => None,
            Moment::Entry | Moment::Exit => is_kept_by(self.procedure).then_some(Moment::Now),
            Moment::CalleeEntry => is_global.then_some(Moment::Now),
            Moment::CalleeExit => is_kept_by(self.callee).then_some(Moment::CalleeEntry),
            Moment::Returned if is_global => Some(Moment::CalleeExit),
            Moment::Next | Moment::Returned => Some(Moment::Now),
        }
    }

    /// The model of the last search: the values of all variables that matter.
    pub fn witness(&self) -> Witness {
        let model = self.circuit.model();
        let mut states = Vec::new();
        for moment in Moment::ALL {
            let owner = self.owner(moment);
            let mut values: BTreeMap<Variable, u64> = BTreeMap::new();
            let state = &self.states[moment as usize];
            for &(index, variable, bit) in &state.asked {
                let is_set = state.get(index).is_some_and(|literal| model.value(literal));
                *values.entry(variable).or_default() |= u64::from(is_set) << bit;
            }
            let name = |variable| self.machine.name_of(owner, variable).to_owned();
            let values = values.into_iter().map(|(v, value)| (name(v), value));
            states.push(WitnessState {
                moment: moment.description(),
                values: values.collect(),
            });
            if moment == Moment::Now {
                states.push(self.chosen(&model));
            }
        }
        states.retain(|state| !state.values.is_empty());
        Witness { states }
    }

    /// The choices of the model.
    fn chosen(&self, model: &Model) -> WitnessState {
        let mut choices: BTreeMap<InputId, u64> = BTreeMap::new();
        for (&(input, bit), &literal) in &self.inputs {
            let is_set = model.value(literal);
            *choices.entry(input).or_default() |= u64::from(is_set) << bit;
        }
        let choices = choices.into_iter();
        WitnessState {
            moment: "choosing",
            values: choices
                .map(|(input, value)| (format!("*{}", input.0 + 1), value))
                .collect(),
        }
    }
}
