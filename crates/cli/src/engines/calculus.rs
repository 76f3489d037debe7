//! Options of the calculus engine: which algorithm, one of hardbop's or a user's own file.

use crate::exit::Failure;
use crate::input;
use hardbop_calculus::algorithm::{BUILT_IN, USUAL, answer};
use hardbop_calculus::{Algorithm, CalculusEngine, Scouting};
use hardbop_formula::loading;
use hardbop_report::diagnostics::{Colour, render};
use hardbop_syntax::Source;
use hardbop_syntax::diagnostic::has_errors;

/// What the calculus engine can be told.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Calculus engine")]
pub struct CalculusArguments {
    /// The algorithm that the calculus engine solves: a name, or a `.mu` file of your own [default: entry-forward-split, for relations entry-forward]
    #[arg(long, value_name = "NAME|FILE")]
    algorithm: Option<String>,
    /// Whether the calculus engine first solves the algorithm for the program as seen with few variables
    #[arg(long, value_name = "WHEN")]
    scouts: Option<ScoutingArgument>,
}

/// [`Scouting`] on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ScoutingArgument {
    /// If states have more than a few bits
    Auto,
    /// In any case
    Always,
    /// All variables at once
    Never,
}

impl From<ScoutingArgument> for Scouting {
    fn from(argument: ScoutingArgument) -> Self {
        match argument {
            ScoutingArgument::Auto => Scouting::Auto,
            ScoutingArgument::Always => Scouting::Always,
            ScoutingArgument::Never => Scouting::Never,
        }
    }
}

impl CalculusArguments {
    /// An engine that follows the options.
    pub fn engine(&self) -> Result<CalculusEngine, Failure> {
        let algorithm = self.algorithm_or(USUAL)?;
        let scouting = self.scouts.map(Scouting::from).unwrap_or_default();
        Ok(CalculusEngine {
            algorithm,
            scouting,
        })
    }

    /// The algorithm that is asked for, or one of hardbop's own.
    pub fn algorithm_or(&self, usual: &str) -> Result<Algorithm, Failure> {
        let name = self.algorithm.as_deref().unwrap_or(usual);
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
}

/// Reads an algorithm and the files that it loads, and checks it against the interface that it will be solved with.
fn own_algorithm(name: &str) -> Result<Algorithm, Failure> {
    let source = input::read_source(name)?;
    let mut files: Vec<(String, Source)> = Vec::new();
    loading::read(&source, &mut |path| {
        let read = input::read_source(path);
        let file = read.map_err(|failure| failure.message().unwrap_or_default().to_owned())?;
        files.push((path.to_owned(), file.clone()));
        Ok(file)
    });
    let algorithm = Algorithm::own(name, source.text(), files);
    let checked = algorithm.check();
    if has_errors(&checked.diagnostics) {
        let mut message = format!("`{name}` is no algorithm\n");
        for (source, diagnostics) in checked.sources.by_file(&checked.diagnostics) {
            message.push_str(&render(source, &diagnostics, Colour::Plain));
        }
        return Err(Failure::BadInput(message.trim_end().to_owned()));
    }
    if checked.system.as_ref().and_then(answer).is_none() {
        return Err(Failure::BadInput(format!(
            "`{name}` asks nothing: the last question of an algorithm is its answer"
        )));
    }
    Ok(algorithm)
}
