//! Options of the explicit engine.

use hardbop_explicit::{ExplicitEngine, PropertyEngine, Search};

/// What the explicit engine can be told.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Explicit engine")]
pub struct ExplicitArguments {
    /// In which order the explicit engine explores states
    #[arg(long, value_enum, default_value_t)]
    search: SearchName,
    /// Enumerate the values of uninitialised variables and choices at once instead of when a step reads them
    #[arg(long)]
    eager: bool,
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
    pub fn engine(self) -> ExplicitEngine {
        ExplicitEngine {
            search: match self.search {
                SearchName::Dfs => Search::Dfs,
                SearchName::Bfs => Search::Bfs,
            },
            lazy: !self.eager,
        }
    }

    /// A search for infinite runs that follows the options.
    pub fn property_engine(self) -> PropertyEngine {
        PropertyEngine { lazy: !self.eager }
    }
}
