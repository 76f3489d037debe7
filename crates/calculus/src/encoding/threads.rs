//! Threads with shared memory (section 5 of the Getafix paper): what they reach with few context
//! switches, or in few rounds.
//!
//! The formula of 5.1 has a parameter for each context, so its types depend on the bound and on the
//! program; they are written here ([`schedules`]). The formula itself is a file
//! (`algorithms/bounded-context.mu`, `algorithms/bounded-rounds.mu`): bound and number of threads
//! occur in it only as those types. The formula says which places are reached; it gives no runs.
//!
//! It knows threads that run from the start and a flag while which none is left. Atomic blocks and
//! threads that others start are said in those words first ([`hardbop_transform::static_threads`]).

mod schedules;

use crate::encoding::layout::Extent;
use crate::encoding::problem::{Aim, Program};
use crate::search::algorithm::{Algorithm, BOUNDED_CONTEXT, BOUNDED_ROUNDS};
use hardbop_machine::{Machine, NodeId, ProcId};
use hardbop_outcome::bound::Bound;
use hardbop_transform::static_threads::StaticThreads;
use schedules::Schedules;

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadBound {
    /// Runs with at most this many context switches. That the first thread takes over from `init`
    /// is none.
    Contexts(u32),
    /// Round-robin schedules of at most this many rounds; at least one.
    Rounds(u32),
}

impl ThreadBound {
    /// The formula for the bound.
    fn algorithm(self) -> Algorithm {
        let name = match self {
            Self::Contexts(_) => BOUNDED_CONTEXT,
            Self::Rounds(_) => BOUNDED_ROUNDS,
        };
        Algorithm::built_in(name).expect("the formulas for bounds are in the table")
    }

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
    /// The problem whether one of some nodes is reached, in threads that [`fixed`] has made. An
    /// algorithm of the user takes the place of the formula for the bound.
    pub fn new(
        threads: &'m StaticThreads,
        targets: &[NodeId],
        bound: ThreadBound,
        own: Option<&Algorithm>,
        extent: Extent,
    ) -> Self {
        let machine = &threads.machine;
        let algorithm = own.cloned().unwrap_or_else(|| bound.algorithm());
        let targets = targets.iter().flat_map(|&node| threads.standing_for(node));
        let targets: Vec<NodeId> = targets.copied().collect();
        let aim = Aim {
            asked: &targets,
            targets: &targets,
            extent,
        };
        let mut program = Program::new(machine, &entries(machine), aim, &algorithm);
        let schedules = Schedules::new(machine, &program.layout, bound).text();
        program.add_interface(&schedules);
        Self { program, algorithm }
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

/// The threads as the formulas take them, at most this many unless more are there from the start;
/// or what the machine has that they do not take.
pub fn fixed(machine: &Machine, threads: u32) -> Result<StaticThreads, String> {
    let instances: u32 = machine.threads.iter().map(|thread| thread.instances).sum();
    if instances == 0 {
        return Err("programs without a thread".to_owned());
    }
    if let Some(what) = crate::engine::two_calls(machine) {
        return Err(what.to_owned());
    }
    StaticThreads::new(machine, threads).map_err(|refused| refused.to_string())
}
