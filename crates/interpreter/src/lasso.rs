//! Is this lasso an infinite run of this program? The judge of every cycle that a search claims to
//! have found.
//!
//! The stem is replayed, then the loop twice. Both rounds must end where they began, as far as the
//! running procedure can see: the same node, globals and locals of the frame on top. Neither may
//! pop the frame that it began in, so what lies below never matters, and the loop can be gone round
//! for ever, with a stack that stays or grows by as much each time. [`observe_lasso`] gives what a
//! property sees at each position, so that others can judge whether the property is violated.

use crate::configuration::{Configuration, Frame};
use crate::replay::{Place, ReplayError};
use crate::walk::Walk;
use hardbop_evidence::Trace;
use hardbop_evidence::lasso::{Lasso, VERSION};
use hardbop_machine::{Machine, NodeId, Variable};

/// How often the loop is gone round in a replay.
const ROUNDS: usize = 2;

/// What a lasso that has been accepted amounts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedLasso {
    /// Where the loop begins; for a finite run where it ends.
    pub head: NodeId,
    /// Steps of the stem with every call written out, saturating.
    pub stem_steps: u128,
    /// Steps of one round with every call written out, saturating; 0 for a finite run.
    pub loop_steps: u128,
    /// How many frames each round leaves on the stack.
    pub growth: u32,
    /// How the run ends, if it does.
    pub ending: Option<Ending>,
}

/// How a finite run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `main` has returned.
    Terminated,
    /// An assertion has failed.
    Failed,
}

/// A lasso is not an infinite run of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LassoError {
    /// Another version of the form.
    #[error("this is version {found} of the form; only version {VERSION} is known")]
    Version {
        /// The version of the lasso.
        found: u32,
    },
    /// The program has threads.
    #[error("lassos are for sequential programs, and this one has threads")]
    Concurrent,
    /// A step cannot be taken.
    #[error("{}", describe(.part, .error))]
    Step {
        /// The part of the lasso that it belongs to.
        part: Part,
        /// What is wrong there.
        error: ReplayError,
    },
    /// The run has ended before the loop begins.
    #[error("the run has ended before the loop begins")]
    NoHead,
    /// The loop returns from the procedure that it began in.
    #[error(
        "round {round} of the loop returns from the procedure in which it began, at step {step}"
    )]
    PopsBelowHead {
        /// Which round, from 1.
        round: usize,
        /// Which step of the loop, from 0.
        step: usize,
    },
    /// The loop ends at another place.
    #[error("round {round} of the loop begins at line {begins} and ends elsewhere, at line {ends}")]
    OtherNode {
        /// Which round, from 1.
        round: usize,
        /// Line of the head.
        begins: u32,
        /// Line where the round ends.
        ends: u32,
    },
    /// The loop ends with another value.
    #[error("round {round} of the loop begins with `{variable}` = {begins} and ends with {ends}")]
    OtherValue {
        /// Which round, from 1.
        round: usize,
        /// The variable.
        variable: String,
        /// Its value at the head.
        begins: u64,
        /// Its value at the end of the round.
        ends: u64,
    },
    /// There is no loop, but the run has not ended.
    #[error("there is no loop, but the run has not ended either")]
    NotEnded,
    /// The loop of several threads does not lead back.
    #[error("the loop ends in another configuration than the one in which it began")]
    OtherConfiguration,
    /// A lasso of several threads has calls that are not written out.
    #[error("a lasso of threads must have its calls written out")]
    Folded,
    /// There are too many positions to list.
    #[error("the lasso has more than {limit} positions with every call written out")]
    TooLong {
        /// The largest number that was asked for.
        limit: usize,
    },
}

/// A part of a lasso.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The head of the file or the table of runs.
    Frame,
    /// A step of the stem.
    Stem {
        /// Which, from 0.
        step: usize,
    },
    /// A step of the loop.
    Loop {
        /// In which round, from 1.
        round: usize,
        /// Which, from 0.
        step: usize,
    },
}

fn describe(part: &Part, error: &ReplayError) -> String {
    let line = error
        .line
        .map_or_else(String::new, |line| format!(" (line {line})"));
    match part {
        Part::Frame => error.to_string(),
        Part::Stem { step } => format!("stem step {step}{line}: {}", error.fault),
        Part::Loop { round, step } => {
            format!("loop step {step}{line} in round {round}: {}", error.fault)
        }
    }
}

/// The place and the visible state where a loop begins.
struct Head {
    globals: Vec<u64>,
    frame: Frame,
    depth: usize,
}

