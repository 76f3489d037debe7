//! What an engine may spend. Hitting a limit is an answer (`Unknown`), never a panic.
//!
//! Engines are deterministic and do not look at the clock: time and Ctrl-C come in through
//! [`Interrupt`], which the command line implements.

use crate::bound::Bound;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Limits for one run of an engine.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Explicit states, configurations or rounds; what counts as one is the engine's to say.
    pub states: Option<u64>,
    /// BDD nodes.
    pub nodes: Option<u64>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Threads that a program may start in all, `init` not counted; those that it declares always
    /// run.
    pub threads: Option<u32>,
    /// Frames on a stack, for searches over whole stacks.
    pub stack: Option<u32>,
    /// Asked every few thousand operations.
    pub interrupt: &'a dyn Interrupt,
}

/// Threads that a program may start unless a budget says otherwise.
pub const DEFAULT_THREADS: u32 = 4;

impl Budget<'_> {
    /// How many threads a program may start in all.
    pub fn threads(&self) -> u32 {
        self.threads.unwrap_or(DEFAULT_THREADS)
    }

    /// No limit at all.
    pub fn unlimited() -> Budget<'static> {
        Budget {
            states: None,
            nodes: None,
            memory: None,
            threads: None,
            stack: None,
            interrupt: &NeverInterrupted,
        }
    }
}

/// Tells a running engine to stop.
pub trait Interrupt: Sync {
    /// The limit that has been hit, if any.
    fn check(&self) -> Option<Limit>;
}

/// Never stops an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeverInterrupted;

impl Interrupt for NeverInterrupted {
    fn check(&self) -> Option<Limit> {
        None
    }
}

/// An interrupt that keeps to its first word. Memory may be given back between two looks, and
/// whoever asks again for the reason why it had to stop should hear the same.
pub struct Steady<'a> {
    interrupt: &'a dyn Interrupt,
    first: OnceLock<Limit>,
}

impl<'a> Steady<'a> {
    /// Nothing has been hit yet.
    pub fn new(interrupt: &'a dyn Interrupt) -> Self {
        Self {
            interrupt,
            first: OnceLock::new(),
        }
    }
}

impl Interrupt for Steady<'_> {
    fn check(&self) -> Option<Limit> {
        if let Some(limit) = self.first.get() {
            return Some(limit.clone());
        }
        let limit = self.interrupt.check()?;
        Some(self.first.get_or_init(|| limit).clone())
    }
}

/// Why an engine has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "limit", rename_all = "kebab-case")]
pub enum Limit {
    /// Out of time.
    Time,
    /// Out of memory.
    Memory,
    /// Too many BDD nodes.
    Nodes,
    /// Too many states, configurations or rounds.
    States,
    /// The stack grew past the bound, so that longer runs were not explored.
    StackDepth,
    /// More threads were started than the bound allows.
    Threads,
    /// Nothing was found up to a bound, and beyond it nothing is known.
    Beyond {
        /// How far the search came.
        bound: Bound,
    },
    /// The user asked to stop.
    Interrupted,
    /// The engine does not take such a question, or not about such a program.
    Declined {
        /// What it does not take.
        what: String,
    },
    /// Two ways to the answer contradict each other. That is a fault of hardbop, which whoever
    /// asked reports as an internal error.
    Contradiction {
        /// What contradicts what.
        what: String,
    },
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Time => write!(f, "the time limit was reached"),
            Limit::Memory => write!(f, "the memory limit was reached"),
            Limit::Nodes => write!(f, "the limit on BDD nodes was reached"),
            Limit::States => write!(f, "the limit on states was reached"),
            Limit::StackDepth => write!(f, "the bound on the stack depth was reached"),
            Limit::Threads => write!(f, "the bound on the number of threads was reached"),
            Limit::Beyond { bound } => write!(f, "nothing found up to {bound}"),
            Limit::Interrupted => write!(f, "interrupted"),
            Limit::Declined { what } => write!(f, "this engine does not take {what}"),
            Limit::Contradiction { what } => write!(f, "{what}"),
        }
    }
}
