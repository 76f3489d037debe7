//! `hardbop export`: a program and a question as a file for another tool.
//!
//! A format is a variant of [`Format`] and an arm of [`text`]; everything else is common.

use crate::console::Console;
use crate::engine_arguments::SatArguments;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use crate::limits::TimeAndMemory;
use crate::targets::TargetArguments;
use clap::ValueEnum;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{Budget, Limit, Question};

const EXAMPLES: &str = "\
Examples:
  hardbop export lock.bp --to equations              Leino's equations, to read
  hardbop export lock.bp --to dimacs -o lock.cnf     clauses for a SAT solver
  hardbop export lock.bp --to dimacs --reach ERROR   satisfiable if ERROR can be reached

Exit codes: 0 the file was written, 2 bad input or usage, 3 a limit was hit.";

/// Write a program and a question in the format of another tool
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    #[command(flatten)]
    targets: TargetArguments,
    #[command(flatten)]
    sat: SatArguments,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    to: Format,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<String>,
    #[command(flatten)]
    pub limits: TimeAndMemory,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Clauses that have a solution if a target is reached
    Dimacs,
    /// The weakest-precondition equations behind them
    Equations,
}

/// Runs the command.
pub fn run(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    let machine = input::load(console, &arguments.program)?;
    let targets = arguments.targets.or_assertions(&machine)?;
    let question = Question::reach(targets);
    let text = match text(&machine, &question, arguments, patience, console) {
        Ok(text) => text?,
        Err(limit) => {
            console.note(&arguments.limits.in_words(&limit));
            return Ok(Exit::Unknown);
        }
    };
    match &arguments.output {
        Some(file) => files::replace(file, &text)?,
        None => console.print(&text),
    }
    Ok(Exit::Fine)
}

/// The text of the file, or the limit that was hit before it was there.
fn text(
    machine: &Machine,
    question: &Question,
    arguments: &Arguments,
    patience: &Patience,
    console: &mut Console,
) -> Result<Result<String, Failure>, Limit> {
    let budget = Budget {
        memory: arguments.limits.bytes(),
        interrupt: patience,
        ..Budget::unlimited()
    };
    match arguments.to {
        Format::Dimacs | Format::Equations => {
            if let Err(declined) = takes_only_sequential_reachability(machine, question) {
                let why = format!("the equations of {} cannot be written", declined.what);
                return Ok(Err(Failure::BadInput(why)));
            }
            let nodes: Vec<NodeId> = question.targets().iter().map(|t| t.node).collect();
            let engine = arguments.sat.engine();
            let found = engine.characterize(machine, &nodes, &budget)?;
            if found.is_bounded {
                console.note("recursive calls that nest deeper than --inline-depth are left out");
            }
            let is_dimacs = arguments.to == Format::Dimacs;
            Ok(Ok(if is_dimacs {
                found.dimacs
            } else {
                found.equations
            }))
        }
    }
}
