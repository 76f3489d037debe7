//! Is this trace a run of this program? The judge of every `REACHABLE`.
//!
//! The replay believes nothing: every vector's length and type, every guard, every call's entry
//! state and whose turn it is are checked, and each completed call in the table once however often
//! it is referred to ([`crate::run_table`]). So the cost is linear in the trace as data, not in the
//! length of the run, which may be astronomic.

use crate::choices::TooManyChoices;
use crate::configuration::Configuration;
use crate::step::StepError;
use crate::walk::Walk;
use hardbop_evidence::{Target, Trace};
use hardbop_machine::{Machine, NodeId, ProcId};

/// What a trace that has been accepted amounts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The state it ends in.
    pub last: Configuration,
    /// How many steps the run has with every call written out; `u128::MAX` if there are that many
    /// or more.
    pub flat_steps: u128,
    /// Whether `flat_steps` is only a lower bound.
    pub saturated: bool,
    /// How many steps it has with every completed call as one step (the hierarchical length of
    /// Bebop, section 3.2).
    pub hierarchical_steps: u64,
}

/// Where a trace is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In its head.
    Head,
    /// In the initial values of a thread.
    Thread(u32),
    /// At the start of a completed call.
    RunStart(u32),
    /// At a step of a completed call.
    Run {
        /// Index into [`Trace::runs`].
        run: u32,
        /// Index of the step.
        step: u32,
    },
    /// At a step of a segment.
    Segment {
        /// Index into [`Trace::segments`].
        segment: u32,
        /// Index of the step.
        step: u32,
    },
    /// After the last step.
    End,
}

/// A trace is not a run of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ReplayError {
    /// Where.
    pub place: Place,
    /// The one-based source line of the statement in question.
    pub line: Option<u32>,
    /// Why.
    pub fault: Fault,
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place {
            Place::Head => write!(f, "the trace")?,
            Place::Thread(thread) => write!(f, "the start of thread {thread}")?,
            Place::RunStart(run) => write!(f, "the start of run {run}")?,
            Place::Run { run, step } => write!(f, "run {run} step {step}")?,
            Place::Segment { segment, step } => write!(f, "segment {segment} step {step}")?,
            Place::End => write!(f, "the end of the trace")?,
        }
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        write!(f, ": {}", self.fault)
    }
}

/// What is wrong with a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Another version of the form.
    #[error("this is version {found} of the form; only version {known} is known")]
    Version {
        /// The version of the trace.
        found: u32,
        /// The version that is known here.
        known: u32,
    },
    /// A trace of another program.
    #[error("it belongs to another program (digest {found}, but this program has {expected})")]
    OtherProgram {
        /// The digest in the trace.
        found: String,
        /// The digest of the program.
        expected: String,
    },
    /// A table has the wrong length.
    #[error("{what} has {found} values where {expected} are needed")]
    Length {
        /// Which table.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// A variable does not start with the value that the program gives it.
    #[error("`{variable}` starts with {found}, but the program says {expected}")]
    InitialValue {
        /// The variable.
        variable: String,
        /// The value in the trace.
        found: u64,
        /// The value in the program.
        expected: u64,
    },
    /// A value does not fit the type of its variable.
    #[error("`{variable}` cannot have the value {value}: its type is {ty}")]
    Value {
        /// The variable.
        variable: String,
        /// The value.
        value: u64,
        /// The type.
        ty: hardbop_machine::Type,
    },
    /// There is no such edge, procedure, node or run.
    #[error("there is no {what} {id}")]
    Unknown {
        /// What kind of thing.
        what: &'static str,
        /// Its number.
        id: u32,
    },
    /// A thread starts for which the trace has no initial values.
    #[error("the initial values of thread {0} are missing")]
    NoOrigin(u32),
    /// A variable has no initial value.
    #[error("the initial value of `{0}` is missing")]
    NoValue(String),
    /// The step itself is not possible.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A call has to be a `call` or `enter` step, and only a call.
    #[error("a call must be a `call` or an `enter` step, and every other statement an `edge` step")]
    WrongKind,
    /// A completed call contains something that is not part of it.
    #[error("a completed call cannot contain {0}")]
    NotInRun(&'static str),
    /// A completed call refers to itself or a later one.
    #[error("it refers to run {0}, which does not stand before it")]
    NotWellFounded(u32),
    /// A completed call does not come to its end.
    #[error("the call does not come to the end of `{procedure}`")]
    NotCompleted {
        /// The procedure.
        procedure: String,
    },
    /// A call refers to a run of another procedure.
    #[error("it calls `{callee}`, but run {run} is one of `{found}`")]
    OtherCallee {
        /// What is called.
        callee: String,
        /// The run.
        run: u32,
        /// Whose run that is.
        found: String,
    },
    /// A call and its run disagree.
    #[error("the call is made with `{variable}` = {value}, but its run starts with {found}")]
    OtherEntry {
        /// The variable.
        variable: String,
        /// Its value at the call.
        value: u64,
        /// Its value in the run.
        found: u64,
    },
    /// Another thread's turn.
    #[error("thread {0} may not step here: another one runs without interruption")]
    NotItsTurn(u32),
    /// A completed call is used where each of its steps has to be checked against another thread.
    #[error(
        "a call must be written out step by step while another thread is inside an atomic block"
    )]
    FoldedInAtomic,
    /// Whether a thread is blocked cannot be found out.
    #[error(transparent)]
    TooManyChoices(#[from] TooManyChoices),
    /// The target is not what its name says.
    #[error("the target node {} is not the {name}", .node.0)]
    WrongTarget {
        /// The node.
        node: NodeId,
        /// The name.
        name: String,
    },
    /// The run does not end in the target.
    #[error("no thread is at {0}")]
    TargetMissed(String),
}

