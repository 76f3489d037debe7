//! The shared globals and the top frames of a few threads before and after a step, as literals of a
//! circuit. Threads are numbered as seats: those of a view, then another thread, then a frame that
//! waits.

use super::form::place_bits;
use crate::interleaved::world::{ConfigurationBit, Moment, State, thread_bit};
use crate::memo::Memo;
use crate::translate::{Leaves, certificate_formula, edge_formula};
use hardbop_evidence::certificate::{Bit, Formula, ThreadBit, ThreadPart};
use hardbop_machine::bits::{BitEdge, BitId, BitNode, BitView};
use hardbop_machine::{EdgeId, GlobalId, Machine, ProcId, Storage, Variable};
use hardbop_sat::{Lit, ProvingCircuit};
use std::collections::BTreeSet;

/// Where the threads of a formula sit, and when.
pub type Seating = [(u32, Moment)];

/// A step in the making.
pub struct StackWorld<'a, 'i> {
    machine: &'a Machine,
    formulas: &'a [Formula],
    view: BitView<'a>,
    /// Where everything is built.
    pub state: State<'i>,
    formula_memo: Memo,
    edge_memo: Memo,
    /// Bits of frames that some formula reads. Others are irrelevant.
    frame_bits: Vec<(ThreadPart, u32)>,
}

impl<'a, 'i> StackWorld<'a, 'i> {
    pub fn new(
        machine: &'a Machine,
        formulas: &'a [Formula],
        is_over: &'i dyn Fn() -> bool,
    ) -> Self {
        let mut frame_bits = BTreeSet::new();
        for formula in formulas {
            let Formula::Thread(ThreadBit { part, bit, .. }) = *formula else {
                continue;
            };
            match part {
                ThreadPart::Local(_) | ThreadPart::Caller => {
                    frame_bits.insert((part, bit));
                }
                ThreadPart::Entry(variable) => {
                    frame_bits.insert((part, bit));
                    if let Variable::Local(id) = variable {
                        frame_bits.insert((ThreadPart::Local(id), bit));
                    }
                }
                _ => {}
            }
        }
        Self {
            machine,
            formulas,
            view: BitView::new(machine),
            state: State::new(is_over),
            formula_memo: Memo::default(),
            edge_memo: Memo::default(),
            frame_bits: frame_bits.into_iter().collect(),
        }
    }

    /// Begins with a configuration of which nothing is known.
    pub fn begin(&mut self) {
        self.state.begin();
        self.edge_memo.clear();
    }

    /// Begins another step from the same configuration.
    pub fn begin_step(&mut self) {
        self.state.begin_step();
        self.edge_memo.clear();
    }

    pub fn constant(&self, value: bool) -> Lit {
        self.state.circuit.constant(value)
    }

    /// A bit of a thread at a moment.
    pub fn bit(&mut self, moment: Moment, seat: u32, part: ThreadPart, bit: u32) -> Lit {
        self.state.literal(moment, thread_bit(seat, part, bit))
    }

    /// Says what a bit of a thread is at a moment.
    pub fn set_bit(&mut self, moment: Moment, seat: u32, part: ThreadPart, bit: u32, value: Lit) {
        self.state.set(moment, thread_bit(seat, part, bit), value);
    }

    /// Says what a place or a caller is.
    pub fn set_number(&mut self, moment: Moment, seat: u32, part: ThreadPart, number: u32) {
        for bit in 0..place_bits(self.machine) {
            let value = self.constant(number >> bit & 1 == 1);
            self.set_bit(moment, seat, part, bit, value);
        }
    }

