//! `--engine` and the options of single engines: what the portfolio is told.

use crate::calculus_arguments::CalculusArguments;
use crate::exit::Failure;
use clap::builder::PossibleValuesParser;
use hardbop_explicit::Search;
use hardbop_portfolio::{Choice, EngineName, Options, Pass, Portfolio, Validation};
use hardbop_satcheck::{SatEngine, Split};
use hardbop_summary::Order;
use hardbop_transform::hide::Tracking;
use std::num::NonZeroUsize;

/// The name that leaves the choice to hardbop.
pub const AUTO: &str = "auto";

/// More cores than this are not asked for: states are shared out by eight bits of their hash.
const MOST_JOBS: usize = 256;

/// Which engines answer, and how.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Engines")]
pub struct EngineArguments {
    /// Engine to use; `auto` alternates between the most suitable ones
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(names()), default_value = AUTO)]
    engine: String,
    /// Run every applicable engine and compare the verdicts
    #[arg(long, conflicts_with = "engine")]
    cross_check: bool,
    /// Run N engines at the same time, or one engine on N cores if it supports that
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    jobs: NonZeroUsize,
    /// Switch off passes in front of the engines, such as `domains` (`--explain-plan` shows them)
    /// [default: none]
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = PossibleValuesParser::new(passes()))]
    without: Vec<String>,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    calculus: CalculusArguments,
    #[command(flatten)]
    explicit: ExplicitArguments,
    #[command(flatten)]
    sat: SatArguments,
    #[command(flatten)]
    interleaving: InterleavingArguments,
}

#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Options of engine summary")]
struct SummaryArguments {
    /// BDD variable order [default: force]
    #[arg(long, value_enum)]
    order: Option<OrderName>,
    /// Variables to track (summary, calculus and sat engines) [default: needed]
    #[arg(long, value_enum)]
    track: Option<TrackName>,
}

#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Options of engine explicit")]
struct ExplicitArguments {
    /// Search order [default: dfs]
    #[arg(long, value_enum)]
    search: Option<SearchName>,
    /// Enumerate the values of uninitialised variables and choices immediately, not when a step
    /// reads them
    #[arg(long)]
    eager: bool,
}

/// Options of the SAT engine.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Options of engine sat")]
pub struct SatArguments {
    /// Arguments of function terms to make explicit: `never` more than necessary, `always` all, all
    /// but `initial` values, `auto`, or those with more than a number of BDD nodes [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = split)]
    split: Option<Split>,
    /// Maximum nesting depth of recursive calls [default: 64]
    #[arg(long, value_name = "CALLS")]
    inline_depth: Option<u32>,
}

#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Options of engine interleaving")]
struct InterleavingArguments {
    /// Explore all steps of all threads, without partial-order or symmetry reduction
    #[arg(long)]
    unreduced: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum OrderName {
    /// In the order of declaration
    Declaration,
    /// In the order of first use
    FirstUse,
    /// Variables of the same statement close together
    Force,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SearchName {
    /// Depth first: least memory, finds deep counterexamples quickly
    Dfs,
    /// Breadth first: shortest counterexamples
    Bfs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TrackName {
    /// A few at first, then more as needed
    Needed,
    /// All variables that can affect the targets, with all their values
    All,
}

/// All values of `--engine`.
pub fn names() -> impl Iterator<Item = &'static str> {
    let engines = EngineName::ALL.into_iter().map(EngineName::as_str);
    std::iter::once(AUTO).chain(engines)
}

/// All values of `--without`.
fn passes() -> impl Iterator<Item = &'static str> {
    Pass::ALL.into_iter().map(Pass::as_str)
}

fn split(text: &str) -> Result<Split, String> {
    match text {
        "never" => Ok(Split::Never),
        "always" => Ok(Split::Always),
        "initial" => Ok(Split::Initial),
        "auto" => Ok(Split::Auto),
        _ => match text.parse() {
            Ok(nodes) => Ok(Split::Nodes(nodes)),
            Err(_) => Err(
                "expected `never`, `always`, `initial`, `auto` or a number of BDD nodes".to_owned(),
            ),
        },
    }
}

impl EngineArguments {
    /// The portfolio that follows the options.
    pub fn portfolio(&self, validation: Validation) -> Result<Portfolio, Failure> {
        let choice = match EngineName::find(&self.engine) {
            Some(name) => Choice::Engine(name),
            None if self.cross_check => Choice::CrossCheck,
            None => Choice::Auto,
        };
        if self.jobs.get() > MOST_JOBS {
            let why = format!("--jobs takes at most {MOST_JOBS} cores");
            return Err(Failure::BadInput(why));
        }
        let is_single = matches!(choice, Choice::Engine(_));
        Ok(Portfolio {
            choice,
            options: Options {
                // With several engines the cores are theirs.
                jobs: if is_single {
                    self.jobs
                } else {
                    NonZeroUsize::MIN
                },
                ..self.options()?
            },
            jobs: self.jobs,
            validation,
        })
    }

    fn options(&self) -> Result<Options, Failure> {
        Ok(Options {
            order: self.summary.order.map(|order| match order {
                OrderName::Declaration => Order::Declaration,
                OrderName::FirstUse => Order::FirstUse,
                OrderName::Force => Order::Force,
            }),
            algorithm: self.calculus.algorithm()?,
            relations: self.calculus.relations.extent(),
            unreduced: self.interleaving.unreduced,
            search: self.explicit.search.map(|search| match search {
                SearchName::Dfs => Search::Dfs,
                SearchName::Bfs => Search::Bfs,
            }),
            eager: self.explicit.eager,
            split: self.sat.split,
            inline_depth: self.sat.inline_depth,
            track: self.summary.track.map(|track| match track {
                TrackName::Needed => Tracking::Needed,
                TrackName::All => Tracking::All,
            }),
            jobs: NonZeroUsize::MIN,
            without: self
                .without
                .iter()
                .filter_map(|name| Pass::find(name))
                .collect(),
        })
    }
}

impl SatArguments {
    /// Whether there are any.
    pub fn is_given(&self) -> bool {
        self.split.is_some() || self.inline_depth.is_some()
    }

    /// The engine with these options.
    pub fn engine(&self) -> SatEngine {
        let usual = SatEngine::default();
        SatEngine {
            split: self.split.unwrap_or(usual.split),
            inline_depth: self.inline_depth.unwrap_or(usual.inline_depth),
            ..usual
        }
    }
}