impl Head {
    fn of(machine: &Machine, configuration: &Configuration) -> Result<Self, LassoError> {
        let frame = configuration.top(0).ok_or(LassoError::NoHead)?;
        Ok(Self {
            globals: configuration.globals(machine, 0),
            frame: frame.clone(),
            depth: depth(configuration),
        })
    }

    /// The state is the same as at the head.
    fn check(
        &self,
        machine: &Machine,
        round: usize,
        configuration: &Configuration,
    ) -> Result<(), LassoError> {
        let end = Head::of(machine, configuration)?;
        if end.frame.node != self.frame.node {
            return Err(LassoError::OtherNode {
                round,
                begins: machine.line_of(self.frame.node),
                ends: machine.line_of(end.frame.node),
            });
        }
        let procedure = machine.procedure_of(self.frame.node);
        let globals = (0..).map(|id| Variable::Global(hardbop_machine::GlobalId(id)));
        let locals = (0..).map(|id| Variable::Local(hardbop_machine::LocalId(id)));
        let globals = globals.zip(self.globals.iter().zip(&end.globals));
        let locals = locals.zip(self.frame.locals.iter().zip(&end.frame.locals));
        match globals
            .chain(locals)
            .find(|(_, (begins, ends))| begins != ends)
        {
            Some((variable, (&begins, &ends))) => Err(LassoError::OtherValue {
                round,
                variable: machine.name_of(procedure, variable).to_owned(),
                begins,
                ends,
            }),
            None => Ok(()),
        }
    }
}

fn depth(configuration: &Configuration) -> usize {
    configuration.threads[0].stack.len()
}

/// Checks that a lasso is an infinite run of a machine, or a finite one that ends.
pub fn replay_lasso(machine: &Machine, lasso: &Lasso) -> Result<ReplayedLasso, LassoError> {
    if lasso.version != VERSION {
        return Err(LassoError::Version {
            found: lasso.version,
        });
    }
    if !machine.is_sequential() {
        return Err(LassoError::Concurrent);
    }
    let trace = lasso.unrolled(ROUNDS);
    let in_frame = |error| LassoError::Step {
        part: Part::Frame,
        error,
    };
    let mut walk = Walk::new(machine, &trace).map_err(in_frame)?;
    let mut stem_steps: u128 = 0;
    for step in 0..lasso.stem.len() {
        let walked = take(&mut walk, Part::Stem { step })?;
        stem_steps = stem_steps.saturating_add(walked);
    }
    if lasso.cycle.is_empty() {
        return finite(machine, lasso, walk.configuration(), stem_steps);
    }
    let head = Head::of(machine, walk.configuration())?;
    let mut loop_steps: u128 = 0;
    let mut growth = 0;
    for round in 1..=ROUNDS {
        let begins = depth(walk.configuration());
        loop_steps = 0;
        for step in 0..lasso.cycle.len() {
            let walked = take(&mut walk, Part::Loop { round, step })?;
            loop_steps = loop_steps.saturating_add(walked);
            if depth(walk.configuration()) < begins {
                return Err(LassoError::PopsBelowHead { round, step });
            }
        }
        head.check(machine, round, walk.configuration())?;
        growth = depth(walk.configuration()) - begins;
    }
    debug_assert!(depth(walk.configuration()) >= head.depth);
    Ok(ReplayedLasso {
        head: head.frame.node,
        stem_steps,
        loop_steps,
        growth: growth as u32,
        ending: None,
    })
}

/// Takes one step of the walk; gives how many small steps it stands for.
fn take(walk: &mut Walk<'_>, part: Part) -> Result<u128, LassoError> {
    match walk.next() {
        Some(Ok(walked)) => Ok(walked.flat_steps),
        Some(Err(error)) => {
            // Mistakes in the table of runs have their own places.
            let part = match error.place {
                Place::Segment { .. } => part,
                _ => Part::Frame,
            };
            Err(LassoError::Step { part, error })
        }
        None => unreachable!("the walk has as many steps as the lasso"),
    }
}

fn finite(
    machine: &Machine,
    lasso: &Lasso,
    last: &Configuration,
    stem_steps: u128,
) -> Result<ReplayedLasso, LassoError> {
    let (head, ending) = match last.top(0) {
        None => {
            let exit = machine.procedure(machine.threads[0].entry).exit;
            (exit, Ending::Terminated)
        }
        Some(frame) if machine.node(frame.node).kind.is_failure() => (frame.node, Ending::Failed),
        Some(_) => return Err(LassoError::NotEnded),
    };
    debug_assert!(lasso.cycle.is_empty());
    Ok(ReplayedLasso {
        head,
        stem_steps,
        loop_steps: 0,
        growth: 0,
        ending: Some(ending),
    })
}

