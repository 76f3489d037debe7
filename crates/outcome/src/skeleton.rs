//! From the decisions of a run to a trace.
//!
//! An engine that has found a run knows which edges it takes and how the choices fall, but not
//! always the value of every variable: what cannot matter it has left out. A [`Skeleton`] holds the
//! decisions; [`Skeleton::trace`] runs them through the machine once, fills in all values, and
//! shares equal completed calls. It does not check guards: that is for the replay, which trusts
//! nobody.

use crate::decisions::Decisions;
use crate::lasso::Lasso;
use crate::target::Target;
use crate::trace::{Run, Segment, Step, ThreadOrigin, Trace, VERSION};
use hardbop_machine::analysis::QuickMap;
use hardbop_machine::expr::Leaf;
use hardbop_machine::{Action, EdgeId, ExprId, List, LocalId, Machine, ProcId, Type, Variable};
use std::hash::BuildHasher;
use std::rc::Rc;

/// The decisions of a run of a sequential machine, calls that return told apart from those that
/// stay open.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    /// Initial values of globals and of the first procedure's locals; what is not mentioned is 0,
    /// or the declared initial value.
    pub start: Vec<(Variable, u64)>,
    /// The run itself.
    pub steps: Decisions,
    /// Completed calls that steps refer to; several skeletons may share them.
    pub calls: Rc<Vec<CompletedCall>>,
}

/// A completed call: from a procedure's entry to its exit.
#[derive(Clone, Debug)]
pub struct CompletedCall {
    /// The procedure.
    pub procedure: ProcId,
    /// First values of locals that are not parameters; what is not mentioned is 0.
    pub locals: Vec<(LocalId, u64)>,
    /// Its steps, without `Enter`.
    pub steps: Decisions,
}

/// One step.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Takes an edge that is not a call.
    Edge {
        /// The edge.
        edge: EdgeId,
        /// Values of its choices.
        inputs: List<u64>,
    },
    /// Takes a call edge and a completed call.
    Call {
        /// The edge.
        edge: EdgeId,
        /// Values of its choices.
        inputs: List<u64>,
        /// Index into [`Skeleton::calls`].
        call: usize,
    },
    /// Takes a call edge; what follows happens in the callee.
    Enter {
        /// The edge.
        edge: EdgeId,
        /// Values of its choices.
        inputs: List<u64>,
        /// First values of the callee's locals that are not parameters; what is not mentioned is 0.
        locals: List<(LocalId, u64)>,
    },
}

/// More runs than this are not written down: the program counts its calls in a variable, and no two
/// of them are equal.
const MAX_RUNS: usize = 1 << 20;

/// A loop that has not come back to all values after this many rounds never will: see
/// [`Skeleton::lasso`].
const MAX_ROUNDS: usize = 8;

/// The values of one procedure's variables.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    procedure: ProcId,
    globals: Vec<u64>,
    locals: Vec<u64>,
}

/// A completed call that is being run.
struct Frame {
    call: usize,
    entry: State,
    state: State,
    next_step: usize,
    steps: Vec<Step>,
}

/// The completed calls met so far. Each is told apart by its decisions and all values at its entry.
struct Runs {
    table: Vec<Run>,
    /// By run.
    ends: Vec<Ended>,
    /// The values at all exits: globals and results.
    values: Vec<u64>,
    /// The last run with a hash.
    last: QuickMap<u64, u32>,
}

/// A completed call that has been run.
struct Ended {
    call: u32,
    /// The run before it with the same hash.
    earlier: Option<u32>,
    /// Where its values begin.
    first_value: usize,
}

impl Skeleton {
    /// The trace with these decisions; nothing if it has too many different completed calls to be
    /// written down.
    pub fn trace(&self, machine: &Machine, target: Option<Target>) -> Option<Trace> {
        let mut writer = Writer::new(self, machine)?;
        self.steps
            .iter()
            .try_for_each(|decision| writer.take(decision))?;
        let no_own_globals = vec![0; machine.globals.len()];
        Some(Trace {
            version: VERSION,
            program: machine.digest().to_owned(),
            target,
            globals: writer.start.globals,
            threads: vec![ThreadOrigin {
                globals: no_own_globals,
                locals: writer.start.locals,
            }],
            runs: writer.runs.table,
            segments: vec![Segment {
                thread: 0,
                steps: writer.steps,
            }],
        })
    }

