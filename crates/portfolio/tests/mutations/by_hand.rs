//! Infinite runs judged by hand, with nothing of the interpreter but a single step: the run is
//! followed among all steps that the obvious search knows from each configuration, the loop is gone
//! round three times, and the formula is evaluated on the states that were seen.

use crate::formulas::{Formula, Seen};
use hardbop_brute_force::{Bounds, initial_configurations, successors};
use hardbop_interpreter::{Configuration, Move};
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Machine, Storage};
use hardbop_outcome::trace::ThreadOrigin;
use hardbop_outcome::{Lasso, Run, Step, ThreadLasso, Trace};

/// Longer runs are not judged.
const LONGEST: usize = 3_000;
const ROUNDS: usize = 3;
const BOUNDS: Bounds = Bounds {
    stack: 200,
    threads: 16,
};

/// Why a run is not what it should be, or that it cannot be judged here.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    Wrong(&'static str),
    Undecided,
}

use Fault::{Undecided, Wrong};

/// One small step: an edge or a return.
struct Small<'a> {
    thread: u32,
    step: Move,
    /// The values of the callee's locals, if it is a call.
    callee: Option<&'a [u64]>,
}

/// Writes out all calls.
fn flat<'a>(thread: u32, steps: &'a [Step], runs: &'a [Run]) -> Result<Vec<Small<'a>>, Fault> {
    let mut flat = Vec::new();
    let mut pending = vec![steps.iter()];
    while let Some(steps) = pending.last_mut() {
        if flat.len() > LONGEST {
            return Err(Undecided);
        }
        let Some(step) = steps.next() else {
            pending.pop();
            if !pending.is_empty() {
                let step = Move::Return;
                flat.push(Small {
                    thread,
                    step,
                    callee: None,
                });
            }
            continue;
        };
        let (edge, inputs, callee) = match step {
            Step::Leave => {
                let step = Move::Return;
                flat.push(Small {
                    thread,
                    step,
                    callee: None,
                });
                continue;
            }
            Step::Edge { edge, inputs } => (edge, inputs, None),
            Step::Enter {
                edge,
                inputs,
                locals,
            } => (edge, inputs, Some(&**locals)),
            Step::Call { edge, inputs, run } => {
                let run = runs
                    .get(*run as usize)
                    .ok_or(Wrong("a run that is not there"))?;
                pending.push(run.steps.iter());
                (edge, inputs, Some(&*run.locals))
            }
        };
        let (edge, inputs) = (*edge, inputs.to_vec());
        let step = Move::Edge { edge, inputs };
        flat.push(Small {
            thread,
            step,
            callee,
        });
    }
    Ok(flat)
}

/// The configuration in which a run begins.
fn start(
    machine: &Machine,
    globals: &[u64],
    threads: &[ThreadOrigin],
) -> Result<Configuration, Fault> {
    let all = initial_configurations(machine).map_err(|_| Undecided)?;
    let is_it = |now: &Configuration| {
        let is_shared = |index: usize| machine.globals[index].storage == Storage::Shared;
        let agree = |ours: &[u64], theirs: &[u64], shared: bool| {
            let pairs = ours.iter().zip(theirs).enumerate();
            let mut ours = pairs.filter(|(index, _)| is_shared(*index) == shared);
            ours.all(|(_, (ours, theirs))| ours == theirs)
        };
        let mut pairs = now.threads.iter().zip(threads);
        agree(&now.shared, globals, true)
            && pairs.all(|(thread, origin)| {
                thread
                    .stack
                    .last()
                    .is_none_or(|frame| frame.locals == origin.locals)
                    && agree(&thread.own, &origin.globals, false)
            })
    };
    let mut all = all.into_iter();
    all.find(is_it).ok_or(Wrong("no initial configuration"))
}

fn follow(
    machine: &Machine,
    now: &Configuration,
    small: &Small<'_>,
    origins: &[ThreadOrigin],
) -> Result<Configuration, Fault> {
    let all = successors(machine, now, BOUNDS, &mut None).map_err(|_| Undecided)?;
    let frame = |to: &Configuration, thread: usize| {
        let frame = to.threads[thread].stack.last();
        frame.map_or_else(Vec::new, |frame| frame.locals.clone())
    };
    let mut all = all.into_iter().filter(|next| {
        let is_callee = |locals: &[u64]| frame(&next.to, small.thread as usize) == locals;
        let mut started = now.threads.len()..next.to.threads.len();
        next.thread == small.thread
            && next.step == small.step
            && small.callee.is_none_or(is_callee)
            && started.all(|new| {
                origins
                    .get(new)
                    .is_some_and(|o| o.locals == frame(&next.to, new))
            })
    });
    all.next().map(|next| next.to).ok_or(Wrong("no such step"))
}

