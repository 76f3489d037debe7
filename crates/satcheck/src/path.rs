//! Whether one path through the program can be taken for real, and with which choices.
//!
//! The path is executed with a literal for every bit, all variables included and every choice a free input; the guards
//! are the assumptions of one question to a SAT solver. A model gives the run. Otherwise the core names guards that cannot hold together, and
//! [`crate::reasons`] finds the variables through which they depend on each other: what [`crate::precision`] has to track. Those
//! variables make the path impossible for the closure too, so there is always at least one that was not tracked.

use crate::reasons::{Reasons, reasons};
use hardbop_machine::bits::{BitEdge, BitId, BitNode, BitView};
use hardbop_machine::{Action, EdgeId, LocalId, Machine, ProcId, Variable};
use hardbop_outcome::{CompletedCall, Decision, Skeleton};
use hardbop_sat::{Answer, Circuit, Lit, Solver};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// Takes an edge that is no call.
    Edge(EdgeId),
    /// Enters the callee of a call edge.
    Enter(EdgeId),
    /// Comes back over the call edge that was entered last.
    Leave(EdgeId),
}

/// What became of a path.
#[derive(Debug)]
pub enum Tried {
    /// It can be taken so.
    Taken(Skeleton),
    /// These variables say why it cannot.
    Impossible(Reasons),
    /// The solver was interrupted.
    Interrupted,
}

/// Questions to the solver to make one core smaller.
const MOST_CORE_QUESTIONS: usize = 64;

/// The steps of a run one after the other; nothing if there are more than allowed.
pub fn flatten(run: &Skeleton, most_steps: usize) -> Option<Vec<PathStep>> {
    let mut path = Vec::new();
    // Lists of decisions with the next one, and the edge to leave by at their end.
    let mut open: Vec<(&[Decision], Option<EdgeId>)> = vec![(&run.steps, None)];
    while let Some((decisions, leave)) = open.last_mut() {
        if path.len() > most_steps {
            return None;
        }
        let Some((first, rest)) = decisions.split_first() else {
            path.extend(leave.map(PathStep::Leave));
            open.pop();
            continue;
        };
        *decisions = rest;
        match first {
            Decision::Edge { edge, .. } => path.push(PathStep::Edge(*edge)),
            Decision::Enter { edge, .. } => path.push(PathStep::Enter(*edge)),
            Decision::Call { edge, call, .. } => {
                path.push(PathStep::Enter(*edge));
                open.push((&run.calls[*call].steps, Some(*edge)));
            }
        }
    }
    Some(path)
}

/// The bits of a frame's locals.
struct Frame {
    procedure: ProcId,
    locals: BTreeMap<(LocalId, u8), Lit>,
    /// First values of locals that are no parameters and were read.
    first: BTreeMap<(LocalId, u8), Lit>,
}

/// Decisions of one frame, and the step and edge that entered it.
type Leg = (Option<(usize, EdgeId)>, Vec<Decision>);

/// A path that is being executed.
struct Execution<'m, 'i> {
    machine: &'m Machine,
    view: BitView<'m>,
    circuit: Circuit<'i>,
    globals: BTreeMap<(u32, u8), Lit>,
    /// First values of globals that the program leaves open and that were read.
    initial_globals: BTreeMap<(u32, u8), Lit>,
    frames: Vec<Frame>,
    /// Frames that were left, by the step that entered them.
    finished: BTreeMap<usize, Frame>,
    /// Steps that entered the open frames but the first.
    entered_at: Vec<usize>,
    inputs: Vec<BTreeMap<(u32, u8), Lit>>,
    guards: Vec<Lit>,
}

/// Tries a path.
pub fn try_path(machine: &Machine, path: &[PathStep], interrupt: &dyn Fn() -> bool) -> Tried {
    let mut solver = Solver::new();
    solver.set_interrupt(interrupt);
    let mut execution = Execution {
        machine,
        view: BitView::new(machine),
        circuit: Circuit::new(solver),
        globals: BTreeMap::new(),
        initial_globals: BTreeMap::new(),
        frames: vec![Frame::new(machine.threads[0].entry)],
        finished: BTreeMap::new(),
        entered_at: Vec::new(),
        inputs: Vec::new(),
        guards: Vec::new(),
    };
    for &step in path {
        execution.take(step);
    }
    match execution.circuit.solve(&execution.guards) {
        Answer::Interrupted => Tried::Interrupted,
        Answer::Sat => Tried::Taken(execution.run(path)),
        Answer::Unsat => {
            let core: BTreeSet<Lit> = execution.late_core().into_iter().collect();
            let guards = execution.guards.iter();
            let blamed = guards.map(|guard| core.contains(guard));
            Tried::Impossible(reasons(machine, path, &blamed.collect::<Vec<_>>()))
        }
    }
}

