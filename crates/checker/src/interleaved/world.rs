//! A configuration before and after a step, as literals of a circuit.
//!
//! Bits come into being when they are first looked at. What a step does not change has the same
//! literal before and after, so that most of a relation after the step is, gate for gate, the
//! relation before it.

use crate::memo::Memo;
use crate::rejected::{Witness, WitnessState};
use crate::translate::{Leaves, certificate_formula, edge_formula};
use hardbop_evidence::certificate::{Bit, Formula, ThreadBit, ThreadPart};
use hardbop_machine::bits::{BitEdge, BitId, BitNode, BitView};
use hardbop_machine::cast::Cast;
use hardbop_machine::inlined::InlinedFrame;
use hardbop_machine::{EdgeId, GlobalId, InputId, Machine, Storage, Variable};
use hardbop_sat::{Lit, Prover, ProvingCircuit};
use std::collections::{BTreeMap, HashMap};

/// Before or after the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before.
    Before,
    /// After.
    After,
}

/// A thread in a frame.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The thread.
    pub thread: u32,
    /// The frame.
    pub frame: &'a InlinedFrame,
}

/// A step in the making. The tables are reused from one to the next.
pub struct World<'a, 'i> {
    machine: &'a Machine,
    cast: &'a Cast,
    formulas: &'a [Formula],
    view: BitView<'a>,
    /// Where everything is built.
    pub state: State<'i>,
    formula_memo: Memo,
    edge_memo: Memo,
}

/// The literals of the bits.
pub struct State<'i> {
    /// Where they live.
    pub circuit: ProvingCircuit<'i>,
    before: BTreeMap<ConfigurationBit, Lit>,
    after: HashMap<ConfigurationBit, Lit>,
    choices: HashMap<(InputId, u8), Lit>,
}

impl<'i> State<'i> {
    /// Nothing is known of any bit.
    pub fn new(is_over: &'i dyn Fn() -> bool) -> Self {
        Self {
            circuit: ProvingCircuit::new(Prover::new(is_over)),
            before: BTreeMap::new(),
            after: HashMap::new(),
            choices: HashMap::new(),
        }
    }

    /// A bit at a moment.
    pub fn literal(&mut self, moment: Moment, bit: ConfigurationBit) -> Lit {
        let changed = self.after.get(&bit).filter(|_| moment == Moment::After);
        if let Some(&literal) = changed {
            return literal;
        }
        let circuit = &mut self.circuit;
        *self.before.entry(bit).or_insert_with(|| circuit.input())
    }

    /// Says what a bit is at a moment. Before the step this must come before anything looks at it.
    pub fn set(&mut self, moment: Moment, bit: ConfigurationBit, value: Lit) {
        match moment {
            Moment::Before => {
                self.before.insert(bit, value);
            }
            Moment::After => {
                self.after.insert(bit, value);
            }
        }
    }

    /// After the step the bit may have any value.
    pub fn set_arbitrary(&mut self, bit: ConfigurationBit) {
        let any = self.circuit.input();
        self.set(Moment::After, bit, any);
    }

    /// A bit of a choice.
    pub fn choice(&mut self, input: InputId, bit: u8) -> Lit {
        let circuit = &mut self.circuit;
        *self
            .choices
            .entry((input, bit))
            .or_insert_with(|| circuit.input())
    }

    /// Says what a bit of a choice is.
    pub fn set_choice(&mut self, input: InputId, bit: u8, value: Lit) {
        self.choices.insert((input, bit), value);
    }

    /// Forgets the configuration.
    pub fn begin(&mut self) {
        self.circuit.clear();
        self.before.clear();
        self.begin_step();
    }

    /// Forgets the step.
    pub fn begin_step(&mut self) {
        self.after.clear();
        self.choices.clear();
    }