/// Checks that a trace is a run of a machine that ends in its target, if it has one.
pub fn replay(machine: &Machine, trace: &Trace) -> Result<Replayed, ReplayError> {
    let mut walk = Walk::new(machine, trace)?;
    let mut hierarchical_steps = 0;
    let mut flat_steps: u128 = 0;
    for step in walk.by_ref() {
        flat_steps = flat_steps.saturating_add(step?.flat_steps);
        hierarchical_steps += 1;
    }
    walk.check_target()?;
    Ok(Replayed {
        last: walk.into_configuration(),
        flat_steps,
        saturated: flat_steps == u128::MAX,
        hierarchical_steps,
    })
}

/// The target is what it is called, and it is reached.
pub(crate) fn check_target(
    machine: &Machine,
    target: &Target,
    last: &Configuration,
) -> Result<(), ReplayError> {
    let node = target.node;
    let fail = |line, fault| {
        Err(ReplayError {
            place: Place::End,
            line,
            fault,
        })
    };
    if node.index() >= machine.nodes.len() {
        let fault = Fault::Unknown {
            what: "node",
            id: node.0,
        };
        return fail(None, fault);
    }
    let line = Some(machine.line_of(node));
    let name = target.to_string();
    if !target.is_of(machine) {
        return fail(line, Fault::WrongTarget { node, name });
    }
    if !last.is_at(node) {
        return fail(line, Fault::TargetMissed(name));
    }
    Ok(())
}

/// A table of values of all locals of a procedure.
pub(crate) fn check_locals(
    machine: &Machine,
    procedure: ProcId,
    values: &[u64],
) -> Result<(), Fault> {
    let locals = &machine.procedure(procedure).locals;
    check_length("the table of locals", values.len(), locals.len())?;
    let mut wrong = locals.iter().zip(values).filter(|(l, v)| !l.ty.holds(**v));
    match wrong.next() {
        Some((local, &value)) => Err(Fault::Value {
            variable: local.name.clone(),
            value,
            ty: local.ty,
        }),
        None => Ok(()),
    }
}

