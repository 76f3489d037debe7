//! Options of the explicit engine.

use crate::exit::Failure;
use hardbop_explicit::{ExplicitEngine, PropertyEngine, Search};
use std::num::NonZeroUsize;

/// States are shared out by eight bits of their hash.
const MOST_JOBS: usize = 256;

/// What the explicit engine can be told.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Explicit engine")]
pub struct ExplicitArguments {
    /// In which order the explicit engine explores states
    #[arg(long, value_enum, default_value_t)]
    search: SearchName,
    /// Enumerate the values of uninitialised variables and choices at once instead of when a step reads them
    #[arg(long)]
    eager: bool,
    /// Search depth first on so many cores: the same verdict, but perhaps another run to it
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    jobs: NonZeroUsize,
}

impl Default for ExplicitArguments {
    fn default() -> Self {
        Self {
            search: SearchName::default(),
            eager: false,
            jobs: NonZeroUsize::MIN,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum SearchName {
    /// Depth first: least memory, and deep runs soon
    #[default]
    Dfs,
    /// Breadth first: shortest runs
    Bfs,
}

impl ExplicitArguments {
    /// An engine that follows the options.
    pub fn engine(self) -> Result<ExplicitEngine, Failure> {
        let search = match self.search {
            SearchName::Dfs => Search::Dfs,
            SearchName::Bfs => Search::Bfs,
        };
        if search == Search::Bfs && self.jobs.get() > 1 {
            let why =
                "shortest runs are searched for on one core: leave out --jobs or --search bfs";
            return Err(Failure::BadInput(why.to_owned()));
        }
        if self.jobs.get() > MOST_JOBS {
            let why = format!("--jobs takes at most {MOST_JOBS} cores");
            return Err(Failure::BadInput(why));
        }
        Ok(ExplicitEngine {
            search,
            lazy: !self.eager,
            jobs: self.jobs,
        })
    }

    /// A search for infinite runs that follows the options.
    pub fn property_engine(self) -> PropertyEngine {
        PropertyEngine { lazy: !self.eager }
    }
}