impl Frame {
    fn new(procedure: ProcId) -> Self {
        Self {
            procedure,
            locals: BTreeMap::new(),
            first: BTreeMap::new(),
        }
    }
}

impl Execution<'_, '_> {
    fn take(&mut self, step: PathStep) {
        let number = self.guards.len();
        self.inputs.push(BTreeMap::new());
        let truth = self.circuit.constant(true);
        self.guards.push(truth);
        match step {
            PathStep::Edge(id) => {
                let edge = self.view.edge(id);
                let mut known = HashMap::new();
                let guard = self.evaluate(edge.guard, &BTreeMap::new(), &mut known);
                let values: Vec<Lit> = edge
                    .assignments
                    .iter()
                    .map(|write| self.evaluate(write.value, &BTreeMap::new(), &mut known))
                    .collect();
                let writes = edge.assignments.iter().zip(&values);
                let next: BTreeMap<_, _> = writes
                    .map(|(write, &value)| ((write.variable, write.bit), value))
                    .collect();
                let constrain = self.evaluate(edge.constrain, &next, &mut known);
                self.guards[number] = self.circuit.and(guard, constrain);
                for ((variable, bit), value) in next {
                    self.write(variable, bit, value);
                }
            }
            PathStep::Enter(id) => {
                let Action::Call { callee, .. } = self.machine.edge(id).action else {
                    unreachable!("only calls are entered");
                };
                let edge = self.view.edge(id);
                let mut known = HashMap::new();
                self.guards[number] = self.evaluate(edge.guard, &BTreeMap::new(), &mut known);
                let mut frame = Frame::new(callee);
                for argument in &edge.arguments {
                    let value = self.evaluate(argument.value, &BTreeMap::new(), &mut known);
                    if let Variable::Local(local) = argument.variable {
                        frame.locals.insert((local, argument.bit), value);
                    }
                }
                self.frames.push(frame);
                self.entered_at.push(number);
            }
            PathStep::Leave(id) => {
                let edge: BitEdge = self.view.edge(id);
                let results: Vec<Lit> = edge
                    .results
                    .iter()
                    .map(|result| self.read(Variable::Local(result.result), result.bit))
                    .collect();
                if let (Some(left), Some(entered)) = (self.frames.pop(), self.entered_at.pop()) {
                    self.finished.insert(entered, left);
                }
                for (result, value) in edge.results.iter().zip(results) {
                    self.write(result.target, result.bit, value);
                }
            }
        }
    }

