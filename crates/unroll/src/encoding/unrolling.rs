//! A machine written out up to bounds, as a circuit.
//!
//! An *unrolled point* is a node together with the calls that wait and the repetitions of the loops
//! around it and around those calls. All ways that lead to one point are merged: it has one list of
//! conditions and one literal for every bit. The points of a frame are made in the order of their
//! [clock](LoopNest::clock), those of a callee right after the call, so each is made after all that
//! lead to it. At most one way is taken into each point, because at most one is taken out of each.
//!
//! Constants are folded while the circuit is built, and a step whose guard is false there leads
//! nowhere. A loop or recursion that continues under the conditions under which it was begun needs no
//! decision of the solver: it is written out as long as the unrolling is small, whatever its bound.

use super::conditions::Conditions;
use super::nest::LoopNest;
use crate::search::bounds::{Bounds, Excess};
use hardbop_machine::analysis::Slice;
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId};
use hardbop_outcome::{Budget, Limit};
use hardbop_sat::{Circuit, Lit, Solver};
use hardbop_transform::literals::edge_circuits::{ChoiceBit, EdgeCircuit};
use hardbop_transform::literals::frames::{Frames, FreeBit, merge_bits};
use hardbop_transform::literals::run_writer::PathStep;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Bytes that a variable of the solver costs with its clauses, roughly.
const BYTES_PER_VARIABLE: u64 = 200;
/// Bytes that an unrolled point costs with its ways, roughly.
const BYTES_PER_POINT: u64 = 300;
/// Points between two questions to the interrupt.
const POINTS_PER_QUESTION: u32 = 32;
/// New variables between two questions to the interrupt.
const VARIABLES_PER_QUESTION: usize = 8_000;

/// A way to a point.
pub(crate) struct Arrival {
    /// Where it comes from: a number of a point. For the start of the program its own.
    pub(crate) from: usize,
    /// It is taken where these hold.
    pub(crate) taken: Conditions,
    pub(crate) step: PathStep,
    pub(crate) choices: Vec<ChoiceBit>,
    /// First values of a callee's locals.
    pub(crate) free: Vec<FreeBit>,
}

/// A target that some ways lead to.
pub(crate) struct ReachedTarget {
    pub(crate) node: NodeId,
    pub(crate) point: usize,
    pub(crate) reached: Lit,
}

/// The machine written out.
pub(crate) struct Unrolling<'i> {
    pub(crate) circuit: Circuit<'i>,
    /// The ways to each point.
    pub(crate) points: Vec<Vec<Arrival>>,
    pub(crate) targets: Vec<ReachedTarget>,
    /// Where a bound is exceeded.
    pub(crate) exceeded: Vec<(Excess, Lit)>,
    /// First values that the program leaves open.
    pub(crate) start: Vec<FreeBit>,
}

/// A way that has not been merged yet, with the state that it brings.
struct Way {
    arrival: Arrival,
    bits: Rc<[Lit]>,
}

/// A point that has not been made yet.
struct Expected {
    node: NodeId,
    counts: Vec<u32>,
    ways: Vec<Way>,
}

/// A call that has not been entered yet, and where it is made.
struct Calling {
    edge: EdgeId,
    callee: ProcId,
    entry: Way,
    counts: Vec<u32>,
    /// The caller's locals while they wait.
    waiting: Rc<[Lit]>,
}

/// A frame in the making.
struct OpenFrame {
    procedure: ProcId,
    /// Where it was entered.
    entered: Conditions,
    expected: BTreeMap<Vec<u32>, Expected>,
    calls: Vec<Calling>,
    /// By head, the conditions of the last repetition.
    repeated: HashMap<NodeId, Conditions>,
    /// The call that it is for: all but the first frame have one.
    call: Option<(EdgeId, Vec<u32>, Rc<[Lit]>)>,
    /// The point at the exit, with conditions and state there.
    left: Option<(usize, Conditions, Rc<[Lit]>)>,
}

/// Everything that is needed while a machine is written out.
pub(crate) struct Unroller<'u, 'm, 'i> {
    machine: &'m Machine,
    nests: &'u [LoopNest],
    frames: Frames<'m>,
    targets: &'u [NodeId],
    bounds: &'u mut Bounds,
    budget: &'u Budget<'u>,
    unrolling: Unrolling<'i>,
    /// By procedure, how often it is on the stack.
    depths: Vec<u32>,
    until_question: u32,
    variables_asked: usize,
}

