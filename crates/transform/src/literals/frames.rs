//! Frames as literals: how the bits of globals and of the running procedure's locals change when an
//! edge is taken, a callee entered or left.
//!
//! Bounded search and trials of paths ([`crate::hide::window`]) both execute the program with a
//! literal for every bit. Only bits that can have to do with the targets count ([`Slice`]), and of
//! these only the live ones: the others become constant, so that they cost no gates where ways
//! meet.

use crate::literals::edge_circuits::{EdgeCircuit, EdgeCircuits};
use hardbop_machine::analysis::Slice;
use hardbop_machine::bits::BitLayout;
use hardbop_machine::{Action, EdgeId, GlobalId, LocalId, Machine, NodeId, ProcId, Variable};
use hardbop_sat::{Circuit, Lit};
use std::collections::HashMap;
use std::rc::Rc;

/// The literal of a bit that nothing determines at first.
#[derive(Clone, Copy, Debug)]
pub struct FreeBit {
    /// The variable, as seen from the procedure that starts.
    pub variable: Variable,
    /// The bit, from the lowest.
    pub bit: u8,
    /// Its literal.
    pub literal: Lit,
}

/// A literal for every bit of the globals and of a procedure's locals, as [`BitLayout`] numbers
/// them.
pub type Bits = Vec<Lit>;

/// What happens to the bits of a frame.
pub struct Frames<'m> {
    /// The machine.
    pub machine: &'m Machine,
    /// What can have to do with the targets.
    pub slice: Rc<Slice>,
    edges: EdgeCircuits<'m>,
    /// The bits of a node that count, made when first asked for.
    live_bits: HashMap<NodeId, Rc<[bool]>>,
}

impl<'m> Frames<'m> {
    /// Frames of a machine in which a slice of it counts.
    pub fn new(machine: &'m Machine, slice: Rc<Slice>) -> Self {
        Self {
            machine,
            slice,
            edges: EdgeCircuits::new(machine),
            live_bits: HashMap::new(),
        }
    }

    /// The numbers of bits.
    pub fn layout(&self) -> &BitLayout {
        self.edges.view().layout()
    }

    /// How many bits globals have; the bits of locals come after them.
    pub fn global_bits(&self) -> usize {
        self.layout().global_bits().end as usize
    }

    /// Which bits count at a node.
    fn live_bits(&mut self, node: NodeId) -> Rc<[bool]> {
        if let Some(known) = self.live_bits.get(&node) {
            return Rc::clone(known);
        }
        let procedure = self.machine.procedure_of(node);
        let layout = self.layout();
        let mut live = vec![false; layout.local_bits(procedure).end as usize];
        for variable in self.machine.liveness().live_at(node) {
            if self.slice.relevant(procedure, variable) {
                let bits = layout.bits_of(procedure, variable);
                live[bits.start as usize..bits.end as usize].fill(true);
            }
        }
        let live: Rc<[bool]> = live.into();
        self.live_bits.insert(node, Rc::clone(&live));
        live
    }

    /// Bits that do not count at a node become constant.
    pub fn forget(&mut self, circuit: &Circuit<'_>, node: NodeId, bits: &mut [Lit]) {
        let live = self.live_bits(node);
        let falsehood = circuit.constant(false);
        for (bit, _) in bits.iter_mut().zip(live.iter()).filter(|(_, live)| !**live) {
            *bit = falsehood;
        }
    }

    /// A variable may have any value at a node; one that does not count is left as it is.
    fn leave_open(
        &mut self,
        circuit: &mut Circuit<'_>,
        node: NodeId,
        variable: Variable,
        bits: &mut [Lit],
        free: &mut Vec<FreeBit>,
    ) {
        let live = self.live_bits(node);
        let procedure = self.machine.procedure_of(node);
        for (bit, number) in (0..).zip(self.layout().bits_of(procedure, variable)) {
            if live[number as usize] {
                let literal = circuit.input();
                bits[number as usize] = literal;
                free.push(FreeBit {
                    variable,
                    bit,
                    literal,
                });
            }
        }
    }

    fn nothing(&self, circuit: &Circuit<'_>, procedure: ProcId) -> Bits {
        let end = self.layout().local_bits(procedure).end;
        vec![circuit.constant(false); end as usize]
    }

