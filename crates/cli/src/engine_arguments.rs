//! `--engine` and the options of single engines: what the portfolio is told.

use crate::exit::Failure;
use crate::input;
use clap::builder::PossibleValuesParser;
use hardbop_calculus::Algorithm;
use hardbop_calculus::algorithm::{BUILT_IN, answer};
use hardbop_explicit::Search;
use hardbop_formula::load;
use hardbop_portfolio::{Choice, EngineName, Options, Portfolio, Validation};
use hardbop_report::diagnostics::{Colour, render};
use hardbop_satcheck::{SatEngine, Split};
use hardbop_summary::Order;
use hardbop_syntax::Source;
use hardbop_syntax::diagnostic::has_errors;
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
    /// Engine to use; `auto` lets the best ones for the question take turns
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(names()), default_value = AUTO)]
    engine: String,
    /// Ask every engine that takes the question, and compare their verdicts
    #[arg(long, conflicts_with = "engine")]
    cross_check: bool,
    /// Run N engines at the same time, or one engine on N cores if it can use them
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    jobs: NonZeroUsize,
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
    /// How BDD variables are ordered [default: force]
    #[arg(long, value_enum)]
    order: Option<OrderName>,
    /// Which variables count, for engines calculus and sat too [default: needed]
    #[arg(long, value_enum)]
    track: Option<TrackName>,
}

/// Options of the calculus engine.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Options of engine calculus")]
pub struct CalculusArguments {
    /// Algorithm to solve: a name, or a `.mu` file of your own [default: entry-forward-split, for
    /// relations entry-forward]
    #[arg(long, value_name = "NAME|FILE")]
    algorithm: Option<String>,
}

#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Options of engine explicit")]
struct ExplicitArguments {
    /// Order in which states are explored [default: dfs]
    #[arg(long, value_enum)]
    search: Option<SearchName>,
    /// Enumerate the values of uninitialised variables and choices at once instead of when a step
    /// reads them
    #[arg(long)]
    eager: bool,
}

/// Options of the SAT engine.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Options of engine sat")]
pub struct SatArguments {
    /// Which arguments of function terms are explicit: `never` more than necessary, `always`, all
    /// but `initial` values, `auto`, or those with more BDD nodes than a number [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = split)]
    split: Option<Split>,
    /// How deep recursive calls may nest [default: 64]
    #[arg(long, value_name = "CALLS")]
    inline_depth: Option<u32>,
}

#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Options of engine interleaving")]
struct InterleavingArguments {
    /// Take all steps of all threads: no partial-order reduction, no symmetry
    #[arg(long)]
    unreduced: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum OrderName {
    /// As declared
    Declaration,
    /// As met when reading the program
    FirstUse,
    /// Variables of one statement near each other
    Force,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SearchName {
    /// Depth first: least memory, and deep runs soon
    Dfs,
    /// Breadth first: shortest runs
    Bfs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TrackName {
    /// Few at first, then those that turn out to be needed
    Needed,
    /// All that can have to do with the targets
    All,
}

/// All values of `--engine`.
pub fn names() -> impl Iterator<Item = &'static str> {
    let engines = EngineName::ALL.into_iter().map(EngineName::as_str);
    std::iter::once(AUTO).chain(engines)
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
        let algorithm = self.calculus.algorithm.as_deref();
        Ok(Options {
            order: self.summary.order.map(|order| match order {
                OrderName::Declaration => Order::Declaration,
                OrderName::FirstUse => Order::FirstUse,
                OrderName::Force => Order::Force,
            }),
            algorithm: algorithm.map(find_algorithm).transpose()?,
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
        })
    }
}

impl SatArguments {
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

impl CalculusArguments {
    /// The algorithm that is asked for, or one of hardbop's own.
    pub fn algorithm_or(&self, usual: &str) -> Result<Algorithm, Failure> {
        find_algorithm(self.algorithm.as_deref().unwrap_or(usual))
    }
}

/// One of hardbop's algorithms, or a user's own file.
fn find_algorithm(name: &str) -> Result<Algorithm, Failure> {
    if let Some(algorithm) = Algorithm::built_in(name) {
        return Ok(algorithm);
    }
    if !std::path::Path::new(name).exists() {
        let names: Vec<&str> = BUILT_IN.iter().map(|known| known.name).collect();
        return Err(Failure::BadInput(format!(
            "there is no algorithm and no file `{name}`; the algorithms are {}",
            names.join(", ")
        )));
    }
    own_algorithm(name)
}

/// Reads an algorithm and the files that it loads, and checks it against the interface that it
/// will be solved with.
fn own_algorithm(name: &str) -> Result<Algorithm, Failure> {
    let source = input::read_source(name)?;
    let mut files: Vec<(String, Source)> = Vec::new();
    load(&source, &mut |path| {
        let read = input::read_source(path);
        let file = read.map_err(|failure| failure.message().unwrap_or_default().to_owned())?;
        files.push((path.to_owned(), file.clone()));
        Ok(file)
    });
    let algorithm = Algorithm::own(name, source.text(), files);
    let checked = algorithm.check();
    if has_errors(&checked.diagnostics) {
        let mut message = format!("`{name}` is not an algorithm\n");
        for (source, diagnostics) in checked.sources.by_file(&checked.diagnostics) {
            message.push_str(&render(source, &diagnostics, Colour::Plain));
        }
        return Err(Failure::BadInput(message.trim_end().to_owned()));
    }
    if checked.system.as_ref().and_then(answer).is_none() {
        return Err(Failure::BadInput(format!(
            "`{name}` asks nothing: the last query of an algorithm is its answer"
        )));
    }
    Ok(algorithm)
}
