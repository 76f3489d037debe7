//! One module per command. Each has its `Arguments` and a function `run` that says how the process
//! ends.

pub mod analyze;
pub mod check;
pub mod completions;
pub mod coverage;
pub mod explain;
pub mod export;
pub mod fmt;
pub mod generate;
pub mod graph;
pub mod lab;
pub mod lsp;
pub mod parse;
pub mod relations;
pub mod replay;
pub mod schema;
pub mod sequentialize;
pub mod simulate;
pub mod solve;
pub mod validate;

use crate::arguments::Command;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::interrupt::Patience;
use crate::limits::TimeAndMemory;
use hardbop_outcome::Limit;

/// Runs a command.
pub fn run(console: &mut Console, patience: &Patience, command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => check::run(console, patience, arguments),
        Command::Coverage(arguments) => coverage::run(console, patience, arguments),
        Command::Parse(arguments) => parse::run(console, arguments),
        Command::Fmt(arguments) => Ok(fmt::run(console, arguments)),
        Command::Simulate(arguments) => simulate::run(console, arguments),
        Command::Solve(arguments) => solve::run(console, patience, arguments),
        Command::Relations(arguments) => relations::run(console, arguments),
        Command::Export(arguments) => export::run(console, patience, arguments),
        Command::Sequentialize(arguments) => sequentialize::run(console, arguments),
        Command::Replay(arguments) => replay::run(console, arguments),
        Command::Validate(arguments) => validate::run(console, patience, arguments),
        Command::Analyze(arguments) => analyze::run(console, arguments),
        Command::Graph(arguments) => graph::run(console, arguments),
        Command::Generate(arguments) => generate::run(console, arguments),
        Command::Bench(arguments) => lab::run(console, "bench", arguments),
        Command::Soak(arguments) => lab::run(console, "soak", arguments),
        Command::Explain(arguments) => explain::run(console, arguments),
        Command::Schema(arguments) => schema::run(console, *arguments),
        Command::Lsp(arguments) => lsp::run(arguments),
        Command::Completions(arguments) => Ok(completions::run(console, *arguments)),
        Command::Man(arguments) => completions::run_man(arguments),
    }
}

/// What a command may spend, if it has limits.
pub fn limits(command: &Command) -> Option<&TimeAndMemory> {
    match command {
        Command::Check(arguments) if arguments.is_batch() => None,
        Command::Check(arguments) => Some(&arguments.limits.process),
        Command::Coverage(arguments) => Some(&arguments.limits.process),
        Command::Solve(arguments) => Some(&arguments.limits),
        Command::Relations(arguments) => Some(&arguments.limits),
        Command::Export(arguments) => Some(&arguments.limits),
        Command::Sequentialize(arguments) => Some(&arguments.limits),
        Command::Replay(arguments) => Some(&arguments.limits),
        Command::Validate(arguments) => Some(&arguments.limits),
        Command::Analyze(arguments) => Some(&arguments.limits),
        _ => None,
    }
}

/// The result of a command that was ended at a limit; empty if it has no word for that.
pub fn unknown(command: &Command, limit: &Limit, why: &str) -> (String, Exit) {
    let line = |file: &str| format!("UNKNOWN      {file}: {why}\n");
    let result = match command {
        Command::Check(arguments) => return check::unknown(arguments, limit, why),
        Command::Coverage(coverage::Arguments { json: true, .. })
        | Command::Analyze(analyze::Arguments { json: true, .. }) => {
            format!("{}\n", serde_json::json!({ "unknown": why }))
        }
        Command::Validate(arguments) => line(&arguments.program.file),
        Command::Replay(arguments) => line(&arguments.program.file),
        Command::Solve(_) => "unknown\n".to_owned(),
        _ => String::new(),
    };
    (result, Exit::Unknown)
}
