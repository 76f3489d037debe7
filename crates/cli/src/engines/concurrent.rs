//! Options of the engine for bounded context switches.

use super::summary::SummaryArguments;
use hardbop_calculus::threads::ThreadBound;
use hardbop_threads::{
    BoundedEngine, DEFAULT_CONFIGURATIONS, DEFAULT_THREADS, Question, ShortestRuns,
};

/// What is asked about programs with threads.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Threads")]
pub struct ConcurrentArguments {
    /// Look at runs with at most K context switches only
    #[arg(long, value_name = "K", group = "bound", value_parser = clap::value_parser!(u32).range(..=MANY))]
    contexts: Option<u32>,
    /// Look for the least number of context switches, at most K, with which each target is reached
    #[arg(long, value_name = "K", group = "bound", value_parser = clap::value_parser!(u32).range(..=MANY))]
    contexts_up_to: Option<u32>,
    /// Look at round-robin schedules of at most R rounds only
    #[arg(long, value_name = "R", group = "bound", value_parser = clap::value_parser!(u32).range(1..=MANY))]
    rounds: Option<u32>,
    /// Let a program have at most N threads; those that it starts beyond are left out [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MANY))]
    threads: Option<u32>,
}

/// More contexts, rounds or threads than anybody can explore.
const MANY: i64 = 1000;

impl ConcurrentArguments {
    /// Whether a bounded question is asked.
    pub fn has_bound(self) -> bool {
        self.contexts.is_some() || self.contexts_up_to.is_some() || self.rounds.is_some()
    }

    /// The bound on rounds, if one is given.
    pub fn rounds(self) -> Option<u32> {
        self.rounds
    }

    /// The bound for the formulas of the calculus, if one is given.
    pub fn thread_bound(self) -> Option<ThreadBound> {
        let switches = self.contexts.or(self.contexts_up_to);
        let rounds = self.rounds.map(ThreadBound::Rounds);
        switches.map(ThreadBound::Contexts).or(rounds)
    }

    /// How many threads a program may have, `init` aside.
    pub fn threads(self) -> u32 {
        self.threads.unwrap_or(DEFAULT_THREADS)
    }

    /// An engine that follows the options and spends on shortest runs what is wanted.
    pub fn engine_with_runs(self, runs: SummaryArguments) -> ShortestRuns {
        let configurations = match (runs.is_content_with_any_run(), runs.insists_on_shortest()) {
            (true, _) => 0,
            (_, true) => u64::MAX,
            _ => DEFAULT_CONFIGURATIONS,
        };
        ShortestRuns {
            engine: self.engine(),
            configurations,
        }
    }

    /// An engine that follows the options.
    pub fn engine(self) -> BoundedEngine {
        let question = match (self.contexts, self.contexts_up_to, self.rounds) {
            (Some(switches), _, _) => Question::Contexts(switches),
            (_, Some(switches), _) => Question::ContextsUpTo(switches),
            (_, _, Some(rounds)) => Question::Rounds(rounds),
            _ => Question::Growing,
        };
        BoundedEngine {
            question,
            threads: self.threads(),
        }
    }
}