impl<'u, 'm, 'i> Unroller<'u, 'm, 'i> {
    /// Nothing is written out yet.
    pub(crate) fn new(
        machine: &'m Machine,
        nests: &'u [LoopNest],
        targets: &'u [NodeId],
        bounds: &'u mut Bounds,
        budget: &'u Budget<'u>,
        solver: Solver<'i>,
    ) -> Self {
        let slice = Slice::new(machine, targets);
        Self {
            machine,
            nests,
            frames: Frames::new(machine, Rc::new(slice)),
            targets,
            bounds,
            budget,
            unrolling: Unrolling {
                circuit: Circuit::new(solver),
                points: Vec::new(),
                targets: Vec::new(),
                exceeded: Vec::new(),
                start: Vec::new(),
            },
            depths: vec![0; machine.procedures.len()],
            until_question: POINTS_PER_QUESTION,
            variables_asked: 0,
        }
    }

    /// Writes the machine out from the start of a procedure.
    pub(crate) fn unroll(mut self, main: ProcId) -> Result<Unrolling<'i>, Limit> {
        let entry = self.machine.procedure(main).entry;
        if !self.frames.slice.keeps_node(entry) {
            return Ok(self.unrolling);
        }
        let (bits, free) = self.frames.initial(&mut self.unrolling.circuit, main);
        self.unrolling.start = free;
        let way = Way {
            arrival: Arrival {
                from: 0,
                taken: Conditions::default(),
                step: PathStep::Edge(EdgeId(0)),
                choices: Vec::new(),
                free: Vec::new(),
            },
            bits: bits.into(),
        };
        let mut stack = vec![self.opened(main, way, None)];
        while let Some(frame) = stack.last_mut() {
            if let Some(calling) = frame.calls.pop() {
                let call = Some((calling.edge, calling.counts, calling.waiting));
                let opened = self.opened(calling.callee, calling.entry, call);
                stack.push(opened);
            } else if let Some((_, expected)) = frame.expected.pop_first() {
                self.look_at_limits()?;
                self.make_point(frame, expected);
            } else {
                let done = stack.pop();
                if let Some(done) = done {
                    self.depths[done.procedure.index()] -= 1;
                    if let Some(below) = stack.last_mut() {
                        self.return_to(below, done);
                    }
                }
            }
        }
        Ok(self.unrolling)
    }

    fn opened(
        &mut self,
        procedure: ProcId,
        way: Way,
        call: Option<(EdgeId, Vec<u32>, Rc<[Lit]>)>,
    ) -> OpenFrame {
        self.depths[procedure.index()] += 1;
        let entry = self.machine.procedure(procedure).entry;
        let nest = &self.nests[procedure.index()];
        let counts = vec![0; nest.heads_around(entry).len()];
        let entered = way.arrival.taken.clone();
        let expected = Expected {
            node: entry,
            ways: vec![way],
            counts,
        };
        let clock = nest.clock(entry, &expected.counts);
        OpenFrame {
            procedure,
            entered,
            expected: BTreeMap::from([(clock, expected)]),
            calls: Vec::new(),
            repeated: HashMap::new(),
            call,
            left: None,
        }
    }

    fn look_at_limits(&mut self) -> Result<(), Limit> {
        let variables = self.unrolling.circuit.solver().variable_count();
        self.until_question -= 1;
        if self.until_question > 0 && variables < self.variables_asked + VARIABLES_PER_QUESTION {
            return Ok(());
        }
        self.until_question = POINTS_PER_QUESTION;
        self.variables_asked = variables;
        if let Some(why) = self.budget.interrupt.check() {
            return Err(why);
        }
        let points = self.unrolling.points.len() as u64;
        if self.budget.states.is_some_and(|limit| points > limit) {
            return Err(Limit::States);
        }
        let bytes = variables as u64 * BYTES_PER_VARIABLE + points * BYTES_PER_POINT;
        if self.budget.memory.is_some_and(|limit| bytes > limit) {
            return Err(Limit::Memory);
        }
        Ok(())
    }

    /// Merges the ways to a point, and takes all steps from there.
    fn make_point(&mut self, frame: &mut OpenFrame, expected: Expected) {
        let Expected { node, counts, ways } = expected;
        let merged: Vec<(Conditions, Rc<[Lit]>)> = ways
            .iter()
            .map(|way| (way.arrival.taken.clone(), Rc::clone(&way.bits)))
            .collect();
        let (reached, bits) = meet(&mut self.unrolling.circuit, merged);
        let arrivals = ways.into_iter().map(|way| way.arrival);
        let point = self.unrolling.points.len();
        self.unrolling.points.push(arrivals.collect());
        if self.targets.binary_search(&node).is_ok() {
            let literal = reached.literal(&mut self.unrolling.circuit);
            self.unrolling.targets.push(ReachedTarget {
                node,
                point,
                reached: literal,
            });
        }
        let nest = &self.nests[frame.procedure.index()];
        if nest.heads_around(node).last() == Some(&node) {
            frame.repeated.insert(node, reached.clone());
        }
        if node == self.machine.procedure(frame.procedure).exit {
            frame.left = Some((point, reached, bits));
            return;
        }
        for (edge, option, taken) in self.steps(node, &reached, &bits) {
            let arrival = Arrival {
                from: point,
                taken,
                step: PathStep::Edge(edge),
                choices: option.choices.clone(),
                free: Vec::new(),
            };
            self.take(frame, edge, &option, &counts, &bits, arrival);
        }
    }

    /// The edges that can be taken at a point, with the conditions under which each is.
    fn steps(
        &mut self,
        node: NodeId,
        reached: &Conditions,
        bits: &[Lit],
    ) -> Vec<(EdgeId, EdgeCircuit, Conditions)> {
        let circuit = &mut self.unrolling.circuit;
        let mut options = Vec::new();
        for edge in self.machine.edges_from(node) {
            if !self.frames.slice.keeps_edge(edge) {
                continue;
            }
            if let Some(option) = self.frames.edge(circuit, edge, bits) {
                let guards = circuit.conjuncts(option.guard);
                if reached.with(circuit, &guards).is_some() {
                    options.push((edge, option, guards));
                }
            }
        }
        let guards: Vec<&[Lit]> = options.iter().map(|(.., guards)| &guards[..]).collect();
        let exclude_each_other = are_exclusive(&guards);
        let last = options.len().saturating_sub(1);
        let mut steps = Vec::with_capacity(options.len());
        let mut refused = Vec::new();
        for (number, (edge, option, guards)) in options.into_iter().enumerate() {
            let mut more = refused.clone();
            if !exclude_each_other && number < last {
                let chosen = circuit.input();
                more.push(chosen);
                refused.push(!chosen);
            }
            more.extend(guards);
            steps.extend(
                reached
                    .with(circuit, &more)
                    .map(|taken| (edge, option, taken)),
            );
        }
        steps
    }

    fn take(
        &mut self,
        frame: &mut OpenFrame,
        id: EdgeId,
        option: &EdgeCircuit,
        counts: &[u32],
        bits: &Rc<[Lit]>,
        mut arrival: Arrival,
    ) {
        let circuit = &mut self.unrolling.circuit;
        match self.machine.edge(id).action {
            Action::Call { callee, .. } => {
                if !self.may_nest(frame, callee, &arrival.taken) {
                    return;
                }
                let circuit = &mut self.unrolling.circuit;
                let (entered, free) = self.frames.entered(circuit, callee, bits, &option.writes);
                arrival.free = free;
                arrival.step = PathStep::Enter(id);
                frame.calls.push(Calling {
                    edge: id,
                    callee,
                    entry: Way {
                        arrival,
                        bits: entered.into(),
                    },
                    counts: counts.to_vec(),
                    waiting: self.frames.waiting(circuit, id, bits),
                });
            }
            // Nothing comes after the end of the only thread.
            Action::EndThread | Action::StartThread(_) => {}
            _ => {
                let after = self.frames.after(circuit, id, bits, &option.writes);
                let way = Way {
                    arrival,
                    bits: after.into(),
                };
                self.expect(frame, id, counts, way);
            }
        }
    }

    /// Whether a call keeps to the bound of its procedure, which it may raise.
    fn may_nest(&mut self, frame: &OpenFrame, callee: ProcId, taken: &Conditions) -> bool {
        let frames = self.depths[callee.index()] + 1;
        if !self.machine.calls().is_recursive(callee) || frames <= self.bounds.frames(callee) {
            return true;
        }
        self.may_exceed(Excess::Nesting(callee), frames, taken, Some(&frame.entered))
    }

    /// A way continues to the end of an edge.
    fn expect(&mut self, frame: &mut OpenFrame, id: EdgeId, counts: &[u32], way: Way) {
        let edge = self.machine.edge(id);
        let nest = &self.nests[frame.procedure.index()];
        let counts = nest.repetitions(edge.from, counts, edge.to);
        if nest.repeats(edge.from, edge.to) {
            let count = counts.last().copied().unwrap_or(0);
            let begun = frame.repeated.get(&edge.to);
            if count > self.bounds.repetitions(edge.to)
                && !self.may_exceed(Excess::Loop(edge.to), count, &way.arrival.taken, begun)
            {
                return;
            }
        }
        let clock = nest.clock(edge.to, &counts);
        let expected = frame.expected.entry(clock).or_insert_with(|| Expected {
            node: edge.to,
            counts,
            ways: Vec::new(),
        });
        expected.ways.push(way);
    }

    /// Raises a bound for what continues without a decision; otherwise notes that it is exceeded.
    fn may_exceed(
        &mut self,
        excess: Excess,
        needed: u32,
        taken: &Conditions,
        begun: Option<&Conditions>,
    ) -> bool {
        let is_decided = begun == Some(taken);
        if is_decided && self.unrolling.points.len() < self.bounds.points {
            self.bounds.allow(excess, needed);
            return true;
        }
        let exceeded = taken.literal(&mut self.unrolling.circuit);
        let excess = if is_decided { Excess::Size } else { excess };
        self.unrolling.exceeded.push((excess, exceeded));
        false
    }

    /// Continues in the caller of a frame that is done.
    fn return_to(&mut self, caller: &mut OpenFrame, callee: OpenFrame) {
        let (Some((point, taken, bits)), Some((id, counts, waiting))) = (callee.left, callee.call)
        else {
            return;
        };
        if !self.frames.slice.keeps_node(self.machine.edge(id).to) {
            return;
        }
        let returned = self
            .frames
            .returned(&self.unrolling.circuit, id, &bits, &waiting);
        let way = Way {
            arrival: Arrival {
                from: point,
                taken,
                step: PathStep::Leave(id),
                choices: Vec::new(),
                free: Vec::new(),
            },
            bits: returned.into(),
        };
        self.expect(caller, id, &counts, way);
    }
}