    fn frame(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn read(&mut self, variable: Variable, bit: u8) -> Lit {
        match variable {
            Variable::Global(id) => {
                if let Some(&known) = self.globals.get(&(id.0, bit)) {
                    return known;
                }
                let value = match self.machine.global(id).initial {
                    Some(value) => self.circuit.constant(value >> bit & 1 == 1),
                    None => {
                        let value = self.circuit.input();
                        self.initial_globals.insert((id.0, bit), value);
                        value
                    }
                };
                self.globals.insert((id.0, bit), value);
                value
            }
            Variable::Local(id) => {
                if let Some(&known) = self.frame().locals.get(&(id, bit)) {
                    return known;
                }
                let value = self.circuit.input();
                self.frame().locals.insert((id, bit), value);
                self.frame().first.insert((id, bit), value);
                value
            }
        }
    }

    fn write(&mut self, variable: Variable, bit: u8, value: Lit) {
        match variable {
            Variable::Global(id) => {
                self.globals.insert((id.0, bit), value);
            }
            Variable::Local(id) => {
                self.frame().locals.insert((id, bit), value);
            }
        }
    }

    fn evaluate(
        &mut self,
        root: BitId,
        next: &BTreeMap<(Variable, u8), Lit>,
        known: &mut HashMap<BitId, Lit>,
    ) -> Lit {
        for id in self.view.graph().cone([root]) {
            if known.contains_key(&id) {
                continue;
            }
            let value = match self.view.graph().get(id) {
                BitNode::Const(value) => self.circuit.constant(value),
                BitNode::Var(variable, bit) => self.read(variable, bit),
                BitNode::Next(variable, bit) => match next.get(&(variable, bit)) {
                    Some(&value) => value,
                    None => self.read(variable, bit),
                },
                BitNode::Input(input, bit) => {
                    let value = self.circuit.input();
                    let step = self.inputs.len() - 1;
                    *self.inputs[step].entry((input.0, bit)).or_insert(value)
                }
                BitNode::Not(a) => !known[&a],
                BitNode::And(a, b) => self.circuit.and(known[&a], known[&b]),
                BitNode::Or(a, b) => self.circuit.or(known[&a], known[&b]),
                BitNode::Xor(a, b) => self.circuit.xor(known[&a], known[&b]),
                BitNode::Ite(c, a, b) => self.circuit.ite(known[&c], known[&a], known[&b]),
            };
            known.insert(id, value);
        }
        known[&root]
    }

    /// Guards that cannot hold together, as late on the path as possible, and few.
    ///
    /// A path that is impossible for several reasons has one that has to do with the target near its end: whatever went wrong before
    /// would have been noticed before.
    fn late_core(&mut self) -> Vec<Lit> {
        let (mut impossible_from, mut possible_from) = (0, self.guards.len());
        while impossible_from + 1 < possible_from {
            let middle = usize::midpoint(impossible_from, possible_from);
            if self.circuit.solve(&self.guards[middle..]) == Answer::Unsat {
                impossible_from = middle;
            } else {
                possible_from = middle;
            }
        }
        let late = self.guards[impossible_from..].to_vec();
        let mut core = match self.circuit.solve(&late) {
            Answer::Unsat => self.circuit.solver().core(),
            Answer::Sat | Answer::Interrupted => late,
        };
        let mut kept = 0;
        for _ in 0..MOST_CORE_QUESTIONS {
            if kept >= core.len() {
                break;
            }
            let mut without = core.clone();
            without.remove(kept);
            if self.circuit.solve(&without) == Answer::Unsat {
                let smaller: BTreeSet<Lit> = self.circuit.solver().core().into_iter().collect();
                core.retain(|literal| smaller.contains(literal));
            } else {
                kept += 1;
            }
        }
        core
    }

    fn is_set(&mut self, literal: Lit) -> u64 {
        u64::from(self.circuit.solver().value(literal) == Some(true))
    }

    fn first_values(&mut self, frame: &Frame) -> Vec<(LocalId, u64)> {
        let mut values: BTreeMap<LocalId, u64> = BTreeMap::new();
        for (&(local, bit), &literal) in &frame.first {
            *values.entry(local).or_default() |= self.is_set(literal) << bit;
        }
        values.into_iter().collect()
    }

    /// The run of the solver's model.
    fn run(mut self, path: &[PathStep]) -> Skeleton {
        let mut globals: BTreeMap<Variable, u64> = BTreeMap::new();
        for ((id, bit), literal) in std::mem::take(&mut self.initial_globals) {
            let variable = Variable::Global(hardbop_machine::GlobalId(id));
            *globals.entry(variable).or_default() |= self.is_set(literal) << bit;
        }
        let mut frames = std::mem::take(&mut self.frames).into_iter();
        let main = frames.next().expect("the first frame is never left");
        for (entered, frame) in std::mem::take(&mut self.entered_at).into_iter().zip(frames) {
            self.finished.insert(entered, frame);
        }
        let locals = self.first_values(&main).into_iter();
        let locals = locals.map(|(local, value)| (Variable::Local(local), value));
        let start = globals.into_iter().chain(locals).collect();
        let mut calls = Vec::new();
        // Lists of decisions that are being made; all but the first belong to calls, entered by these steps.
        let mut open: Vec<Leg> = vec![(None, Vec::new())];
        for (number, &step) in path.iter().enumerate() {
            match step {
                PathStep::Edge(edge) => {
                    let inputs = self.words(number, edge);
                    let last = open.len() - 1;
                    open[last].1.push(Decision::Edge { edge, inputs });
                }
                PathStep::Enter(edge) => open.push((Some((number, edge)), Vec::new())),
                PathStep::Leave(_) => {
                    let Some((Some((entered, edge)), steps)) = open.pop() else {
                        unreachable!("every call that is left was entered");
                    };
                    let frame = self.finished.remove(&entered);
                    let frame = frame.expect("every call that was left is finished");
                    calls.push(CompletedCall {
                        procedure: frame.procedure,
                        locals: self.first_values(&frame),
                        steps,
                    });
                    let inputs = self.words(entered, edge);
                    let call = calls.len() - 1;
                    let last = open.len() - 1;
                    open[last].1.push(Decision::Call { edge, inputs, call });
                }
            }
        }
        let mut steps = Vec::new();
        for (entered, decisions) in open {
            if let Some((number, edge)) = entered {
                let frame = self.finished.remove(&number);
                let locals = frame.map(|frame| self.first_values(&frame));
                steps.push(Decision::Enter {
                    edge,
                    inputs: self.words(number, edge),
                    locals: locals.unwrap_or_default(),
                });
            }
            steps.extend(decisions);
        }
        Skeleton {
            start,
            steps,
            calls: Rc::new(calls),
        }
    }

    fn words(&mut self, step: usize, edge: EdgeId) -> Vec<u64> {
        let mut words = vec![0; self.machine.edge(edge).inputs.len()];
        for ((input, bit), literal) in std::mem::take(&mut self.inputs[step]) {
            words[input as usize] |= self.is_set(literal) << bit;
        }
        words
    }
}
