//! `hardbop coverage`: what of a program can be reached at all?
//!
//! One search answers for every statement and every branch. Code that no run reaches, constant
//! conditions, and assumptions that leave nothing to check are usually mistakes
//! in the model: a verdict about it then says less than it seems to.

use crate::console::Console;
use crate::engine_arguments::{AUTO, names};
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use crate::limits::Limits;
use crate::reports;
use clap::builder::PossibleValuesParser;
use hardbop_machine::Machine;
use hardbop_outcome::{Budget, Coverage};
use hardbop_portfolio::{Covered, EngineName, FewLooks, Refused};
use hardbop_report::coverage::{Lines, render};

const EXAMPLES: &str = "\
Examples:
  hardbop coverage lock.bp               the source, each line marked
  hardbop coverage lock.bp --findings    only unreachable or constant parts
  hardbop coverage lock.bp --json        the same for scripts
  hardbop coverage lock.bp --html l.html the same as an HTML page

Exit codes: 0 everything is decided, 2 bad input, 3 something is unknown, 4 internal error.";

/// Show which statements are reachable and which conditions are constant
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// Engine to use
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(names()), default_value = AUTO, help_heading = "Engines")]
    engine: String,
    #[command(flatten)]
    pub limits: Limits,
    /// Show only lines with unreachable code or constant conditions, other than assertions that
    /// hold
    #[arg(long, help_heading = "Output")]
    findings: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write an HTML page
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    html: Option<String>,
}

/// Runs the command.
pub fn run(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    let machine = input::load(console, &arguments.program)?;
    if let Some(file) = &arguments.html {
        files::prepare(file)?;
    }
    let budget = arguments.limits.budget(patience);
    let Covered { coverage, missed } = covered(&machine, &arguments.engine, &budget)?;
    if arguments.json {
        console.print(&to_json(&coverage)?);
    } else {
        let lines = if arguments.findings {
            Lines::Findings
        } else {
            Lines::All
        };
        console.print(&render(&machine, &coverage, lines));
    }
    if let Some(file) = &arguments.html {
        files::replace(file, &reports::coverage_page(&machine, &coverage)?)?;
    }
    if !coverage.has_unknowns() {
        return Ok(Exit::Fine);
    }
    if let Some(why) = missed {
        console.note(&format!("the result is incomplete: {why}"));
    }
    Ok(Exit::Unknown)
}

/// What can be reached, and why some of it is unknown.
fn covered(machine: &Machine, engine: &str, budget: &Budget<'_>) -> Result<Covered, Failure> {
    let found = hardbop_portfolio::coverage(machine, EngineName::find(engine), budget);
    found.map_err(|refused| match refused {
        Refused::Usage(why) => Failure::BadInput(why),
        fault @ Refused::Fault(_) => Failure::Internal(fault.to_string()),
    })
}

/// Maximum number of polls of the limits in the search for a report.
const MOST_LOOKS: u64 = 200;

/// The part of a sequential program that a short search finds reachable: a report must not
/// take much longer than the question that was asked. Nothing for one with threads.
pub fn of_sequential(machine: &Machine, budget: &Budget<'_>) -> Result<Option<Coverage>, Failure> {
    if !machine.is_sequential() {
        return Ok(None);
    }
    let budget = Budget {
        interrupt: &FewLooks::new(budget.interrupt, MOST_LOOKS),
        ..*budget
    };
    covered(machine, AUTO, &budget).map(|found| Some(found.coverage))
}

fn to_json(coverage: &Coverage) -> Result<String, Failure> {
    match serde_json::to_string(coverage) {
        Ok(text) => Ok(format!("{text}\n")),
        Err(error) => Err(Failure::Internal(format!("internal error: {error}"))),
    }
}
