//! The unrolling: after every step the control points that a run may be at, each with one state for all ways to it.
//!
//! A control point is a node with the call string that it runs under, so recursion is finite at every depth. A run is at one place
//! at a time: of the literals `reached` of one layer at most one is true, because where several edges can be taken a new literal chooses.
//! That is what makes it right to merge the states of all ways to a place. The cost of a step
//! depends on the number of control points, not of paths.
//!
//! Only what can have to do with the targets is unrolled ([`Slice`]), and bits that are never read again are forgotten
//! ([`Liveness`]), so that they cost no gates where ways meet.

use super::call_strings::{CallString, CallStrings};
use super::edge_circuits::{ChoiceBit, EdgeCircuit, EdgeCircuits};
use super::states::{State, WaitingFrames};
use crate::path::PathStep;
use hardbop_machine::analysis::{CallGraph, Liveness, ModRef, Slice};
use hardbop_machine::{Action, LocalId, Machine, NodeId, ProcId, Variable};
use hardbop_sat::{Circuit, Lit, Solver};
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

/// A way to a control point.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Where it comes from: a point of the layer before.
    pub from: usize,
    /// Whether the run takes it.
    pub taken: Lit,
    /// The step.
    pub step: PathStep,
    /// The choices of its edge.
    pub choices: Vec<ChoiceBit>,
    /// First values of the callee's locals, if it enters one.
    pub free: Vec<FreeBit>,
}

/// A control point after some number of steps.
#[derive(Clone, Debug)]
pub struct Point {
    /// The calls that wait.
    pub stack: CallString,
    /// The node.
    pub node: NodeId,
    /// Whether the run is here.
    pub reached: Lit,
    /// The ways to it.
    pub arrivals: Vec<Arrival>,
}

/// The ways to a control point, each with the state that it brings.
type Arrivals = Vec<(Arrival, State)>;

/// Control points of the next layer in the making.
#[derive(Default)]
struct Drafts {
    points: Vec<(CallString, NodeId, Arrivals)>,
    known: HashMap<(CallString, NodeId), usize>,
}

impl Drafts {
    fn add(&mut self, stack: CallString, node: NodeId, arrival: Arrival, state: State) {
        let points = &mut self.points;
        let index = *self.known.entry((stack, node)).or_insert_with(|| {
            points.push((stack, node, Vec::new()));
            points.len() - 1
        });
        points[index].2.push((arrival, state));
    }
}

/// A machine unrolled step by step.
pub struct Unrolling<'m, 'i> {
    /// The machine.
    pub machine: &'m Machine,
    /// The solver with all literals.
    pub circuit: Circuit<'i>,
    slice: Slice,
    liveness: Liveness,
    edges: EdgeCircuits<'m>,
    /// The bits of a node that count, made when first asked for.
    live_bits: HashMap<NodeId, Rc<[bool]>>,
    strings: CallStrings,
    waiting: WaitingFrames,
    /// First values that the program leaves open.
    pub start: Vec<FreeBit>,
    /// The control points after 0, 1, 2, … steps.
    pub layers: Vec<Vec<Point>>,
    /// The states of the last layer.
    states: Vec<State>,
    point_count: u64,
}

impl<'m, 'i> Unrolling<'m, 'i> {
    /// Before the first step.
    pub fn new(machine: &'m Machine, main: ProcId, targets: &[NodeId], solver: Solver<'i>) -> Self {
        let calls = CallGraph::new(machine);
        let effects = ModRef::new(machine, &calls);
        let mut unrolling = Self {
            machine,
            circuit: Circuit::new(solver),
            slice: Slice::new(machine, &calls, targets),
            liveness: Liveness::new(machine, &calls, &effects),
            edges: EdgeCircuits::new(machine),
            live_bits: HashMap::new(),
            strings: CallStrings::default(),
            waiting: WaitingFrames::default(),
            start: Vec::new(),
            layers: Vec::new(),
            states: Vec::new(),
            point_count: 0,
        };
        unrolling.begin(main);
        unrolling
    }

