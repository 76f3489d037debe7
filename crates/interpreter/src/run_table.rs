//! The table of completed calls of a trace, each checked once.
//!
//! A run refers only to earlier ones, so one pass in order checks them all and finds, for each, the
//! state at its exit and its length with all calls written out. That is what makes a trace of 2^60
//! steps as cheap as its 60 runs.

use crate::fire::fire;
use crate::replay::{Fault, Place, ReplayError, check_globals, check_locals};
use crate::step::{StepError, returned};
use hardbop_evidence::{Run, Step, Trace};
use hardbop_machine::{Action, EdgeId, GlobalId, LocalId, Machine, NodeId, ProcId, Variable};

/// What a completed call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedRun {
    /// The globals at the exit, as the running thread sees them.
    pub exit_globals: Vec<u64>,
    /// The results.
    pub results: Vec<u64>,
    /// Whether the thread is inside an atomic block at the exit, if the run changes that.
    pub atomic: Option<bool>,
    /// Steps between entry and exit with every call written out, saturating.
    pub flat_steps: u128,
}

impl CheckedRun {
    /// Steps of a call with this run: the call, the run and the return.
    pub(crate) fn flat_steps_of_call(&self) -> u128 {
        self.flat_steps.saturating_add(2)
    }
}

/// Checks all runs of a trace.
pub(crate) fn check_runs(machine: &Machine, trace: &Trace) -> Result<Vec<CheckedRun>, ReplayError> {
    let mut checked: Vec<CheckedRun> = Vec::with_capacity(trace.runs.len());
    for (index, run) in trace.runs.iter().enumerate() {
        let result = check_run(machine, &trace.runs[..index], &checked, run);
        checked.push(result.map_err(|(step, node, fault)| ReplayError {
            place: match step {
                Some(step) => Place::Run {
                    run: index as u32,
                    step,
                },
                None => Place::RunStart(index as u32),
            },
            line: node.map(|node| machine.line_of(node)),
            fault,
        })?);
    }
    Ok(checked)
}

/// Finds out that a call may use a run, and gives back what the call's edge fires.
pub(crate) fn match_call(
    machine: &Machine,
    edge: EdgeId,
    inputs: &[u64],
    read: impl Fn(Variable) -> u64,
    number: u32,
    runs: &[Run],
) -> Result<(), Fault> {
    let Action::Call { callee, .. } = machine.edge(edge).action else {
        return Err(Fault::WrongKind);
    };
    let fired = fire(machine, edge, inputs, &read)?;
    let run = runs
        .get(number as usize)
        .ok_or(Fault::NotWellFounded(number))?;
    if run.procedure != callee {
        return Err(Fault::OtherCallee {
            callee: machine.procedure(callee).name.clone(),
            run: number,
            found: machine.procedure(run.procedure).name.clone(),
        });
    }
    let globals = (0..machine.globals.len()).map(|i| Variable::Global(GlobalId::new(i)));
    let globals = globals.map(|variable| (variable, read(variable)));
    let parameters = machine.procedure(callee).parameters().map(Variable::Local);
    for (variable, value) in globals.chain(parameters.zip(fired.arguments)) {
        let found = match variable {
            Variable::Global(id) => run.globals[id.index()],
            Variable::Local(id) => run.locals[id.index()],
        };
        if found != value {
            return Err(Fault::OtherEntry {
                variable: machine.name_of(callee, variable).to_owned(),
                value,
                found,
            });
        }
    }
    Ok(())
}

/// The state of one procedure during its run.
struct State {
    globals: Vec<u64>,
    locals: Vec<u64>,
}

impl State {
    fn read(&self, variable: Variable) -> u64 {
        match variable {
            Variable::Global(id) => self.globals[id.index()],
            Variable::Local(id) => self.locals[id.index()],
        }
    }

    fn write(&mut self, writes: &[(Variable, u64)]) {
        for &(variable, value) in writes {
            match variable {
                Variable::Global(id) => self.globals[id.index()] = value,
                Variable::Local(id) => self.locals[id.index()] = value,
            }
        }
    }
}

/// The step, the node before it and what is wrong there.
type Misstep = (Option<u32>, Option<NodeId>, Fault);

fn check_run(
    machine: &Machine,
    earlier: &[Run],
    checked: &[CheckedRun],
    run: &Run,
) -> Result<CheckedRun, Misstep> {
    let at_start = |fault| (None, None, fault);
    check_procedure(machine, run.procedure).map_err(at_start)?;
    check_globals(machine, &run.globals).map_err(at_start)?;
    check_locals(machine, run.procedure, &run.locals).map_err(at_start)?;
    let procedure = machine.procedure(run.procedure);
    let mut state = State {
        globals: run.globals.clone(),
        locals: run.locals.clone(),
    };
    let mut node = procedure.entry;
    let mut atomic = None;
    let mut flat_steps: u128 = 0;
    for (index, step) in run.steps.iter().enumerate() {
        let misstep = |fault| (Some(index as u32), Some(node), fault);
        let (edge, inputs) = match step {
            Step::Edge { edge, inputs } | Step::Call { edge, inputs, .. } => (*edge, inputs),
            Step::Enter { .. } | Step::Leave => {
                return Err(misstep(Fault::NotInRun("`enter` or `leave`")));
            }
        };
        if !machine.node(node).edges.contains(&edge.0) {
            return Err(misstep(StepError::WrongEdge(edge).into()));
        }
        if let Step::Call { run: number, .. } = *step {
            let read = |variable| state.read(variable);
            match_call(machine, edge, inputs, read, number, earlier).map_err(misstep)?;
            let callee = &checked[number as usize];
            state.globals.clone_from(&callee.exit_globals);
            state.write(&returned(machine, edge, &callee.results));
            atomic = callee.atomic.or(atomic);
            flat_steps = flat_steps.saturating_add(callee.flat_steps_of_call());
        } else {
            match machine.edge(edge).action {
                Action::Call { .. } => return Err(misstep(Fault::WrongKind)),
                Action::StartThread(_) => {
                    return Err(misstep(Fault::NotInRun("the start of a thread")));
                }
                Action::EndThread => {
                    return Err(misstep(Fault::NotInRun("the end of a thread")));
                }
                Action::AtomicBegin => atomic = Some(true),
                Action::AtomicEnd => atomic = Some(false),
                _ => {}
            }
            let fired = fire(machine, edge, inputs, |variable| state.read(variable));
            state.write(&fired.map_err(|error| misstep(error.into()))?.writes);
            flat_steps = flat_steps.saturating_add(1);
        }
        node = machine.edge(edge).to;
    }
    if node != procedure.exit {
        let name = procedure.name.clone();
        let fault = Fault::NotCompleted { procedure: name };
        return Err((Some(run.steps.len() as u32), Some(node), fault));
    }
    Ok(CheckedRun {
        results: procedure
            .results()
            .map(|id: LocalId| state.locals[id.index()])
            .collect(),
        exit_globals: state.globals,
        atomic,
        flat_steps,
    })
}

fn check_procedure(machine: &Machine, procedure: ProcId) -> Result<(), Fault> {
    if procedure.index() < machine.procedures.len() {
        Ok(())
    } else {
        Err(Fault::Unknown {
            what: "procedure",
            id: procedure.0,
        })
    }
}
