//! Is this an infinite run of these threads? The judge of lassos of concurrent programs.
//!
//! The run is replayed like any trace, so every step is one that its thread may take then. It must
//! come back to the very configuration in which the loop began: shared variables, all stacks, and
//! who may go on. From there the same steps can be taken again, so one round is enough.

use crate::configuration::Configuration;
use crate::lasso::{Ending, LassoError, ObservedLasso, Part, ReplayedLasso};
use crate::replay::ReplayError;
use crate::walk::Walk;
use hardbop_evidence::Trace;
use hardbop_evidence::lasso::{ThreadLasso, VERSION};
use hardbop_machine::{Machine, NodeId};

/// Checks that a lasso is an infinite run of threads, or a finite one that ends.
pub fn replay_thread_lasso(
    machine: &Machine,
    lasso: &ThreadLasso,
) -> Result<ReplayedLasso, LassoError> {
    let mut seen = Vec::new();
    observe(machine, lasso, |now| seen.push(running(now)))
}

/// Replays a lasso and observes every configuration of it.
pub fn observe_thread_lasso<T>(
    machine: &Machine,
    lasso: &ThreadLasso,
    mut see: impl FnMut(&Configuration) -> T,
) -> Result<ObservedLasso<T>, LassoError> {
    let mut seen = Vec::new();
    let replayed = observe(machine, lasso, |now| seen.push(see(now)))?;
    if replayed.ending.is_none() {
        // The configuration after the loop is the one before it.
        seen.pop();
    }
    let cycle = seen.split_off(replayed.stem_steps as usize);
    Ok(ObservedLasso { stem: seen, cycle })
}

/// Observes every configuration of a finite run of threads, the first and the last included; at
/// most `limit` of them.
pub fn observe_thread_trace<T>(
    machine: &Machine,
    trace: &Trace,
    limit: usize,
    mut see: impl FnMut(&Configuration) -> T,
) -> Result<Vec<T>, LassoError> {
    let mut walk = Walk::expanded(machine, trace).map_err(in_frame)?;
    let mut seen = vec![see(walk.configuration())];
    while walk.next().transpose().map_err(in_frame)?.is_some() {
        if seen.len() == limit {
            return Err(LassoError::TooLong { limit });
        }
        seen.push(see(walk.configuration()));
    }
    Ok(seen)
}

fn in_frame(error: ReplayError) -> LassoError {
    LassoError::Step {
        part: Part::Frame,
        error,
    }
}

fn observe(
    machine: &Machine,
    lasso: &ThreadLasso,
    mut see: impl FnMut(&Configuration),
) -> Result<ReplayedLasso, LassoError> {
    if lasso.version != VERSION {
        return Err(LassoError::Version {
            found: lasso.version,
        });
    }
    if !lasso.run.runs.is_empty() {
        return Err(LassoError::Folded);
    }
    let steps: u64 = lasso
        .run
        .segments
        .iter()
        .map(|s| s.steps.len() as u64)
        .sum();
    if lasso.stem > steps {
        return Err(LassoError::NoHead);
    }
    let mut walk = Walk::new(machine, &lasso.run).map_err(in_frame)?;
    let mut head = None;
    for step in 0..=steps {
        if step == lasso.stem {
            head = Some(walk.configuration().clone());
        }
        see(walk.configuration());
        if let Some(Err(error)) = walk.next() {
            return Err(in_frame(error));
        }
    }
    let last = walk.into_configuration();
    let head = head.expect("the stem is no longer than the run");
    let loop_steps = steps - lasso.stem;
    let ending = if loop_steps == 0 {
        Some(ending(machine, &last)?)
    } else if last == head {
        None
    } else {
        return Err(LassoError::OtherConfiguration);
    };
    Ok(ReplayedLasso {
        head: running(&head).unwrap_or(NodeId(0)),
        stem_steps: u128::from(lasso.stem),
        loop_steps: u128::from(loop_steps),
        growth: 0,
        ending,
    })
}

/// Where the first thread that runs is.
fn running(now: &Configuration) -> Option<NodeId> {
    now.threads
        .iter()
        .find_map(|thread| Some(thread.stack.last()?.node))
}

/// Whether a run that comes to this configuration has ended there: an assertion has failed, or all
/// threads have.
pub fn has_ended(machine: &Machine, last: &Configuration) -> bool {
    ending(machine, last).is_ok()
}

