//! `hardbop relations`: a program, a question and an algorithm as one `.mu` file, for
//! `hardbop solve` or the original Mucke.

use crate::calculus_arguments::{CalculusArguments, ThreadArguments, refuse_errors};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::limits::TimeAndMemory;
use crate::targets::TargetArguments;
use hardbop_calculus::algorithm::REFERENCE;
use hardbop_calculus::threads::fixed;
use hardbop_calculus::{Algorithm, Extent, sequential_problem, thread_problem};
use hardbop_machine::{Machine, NodeId};

const EXAMPLES: &str = "\
Examples:
  hardbop relations lock.bp > lock.mu               the program and the entry-forward algorithm
  hardbop relations lock.bp --algorithm mine.mu     the program and your own algorithm
  hardbop relations driver.bp --contexts 3          threads and the formula for 3 context switches
  hardbop relations lock.bp | hardbop solve -       the answer: true if a target is reachable";

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
    #[command(flatten)]
    threads: ThreadArguments,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<String>,
    #[command(flatten)]
    pub limits: TimeAndMemory,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let algorithm = arguments.calculus.algorithm()?;
    let extent = arguments.calculus.relations.extent();
    let machine = input::load(console, &arguments.program)?;
    let bound = arguments.threads.bound();
    let targets = arguments.targets.or_assertions(&machine)?;
    let targets: Vec<NodeId> = targets.iter().map(|target| target.node).collect();
    let text = match bound {
        Some(bound) => {
            let fixed = fixed(&machine, arguments.threads.most());
            let fixed = fixed.map_err(|what| refused(&what))?;
            let own = algorithm.as_ref();
            let (problem, checked) = thread_problem(&fixed, &targets, bound, own, extent);
            refuse_errors(&problem.algorithm, &checked)?;
            problem.program.text_of(&problem.algorithm, &checked)
        }
        None => sequential_text(&machine, &targets, algorithm, extent)?,
    };
    match &arguments.output {
        Some(file) => files::replace(file, &text)?,
        None => console.print(&text),
    }
    Ok(Exit::Fine)
}

/// A sequential program with an algorithm, the reference unless there is another.
pub(super) fn sequential_text(
    machine: &Machine,
    targets: &[NodeId],
    algorithm: Option<Algorithm>,
    extent: Option<Extent>,
) -> Result<String, Failure> {
    if let Some(what) = hardbop_calculus::unsupported(machine) {
        return Err(refused(what));
    }
    let reference = Algorithm::built_in(REFERENCE);
    let algorithm = algorithm
        .or(reference)
        .expect("the reference is in the table");
    let (program, checked) = sequential_problem(machine, &algorithm, targets, targets, extent);
    refuse_errors(&algorithm, &checked)?;
    Ok(program.text_of(&algorithm, &checked))
}

fn refused(what: &str) -> Failure {
    Failure::BadInput(format!("the relations of {what} cannot be written"))
}