    fn begin(&mut self, main: ProcId) {
        let machine = self.machine;
        let entry = machine.procedure(main).entry;
        if !self.slice.keeps_node(entry) {
            self.layers.push(Vec::new());
            return;
        }
        let layout = self.edges.view().layout();
        let falsehood = self.circuit.constant(false);
        let mut bits = vec![falsehood; layout.local_bits(main).end as usize];
        let globals = (0..).map(hardbop_machine::GlobalId);
        let globals: Vec<_> = globals.zip(&machine.globals).collect();
        let mut free = Vec::new();
        for (id, global) in globals {
            let variable = Variable::Global(id);
            match global.initial {
                Some(value) => {
                    for (bit, number) in self.edges.view().bits_of(main, variable).enumerate() {
                        bits[number as usize] = self.circuit.constant(value >> bit & 1 == 1);
                    }
                }
                None => self.leave_open(main, variable, &mut bits, &mut free),
            }
        }
        for local in machine.procedure(main).local_ids() {
            self.leave_open(main, Variable::Local(local), &mut bits, &mut free);
        }
        self.start = free;
        self.states = vec![State {
            bits: bits.into(),
            waiting: None,
        }];
        self.layers.push(vec![Point {
            stack: CallString::EMPTY,
            node: entry,
            reached: self.circuit.constant(true),
            arrivals: Vec::new(),
        }]);
        self.point_count = 1;
    }

    /// A variable of a procedure that starts may have any value; one that does not count is 0.
    fn leave_open(
        &mut self,
        procedure: ProcId,
        variable: Variable,
        bits: &mut [Lit],
        free: &mut Vec<FreeBit>,
    ) {
        let live = self.live_bits(self.machine.procedure(procedure).entry);
        let numbers = self.edges.view().bits_of(procedure, variable);
        for (bit, number) in (0..).zip(numbers) {
            if live[number as usize] {
                let literal = self.circuit.input();
                bits[number as usize] = literal;
                free.push(FreeBit {
                    variable,
                    bit,
                    literal,
                });
            }
        }
    }

