//! What the calculus is told: the algorithm, how much the relations say, how threads are bounded.

use crate::exit::Failure;
use crate::input;
use hardbop_calculus::algorithm::{BUILT_IN, BuiltIn, Kind, answer};
use hardbop_calculus::starts::is_sequential;
use hardbop_calculus::threads::{ThreadBound, fixed};
use hardbop_calculus::{Algorithm, Extent, sequential_problem, thread_problem};
use hardbop_formula::{Checked, load};
use hardbop_machine::Machine;
use hardbop_outcome::budget::DEFAULT_THREADS;
use hardbop_outcome::{Bound, Question};
use hardbop_portfolio::Options;
use hardbop_report::diagnostics::{Colour, render};
use hardbop_syntax::codes::calculus::UNMET_NEED;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Diagnostic, Source};
use hardbop_transform::hide::Tracking;

/// Options of the calculus engine.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Options of engine calculus")]
pub struct CalculusArguments {
    /// Algorithm to solve: a name, or your own `.mu` file [default: entry-forward-split;
    /// entry-forward for `relations`]
    #[arg(long, value_name = "NAME|FILE")]
    algorithm: Option<String>,
    #[command(flatten)]
    pub relations: RelationsArguments,
}

/// How much the relations of a program say.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RelationsArguments {
    /// Contents of the relations: only what is relevant for the targets, or everything [default:
    /// sliced; full for an algorithm that refers to variables]
    #[arg(long, value_enum, help_heading = "Options of engine calculus")]
    relations: Option<RelationsName>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum RelationsName {
    /// Only what is relevant for the targets; dead values are open
    Sliced,
    /// All variables at every program point: states are those of the program
    Full,
}

/// More contexts or rounds than any engine can explore.
const MANY: i64 = 1000;

/// Threads as formulas see them.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ThreadArguments {
    /// Include threads, with at most K context switches [default: no threads]
    #[arg(long, help_heading = "Bounds", value_name = "K", group = "bound", value_parser = clap::value_parser!(u32).range(..=MANY))]
    contexts: Option<u32>,
    /// Include threads, with at most R rounds [default: no threads]
    #[arg(long, help_heading = "Bounds", value_name = "R", group = "bound", value_parser = clap::value_parser!(u32).range(1..=MANY))]
    rounds: Option<u32>,
    /// Maximum number of threads [default: 4]
    #[arg(long, help_heading = "Limits", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MANY))]
    threads: Option<u32>,
}

impl ThreadArguments {
    /// The bound that is asked for.
    pub fn bound(&self) -> Option<ThreadBound> {
        let rounds = self.rounds.map(ThreadBound::Rounds);
        self.contexts.map(ThreadBound::Contexts).or(rounds)
    }

    /// How many threads there may be.
    pub fn most(&self) -> u32 {
        self.threads.unwrap_or(DEFAULT_THREADS)
    }

    /// Whether any of it is given.
    pub fn is_given(&self) -> bool {
        self.bound().is_some() || self.threads.is_some()
    }
}

impl CalculusArguments {
    /// The algorithm that is asked for.
    pub fn algorithm(&self) -> Result<Option<Algorithm>, Failure> {
        self.algorithm.as_deref().map(find_algorithm).transpose()
    }
}

impl RelationsArguments {
    /// How much the relations are to say.
    pub fn extent(self) -> Option<Extent> {
        self.relations.map(|name| match name {
            RelationsName::Sliced => Extent::Sliced,
            RelationsName::Full => Extent::Full,
        })
    }
}

/// One of hardbop's algorithms, or a user's own file.
pub fn find_algorithm(name: &str) -> Result<Algorithm, Failure> {
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
    Ok(read_algorithm(name, &input::read_source(name)?))
}

/// Whether a file loads an algorithm that comes with hardbop, which is about a program.
pub fn loads_from_library(source: &Source) -> bool {
    let mut found = false;
    load(source, &mut |path| {
        let file = input::read_source(path);
        found |= file.is_err() && BuiltIn::at(path).is_some();
        file.map_err(|failure| failure.message().unwrap_or_default().to_owned())
    });
    found
}

