//! A flat trace made hierarchical: calls that return without being interrupted become one step
//! each.
//!
//! Equal runs of a procedure are stored once. A call stays written out if a context switch falls
//! into it, if it starts or ends a thread, or if another thread is inside an atomic block meanwhile
//! (then each step's right to be taken has to be checked on its own).

use crate::replay::ReplayError;
use crate::walk::Walk;
use hardbop_evidence::{Run, Segment, Step, Trace};
use hardbop_machine::{Action, Machine, ProcId};
use std::collections::HashMap;

/// Folds a trace. It must be one of the machine; the result replays to the same state.
pub fn fold(machine: &Machine, trace: &Trace) -> Result<Trace, ReplayError> {
    let mut walk = Walk::new(machine, trace)?;
    let mut table = RunTable::default();
    let renumbered = renumber(trace, &mut table);
    let mut segments = Vec::with_capacity(trace.segments.len());
    for segment in &trace.segments {
        let mut steps: Vec<Step> = Vec::new();
        let mut open: Vec<OpenCall> = Vec::new();
        for step in &segment.steps {
            let Some(walked) = walk.next().transpose()? else {
                break;
            };
            let configuration = walk.configuration();
            match step {
                Step::Enter { .. } => {
                    open.push(OpenCall {
                        enter: steps.len(),
                        procedure: walked.effect.scope,
                        globals: configuration.globals(machine, segment.thread),
                        foldable: true,
                    });
                    steps.push(step.clone());
                }
                Step::Leave => match open.pop() {
                    Some(call) if call.foldable => call.fold(&mut steps, &mut table),
                    interrupted => {
                        if interrupted.is_some()
                            && let Some(caller) = open.last_mut()
                        {
                            caller.foldable = false;
                        }
                        steps.push(Step::Leave);
                    }
                },
                Step::Call { edge, inputs, run } => steps.push(Step::Call {
                    edge: *edge,
                    inputs: inputs.clone(),
                    run: renumbered[*run as usize],
                }),
                Step::Edge { .. } => steps.push(step.clone()),
            }
            if let Some(call) = open.last_mut() {
                let watched = configuration.another_is_atomic(segment.thread);
                call.foldable &= !watched && !concerns_threads(machine, step);
            }
        }
        segments.push(Segment {
            thread: segment.thread,
            steps,
        });
    }
    Ok(Trace {
        runs: table.runs,
        segments,
        ..trace.clone()
    })
}

/// Whether a step does something that no completed call may contain.
fn concerns_threads(machine: &Machine, step: &Step) -> bool {
    match step {
        Step::Edge { edge, .. } => matches!(
            machine.edge(*edge).action,
            Action::StartThread(_) | Action::EndThread
        ),
        _ => false,
    }
}

/// A call that has been entered and not left.
struct OpenCall {
    /// Index of its `Enter` among the steps; its own steps follow.
    enter: usize,
    procedure: ProcId,
    globals: Vec<u64>,
    foldable: bool,
}

impl OpenCall {
    /// Replaces the steps from `Enter` on by one `Call`.
    fn fold(self, steps: &mut Vec<Step>, table: &mut RunTable) {
        let own = steps.split_off(self.enter + 1);
        let Some(Step::Enter {
            edge,
            inputs,
            locals,
        }) = steps.pop()
        else {
            unreachable!("an open call begins with its `Enter` step");
        };
        let run = table.number(Run {
            procedure: self.procedure,
            globals: self.globals,
            locals: locals.to_vec(),
            steps: own,
        });
        steps.push(Step::Call { edge, inputs, run });
    }
}

/// Runs, equal ones once.
#[derive(Default)]
struct RunTable {
    runs: Vec<Run>,
    numbers: HashMap<Run, u32>,
}

impl RunTable {
    fn number(&mut self, run: Run) -> u32 {
        if let Some(&number) = self.numbers.get(&run) {
            return number;
        }
        let number = self.runs.len() as u32;
        self.runs.push(run.clone());
        self.numbers.insert(run, number);
        number
    }
}

/// Enters the runs that a checked trace has already; gives their new numbers.
fn renumber(trace: &Trace, table: &mut RunTable) -> Vec<u32> {
    let mut renumbered: Vec<u32> = Vec::with_capacity(trace.runs.len());
    for run in &trace.runs {
        let mut run = run.clone();
        for step in &mut run.steps {
            if let Step::Call { run, .. } = step {
                *run = renumbered[*run as usize];
            }
        }
        renumbered.push(table.number(run));
    }
    renumbered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::replay;
    use crate::test_programs::{CONCURRENT, SEQUENTIAL, doubling, machine, random_traces};

    #[test]
    fn a_folded_trace_is_the_same_run() {
        for text in [SEQUENTIAL, CONCURRENT] {
            let machine = machine(text);
            for trace in random_traces(&machine, 100, 150) {
                let flat = replay(&machine, &trace).unwrap();
                let folded = fold(&machine, &trace).unwrap();
                let again = replay(&machine, &folded).unwrap();
                assert_eq!(again.last, flat.last);
                assert_eq!(again.flat_steps, flat.flat_steps);
                assert!(again.hierarchical_steps <= flat.hierarchical_steps);
                assert_eq!(fold(&machine, &folded).unwrap(), folded);
            }
        }
    }

    #[test]
    fn equal_runs_are_stored_once() {
        let machine = doubling(5);
        let trace = &random_traces(&machine, 1, 10_000)[0];
        let folded = fold(&machine, trace).unwrap();
        assert_eq!(folded.runs.len(), 6);
        assert!(folded.runs.iter().all(|run| run.steps.len() <= 3));
    }
}