/// What was seen along a lasso: the infinite word `stem` `cycle` `cycle` ….
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedLasso<T> {
    /// Before the head of the loop.
    pub stem: Vec<T>,
    /// From the head on, once round; never empty. For a finite run its last state, once.
    pub cycle: Vec<T>,
}

/// Replays a lasso and observes every state of it, with every call written out. The second argument
/// of `observe` is true for the state in which a run stays that has come to its end: the last one
/// before `main` returned.
///
/// A lasso with more than `limit` positions is refused: its calls, written out, may be
/// astronomically long.
pub fn observe_lasso<T>(
    machine: &Machine,
    lasso: &Lasso,
    limit: usize,
    observe: impl FnMut(&Configuration, bool) -> T,
) -> Result<ObservedLasso<T>, LassoError> {
    let replayed = replay_lasso(machine, lasso)?;
    let positions = replayed.stem_steps.saturating_add(replayed.loop_steps);
    if positions >= limit as u128 {
        return Err(LassoError::TooLong { limit });
    }
    let mut seen = observe_trace(machine, &lasso.unrolled(1), limit, observe)?;
    if replayed.ending.is_none() {
        // The state after the loop is the one before it.
        seen.pop();
    }
    let cycle = seen.split_off(replayed.stem_steps as usize);
    Ok(ObservedLasso { stem: seen, cycle })
}