/// A table of values of all globals.
pub(crate) fn check_globals(machine: &Machine, values: &[u64]) -> Result<(), Fault> {
    check_length("the table of globals", values.len(), machine.globals.len())?;
    let mut wrong = machine
        .globals
        .iter()
        .zip(values)
        .filter(|(g, v)| !g.ty.holds(**v));
    match wrong.next() {
        Some((global, &value)) => Err(Fault::Value {
            variable: global.name.clone(),
            value,
            ty: global.ty,
        }),
        None => Ok(()),
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Fault> {
    if found == expected {
        Ok(())
    } else {
        Err(Fault::Length {
            what,
            found,
            expected,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold;
    use crate::test_programs::{
        CONCURRENT, SEQUENTIAL, doubling, doubling_trace, machine, random_traces,
    };
    use hardbop_evidence::Step;
    use hardbop_machine::EdgeId;

    #[test]
    fn every_simulated_run_is_accepted() {
        for text in [SEQUENTIAL, CONCURRENT] {
            let machine = machine(text);
            for trace in random_traces(&machine, 200, 200) {
                let replayed = replay(&machine, &trace).unwrap();
                let steps: usize = trace.segments.iter().map(|s| s.steps.len()).sum();
                assert_eq!(replayed.flat_steps, steps as u128);
            }
        }
    }

    #[test]
    fn a_run_of_astronomic_length_is_replayed_as_data() {
        let machine = doubling(60);
        let replayed = replay(&machine, &doubling_trace(&machine)).unwrap();
        // T(0) = 1 inside, T(n) = 2 (T(n - 1) + 2): 5 * 2^60 - 4, and the call from `main`.
        assert_eq!(replayed.flat_steps, 5 * (1 << 60) - 4 + 2);
        assert!(!replayed.saturated);
        assert_eq!(replayed.hierarchical_steps, 1);
        let machine = doubling(200);
        let replayed = replay(&machine, &doubling_trace(&machine)).unwrap();
        assert!(replayed.saturated);
    }

    #[test]
    fn errors_say_where_and_why() {
        let machine = machine("decl g := 0;\nvoid main() begin\n  assume(g);\n  L: skip;\nend");
        let mut trace = random_traces(&machine, 1, 1).remove(0);
        let message = |trace: &Trace| replay(&machine, trace).unwrap_err().to_string();
        trace.target = Target::labels(&machine, "L").pop();
        let mut messages = vec![message(&trace)];
        trace.segments = vec![hardbop_evidence::Segment {
            thread: 0,
            steps: vec![Step::Edge {
                edge: EdgeId(0),
                inputs: hardbop_machine::List::default(),
            }],
        }];
        messages.push(message(&trace));
        trace.globals = vec![1];
        messages.push(message(&trace));
        trace.globals = vec![];
        messages.push(message(&trace));
        trace.program = "0".to_owned();
        trace.version = 9;
        messages.push(message(&trace));
        expect_test::expect![[r"
            the end of the trace (line 4): no thread is at 4:6 main: label L
            segment 0 step 0 (line 3): the condition of the statement does not hold
            the trace: `g` starts with 1, but the program says 0
            the trace: the table of globals has 0 values where 1 are needed
            the trace: this is version 9 of the form; only version 1 is known"]]
        .assert_eq(&messages.join("\n"));
    }

    /// Numbers for mutations.
    struct Random(u64);

    impl Random {
        fn below(&mut self, count: usize) -> usize {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (self.0 >> 33) as usize % count.max(1)
        }

        fn number(&mut self) -> u32 {
            [0, 1, 2, 3, 5, 8, 13, 40, u32::MAX][self.below(9)]
        }
    }

    fn longer(list: &[u64], number: u32) -> hardbop_machine::List<u64> {
        list.iter().copied().chain([u64::from(number)]).collect()
    }

    fn mutate_step(random: &mut Random, step: &mut Step) {
        let number = random.number();
        match step {
            Step::Edge { edge, inputs } => match random.below(3) {
                0 => edge.0 = number,
                1 => *inputs = longer(inputs, number),
                _ => *step = Step::Leave,
            },
            Step::Call { edge, inputs, run } => match random.below(3) {
                0 => edge.0 = number,
                1 => *run = number,
                _ => *inputs = longer(inputs, number),
            },
            Step::Enter { edge, locals, .. } => match random.below(4) {
                0 => edge.0 = number,
                1 => *locals = longer(locals, number),
                2 => *locals = hardbop_machine::List::default(),
                _ => locals.iter_mut().for_each(|value| *value ^= 1),
            },
            Step::Leave => {
                *step = Step::Edge {
                    edge: EdgeId(number),
                    inputs: hardbop_machine::List::default(),
                }
            }
        }
    }

    fn mutate(random: &mut Random, trace: &mut Trace) {
        let number = random.number();
        let first = &mut trace.threads[0];
        let values = [&mut trace.globals, &mut first.locals, &mut first.globals];
        match random.below(8) {
            0 => values.into_iter().for_each(|table| {
                table.pop();
            }),
            1 => values
                .into_iter()
                .flatten()
                .for_each(|value| *value ^= u64::from(number)),
            2 => trace.threads.truncate(number as usize),
            3 => {
                let count = trace.segments.len();
                trace.segments[random.below(count)].thread = number;
            }
            4 if !trace.runs.is_empty() => {
                let count = trace.runs.len();
                let run = &mut trace.runs[random.below(count)];
                match random.below(3) {
                    0 => run.procedure.0 = number,
                    1 => run.globals.clear(),
                    _ => {
                        run.locals.pop();
                    }
                }
            }
            5 if !trace.runs.is_empty() => {
                let count = trace.runs.len();
                let steps = &mut trace.runs[random.below(count)].steps;
                let count = steps.len();
                if let Some(step) = steps.get_mut(random.below(count)) {
                    mutate_step(random, step);
                }
            }
            _ => {
                let count = trace.segments.len();
                let steps = &mut trace.segments[random.below(count)].steps;
                let count = steps.len();
                if let Some(step) = steps.get_mut(random.below(count)) {
                    mutate_step(random, step);
                }
            }
        }
    }

    #[test]
    fn no_mutated_trace_makes_the_replay_panic() {
        let mut random = Random(3);
        let (mut accepted, mut refused) = (0, 0);
        for text in [SEQUENTIAL, CONCURRENT] {
            let machine = machine(text);
            for flat in random_traces(&machine, 100, 60) {
                let folded = fold(&machine, &flat).unwrap();
                for original in [flat, folded] {
                    for _ in 0..20 {
                        let mut trace = original.clone();
                        mutate(&mut random, &mut trace);
                        match replay(&machine, &trace) {
                            Ok(replayed) => {
                                accepted += 1;
                                let walk = Walk::expanded(&machine, &trace).unwrap();
                                let steps = walk.map(Result::unwrap).count();
                                assert_eq!(steps as u128, replayed.flat_steps);
                            }
                            Err(error) => {
                                refused += 1;
                                assert!(!error.to_string().is_empty());
                            }
                        }
                    }
                }
            }
        }
        assert!(refused > accepted, "{refused} refused, {accepted} accepted");
    }
}
