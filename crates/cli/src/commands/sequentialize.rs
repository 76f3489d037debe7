//! `hardbop sequentialize`: the sequential program that simulates the threads of another.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::limits::TimeAndMemory;
use crate::targets::TargetArguments;
use hardbop_outcome::Question;
use hardbop_outcome::budget::DEFAULT_THREADS;

const EXAMPLES: &str = "\
Examples:
  hardbop sequentialize threads.bp --rounds 2 -o sequential.bp
  hardbop check sequential.bp

The assertions at the end of `main` of the new program correspond to those of the old
one, or to the labels of --reach, in order. If threads start other threads, one more
assertion fails if there are more than --threads. `hardbop check --engine sequentialized
--rounds R` does both steps and translates counterexamples back.";

/// Write a sequential program that simulates the round-robin schedules of a concurrent one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    #[command(flatten)]
    targets: TargetArguments,
    /// Number of rounds
    #[arg(long, help_heading = "Bounds", value_name = "R", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Maximum number of threads; if the program starts more, the last assertion fails
    #[arg(long, help_heading = "Limits", value_name = "N", default_value_t = DEFAULT_THREADS, value_parser = clap::value_parser!(u32).range(1..=1000))]
    threads: u32,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<String>,
    #[command(flatten)]
    pub limits: TimeAndMemory,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let machine = input::load(console, &arguments.program)?;
    let targets = arguments.targets.or_assertions(&machine)?;
    let program = hardbop_transform::sequentialize::sequentialize(
        &machine,
        &Question::reach(targets),
        arguments.rounds,
        arguments.threads,
    )
    .map_err(|refused| {
        let file = machine.source.name();
        Failure::BadInput(format!(
            "{file}: sequentialization does not support {refused}"
        ))
    })?;
    match &arguments.output {
        Some(file) => files::replace(file, &program.text)?,
        None => console.print(&program.text),
    }
    Ok(Exit::Fine)
}