/// How a run without a loop ends.
fn ending(machine: &Machine, last: &Configuration) -> Result<Ending, LassoError> {
    let mut tops = last.threads.iter().filter_map(|t| t.stack.last());
    if tops.any(|top| machine.node(top.node).kind.is_failure()) {
        Ok(Ending::Failed)
    } else if running(last).is_none() {
        Ok(Ending::Terminated)
    } else {
        Err(LassoError::NotEnded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{initial, initial_slots};
    use crate::record::Recorder;
    use crate::step::Move;
    use crate::test_programs::machine;
    use hardbop_machine::EdgeId;

    const TURNS: &str = "decl g := 0;
thread a begin void main() begin AGAIN: g := !g; goto AGAIN; end end
thread b begin void main() begin g := g; end end";

    /// Thread `a` takes these steps, each along the first edge from where it is.
    fn lasso(machine: &Machine, steps: usize, stem: u64) -> ThreadLasso {
        let mut recorder = Recorder::new(machine, initial(machine, &[]));
        for _ in 0..steps {
            let node = recorder.configuration().top(0).expect("it runs").node;
            let edge = machine.edges_from(node).next().expect("it goes on");
            let inputs = Vec::new();
            let step = Move::Edge { edge, inputs };
            recorder.step(0, step, &[]).expect("the edge can be taken");
        }
        ThreadLasso {
            version: VERSION,
            property: None,
            stem,
            run: recorder.finish().0,
        }
    }

    #[test]
    fn a_loop_must_come_back_to_the_very_configuration() {
        let machine = machine(TURNS);
        let four = replay_thread_lasso(&machine, &lasso(&machine, 5, 1)).expect("g is as before");
        assert_eq!(
            (four.stem_steps, four.loop_steps, four.ending),
            (1, 4, None)
        );
        let two = replay_thread_lasso(&machine, &lasso(&machine, 3, 1));
        assert_eq!(two, Err(LassoError::OtherConfiguration));
        let none = replay_thread_lasso(&machine, &lasso(&machine, 3, 3));
        assert_eq!(none, Err(LassoError::NotEnded));
        let beyond = replay_thread_lasso(&machine, &lasso(&machine, 3, 4));
        assert_eq!(beyond, Err(LassoError::NoHead));
    }

    #[test]
    fn configurations_are_observed_once_each() {
        let machine = machine(TURNS);
        let g = |now: &Configuration| now.shared[0];
        let seen = observe_thread_lasso(&machine, &lasso(&machine, 5, 1), g).expect("a lasso");
        assert_eq!((seen.stem, seen.cycle), (vec![0], vec![1, 1, 0, 0]));
        let run = lasso(&machine, 3, 0).run;
        let all = observe_thread_trace(&machine, &run, 10, g);
        assert_eq!(all, Ok(vec![0, 1, 1, 0]));
        let too_long = observe_thread_trace(&machine, &run, 3, g);
        assert_eq!(too_long, Err(LassoError::TooLong { limit: 3 }));
    }

    #[test]
    fn a_step_that_cannot_be_taken_is_rejected() {
        let machine = machine(TURNS);
        let mut wrong = lasso(&machine, 5, 1);
        wrong.run.segments[0].steps[2] = hardbop_evidence::Step::Edge {
            edge: EdgeId(1000),
            inputs: hardbop_machine::List::default(),
        };
        let error = replay_thread_lasso(&machine, &wrong);
        assert!(matches!(error, Err(LassoError::Step { .. })), "{error:?}");
        wrong.version = 9;
        let error = replay_thread_lasso(&machine, &wrong);
        assert_eq!(error, Err(LassoError::Version { found: 9 }));
    }

    /// Two loops that flip the flag of the Getafix dialect: while it is 1, only the thread that
    /// took the last step may go on.
    const FLAG: &str = "decl atomic;
void init() begin atomic := 0; end
void main() begin skip; end
void thread1() begin AGAIN: atomic := !atomic; goto AGAIN; end
void thread2() begin AGAIN: atomic := !atomic; goto AGAIN; end";

    /// After `init` these threads go round their loops, two steps each time; the loop of the lasso
    /// begins after the first time.
    fn rounds(machine: &Machine, names: &[&str]) -> ThreadLasso {
        let slots = initial_slots(machine).len();
        let mut recorder = Recorder::new(machine, initial(machine, &vec![0; slots]));
        let mut steps = 0;
        let mut go = |recorder: &mut Recorder<'_>, thread: u32| {
            let node = recorder.configuration().top(thread).expect("it runs").node;
            let step = match machine.edges_from(node).next() {
                Some(edge) => Move::Edge {
                    edge,
                    inputs: Vec::new(),
                },
                None => Move::Return,
            };
            recorder.step(thread, step, &[]).expect("it may go on");
            steps += 1;
            steps
        };
        while recorder.configuration().in_init {
            go(&mut recorder, 0);
        }
        let mut stem = None;
        for name in names {
            let now = recorder.configuration();
            let mut threads = 0..now.threads.len() as u32;
            let thread = threads.find(|&thread| now.thread_name(machine, thread) == *name);
            let thread = thread.expect("a thread of the program");
            go(&mut recorder, thread);
            let steps = go(&mut recorder, thread);
            stem.get_or_insert(steps);
        }
        ThreadLasso {
            version: VERSION,
            property: None,
            stem: stem.expect("there is a first time"),
            run: recorder.finish().0,
        }
    }

    #[test]
    fn a_loop_must_come_back_to_the_same_turn() {
        let machine = machine(FLAG);
        assert!(machine.atomic_flag.is_some());
        let (one, two) = ("thread1", "thread2");
        // The flag is 1 and all threads are where they were, but now the turn is the other one's.
        let other_turn = replay_thread_lasso(&machine, &rounds(&machine, &[one, one, two]));
        assert_eq!(other_turn, Err(LassoError::OtherConfiguration));
        let same_turn = rounds(&machine, &[one, one, two, two, one]);
        let replayed = replay_thread_lasso(&machine, &same_turn).expect("its turn again");
        assert_eq!((replayed.loop_steps, replayed.ending), (8, None));
    }
}