    /// The lasso whose loop the decisions from number `head` on are; with none, the run is finite,
    /// and `returns` says whether it ends with the return of the first procedure. Nothing if it has
    /// too many different completed calls.
    ///
    /// The loop comes back to the values that matter. Those that do not may still be others after
    /// the first round, when it has set them once, so the lasso takes the loop from where it has
    /// come back to *all* values. Nothing if it never does.
    pub fn lasso(&self, machine: &Machine, head: usize, returns: bool) -> Option<Lasso> {
        let mut writer = Writer::new(self, machine)?;
        let stem = self.steps.iter().take(head);
        let cycle = || self.steps.iter().skip(head);
        for decision in stem {
            writer.take(decision)?;
        }
        let mut heads = vec![(writer.state.clone(), writer.steps.len())];
        let mut first = (head >= self.steps.len()).then_some(0);
        for _ in 0..MAX_ROUNDS {
            if first.is_some() {
                break;
            }
            for decision in cycle() {
                writer.take(decision)?;
            }
            first = heads.iter().position(|(state, _)| *state == writer.state);
            heads.push((writer.state.clone(), writer.steps.len()));
        }
        let mut steps = writer.steps;
        let cycle = steps.split_off(heads[first?].1);
        if returns {
            steps.push(Step::Leave);
        }
        Some(Lasso {
            version: crate::lasso::VERSION,
            program: machine.digest().to_owned(),
            property: None,
            globals: writer.start.globals,
            locals: writer.start.locals,
            runs: writer.runs.table,
            stem: steps,
            cycle,
        })
    }

    /// Runs a completed call, and those inside it first; gives its index.
    fn run(&self, machine: &Machine, runs: &mut Runs, call: usize, entry: State) -> Option<u32> {
        if let Some(known) = runs.known(call, &entry) {
            return Some(known);
        }
        let mut last = None;
        let open = |call: usize, entry| Frame::new(call, entry, self.calls[call].steps.len());
        let mut frames = vec![open(call, entry)];
        while let Some(frame) = frames.last_mut() {
            match self.calls[frame.call].steps.get(frame.next_step) {
                Some(Decision::Edge { edge, inputs }) => {
                    frame.state.take(machine, edge, &inputs);
                    frame.push(Step::Edge { edge, inputs });
                }
                Some(Decision::Call { edge, inputs, call }) => {
                    let locals = &self.calls[call].locals;
                    let entry = frame.state.entry(machine, edge, &inputs, locals);
                    if let Some(run) = runs.known(call, &entry) {
                        frame.state.returned(machine, edge, runs.end(run));
                        frame.push(Step::Call { edge, inputs, run });
                    } else {
                        frames.push(open(call, entry));
                    }
                }
                // A completed call has no open ones inside.
                Some(Decision::Enter { .. }) => return None,
                None => {
                    if runs.table.len() >= MAX_RUNS {
                        return None;
                    }
                    let done = frames.pop()?;
                    last = Some(runs.finish(machine, done));
                }
            }
        }
        last
    }
}

/// Runs decisions through a machine and writes them down as steps.
struct Writer<'w> {
    skeleton: &'w Skeleton,
    machine: &'w Machine,
    start: State,
    state: State,
    runs: Runs,
    steps: Vec<Step>,
}

impl<'w> Writer<'w> {
    fn new(skeleton: &'w Skeleton, machine: &'w Machine) -> Option<Self> {
        let main = machine.threads.first()?.entry;
        let globals = machine.globals.iter();
        let mut start = State {
            procedure: main,
            globals: globals.map(|g| g.initial.unwrap_or(0)).collect(),
            locals: vec![0; machine.procedure(main).locals.len()],
        };
        for &(variable, value) in &skeleton.start {
            start.set(variable, value);
        }
        Some(Self {
            skeleton,
            machine,
            state: start.clone(),
            start,
            runs: Runs::with_room(skeleton.calls.len()),
            steps: Vec::with_capacity(skeleton.steps.len()),
        })
    }

    fn take(&mut self, decision: Decision) -> Option<()> {
        let (machine, state) = (self.machine, &mut self.state);
        self.steps.push(match decision {
            Decision::Edge { edge, inputs } => {
                state.take(machine, edge, &inputs);
                Step::Edge { edge, inputs }
            }
            Decision::Call { edge, inputs, call } => {
                let locals = &self.skeleton.calls[call].locals;
                let entry = state.entry(machine, edge, &inputs, locals);
                let run = self.skeleton.run(machine, &mut self.runs, call, entry)?;
                state.returned(machine, edge, self.runs.end(run));
                Step::Call { edge, inputs, run }
            }
            Decision::Enter {
                edge,
                inputs,
                locals,
            } => {
                *state = state.entry(machine, edge, &inputs, &locals);
                Step::Enter {
                    edge,
                    inputs,
                    locals: state.locals.clone().into(),
                }
            }
        });
        Some(())
    }
}

impl Frame {
    fn new(call: usize, entry: State, length: usize) -> Self {
        Self {
            call,
            state: entry.clone(),
            entry,
            next_step: 0,
            steps: Vec::with_capacity(length),
        }
    }

    fn push(&mut self, step: Step) {
        self.steps.push(step);
        self.next_step += 1;
    }
}