    /// The configuration of the last search's model: where the threads are, and the shared globals.
    pub fn witness(&self, machine: &Machine) -> Witness {
        let model = self.circuit.model();
        let mut values: BTreeMap<String, u64> = BTreeMap::new();
        for (&bit, &literal) in &self.before {
            let (name, bit) = match bit {
                ConfigurationBit::Shared(id, bit) => (machine.global(id).name.clone(), bit),
                ConfigurationBit::Thread(ThreadBit {
                    thread,
                    part: ThreadPart::Place,
                    bit,
                }) => (format!("place of thread {thread}"), bit),
                ConfigurationBit::Thread(_) => continue,
            };
            *values.entry(name).or_default() |= u64::from(model.value(literal)) << bit;
        }
        Witness {
            states: vec![WitnessState {
                moment: "before the step",
                values: values.into_iter().collect(),
            }],
        }
    }
}

/// A bit of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConfigurationBit {
    /// Of a shared global.
    Shared(GlobalId, u32),
    /// Of a thread.
    Thread(ThreadBit),
}

impl<'a, 'i> World<'a, 'i> {
    pub fn new(
        machine: &'a Machine,
        cast: &'a Cast,
        formulas: &'a [Formula],
        is_over: &'i dyn Fn() -> bool,
    ) -> Self {
        Self {
            machine,
            cast,
            formulas,
            view: BitView::new(machine),
            state: State::new(is_over),
            formula_memo: Memo::default(),
            edge_memo: Memo::default(),
        }
    }

    /// Starts anew with a configuration of which nothing is known.
    pub fn begin(&mut self) {
        self.state.begin();
        self.edge_memo.clear();
    }

    /// Goes on with another step from the same configuration.
    pub fn begin_step(&mut self) {
        self.state.begin_step();
        self.edge_memo.clear();
    }

    pub fn constant(&self, value: bool) -> Lit {
        self.state.circuit.constant(value)
    }

    /// Puts a thread at a place.
    pub fn set_place(&mut self, moment: Moment, thread: u32, place: u32) {
        for bit in 0..self.cast.member(thread).inlined.place_bits() {
            let value = self.constant(place >> bit & 1 == 1);
            self.state
                .set(moment, thread_bit(thread, ThreadPart::Place, bit), value);
        }
    }

    /// "The thread is at this place", before the step.
    pub fn at(&mut self, thread: u32, place: u32) -> Lit {
        let bits = 0..self.cast.member(thread).inlined.place_bits();
        let bits: Vec<Lit> = bits
            .map(|bit| {
                let bit_now = thread_bit(thread, ThreadPart::Place, bit);
                let literal = self.state.literal(Moment::Before, bit_now);
                literal.negated_if(place >> bit & 1 == 0)
            })
            .collect();
        self.state.circuit.all(bits)
    }

    /// Whether a thread that has been started has not ended, before the step.
    pub fn runs(&mut self, thread: u32) -> Lit {
        !self.at(thread, 0)
    }

    /// Shared globals with an initial value have it.
    pub fn fix_initial_shared(&mut self) {
        for (index, global) in self.machine.globals.iter().enumerate() {
            let initial = global.initial.filter(|_| global.storage == Storage::Shared);
            for bit in 0..initial.map_or(0, |_| global.ty.width()) {
                let value = self.constant(initial.unwrap_or(0) >> bit & 1 == 1);
                let bit = ConfigurationBit::Shared(GlobalId::new(index), bit);
                self.state.set(Moment::Before, bit, value);
            }
        }
    }

    /// A thread that the program declares starts: at its entry, its own globals with their initial
    /// values.
    pub fn start_declared(&mut self, moment: Moment, thread: u32) {
        let entry = self.cast.member(thread).entry_place(self.machine);
        self.set_place(moment, thread, entry.unwrap_or(0));
        for (index, global) in self.machine.globals.iter().enumerate() {
            let initial = global
                .initial
                .filter(|_| global.storage == Storage::PerThread);
            for bit in 0..initial.map_or(0, |_| global.ty.width()) {
                let value = self.constant(initial.unwrap_or(0) >> bit & 1 == 1);
                let part = ThreadPart::Own(GlobalId::new(index));
                self.state.set(moment, thread_bit(thread, part, bit), value);
            }
        }
    }

    /// The Getafix flag before the step, if the program has one.
    pub fn flag(&mut self) -> Option<Lit> {
        let flag = self.machine.atomic_flag?;
        let bit = ConfigurationBit::Shared(flag, 0);
        Some(self.state.literal(Moment::Before, bit))
    }