/// Follows steps; every configuration before a step is seen.
fn walk(
    machine: &Machine,
    mut now: Configuration,
    steps: &[Small<'_>],
    origins: &[ThreadOrigin],
    seen: &mut Vec<Configuration>,
) -> Result<Configuration, Fault> {
    for small in steps {
        let next = follow(machine, &now, small, origins)?;
        seen.push(std::mem::replace(&mut now, next));
    }
    Ok(now)
}

fn has_failed(machine: &Machine, now: &Configuration) -> bool {
    let mut tops = now.threads.iter().filter_map(|thread| thread.stack.last());
    tops.any(|top| machine.node(top.node).kind == NodeKind::Failure)
}

fn has_ended(now: &Configuration) -> bool {
    now.threads.iter().all(|thread| thread.stack.is_empty())
}

fn violates(
    machine: &Machine,
    formula: &Formula,
    word: Vec<Configuration>,
    back: usize,
    ends: bool,
) -> Result<(), Fault> {
    let last = word.len() - 1;
    let word = word.into_iter().enumerate().map(|(position, state)| Seen {
        state,
        ended: ends && position == last,
    });
    let word: Vec<Seen> = word.collect();
    if formula.holds(machine, &word, back)[0] {
        return Err(Wrong("the formula holds on it"));
    }
    Ok(())
}

/// Whether a lasso is a run of a sequential program that violates a formula.
pub fn judge_lasso(machine: &Machine, formula: &Formula, lasso: &Lasso) -> Result<(), Fault> {
    let origins = [ThreadOrigin {
        globals: lasso.globals.clone(),
        locals: lasso.locals.clone(),
    }];
    let stem = flat(0, &lasso.stem, &lasso.runs)?;
    let cycle = flat(0, &lasso.cycle, &lasso.runs)?;
    let mut word = Vec::new();
    let first = start(machine, &lasso.globals, &origins)?;
    let head = walk(machine, first, &stem, &origins, &mut word)?;
    if cycle.is_empty() {
        let ends = has_ended(&head);
        match word.last().cloned() {
            // The run stays in the state before `main` returned.
            Some(before) if ends => word.push(before),
            _ if has_failed(machine, &head) => word.push(head),
            _ => return Err(Wrong("it has not ended")),
        }
        let back = word.len() - 1;
        return violates(machine, formula, word, back, ends);
    }
    let back = word.len();
    let stack = |now: &Configuration| now.threads[0].stack.clone();
    let own = |now: &Configuration| now.threads[0].own.clone();
    let mut now = head.clone();
    for round in 0..ROUNDS {
        let depth = stack(&now).len();
        let mut seen = Vec::new();
        now = walk(machine, now, &cycle, &origins, &mut seen)?;
        if seen.iter().skip(1).any(|now| stack(now).len() < depth) || stack(&now).len() < depth {
            return Err(Wrong("the loop returns from where it began"));
        }
        let [before, after] = [&head, &now].map(|now| stack(now).pop());
        if before != after || now.shared != head.shared || own(&now) != own(&head) {
            return Err(Wrong("the loop does not lead back"));
        }
        if round == 0 {
            word.extend(seen);
        }
    }
    violates(machine, formula, word, back, false)
}

/// Whether a lasso is a run of several threads that violates a formula.
pub fn judge_thread_lasso(
    machine: &Machine,
    formula: &Formula,
    lasso: &ThreadLasso,
) -> Result<(), Fault> {
    let Trace {
        globals,
        threads,
        runs,
        segments,
        ..
    } = &lasso.run;
    let mut steps = Vec::new();
    for segment in segments {
        steps.extend(flat(segment.thread, &segment.steps, runs)?);
    }
    let head = usize::try_from(lasso.stem).map_err(|_| Wrong("no head"))?;
    if head > steps.len() {
        return Err(Wrong("no head"));
    }
    let cycle = steps.split_off(head);
    let mut word = Vec::new();
    let first = start(machine, globals, threads)?;
    let head = walk(machine, first, &steps, threads, &mut word)?;
    let back = word.len();
    if cycle.is_empty() {
        if !has_ended(&head) && !has_failed(machine, &head) {
            return Err(Wrong("it has not ended"));
        }
        word.push(head);
        return violates(machine, formula, word, back, false);
    }
    let mut now = head.clone();
    for round in 0..ROUNDS {
        let mut seen = Vec::new();
        now = walk(machine, now, &cycle, threads, &mut seen)?;
        if now != head {
            return Err(Wrong("the loop does not lead back"));
        }
        if round == 0 {
            word.extend(seen);
        }
    }
    violates(machine, formula, word, back, false)
}