    /// The state in which a program starts with a procedure, and the bits that it leaves open.
    pub fn initial(&mut self, circuit: &mut Circuit<'_>, main: ProcId) -> (Bits, Vec<FreeBit>) {
        let machine = self.machine;
        let entry = machine.procedure(main).entry;
        let mut bits = self.nothing(circuit, main);
        let mut free = Vec::new();
        for (id, global) in (0..).map(GlobalId).zip(&machine.globals) {
            let variable = Variable::Global(id);
            let Some(value) = global.initial else {
                self.leave_open(circuit, entry, variable, &mut bits, &mut free);
                continue;
            };
            for (bit, number) in self.layout().bits_of(main, variable).enumerate() {
                bits[number as usize] = circuit.constant(value >> bit & 1 == 1);
            }
        }
        for local in machine.procedure(main).local_ids() {
            self.leave_open(circuit, entry, Variable::Local(local), &mut bits, &mut free);
        }
        (bits, free)
    }

    /// An edge over a state; nothing if it cannot be taken there by constants alone.
    pub fn edge(
        &mut self,
        circuit: &mut Circuit<'_>,
        id: EdgeId,
        bits: &[Lit],
    ) -> Option<EdgeCircuit> {
        self.edges.edge(circuit, &self.slice, id, bits)
    }

    /// The state after an edge that is not a call.
    pub fn after(
        &mut self,
        circuit: &Circuit<'_>,
        id: EdgeId,
        before: &[Lit],
        writes: &[(u32, Lit)],
    ) -> Bits {
        let mut bits = before.to_vec();
        for &(bit, value) in writes {
            bits[bit as usize] = value;
        }
        self.forget(circuit, self.machine.edge(id).to, &mut bits);
        bits
    }

    /// The state in which a callee starts, and first values of its locals that are not parameters.
    pub fn entered(
        &mut self,
        circuit: &mut Circuit<'_>,
        callee: ProcId,
        before: &[Lit],
        writes: &[(u32, Lit)],
    ) -> (Bits, Vec<FreeBit>) {
        let procedure = self.machine.procedure(callee);
        let globals = self.global_bits();
        let mut bits = self.nothing(circuit, callee);
        bits[..globals].copy_from_slice(&before[..globals]);
        for &(bit, value) in writes {
            bits[bit as usize] = value;
        }
        let mut free = Vec::new();
        let parameters = LocalId(procedure.parameter_count);
        for local in procedure.local_ids().filter(|&local| local >= parameters) {
            let variable = Variable::Local(local);
            self.leave_open(circuit, procedure.entry, variable, &mut bits, &mut free);
        }
        self.forget(circuit, procedure.entry, &mut bits);
        (bits, free)
    }

    /// The bits of the caller's locals that count when a call comes back.
    pub fn waiting(&mut self, circuit: &Circuit<'_>, call: EdgeId, before: &[Lit]) -> Rc<[Lit]> {
        let mut bits = before.to_vec();
        self.forget(circuit, self.machine.edge(call).to, &mut bits);
        bits[self.global_bits()..].into()
    }

    /// The state after a call came back from the callee's last state.
    pub fn returned(
        &mut self,
        circuit: &Circuit<'_>,
        call: EdgeId,
        last: &[Lit],
        waiting: &[Lit],
    ) -> Bits {
        let edge = self.machine.edge(call);
        let mut bits = last[..self.global_bits()].to_vec();
        bits.extend(waiting);
        if let Action::Call {
            callee, targets, ..
        } = &edge.action
        {
            let caller = self.machine.procedure_of(edge.from);
            let results = self.machine.procedure(*callee).results();
            for (result, target) in results.zip(targets) {
                let Some(target) = *target else { continue };
                let from = self.layout().bits_of(*callee, Variable::Local(result));
                let to = self.layout().bits_of(caller, target);
                for (from, to) in from.zip(to) {
                    bits[to as usize] = last[from as usize];
                }
            }
        }
        self.forget(circuit, edge.to, &mut bits);
        bits
    }
}

/// Which of several edges a run takes that is at their start; one whose guard is the opposite of
/// all others' needs no choice.
pub fn ways(circuit: &mut Circuit<'_>, reached: Lit, guards: &[Lit]) -> Vec<Lit> {
    let mut undecided = reached;
    let mut taken = Vec::with_capacity(guards.len());
    for (number, &guard) in guards.iter().enumerate() {
        let others = &guards[number + 1..];
        if others.iter().all(|&other| other == !guard) {
            taken.push(circuit.and(undecided, guard));
            continue;
        }
        let choice = circuit.input();
        taken.push(circuit.all([undecided, guard, choice]));
        undecided = circuit.and(undecided, !choice);
    }
    taken
}

/// Bit by bit the first state where the condition holds, else the second.
pub fn merge_bits(
    circuit: &mut Circuit<'_>,
    condition: Lit,
    first: &[Lit],
    second: &[Lit],
) -> Bits {
    let pairs = first.iter().zip(second);
    pairs.map(|(&a, &b)| circuit.ite(condition, a, b)).collect()
}
