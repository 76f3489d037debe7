//! One module per command. Each has its `Arguments` and a function `run` that says how the process
//! ends.

pub mod analyze;
pub mod bench;
pub mod check;
pub mod coverage;
pub mod explain;
pub mod fmt;
pub mod generate;
pub mod graph;
pub mod parse;
pub mod relations;
pub mod replay;
pub mod sequentialize;
pub mod simulate;
pub mod solve;
pub mod validate;

use crate::arguments::Command;
use crate::console::Console;
use crate::exit::{Exit, Failure};

/// Runs a command.
pub fn run(console: &mut Console, command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => check::run(console, arguments),
        Command::Coverage(arguments) => coverage::run(console, arguments),
        Command::Parse(arguments) => parse::run(console, arguments),
        Command::Fmt(arguments) => Ok(fmt::run(console, arguments)),
        Command::Simulate(arguments) => simulate::run(console, arguments),
        Command::Solve(arguments) => solve::run(console, arguments),
        Command::Relations(arguments) => relations::run(console, arguments),
        Command::Sequentialize(arguments) => sequentialize::run(console, arguments),
        Command::Replay(arguments) => replay::run(console, arguments),
        Command::Validate(arguments) => validate::run(console, arguments),
        Command::Analyze(arguments) => analyze::run(console, arguments),
        Command::Graph(arguments) => graph::run(console, arguments),
        Command::Generate(arguments) => generate::run(console, arguments),
        Command::Bench(arguments) => bench::run(console, arguments),
        Command::Explain(arguments) => explain::run(console, arguments),
    }
}
