//! From the decisions of a run to a trace.
//!
//! An engine that has found a run knows which edges it takes and how the choices fall, but not
//! always the value of every variable: what cannot matter it has left out. A [`Skeleton`] holds the
//! decisions; [`Skeleton::trace`] runs them through the machine once, fills in all values, and
//! shares equal completed calls. It does not check guards: that is for the replay, which trusts
//! nobody.

use crate::lasso::Lasso;
use crate::target::Target;
use crate::trace::{Run, Segment, Step, ThreadOrigin, Trace, VERSION};
use hardbop_machine::expr::Leaf;
use hardbop_machine::{Action, EdgeId, ExprId, List, LocalId, Machine, ProcId, Type, Variable};
use std::collections::HashMap;
use std::rc::Rc;

/// The decisions of a run of a sequential machine, calls that return told apart from those that
/// stay open.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    /// Initial values of globals and of the first procedure's locals; what is not mentioned is 0,
    /// or the declared initial value.
    pub start: Vec<(Variable, u64)>,
    /// The run itself.
    pub steps: Vec<Decision>,
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
    pub steps: Vec<Decision>,
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

/// What a completed call starts from: its decisions and all values.
type Origin = (usize, Vec<u64>, Vec<u64>);

/// The completed calls met so far.
#[derive(Default)]
struct Runs {
    table: Vec<Run>,
    /// Per call and entry values: its index in the table, globals at the exit and results.
    known: HashMap<Origin, (u32, Vec<u64>, Vec<u64>)>,
}

impl Skeleton {
    /// The trace with these decisions; nothing if it has too many different completed calls to be
    /// written down.
    ///
    /// `program` is the machine's [`crate::digest`].
    pub fn trace(&self, machine: &Machine, program: &str, target: Option<Target>) -> Option<Trace> {
        let mut writer = Writer::new(self, machine)?;
        self.steps
            .iter()
            .try_for_each(|decision| writer.take(decision))?;
        let no_own_globals = vec![0; machine.globals.len()];
        Some(Trace {
            version: VERSION,
            program: program.to_owned(),
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
    pub fn lasso(
        &self,
        machine: &Machine,
        program: &str,
        head: usize,
        returns: bool,
    ) -> Option<Lasso> {
        let mut writer = Writer::new(self, machine)?;
        let (stem, cycle) = self.steps.split_at(head);
        stem.iter().try_for_each(|decision| writer.take(decision))?;
        let mut heads = vec![(writer.state.clone(), writer.steps.len())];
        let mut first = cycle.is_empty().then_some(0);
        for _ in 0..MAX_ROUNDS {
            if first.is_some() {
                break;
            }
            cycle
                .iter()
                .try_for_each(|decision| writer.take(decision))?;
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
            program: program.to_owned(),
            property: None,
            globals: writer.start.globals,
            locals: writer.start.locals,
            runs: writer.runs.table,
            stem: steps,
            cycle,
        })
    }

    /// Runs a completed call, and those inside it first; gives its index, the globals at its exit
    /// and its results.
    fn run(
        &self,
        machine: &Machine,
        runs: &mut Runs,
        call: usize,
        entry: State,
    ) -> Option<(u32, Vec<u64>, Vec<u64>)> {
        let origin = (call, entry.globals.clone(), entry.locals.clone());
        if let Some(known) = runs.known.get(&origin) {
            return Some(known.clone());
        }
        let open = |call: usize, entry| Frame::new(call, entry, self.calls[call].steps.len());
        let mut frames = vec![open(call, entry)];
        while let Some(frame) = frames.last_mut() {
            match self.calls[frame.call].steps.get(frame.next_step) {
                Some(Decision::Edge { edge, inputs }) => {
                    frame.state.take(machine, *edge, inputs);
                    frame.push(Step::Edge {
                        edge: *edge,
                        inputs: inputs.clone(),
                    });
                }
                Some(Decision::Call { edge, inputs, call }) => {
                    let locals = &self.calls[*call].locals;
                    let entry = frame.state.entry(machine, *edge, inputs, locals);
                    let origin = (*call, entry.globals.clone(), entry.locals.clone());
                    if let Some((run, globals, results)) = runs.known.get(&origin) {
                        frame
                            .state
                            .returned(machine, *edge, globals.clone(), results);
                        frame.push(Step::Call {
                            edge: *edge,
                            inputs: inputs.clone(),
                            run: *run,
                        });
                    } else {
                        frames.push(open(*call, entry));
                    }
                }
                // A completed call has no open ones inside.
                Some(Decision::Enter { .. }) => return None,
                None => {
                    if runs.table.len() >= MAX_RUNS {
                        return None;
                    }
                    let done = frames.pop()?;
                    runs.finish(machine, done);
                }
            }
        }
        runs.known.get(&origin).cloned()
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
            runs: Runs::default(),
            steps: Vec::with_capacity(skeleton.steps.len()),
        })
    }

    fn take(&mut self, decision: &Decision) -> Option<()> {
        let (machine, state) = (self.machine, &mut self.state);
        self.steps.push(match decision {
            Decision::Edge { edge, inputs } => {
                state.take(machine, *edge, inputs);
                Step::Edge {
                    edge: *edge,
                    inputs: inputs.clone(),
                }
            }
            Decision::Call { edge, inputs, call } => {
                let locals = &self.skeleton.calls[*call].locals;
                let entry = state.entry(machine, *edge, inputs, locals);
                let (run, globals, results) =
                    self.skeleton.run(machine, &mut self.runs, *call, entry)?;
                state.returned(machine, *edge, globals, &results);
                Step::Call {
                    edge: *edge,
                    inputs: inputs.clone(),
                    run,
                }
            }
            Decision::Enter {
                edge,
                inputs,
                locals,
            } => {
                *state = state.entry(machine, *edge, inputs, locals);
                Step::Enter {
                    edge: *edge,
                    inputs: inputs.clone(),
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
    fn finish(&mut self, machine: &Machine, frame: Frame) {
        let procedure = machine.procedure(frame.state.procedure);
        let results = procedure.results().map(|id| frame.state.locals[id.index()]);
        let results: Vec<u64> = results.collect();
        let index = self.table.len() as u32;
        let origin = (
            frame.call,
            frame.entry.globals.clone(),
            frame.entry.locals.clone(),
        );
        self.known
            .insert(origin, (index, frame.state.globals, results));
        self.table.push(Run {
            procedure: frame.entry.procedure,
            globals: frame.entry.globals,
            locals: frame.entry.locals,
            steps: frame.steps,
        });
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

    /// Goes on after a call.
    fn returned(&mut self, machine: &Machine, edge: EdgeId, globals: Vec<u64>, results: &[u64]) {
        self.globals = globals;
        if let Action::Call { targets, .. } = &machine.edge(edge).action {
            for (target, &value) in targets.iter().zip(results) {
                if let Some(variable) = target {
                    self.set(*variable, value);
                }
            }
        }
    }
}
