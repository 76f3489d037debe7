//! Options of the engine for all interleavings.

use hardbop_threads::{Exploration, InterleavingEngine, Reductions};

/// How the interleavings of threads without recursion are explored.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Threads")]
pub struct InterleavingArguments {
    /// Explore configurations one by one, in sets, or one by one up to a million and then in sets
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    exploration: ExplorationName,
    /// Take all steps of all threads in the explicit exploration: no partial-order reduction, no symmetry
    #[arg(long)]
    unreduced: bool,
}

/// A value of `--exploration`.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum ExplorationName {
    #[default]
    Auto,
    Explicit,
    Symbolic,
}

impl InterleavingArguments {
    /// An engine that follows the options and makes room for so many threads.
    pub fn engine(self, threads: u32, any_run: bool) -> InterleavingEngine {
        let exploration = match self.exploration {
            ExplorationName::Auto => Exploration::Auto,
            ExplorationName::Explicit => Exploration::Explicit,
            ExplorationName::Symbolic => Exploration::Symbolic,
        };
        let reductions = Reductions {
            partial_order: !self.unreduced,
            symmetry: !self.unreduced,
        };
        InterleavingEngine {
            threads,
            exploration,
            reductions,
            any_run,
        }
    }
}
