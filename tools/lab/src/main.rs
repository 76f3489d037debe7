//! `hardbop-lab`: measures hardbop on programs with known verdicts, and looks for its mistakes.
//!
//! It is a program of its own, because users of hardbop do not need it. It contains the whole of
//! `hardbop`: every command that is not one of the three below is hardbop's, so that a measured run
//! is a process of this very executable.

mod bench;
mod soak;
mod table;

use cap::Cap;
use clap::{CommandFactory as _, Parser, Subcommand};
use hardbop_cli::{General, refuse};
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// The same allocator as in `hardbop`, so that runs cost the same.
#[global_allocator]
static ALLOCATOR: Cap<MiMalloc> = Cap::new(MiMalloc, usize::MAX);

/// Measures hardbop and looks for its mistakes; other commands are those of `hardbop`
#[derive(Debug, Parser)]
#[command(name = "hardbop-lab", version)]
struct Arguments {
    #[command(flatten)]
    general: General,
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum Command {
    Bench(Box<bench::Arguments>),
    Soak(soak::Arguments),
    Table(table::Arguments),
}

fn main() -> ExitCode {
    if !is_for_the_lab() {
        return hardbop_cli::main(|| ALLOCATOR.allocated());
    }
    let arguments = Arguments::try_parse().unwrap_or_else(|error| refuse(&error));
    hardbop_cli::run_tool(
        || ALLOCATOR.allocated(),
        arguments.general,
        |console| match &arguments.command {
            Command::Bench(arguments) => bench::run(console, arguments),
            Command::Soak(arguments) => soak::run(console, arguments),
            Command::Table(arguments) => table::run(console, arguments),
        },
    )
}

/// Whether the first word that is no option names a command of the lab, or there is none.
fn is_for_the_lab() -> bool {
    let mut words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    let command = Arguments::command();
    match words.next() {
        None => true,
        Some(word) => word == "help" || command.find_subcommand(word).is_some(),
    }
}
