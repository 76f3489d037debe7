//! Concurrent programs with a bounded number of rounds as sequential programs (Lal and Reps, CAV
//! 2008).
//!
//! In a round-robin schedule of R rounds each thread runs at most once per round, in a fixed order.
//! The sequential program runs the threads one after the other, each through all its rounds. It
//! *guesses* with which values of the shared variables each round begins; a thread takes over the
//! values that the thread before it has left for the same round, and leaves its own to the next. At
//! the end the guesses are checked: what the last thread leaves for a round must be what the next
//! round was guessed to begin with. Only then does what was reached on the way count.
//!
//! The code of the threads stays as it is, but for a call of `hb_switch` before every step that
//! others may notice: there the thread may go on to a later round or stop for good. Everything else
//! is ordinary procedures and variables, so that every sequential engine takes the result. The
//! program is written as text, for `hardbop sequentialize` shows it.
//!
//! Threads that are started while the program runs, and atomic blocks, are said by shared variables
//! first ([`crate::static_threads`]).
//!
//! **Sound** for the bound: a run of the threads in these rounds is a run of the program with the
//! right guesses, and the other way round. A certificate does not come back: it is about guesses
//! and rounds, and no form of certificate says "up to a bound".

mod back;
mod code;
mod expressions;
mod frame;
mod names;

use crate::static_threads::{NotStatic, StaticThreads};
use crate::transform::{NoWayBack, TargetMap, Transform};
use hardbop_machine::{Machine, NodeId, from_text};
use hardbop_outcome::{Bound, Certificate, Limit, Question, Trace};

/// A sequential program that stands for the threads of another.
#[derive(Clone, Debug)]
pub struct Sequential {
    /// Its text.
    pub text: String,
    machine: Machine,
    targets: TargetMap,
    rounds: u32,
    /// The nodes that its assertions stand for.
    nodes: Vec<NodeId>,
    /// The threads that were made sequential.
    threads: StaticThreads,
}

/// Why there is no such program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSequential {
    /// Something of the threads cannot be said by shared variables.
    NotStatic(NotStatic),
    /// There must be at least one round.
    NoRounds,
}

impl std::fmt::Display for NotSequential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotSequential::NotStatic(refused) => refused.fmt(f),
            NotSequential::NoRounds => f.write_str("less than one round"),
        }
    }
}

/// The sequential program for some rounds, with at most this many threads.
pub fn sequentialize(
    original: &Machine,
    question: &Question,
    rounds: u32,
    threads: u32,
) -> Result<Sequential, NotSequential> {
    if rounds == 0 {
        return Err(NotSequential::NoRounds);
    }
    let threads = StaticThreads::new(original, threads).map_err(NotSequential::NotStatic)?;
    let mut nodes: Vec<NodeId> = Vec::new();
    let mut standing = Vec::new();
    for target in question.targets() {
        let known = nodes.iter().position(|&node| node == target.node);
        standing.push(vec![known.unwrap_or(nodes.len())]);
        if known.is_none() {
            nodes.push(target.node);
        }
    }
    let text = frame::write(&threads, rounds, &nodes);
    let Ok(machine) = from_text("sequential.bp", &text) else {
        unreachable!("what sequentialization writes is a program");
    };
    let mut map = TargetMap {
        question: Question::assertions(&machine),
        original: question.clone(),
        standing,
        provisos: Vec::new(),
    };
    if !threads.overflows.is_empty() {
        map.provisos.push((nodes.len(), Limit::Threads));
    }
    Ok(Sequential {
        text,
        machine,
        targets: map,
        rounds,
        nodes,
        threads,
    })
}

impl Transform for Sequential {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn targets(&self) -> &TargetMap {
        &self.targets
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        let target = self.targets.target_of(trace);
        let nothing = || NoWayBack::NotARun("it reaches no target".to_owned());
        self.run_of_threads(original, trace, &target.ok_or_else(nothing)?)
    }

    fn certificate_back(&self, _: &Machine, _: Certificate) -> Result<Certificate, NoWayBack> {
        Err(NoWayBack::NotCertified("it is about a number of rounds"))
    }

    fn bound(&self) -> Option<Bound> {
        Some(Bound::Rounds(self.rounds))
    }
}