    /// Which bits count at a node.
    fn live_bits(&mut self, node: NodeId) -> Rc<[bool]> {
        if let Some(known) = self.live_bits.get(&node) {
            return Rc::clone(known);
        }
        let procedure = self.machine.procedure_of(node);
        let layout = self.edges.view().layout();
        let mut live = vec![false; layout.local_bits(procedure).end as usize];
        for variable in self.liveness.live_at(node) {
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
    fn forget(&mut self, node: NodeId, bits: &mut [Lit]) {
        let live = self.live_bits(node);
        let falsehood = self.circuit.constant(false);
        for (bit, _) in bits.iter_mut().zip(live.iter()).filter(|(_, live)| !**live) {
            *bit = falsehood;
        }
    }

    /// The control points of the last layer.
    pub fn last_layer(&self) -> &[Point] {
        self.layers.last().map_or(&[], Vec::as_slice)
    }

    /// How many control points there are in all layers.
    pub fn point_count(&self) -> u64 {
        self.point_count
    }

    /// How many call strings there are.
    pub fn call_string_count(&self) -> usize {
        self.strings.count()
    }

    /// Control points of the last layer that no run reaches are left out.
    pub fn retain(&mut self, is_alive: &[bool]) {
        let mut alive = is_alive.iter();
        self.states.retain(|_| alive.next() == Some(&true));
        let mut alive = is_alive.iter();
        if let Some(layer) = self.layers.last_mut() {
            layer.retain(|_| alive.next() == Some(&true));
        }
    }

    /// One more step.
    pub fn step(&mut self) {
        let layer = self.layers.pop().unwrap_or_default();
        let states = std::mem::take(&mut self.states);
        let mut drafts = Drafts::default();
        for (index, (point, state)) in layer.iter().zip(&states).enumerate() {
            let procedure = self.machine.procedure_of(point.node);
            if point.node == self.machine.procedure(procedure).exit {
                self.leave(index, point, state, &mut drafts);
            } else {
                self.take_edges(index, point, state, &mut drafts);
            }
        }
        self.layers.push(layer);
        let mut next = Vec::with_capacity(drafts.points.len());
        for (stack, node, arrivals) in drafts.points {
            let reached = arrivals.iter().map(|(arrival, _)| arrival.taken);
            let reached = self.circuit.any(reached);
            let (arrivals, states): (Vec<Arrival>, Vec<State>) = arrivals.into_iter().unzip();
            let mut ways = arrivals.iter().zip(states).rev();
            let Some((_, mut merged)) = ways.next() else {
                continue;
            };
            for (arrival, state) in ways {
                let circuit = &mut self.circuit;
                merged = self.waiting.merge(circuit, arrival.taken, &state, &merged);
            }
            self.states.push(merged);
            next.push(Point {
                stack,
                node,
                reached,
                arrivals,
            });
        }
        self.point_count += next.len() as u64;
        self.layers.push(next);
    }

    fn take_edges(&mut self, index: usize, point: &Point, state: &State, drafts: &mut Drafts) {
        let mut options = Vec::new();
        for edge in self.machine.edges_from(point.node) {
            if self.slice.keeps_edge(edge) {
                let (circuit, slice) = (&mut self.circuit, &self.slice);
                let option = self.edges.edge(circuit, slice, edge, &state.bits);
                options.extend(option.map(|option| (edge, option)));
            }
        }
        let guards: Vec<Lit> = options.iter().map(|(_, option)| option.guard).collect();
        let mut undecided = point.reached;
        for (number, (edge, option)) in options.into_iter().enumerate() {
            let others = &guards[number + 1..];
            let is_settled = others.iter().all(|&other| other == !option.guard);
            let taken = if is_settled {
                self.circuit.and(undecided, option.guard)
            } else {
                let choice = self.circuit.input();
                let taken = self.circuit.all([undecided, option.guard, choice]);
                undecided = self.circuit.and(undecided, !choice);
                taken
            };
            if self.circuit.as_constant(taken) != Some(false) {
                self.take_edge(index, point, state, edge, option, taken, drafts);
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "where the edge starts, how it is taken, where it is noted"
    )]
    fn take_edge(
        &mut self,
        from: usize,
        point: &Point,
        state: &State,
        id: hardbop_machine::EdgeId,
        option: EdgeCircuit,
        taken: Lit,
        drafts: &mut Drafts,
    ) {
        let machine = self.machine;
        let edge = machine.edge(id);
        let arrival = |step, free| Arrival {
            from,
            taken,
            step,
            choices: option.choices,
            free,
        };
        match &edge.action {
            Action::Call { callee, .. } => {
                let entry = machine.procedure(*callee).entry;
                let layout = self.edges.view().layout();
                let global_bits = layout.global_bits().end as usize;
                let falsehood = self.circuit.constant(false);
                let mut bits = state.bits[..global_bits].to_vec();
                bits.resize(layout.local_bits(*callee).end as usize, falsehood);
                for (bit, value) in option.writes {
                    bits[bit as usize] = value;
                }
                let mut free = Vec::new();
                let parameters = machine.procedure(*callee).parameter_count;
                for local in machine.procedure(*callee).local_ids() {
                    if local >= LocalId(parameters) {
                        self.leave_open(*callee, Variable::Local(local), &mut bits, &mut free);
                    }
                }
                self.forget(entry, &mut bits);
                let mut caller = state.bits.to_vec();
                self.forget(edge.to, &mut caller);
                let waiting = self
                    .waiting
                    .push(caller[global_bits..].into(), state.waiting);
                let state = State {
                    bits: bits.into(),
                    waiting: Some(waiting),
                };
                let stack = self.strings.push(point.stack, id);
                drafts.add(stack, entry, arrival(PathStep::Enter(id), free), state);
            }
            // Nothing comes after the end of the only thread.
            Action::EndThread | Action::StartThread(_) => {}
            Action::Skip
            | Action::Print(_)
            | Action::Assign { .. }
            | Action::Return(_)
            | Action::AtomicBegin
            | Action::AtomicEnd => {
                let mut bits = state.bits.to_vec();
                for (bit, value) in option.writes {
                    bits[bit as usize] = value;
                }
                self.forget(edge.to, &mut bits);
                let state = State {
                    bits: bits.into(),
                    waiting: state.waiting,
                };
                let arrival = arrival(PathStep::Edge(id), Vec::new());
                drafts.add(point.stack, edge.to, arrival, state);
            }
        }
    }

    /// Comes back from a callee. The first procedure's end is the end of the run.
    fn leave(&mut self, from: usize, point: &Point, state: &State, drafts: &mut Drafts) {
        let Some((stack, call)) = self.strings.pop(point.stack) else {
            return;
        };
        let Some(waiting) = state.waiting else {
            return;
        };
        let to = self.machine.edge(call).to;
        if !self.slice.keeps_node(to) {
            return;
        }
        let callee = self.machine.procedure_of(point.node);
        let caller = self.machine.procedure_of(to);
        let global_bits = self.edges.view().layout().global_bits().end as usize;
        let (locals, below) = self.waiting.get(waiting);
        let mut bits = state.bits[..global_bits].to_vec();
        bits.extend(locals.iter());
        if let Action::Call { targets, .. } = &self.machine.edge(call).action {
            let results = self.machine.procedure(callee).results();
            for (result, target) in results.zip(targets) {
                let Some(target) = *target else { continue };
                let view = self.edges.view();
                let from = view.bits_of(callee, Variable::Local(result));
                let to = view.bits_of(caller, target);
                for (from, to) in from.zip(to) {
                    bits[to as usize] = state.bits[from as usize];
                }
            }
        }
        self.forget(to, &mut bits);
        let state = State {
            bits: bits.into(),
            waiting: below,
        };
        let arrival = Arrival {
            from,
            taken: point.reached,
            step: PathStep::Leave(call),
            choices: Vec::new(),
            free: Vec::new(),
        };
        drafts.add(stack, to, arrival, state);
    }
}
