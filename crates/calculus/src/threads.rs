//! Threads with shared memory (section 5 of the Getafix paper): what they reach with few context switches, or in few rounds.
//!
//! The formula of 5.1 has a parameter for each context, so its types depend on the bound and on the program; they are
//! written here ([`schedules`]). The formula itself is a file (`algorithms/bounded-context.mu`,
//! `algorithms/bounded-rounds.mu`): bound and number of threads occur in it only as those types. The
//! formula says which places are reached; it gives no runs.

mod decide;
mod schedules;

use crate::algorithm::Algorithm;
use crate::problem::Program;
pub use decide::{Decided, decide};
use hardbop_machine::{Action, Machine, NodeId, ProcId};
use hardbop_outcome::bound::Bound;
use schedules::Schedules;

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadBound {
    /// Runs with at most so many context switches. That the first thread takes over from `init` is none.
    Contexts(u32),
    /// Round-robin schedules of at most so many rounds; at least one.
    Rounds(u32),
}

impl ThreadBound {
    /// The bound as a negative answer names it.
    pub fn bound(self) -> Bound {
        match self {
            Self::Contexts(switches) => Bound::ContextSwitches(switches),
            Self::Rounds(rounds) => Bound::Rounds(rounds),
        }
    }
}

/// A program with threads as relations, and the formula for a bound.
#[derive(Debug)]
pub struct ThreadProblem<'m> {
    /// The program.
    pub program: Program<'m>,
    /// Types and formula.
    pub algorithm: Algorithm,
}

impl<'m> ThreadProblem<'m> {
    /// The problem whether one of the targets is reached. The machine must be one that [`unsupported`] says nothing of.
    pub fn new(machine: &'m Machine, targets: &[NodeId], bound: ThreadBound) -> Self {
        let entries = entries(machine);
        let program = Program::with_entries(machine, &entries, targets, targets);
        let schedules = Schedules::new(machine, &program.layout, bound);
        Self {
            algorithm: schedules.algorithm(),
            program,
        }
    }

    /// All of it as one text.
    pub fn text(&self) -> String {
        self.program.text(&self.algorithm)
    }
}

/// Where threads start; `init`, which starts first, is the first if there is one.
fn entries(machine: &Machine) -> Vec<ProcId> {
    let threads = machine.threads.iter().map(|thread| thread.entry);
    machine.init.into_iter().chain(threads).collect()
}

/// What the formulas do not take, if the machine has it.
pub fn unsupported(machine: &Machine) -> Option<&'static str> {
    let has = |is_such: fn(&Action) -> bool| machine.edges.iter().any(|edge| is_such(&edge.action));
    if has(|action| matches!(action, Action::StartThread(_))) {
        return Some("threads that the program starts while it runs");
    }
    if has(|action| matches!(action, Action::AtomicBegin)) {
        // A thread that is blocked inside a block lets others run, but only while it is blocked: a tuple of the
        // formula says nothing of what threads other than the current one wait for.
        return Some("atomic blocks");
    }
    let instances: u32 = machine.threads.iter().map(|thread| thread.instances).sum();
    if instances == 0 {
        return Some("programs without a thread");
    }
    crate::engine::two_calls(machine)
}
