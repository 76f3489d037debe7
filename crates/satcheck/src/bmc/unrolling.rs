//! The unrolling: after every step the control points that a run may be at, each with one state for
//! all ways to it.
//!
//! A control point is a node with the call string that it runs under, so recursion is finite at
//! every depth. A run is at one place at a time: of the literals `reached` of one layer at most one
//! is true, because where several edges can be taken a new literal chooses. That is what makes it
//! right to merge the states of all ways to a place. The cost of a step depends on the number of
//! control points, not of paths.
//!
//! Only what can have to do with the targets is unrolled ([`Slice`]). What a step does to the data
//! is in [`hardbop_transform::literals::frames`].

use super::call_strings::{CallString, CallStrings};
use super::states::{State, WaitingFrames};
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId};
use hardbop_sat::{Circuit, Lit, Solver};
use hardbop_transform::literals::edge_circuits::{ChoiceBit, EdgeCircuit};
use hardbop_transform::literals::frames::{Frames, FreeBit, ways};
use hardbop_transform::literals::run_writer::PathStep;
use std::collections::HashMap;
use std::rc::Rc;

/// A way to a control point.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// Where it comes from: a point of the layer before.
    pub(crate) from: usize,
    /// Whether the run takes it.
    pub(crate) taken: Lit,
    /// The step.
    pub(crate) step: PathStep,
    /// The choices of its edge.
    pub(crate) choices: Vec<ChoiceBit>,
    /// First values of the callee's locals, if it enters one.
    pub(crate) free: Vec<FreeBit>,
}

/// A control point after some number of steps.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The calls that wait.
    pub(crate) stack: CallString,
    /// The node.
    pub(crate) node: NodeId,
    /// Whether the run is here.
    pub(crate) reached: Lit,
    /// The ways to it.
    pub(crate) arrivals: Vec<Arrival>,
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
pub(crate) struct Unrolling<'m, 'i> {
    /// The machine.
    pub(crate) machine: &'m Machine,
    /// The solver with all literals.
    pub(crate) circuit: Circuit<'i>,
    frames: Frames<'m>,
    strings: CallStrings,
    waiting: WaitingFrames,
    /// First values that the program leaves open.
    pub(crate) start: Vec<FreeBit>,
    /// The control points after 0, 1, 2, … steps.
    pub(crate) layers: Vec<Vec<Point>>,
    /// The states of the last layer.
    states: Vec<State>,
    point_count: u64,
}

impl<'m, 'i> Unrolling<'m, 'i> {
    /// Before the first step.
    pub(crate) fn new(
        machine: &'m Machine,
        main: ProcId,
        targets: &[NodeId],
        solver: Solver<'i>,
    ) -> Self {
        let slice = Slice::new(machine, targets);
        let mut unrolling = Self {
            machine,
            circuit: Circuit::new(solver),
            frames: Frames::new(machine, Rc::new(slice)),
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
        let entry = self.machine.procedure(main).entry;
        if !self.frames.slice.keeps_node(entry) {
            self.layers.push(Vec::new());
            return;
        }
        let (bits, free) = self.frames.initial(&mut self.circuit, main);
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

    /// The control points of the last layer.
    pub(crate) fn last_layer(&self) -> &[Point] {
        self.layers.last().map_or(&[], Vec::as_slice)
    }

    /// How many control points there are in all layers.
    pub(crate) fn point_count(&self) -> u64 {
        self.point_count
    }

    /// How many call strings there are.
    pub(crate) fn call_string_count(&self) -> usize {
        self.strings.count()
    }

    /// Control points of the last layer that no run reaches are left out.
    pub(crate) fn retain(&mut self, is_alive: &[bool]) {
        let mut alive = is_alive.iter();
        self.states.retain(|_| alive.next() == Some(&true));
        let mut alive = is_alive.iter();
        if let Some(layer) = self.layers.last_mut() {
            layer.retain(|_| alive.next() == Some(&true));
        }
    }

    /// One more step.
    pub(crate) fn step(&mut self) {
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
            if self.frames.slice.keeps_edge(edge) {
                let option = self.frames.edge(&mut self.circuit, edge, &state.bits);
                options.extend(option.map(|option| (edge, option)));
            }
        }
        let guards: Vec<Lit> = options.iter().map(|(_, option)| option.guard).collect();
        let taken = ways(&mut self.circuit, point.reached, &guards);
        for ((edge, option), taken) in options.into_iter().zip(taken) {
            if self.circuit.as_constant(taken) != Some(false) {
                let arrival = Arrival {
                    from: index,
                    taken,
                    step: PathStep::Edge(edge),
                    choices: Vec::new(),
                    free: Vec::new(),
                };
                self.take_edge(point, state, edge, option, arrival, drafts);
            }
        }
    }

    fn take_edge(
        &mut self,
        point: &Point,
        state: &State,
        id: EdgeId,
        option: EdgeCircuit,
        mut arrival: Arrival,
        drafts: &mut Drafts,
    ) {
        let circuit = &mut self.circuit;
        let edge = self.machine.edge(id);
        arrival.choices = option.choices;
        match edge.action {
            Action::Call { callee, .. } => {
                let entered = self
                    .frames
                    .entered(circuit, callee, &state.bits, &option.writes);
                let locals = self.frames.waiting(circuit, id, &state.bits);
                let waiting = self.waiting.push(locals, state.waiting);
                let state = State {
                    bits: entered.0.into(),
                    waiting: Some(waiting),
                };
                arrival.free = entered.1;
                arrival.step = PathStep::Enter(id);
                let stack = self.strings.push(point.stack, id);
                let entry = self.machine.procedure(callee).entry;
                drafts.add(stack, entry, arrival, state);
            }
            // Nothing comes after the end of the only thread.
            Action::EndThread | Action::StartThread(_) => {}
            Action::Skip
            | Action::Print(_)
            | Action::Assign { .. }
            | Action::Return(_)
            | Action::AtomicBegin
            | Action::AtomicEnd => {
                let bits = self.frames.after(circuit, id, &state.bits, &option.writes);
                let state = State {
                    bits: bits.into(),
                    waiting: state.waiting,
                };
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
        if !self.frames.slice.keeps_node(to) {
            return;
        }
        let (locals, below) = self.waiting.get(waiting);
        let bits = self
            .frames
            .returned(&self.circuit, call, &state.bits, locals);
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