    /// The formulas of an edge.
    pub fn edge(&mut self, id: EdgeId) -> BitEdge {
        self.view.edge(id)
    }

    /// A choice has this value from now on, instead of any.
    pub fn set_choice(&mut self, input: InputId, bit: u8, value: bool) {
        let value = self.constant(value);
        self.state.set_choice(input, bit, value);
    }

    /// A formula of an edge of a thread in a frame.
    pub fn edge_formula(&mut self, scope: Scope<'_>, root: BitId) -> Lit {
        let mut leaves = EdgeLeaves {
            machine: self.machine,
            scope,
            state: &mut self.state,
        };
        edge_formula(&mut self.edge_memo, self.view.graph(), root, &mut leaves)
    }

    /// A formula of the certificate at a moment.
    pub fn formula(&mut self, root: u32, moment: Moment) -> Lit {
        self.formula_memo.clear();
        let mut leaves = CertificateLeaves {
            moment,
            state: &mut self.state,
        };
        certificate_formula(&mut self.formula_memo, self.formulas, root, &mut leaves)
    }

    /// The configuration of the last search's model: where the threads are, and the shared globals.
    pub fn witness(&self) -> Witness {
        self.state.witness(self.machine)
    }
}

/// Bits as a thread in a frame sees them.
struct EdgeLeaves<'l, 'i> {
    machine: &'l Machine,
    scope: Scope<'l>,
    state: &'l mut State<'i>,
}

impl<'i> Leaves<'i> for EdgeLeaves<'_, 'i> {
    fn circuit(&mut self) -> &mut ProvingCircuit<'i> {
        &mut self.state.circuit
    }

    fn of_edge(&mut self, leaf: BitNode) -> Lit {
        let (moment, variable, bit) = match leaf {
            BitNode::Var(variable, bit) => (Moment::Before, variable, bit),
            BitNode::Next(variable, bit) => (Moment::After, variable, bit),
            BitNode::Input(input, bit) => return self.state.choice(input, bit),
            _ => unreachable!("only leaves that are no constants are asked for"),
        };
        let bit = variable_bit(self.machine, self.scope, variable, u32::from(bit));
        self.state.literal(moment, bit)
    }

    fn of_certificate(&mut self, _leaf: &Formula) -> Lit {
        unreachable!("an edge has no leaves of a certificate")
    }
}

/// Bits of a configuration at a moment.
struct CertificateLeaves<'l, 'i> {
    moment: Moment,
    state: &'l mut State<'i>,
}

impl<'i> Leaves<'i> for CertificateLeaves<'_, 'i> {
    fn circuit(&mut self) -> &mut ProvingCircuit<'i> {
        &mut self.state.circuit
    }

    fn of_edge(&mut self, _leaf: BitNode) -> Lit {
        unreachable!("a certificate has no leaves of an edge")
    }

    fn of_certificate(&mut self, leaf: &Formula) -> Lit {
        match leaf {
            Formula::Now(Bit {
                variable: Variable::Global(id),
                bit,
            }) => {
                let bit = ConfigurationBit::Shared(*id, *bit);
                self.state.literal(self.moment, bit)
            }
            Formula::Thread(bit) => {
                let bit = ConfigurationBit::Thread(*bit);
                self.state.literal(self.moment, bit)
            }
            // The form of the certificate has been checked: there are no other leaves.
            _ => self.state.circuit.constant(false),
        }
    }
}

/// A bit of a variable as a thread in a frame sees it.
pub fn variable_bit(
    machine: &Machine,
    scope: Scope<'_>,
    variable: Variable,
    bit: u32,
) -> ConfigurationBit {
    match variable {
        Variable::Global(id) => match machine.global(id).storage {
            Storage::Shared => ConfigurationBit::Shared(id, bit),
            Storage::PerThread => thread_bit(scope.thread, ThreadPart::Own(id), bit),
        },
        Variable::Local(id) => {
            let first = scope.frame.bits_of(id).start;
            thread_bit(scope.thread, ThreadPart::Row, first + bit)
        }
    }
}

/// A bit of a part of a thread.
pub fn thread_bit(thread: u32, part: ThreadPart, bit: u32) -> ConfigurationBit {
    ConfigurationBit::Thread(ThreadBit { thread, part, bit })
}
