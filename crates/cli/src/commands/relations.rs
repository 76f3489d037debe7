//! `hardbop relations`: a program, a question and an algorithm as one `.mu` file, for
//! `hardbop solve` or the original Mucke.

use crate::console::Console;
use crate::engine_arguments::CalculusArguments;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::limits::TimeAndMemory;
use crate::targets::TargetArguments;
use hardbop_calculus::Program;
use hardbop_calculus::algorithm::REFERENCE;
use hardbop_calculus::threads::{self, ThreadBound, ThreadProblem};
use hardbop_machine::NodeId;
use hardbop_outcome::budget::DEFAULT_THREADS;

const EXAMPLES: &str = "\
Examples:
  hardbop relations lock.bp > lock.mu               the program and the entry-forward algorithm
  hardbop relations lock.bp --algorithm mine.mu     the program and your own algorithm
  hardbop relations driver.bp --contexts 3          threads and the formula for 3 context switches
  hardbop relations lock.bp | hardbop solve -       the answer: true if a target can be reached";

/// Write a program as relations of the fixed-point calculus
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    #[command(flatten)]
    targets: TargetArguments,
    #[command(flatten)]
    calculus: CalculusArguments,
    /// Take the formula for threads with at most K context switches [default: no threads]
    #[arg(long, help_heading = "Bounds", value_name = "K", group = "bound", conflicts_with = "algorithm", value_parser = clap::value_parser!(u32).range(..=MANY))]
    contexts: Option<u32>,
    /// Take the formula for threads that run for at most R rounds [default: no threads]
    #[arg(long, help_heading = "Bounds", value_name = "R", group = "bound", conflicts_with = "algorithm", value_parser = clap::value_parser!(u32).range(1..=MANY))]
    rounds: Option<u32>,
    /// Let a program have at most N threads [default: 4]
    #[arg(long, help_heading = "Limits", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MANY))]
    threads: Option<u32>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<String>,
    #[command(flatten)]
    pub limits: TimeAndMemory,
}

/// More contexts or rounds than anybody can explore.
const MANY: i64 = 1000;

impl Arguments {
    fn bound(&self) -> Option<ThreadBound> {
        let rounds = self.rounds.map(ThreadBound::Rounds);
        self.contexts.map(ThreadBound::Contexts).or(rounds)
    }
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let algorithm = arguments.calculus.algorithm_or(REFERENCE)?;
    let machine = input::load(console, &arguments.program)?;
    let bound = arguments.bound();
    let refused =
        |what: &str| Failure::BadInput(format!("the relations of {what} cannot be written"));
    if bound.is_none()
        && let Some(what) = hardbop_calculus::unsupported(&machine)
    {
        return Err(refused(what));
    }
    let targets = arguments.targets.or_assertions(&machine)?;
    let targets: Vec<NodeId> = targets.iter().map(|target| target.node).collect();
    let text = match bound {
        Some(bound) => {
            let most = arguments.threads.unwrap_or(DEFAULT_THREADS);
            let fixed = threads::fixed(&machine, most).map_err(|what| refused(&what))?;
            ThreadProblem::new(&fixed, &targets, bound).text()
        }
        None => {
            let entry = machine.threads[0].entry;
            Program::new(&machine, entry, &targets, &targets).text(&algorithm)
        }
    };
    match &arguments.output {
        Some(file) => files::replace(file, &text)?,
        None => console.print(&text),
    }
    Ok(Exit::Fine)
}
