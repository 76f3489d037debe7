//! Edges as circuits: the formulas of an edge over the literals of one state, with new literals for
//! its choices.
//!
//! An edge is taken again and again in one unrolling, so its formulas are listed once. Only bits
//! that can have to do with the targets are written.

use hardbop_machine::analysis::Slice;
use hardbop_machine::bits::{BitId, BitNode, BitView};
use hardbop_machine::{Action, EdgeId, InputId, Machine, ProcId, Variable};
use hardbop_sat::{Circuit, Lit};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The literal of a bit of a choice.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceBit {
    /// The choice.
    pub input: InputId,
    /// The bit, from the lowest.
    pub bit: u8,
    /// Its literal.
    pub literal: Lit,
}

/// An edge over one state.
#[derive(Clone, Debug)]
pub struct EdgeCircuit {
    /// Whether it can be taken.
    pub guard: Lit,
    /// New values of bits: of the own frame, or for a call of the callee's parameters.
    pub writes: Vec<(u32, Lit)>,
    /// The choices that it depends on.
    pub choices: Vec<ChoiceBit>,
}

/// What is listed of an edge.
#[derive(Debug)]
struct Listed {
    guard: BitId,
    guard_cone: Vec<BitId>,
    /// Numbers of bits with the formulas of their new values.
    writes: Vec<(u32, BitId)>,
    /// The formula of a bit after the step, for `constrain`.
    after: HashMap<(Variable, u8), BitId>,
    write_cone: Vec<BitId>,
    constrain: BitId,
    constrain_cone: Vec<BitId>,
    procedure: ProcId,
}

/// The edges of a machine.
pub struct EdgeCircuits<'m> {
    machine: &'m Machine,
    view: BitView<'m>,
    listed: Vec<Option<Rc<Listed>>>,
    /// The literal of every formula, valid for one state at a time.
    literals: Vec<Lit>,
}

impl<'m> EdgeCircuits<'m> {
    /// Nothing is listed yet.
    pub fn new(machine: &'m Machine) -> Self {
        Self {
            machine,
            view: BitView::new(machine),
            listed: vec![None; machine.edges.len()],
            literals: Vec::new(),
        }
    }

    /// The machine in bits.
    pub fn view(&self) -> &BitView<'m> {
        &self.view
    }

    fn list(&mut self, slice: &Slice, id: EdgeId) -> Rc<Listed> {
        if let Some(listed) = &self.listed[id.index()] {
            return Rc::clone(listed);
        }
        let edge = self.view.edge(id);
        let procedure = self.machine.procedure_of(self.machine.edge(id).from);
        let (mut writes, written) = match &self.machine.edge(id).action {
            Action::Call { callee, .. } => (edge.arguments, *callee),
            _ => (edge.assignments, procedure),
        };
        // What `constrain` says of the values after the step has to do with the targets, so those
        // stay.
        writes.retain(|write| slice.relevant(written, write.variable));
        let graph = self.view.graph();
        let listed = Rc::new(Listed {
            guard: edge.guard,
            guard_cone: graph.cone([edge.guard]),
            write_cone: graph.cone(writes.iter().map(|write| write.value)),
            writes: writes
                .iter()
                .map(|write| {
                    let bits = self.view.bits_of(written, write.variable);
                    (bits.start + u32::from(write.bit), write.value)
                })
                .collect(),
            after: writes
                .iter()
                .map(|write| ((write.variable, write.bit), write.value))
                .collect(),
            constrain: edge.constrain,
            constrain_cone: graph.cone([edge.constrain]),
            procedure,
        });
        self.listed[id.index()] = Some(Rc::clone(&listed));
        listed
    }

    /// The edge over a state; nothing if its guard is false there by constants alone.
    pub fn edge(
        &mut self,
        circuit: &mut Circuit<'_>,
        slice: &Slice,
        id: EdgeId,
        bits: &[Lit],
    ) -> Option<EdgeCircuit> {
        let listed = self.list(slice, id);
        let falsehood = circuit.constant(false);
        self.literals.resize(self.view.graph().len(), falsehood);
        let mut choices = BTreeMap::new();
        self.evaluate(circuit, &listed, &listed.guard_cone, bits, &mut choices);
        let guard = self.literals[listed.guard.index()];
        if guard == falsehood {
            return None;
        }
        self.evaluate(circuit, &listed, &listed.write_cone, bits, &mut choices);
        let writes = listed.writes.iter();
        let writes = writes.map(|&(bit, value)| (bit, self.literals[value.index()]));
        let writes: Vec<(u32, Lit)> = writes.collect();
        self.evaluate(circuit, &listed, &listed.constrain_cone, bits, &mut choices);
        let guard = circuit.and(guard, self.literals[listed.constrain.index()]);
        (guard != falsehood).then_some(EdgeCircuit {
            guard,
            writes,
            choices: choices.into_values().collect(),
        })
    }

    fn evaluate(
        &mut self,
        circuit: &mut Circuit<'_>,
        listed: &Listed,
        cone: &[BitId],
        bits: &[Lit],
        choices: &mut BTreeMap<BitId, ChoiceBit>,
    ) {
        for &id in cone {
            let node = self.view.graph().get(id);
            self.literals[id.index()] = match node {
                BitNode::Var(variable, bit) => {
                    let first = self.view.bits_of(listed.procedure, variable).start;
                    bits[(first + u32::from(bit)) as usize]
                }
                BitNode::Next(variable, bit) => {
                    let first = self.view.bits_of(listed.procedure, variable).start;
                    let before = bits[(first + u32::from(bit)) as usize];
                    let after = listed.after.get(&(variable, bit));
                    after.map_or(before, |value| self.literals[value.index()])
                }
                BitNode::Input(input, bit) => {
                    let chosen = choices.entry(id).or_insert_with(|| ChoiceBit {
                        input,
                        bit,
                        literal: circuit.input(),
                    });
                    chosen.literal
                }
                _ => gate(circuit, node, |operand| self.literals[operand.index()]),
            };
        }
    }
}

/// The gate of a formula that is neither a variable nor a choice.
pub(crate) fn gate(circuit: &mut Circuit<'_>, node: BitNode, of: impl Fn(BitId) -> Lit) -> Lit {
    match node {
        BitNode::Const(value) => circuit.constant(value),
        BitNode::Not(a) => !of(a),
        BitNode::And(a, b) => circuit.and(of(a), of(b)),
        BitNode::Or(a, b) => circuit.or(of(a), of(b)),
        BitNode::Xor(a, b) => circuit.xor(of(a), of(b)),
        BitNode::Ite(c, a, b) => circuit.ite(of(c), of(a), of(b)),
        BitNode::Var(..) | BitNode::Next(..) | BitNode::Input(..) => {
            unreachable!("leaves are read from the state")
        }
    }
}