impl Runs {
    /// None yet. Most calls are met with the same values whenever they are met, so there is room
    /// for one run of each.
    fn with_room(calls: usize) -> Self {
        let calls = calls.min(MAX_RUNS);
        let mut last = QuickMap::default();
        last.reserve(calls);
        Self {
            table: Vec::with_capacity(calls),
            ends: Vec::with_capacity(calls),
            values: Vec::new(),
            last,
        }
    }

    /// The run of a call that starts from a state, if there is one.
    fn known(&self, call: usize, entry: &State) -> Option<u32> {
        let mut known = self.last.get(&self.hash(call, entry)).copied();
        while let Some(run) = known {
            let (end, run_of_it) = (&self.ends[run as usize], &self.table[run as usize]);
            let is_same = end.call as usize == call
                && run_of_it.globals == entry.globals
                && run_of_it.locals == entry.locals;
            if is_same {
                break;
            }
            known = end.earlier;
        }
        known
    }

    fn hash(&self, call: usize, entry: &State) -> u64 {
        let origin = (call, &entry.globals, &entry.locals);
        self.last.hasher().hash_one(origin)
    }

    /// The globals at the exit of a run, and its results.
    fn end(&self, run: u32) -> &[u64] {
        let next = self.ends.get(run as usize + 1);
        let end = next.map_or(self.values.len(), |next| next.first_value);
        &self.values[self.ends[run as usize].first_value..end]
    }

    /// Adds a run and gives its index.
    fn finish(&mut self, machine: &Machine, frame: Frame) -> u32 {
        let index = self.table.len() as u32;
        let hash = self.hash(frame.call, &frame.entry);
        self.ends.push(Ended {
            call: frame.call as u32,
            earlier: self.last.insert(hash, index),
            first_value: self.values.len(),
        });
        let procedure = machine.procedure(frame.state.procedure);
        let results = procedure.results().map(|id| frame.state.locals[id.index()]);
        self.values.extend(frame.state.globals);
        self.values.extend(results);
        self.table.push(Run {
            procedure: frame.entry.procedure,
            globals: frame.entry.globals,
            locals: frame.entry.locals,
            steps: frame.steps,
        });
        index
    }
}

impl State {
    fn get(&self, variable: Variable) -> u64 {
        match variable {
            Variable::Global(id) => self.globals[id.index()],
            Variable::Local(id) => self.locals[id.index()],
        }
    }

    fn set(&mut self, variable: Variable, value: u64) {
        match variable {
            Variable::Global(id) => self.globals[id.index()] = value,
            Variable::Local(id) => self.locals[id.index()] = value,
        }
    }

    fn eval(&self, machine: &Machine, root: ExprId, inputs: &[u64]) -> u64 {
        machine.exprs.eval(root, &mut |leaf| match leaf {
            Leaf::Var(variable) | Leaf::Next(variable) => self.get(variable),
            Leaf::Input(input) => inputs.get(input.index()).copied().unwrap_or(0),
        })
    }

    /// Takes an edge that is not a call.
    fn take(&mut self, machine: &Machine, edge: EdgeId, inputs: &[u64]) {
        match &machine.edge(edge).action {
            Action::Assign { assignments, .. } => {
                let values: Vec<u64> = assignments
                    .iter()
                    .map(|&(_, value)| self.eval(machine, value, inputs))
                    .collect();
                for (&(variable, _), value) in assignments.iter().zip(values) {
                    self.set(variable, value);
                }
            }
            Action::Return(values) => {
                let values: Vec<u64> = values
                    .iter()
                    .map(|&value| self.eval(machine, value, inputs))
                    .collect();
                let results = machine.procedure(self.procedure).results();
                for (result, value) in results.zip(values) {
                    self.locals[result.index()] = value;
                }
            }
            _ => {}
        }
    }

    /// The state in which a call enters its callee.
    fn entry(
        &self,
        machine: &Machine,
        edge: EdgeId,
        inputs: &[u64],
        locals: &[(LocalId, u64)],
    ) -> State {
        let Action::Call {
            callee, arguments, ..
        } = &machine.edge(edge).action
        else {
            return self.clone();
        };
        let declared = &machine.procedure(*callee).locals;
        let mut values = vec![0; declared.len()];
        for &(local, value) in locals {
            values[local.index()] = value;
        }
        for (index, &argument) in arguments.iter().enumerate() {
            let ty: Type = declared[index].ty;
            values[index] = ty.wrap(self.eval(machine, argument, inputs));
        }
        State {
            procedure: *callee,
            globals: self.globals.clone(),
            locals: values,
        }
    }

    /// Goes on after a call with the globals at its exit and its results.
    fn returned(&mut self, machine: &Machine, edge: EdgeId, end: &[u64]) {
        let (globals, results) = end.split_at(self.globals.len());
        self.globals.copy_from_slice(globals);
        if let Action::Call { targets, .. } = &machine.edge(edge).action {
            for (target, &value) in targets.iter().zip(results) {
                if let Some(variable) = target {
                    self.set(*variable, value);
                }
            }
        }
    }
}