/// Observes every state of a finite run of one thread, the first and the last included, as
/// [`observe_lasso`] does.
pub fn observe_trace<T>(
    machine: &Machine,
    trace: &Trace,
    limit: usize,
    mut observe: impl FnMut(&Configuration, bool) -> T,
) -> Result<Vec<T>, LassoError> {
    let in_frame = |error| LassoError::Step {
        part: Part::Frame,
        error,
    };
    let mut walk = Walk::expanded(machine, trace).map_err(in_frame)?;
    let mut seen = Vec::new();
    loop {
        if seen.len() == limit {
            return Err(LassoError::TooLong { limit });
        }
        let before = walk.configuration().clone();
        seen.push(observe(&before, false));
        match walk.next().transpose().map_err(in_frame)? {
            None => return Ok(seen),
            Some(_) if walk.configuration().top(0).is_none() => {
                seen.push(observe(&before, true));
                return Ok(seen);
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{RandomChooser, simulate};
    use crate::test_programs::machine;
    use hardbop_evidence::Step;
    use hardbop_machine::EdgeId;

    /// Takes this many steps of the only run of a program; those from `head` on are the loop.
    fn lasso(machine: &Machine, steps: u64, head: usize) -> Lasso {
        let trace = simulate(machine, &mut RandomChooser::new(1), steps, None).trace;
        Lasso::from_trace(&trace, head)
    }

    const FLIPPING: &str = "decl g := 0, h := 0;
void main() begin
  h := 1;
  AGAIN: g := !g;
  goto AGAIN;
end";

    const DOWN: &str = "decl g := 0;
void main() begin
  down(0);
end
void down(x) begin
  g := !g;
  g := !g;
  down(x);
end";

    const NESTED: &str = "decl g := 0;
void main() begin
  AGAIN: work();
  goto AGAIN;
end
void work() begin
  leaf();
  leaf();
end
void leaf() begin
  g := !g;
end";

    #[test]
    fn a_loop_that_returns_to_its_head_is_accepted() {
        let machine = machine(FLIPPING);
        let replayed = replay_lasso(&machine, &lasso(&machine, 5, 1)).unwrap();
        assert_eq!((replayed.stem_steps, replayed.loop_steps), (1, 4));
        assert_eq!((replayed.growth, replayed.ending), (0, None));
        assert_eq!(machine.line_of(replayed.head), 4);
    }

    #[test]
    fn a_loop_that_leaves_frames_behind_is_accepted_and_says_so() {
        let machine = machine(DOWN);
        let replayed = replay_lasso(&machine, &lasso(&machine, 4, 1)).unwrap();
        assert_eq!((replayed.growth, replayed.loop_steps), (1, 3));
    }

    #[test]
    fn loops_that_do_not_close_are_rejected() {
        let flipping = machine(FLIPPING);
        let error = |machine: &Machine, steps, head| {
            let lasso = lasso(machine, steps, head);
            replay_lasso(machine, &lasso).unwrap_err().to_string()
        };
        let mut messages = vec![
            // Half a round: g has the other value.
            error(&flipping, 3, 1),
            error(&flipping, 2, 1),
            // Not ended, no loop.
            error(&flipping, 2, 2),
        ];
        // The loop begins inside `leaf` and ends inside its next call: it has returned from where
        // it began.
        let nested = machine(NESTED);
        messages.push(error(&nested, 6, 2));
        // The loop is one of another state: its first step cannot be taken.
        let mut wrong = lasso(&flipping, 5, 1);
        wrong.cycle.rotate_left(1);
        messages.push(replay_lasso(&flipping, &wrong).unwrap_err().to_string());
        wrong.version = 7;
        messages.push(replay_lasso(&flipping, &wrong).unwrap_err().to_string());
        let mut wrong = lasso(&flipping, 5, 1);
        wrong.stem.push(Step::Edge {
            edge: EdgeId(1000),
            inputs: hardbop_machine::List::default(),
        });
        messages.push(replay_lasso(&flipping, &wrong).unwrap_err().to_string());
        let mut wrong = lasso(&flipping, 5, 1);
        wrong.globals[0] = 1;
        messages.push(replay_lasso(&flipping, &wrong).unwrap_err().to_string());
        expect_test::expect![[r#"
            round 1 of the loop begins with `g` = 0 and ends with 1
            round 1 of the loop begins at line 4 and ends elsewhere, at line 5
            there is no loop, but the run has not ended either
            round 1 of the loop returns from the procedure in which it began, at step 1
            loop step 0 (line 4) in round 1: edge 2 does not start where the procedure is
            this is version 7 of the form; only version 1 is known
            stem step 1 (line 4): edge 1000 does not start where the procedure is
            the trace: `g` starts with 1, but the program says 0"#]]
        .assert_eq(&messages.join("\n"));
    }

    #[test]
    fn a_loop_that_drifts_is_rejected_in_its_first_round() {
        let machine = machine(
            "decl int<3> n := 0;\nvoid main() begin\n  AGAIN: n := n + 1;\n  goto AGAIN;\nend",
        );
        let error = replay_lasso(&machine, &lasso(&machine, 2, 0)).unwrap_err();
        assert!(matches!(
            error,
            LassoError::OtherValue {
                round: 1,
                begins: 0,
                ends: 1,
                ..
            }
        ));
    }

    #[test]
    fn finite_runs_stay_in_their_last_state() {
        let machine = machine("decl g := 0;\nvoid main() begin\n  g := 1;\nend");
        let lasso = lasso(&machine, 10, 10);
        let g = |configuration: &Configuration, ended| (configuration.shared[0], ended);
        let observed = observe_lasso(&machine, &lasso, 100, g).unwrap();
        assert_eq!(observed.stem, [(0, false), (1, false)]);
        assert_eq!(observed.cycle, [(1, true)]);
    }

    #[test]
    fn observed_positions_are_those_of_the_flat_run() {
        let machine = machine(NESTED);
        let flat = lasso(&machine, 9, 0);
        let trace = crate::fold::fold(&machine, &flat.unrolled(1)).unwrap();
        let folded = Lasso::from_trace(&trace, 0);
        assert!(folded.cycle.len() < flat.cycle.len());
        let g = |configuration: &Configuration, _| {
            let node = configuration.top(0).map(|frame| frame.node);
            (node, configuration.shared[0])
        };
        let observed = observe_lasso(&machine, &folded, 100, g).unwrap();
        assert_eq!(observed, observe_lasso(&machine, &flat, 100, g).unwrap());
        assert_eq!(observed.cycle.len(), 9);
        let refused = observe_lasso(&machine, &folded, 5, g);
        assert_eq!(refused, Err(LassoError::TooLong { limit: 5 }));
    }

    #[test]
    fn no_mutated_lasso_makes_the_replay_panic() {
        let mut refused = 0;
        for text in [FLIPPING, DOWN, NESTED] {
            let machine = machine(text);
            for head in 0..8 {
                let flat = lasso(&machine, 9, head).unrolled(1);
                let folded = crate::fold::fold(&machine, &flat).unwrap();
                let steps = folded.segments[0].steps.len();
                for (number, at) in (0..40).zip((0..=steps).cycle()) {
                    let mut mutant = Lasso::from_trace(&folded, at);
                    match number % 5 {
                        0 => mutant.stem.rotate_left(number as usize % (at + 1)),
                        1 => mutant.cycle.push(Step::Leave),
                        2 => mutant.locals.push(number),
                        3 => mutant.runs.truncate(1),
                        _ => mutant.stem.push(Step::Edge {
                            edge: EdgeId(number as u32),
                            inputs: vec![number].into(),
                        }),
                    }
                    let seen = observe_lasso(&machine, &mutant, 100, |_, _| ());
                    refused += usize::from(seen.is_err());
                }
            }
        }
        assert!(refused > 500, "{refused}");
    }
}
