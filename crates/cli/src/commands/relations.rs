//! `hardbop relations`: a program, a question and an algorithm as one `.mu` file, for `hardbop solve` or the original Mucke.

use crate::console::Console;
use crate::engines::CalculusArguments;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::targets::TargetArguments;
use hardbop_calculus::Program;
use hardbop_machine::NodeId;
use hardbop_outcome::Query;

const EXAMPLES: &str = "\
Examples:
  hardbop relations lock.bp > lock.mu               the program and the entry-forward algorithm
  hardbop relations lock.bp --algorithm mine.mu     the program and your own algorithm
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
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let algorithm = arguments.calculus.algorithm()?;
    let machine = input::load(console, &arguments.program)?;
    if let Some(what) = hardbop_calculus::unsupported(&machine) {
        let message = format!("the relations of {what} cannot be written");
        return Err(Failure::BadInput(message));
    }
    let query = if arguments.targets.is_empty() {
        Query::assertions(&machine)
    } else {
        arguments.targets.query(&machine)?
    };
    let targets: Vec<NodeId> = query.targets.iter().map(|target| target.node).collect();
    let program = Program::new(&machine, machine.threads[0].entry, &targets, &targets);
    let text = program.text(&algorithm);
    match &arguments.output {
        Some(file) => files::replace(file, &text)?,
        None => console.print(&text),
    }
    Ok(Exit::Fine)
}