    /// A place or a caller is this, before the step.
    pub fn is_number(&mut self, seat: u32, part: ThreadPart, number: u32) -> Lit {
        let bits: Vec<Lit> = (0..place_bits(self.machine))
            .map(|bit| {
                let literal = self.bit(Moment::Before, seat, part, bit);
                literal.negated_if(number >> bit & 1 == 0)
            })
            .collect();
        self.state.circuit.all(bits)
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

    /// A thread is about to take its first step.
    pub fn start(&mut self, seat: u32, entry: ProcId) {
        let before = Moment::Before;
        let place = self.machine.procedure(entry).entry.0 + 1;
        self.set_number(before, seat, ThreadPart::Place, place);
        self.set_number(before, seat, ThreadPart::Caller, 0);
        for (index, global) in self.machine.globals.iter().enumerate() {
            let initial = global
                .initial
                .filter(|_| global.storage == Storage::PerThread);
            for bit in 0..initial.map_or(0, |_| global.ty.width()) {
                let value = self.constant(initial.unwrap_or(0) >> bit & 1 == 1);
                let part = ThreadPart::Own(GlobalId::new(index));
                self.set_bit(before, seat, part, bit, value);
            }
        }
        let (yes, no) = (self.constant(true), self.constant(false));
        self.set_bit(before, seat, ThreadPart::Inside, 0, no);
        self.set_bit(before, seat, ThreadPart::Last, 0, no);
        self.set_bit(before, seat, ThreadPart::Stepped, 0, yes);
        for (part, bit) in self.frame_bits.clone() {
            if let ThreadPart::Entry(variable) = part {
                let value = self.variable(before, seat, variable, bit);
                self.set_bit(before, seat, part, bit, value);
            }
        }
    }

    /// The frame of a callee takes the place of the caller's.
    pub fn enter(&mut self, seat: u32, id: EdgeId, edge: &BitEdge) {
        let values: Vec<Lit> = edge
            .arguments
            .iter()
            .map(|argument| self.edge_formula(seat, argument.value))
            .collect();
        for (part, bit) in self.frame_bits.clone() {
            if let ThreadPart::Local(_) = part {
                self.state.set_arbitrary(thread_bit(seat, part, bit));
            }
        }
        for (argument, value) in edge.arguments.iter().zip(values) {
            let bit = variable_bit(self.machine, seat, argument.variable, argument.bit.into());
            self.state.set(Moment::After, bit, value);
        }
        for (part, bit) in self.frame_bits.clone() {
            if let ThreadPart::Entry(variable) = part {
                let value = self.variable(Moment::After, seat, variable, bit);
                self.set_bit(Moment::After, seat, part, bit, value);
            }
        }
        let from = self.machine.edge(id).from.0 + 1;
        self.set_number(Moment::After, seat, ThreadPart::Caller, from);
    }

    /// A frame that waits takes the place of its callee's, with the results of the call.
    pub fn leave(&mut self, seat: u32, waiting: u32, edge: &BitEdge) {
        let results: Vec<(ConfigurationBit, Lit)> = edge
            .results
            .iter()
            .map(|result| {
                let bit = u32::from(result.bit);
                let local = Variable::Local(result.result);
                let value = self.variable(Moment::Before, seat, local, bit);
                let target = variable_bit(self.machine, seat, result.target, bit);
                (target, value)
            })
            .collect();
        for (part, bit) in self.frame_bits.clone() {
            let value = self.bit(Moment::Before, waiting, part, bit);
            self.set_bit(Moment::After, seat, part, bit, value);
        }
        for (target, value) in results {
            self.state.set(Moment::After, target, value);
        }
    }

    /// A bit of a variable as the top frame of a thread sees it.
    fn variable(&mut self, moment: Moment, seat: u32, variable: Variable, bit: u32) -> Lit {
        let bit = variable_bit(self.machine, seat, variable, bit);
        self.state.literal(moment, bit)
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

    /// Assigns what an edge assigns; gives the condition under which it can be taken.
    pub fn take(&mut self, seat: u32, edge: &BitEdge) -> Lit {
        let guard = self.edge_formula(seat, edge.guard);
        for write in &edge.assignments {
            let value = self.edge_formula(seat, write.value);
            let bit = variable_bit(self.machine, seat, write.variable, write.bit.into());
            self.state.set(Moment::After, bit, value);
        }
        // It may speak of the state after the step, which is known only now.
        let constrain = self.edge_formula(seat, edge.constrain);
        self.state.circuit.and(guard, constrain)
    }

    fn edge_formula(&mut self, seat: u32, root: BitId) -> Lit {
        let mut leaves = EdgeLeaves {
            machine: self.machine,
            seat,
            state: &mut self.state,
        };
        edge_formula(&mut self.edge_memo, self.view.graph(), root, &mut leaves)
    }

    /// A formula of the certificate; nothing is the empty relation.
    pub fn formula(&mut self, root: Option<u32>, seating: &Seating, shared: Moment) -> Lit {
        let Some(root) = root else {
            return self.constant(false);
        };
        self.formula_memo.clear();
        let mut leaves = CertificateLeaves {
            seating,
            shared,
            state: &mut self.state,
        };
        certificate_formula(&mut self.formula_memo, self.formulas, root, &mut leaves)
    }
}

/// Bits as the top frame of a thread sees them.
struct EdgeLeaves<'l, 'i> {
    machine: &'l Machine,
    seat: u32,
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
        let bit = variable_bit(self.machine, self.seat, variable, u32::from(bit));
        self.state.literal(moment, bit)
    }

    fn of_certificate(&mut self, _leaf: &Formula) -> Lit {
        unreachable!("an edge has no leaves of a certificate")
    }
}

/// Bits of a configuration.
struct CertificateLeaves<'l, 'i> {
    seating: &'l Seating,
    shared: Moment,
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
                self.state.literal(self.shared, bit)
            }
            Formula::Thread(ThreadBit { thread, part, bit }) => {
                let (seat, moment) = self.seating[*thread as usize];
                self.state.literal(moment, thread_bit(seat, *part, *bit))
            }
            // The form of the certificate has been checked: there are no other leaves.
            _ => self.state.circuit.constant(false),
        }
    }
}

/// A bit of a variable as the top frame of a thread sees it.
fn variable_bit(machine: &Machine, seat: u32, variable: Variable, bit: u32) -> ConfigurationBit {
    match variable {
        Variable::Global(id) => match machine.global(id).storage {
            Storage::Shared => ConfigurationBit::Shared(id, bit),
            Storage::PerThread => thread_bit(seat, ThreadPart::Own(id), bit),
        },
        Variable::Local(id) => thread_bit(seat, ThreadPart::Local(id), bit),
    }
}