/// A user's algorithm with the files that it loads.
pub fn read_algorithm(name: &str, source: &Source) -> Algorithm {
    let mut files: Vec<(String, Source)> = Vec::new();
    load(source, &mut |path| {
        let file = match (input::read_source(path), BuiltIn::at(path)) {
            (Ok(file), _) => file,
            (Err(_), Some(known)) => Source::new(path, known.definitions()),
            (Err(failure), None) => return Err(failure.message().unwrap_or_default().to_owned()),
        };
        files.push((path.to_owned(), file.clone()));
        Ok(file)
    });
    Algorithm::own(name, source.text(), files)
}

/// The errors of an algorithm against the program that it is to be run on.
pub fn refuse_errors(algorithm: &Algorithm, checked: &Checked) -> Result<(), Failure> {
    let name = &algorithm.name;
    if has_errors(&checked.diagnostics) {
        let is_unmet = |d: &Diagnostic| d.code == UNMET_NEED;
        let lacks = checked.diagnostics.iter().any(is_unmet);
        let mut message = if lacks {
            format!("`{name}` cannot be run on this program\n")
        } else {
            format!("`{name}` is not an algorithm\n")
        };
        for (source, diagnostics) in checked.sources.by_file(&checked.diagnostics) {
            message.push_str(&render(source, &diagnostics, Colour::Plain));
        }
        return Err(Failure::BadInput(message.trim_end().to_owned()));
    }
    Ok(())
}

/// Refuses an algorithm for sequential programs where there are threads: it would see one of them.
pub fn refuse_sequential(algorithm: &Algorithm, checked: &Checked) -> Result<(), Failure> {
    if checked.system.as_ref().is_some_and(is_sequential) {
        let name = algorithm.name.trim_end_matches(".mu");
        return Err(Failure::BadInput(format!(
            "`{name}` starts with `Init`, which is the start of a sequential program; with threads \
             use `ThreadStart` and `Started`, as `bounded-context` does"
        )));
    }
    Ok(())
}

/// Holds a user's algorithm against the program and the question that it is to answer, before
/// anything is searched.
pub fn check_algorithm(
    options: &Options,
    machine: &Machine,
    question: &Question,
    threads: u32,
) -> Result<(), Failure> {
    let Some(algorithm) = &options.algorithm else {
        return Ok(());
    };
    let name = algorithm.name.trim_end_matches(".mu");
    if algorithm.kind == Kind::Analysis {
        return Err(Failure::BadInput(format!(
            "`{name}` is an analysis without a verdict; use `hardbop solve {name} --program {}`",
            machine.source.name()
        )));
    }
    if options.track == Some(Tracking::Needed) && options.is_about_all_variables() {
        let why = "--track needed has no effect: an algorithm of your own, and --relations \
                   full, are about all variables";
        return Err(Failure::BadInput(why.to_owned()));
    }
    if algorithm.kind != Kind::Own {
        return Ok(());
    }
    let extent = options.relations;
    let checked = match question.bound {
        _ if machine.is_sequential() => sequential_problem(machine, algorithm, &[], &[], extent).1,
        Some(Bound::ContextSwitches(_) | Bound::Rounds(_)) => {
            let bound = match question.bound {
                Some(Bound::Rounds(rounds)) => ThreadBound::Rounds(rounds),
                Some(Bound::ContextSwitches(switches)) => ThreadBound::Contexts(switches),
                _ => return Ok(()),
            };
            // What the threads are refused for the engine says.
            let Ok(fixed) = fixed(machine, threads) else {
                return Ok(());
            };
            let checked = thread_problem(&fixed, &[], bound, Some(algorithm), extent).1;
            refuse_sequential(algorithm, &checked)?;
            checked
        }
        _ => return Ok(()),
    };
    refuse_errors(algorithm, &checked)?;
    if checked.system.as_ref().and_then(answer).is_none() {
        return Err(Failure::BadInput(format!(
            "`{}` has no query: the last query of an algorithm is its answer",
            algorithm.name
        )));
    }
    Ok(())
}