/// Whether of several guards at most one is known to hold.
fn are_exclusive(guards: &[&[Lit]]) -> bool {
    let exclude = |a: &[Lit], b: &[Lit]| {
        matches!((a, b), ([a], b) if negates(*a, b)) || a.iter().any(|&lit| b.contains(&!lit))
    };
    let mut pairs = guards.iter().enumerate();
    pairs.all(|(number, a)| {
        let mut later = guards[number + 1..].iter();
        later.all(|b| exclude(a, b) || exclude(b, a))
    })
}

/// Whether a literal is the negation of a single one.
fn negates(literal: Lit, other: &[Lit]) -> bool {
    matches!(other, [only] if *only == !literal)
}

/// The conditions and the state of a point with these ways. Ways that share most are merged first,
/// so that the sides of inner branches meet before those of outer ones.
fn meet(
    circuit: &mut Circuit<'_>,
    mut ways: Vec<(Conditions, Rc<[Lit]>)>,
) -> (Conditions, Rc<[Lit]>) {
    ways.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut ways = ways.into_iter().peekable();
    let mut open: Vec<(Conditions, Rc<[Lit]>)> = Vec::new();
    while let Some(way) = ways.next() {
        open.push(way);
        while let [.., (before, _), (top, _)] = &open[..] {
            let next = ways.peek().map(|(next, _)| top.shared(next));
            if next.is_some_and(|next| next > before.shared(top)) {
                break;
            }
            let (second, first) = (open.pop(), open.pop());
            if let (Some((second, other)), Some((first, bits))) = (second, first) {
                let (met, is_first) = first.meet(circuit, &second);
                let bits = if bits == other {
                    bits
                } else {
                    merge_bits(circuit, is_first, &bits, &other).into()
                };
                open.push((met, bits));
            }
        }
    }
    open.pop().unwrap_or_default()
}
