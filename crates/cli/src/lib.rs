//! The `hardbop` command: reads programs, asks engines, shows what they found.
//!
//! The only crate that prints, reads files, or looks at the clock and the environment.
//! `arguments` is the command line, `commands` has one file per command, `batch` checks many files,
//! `engine_arguments` tells the portfolio what to use; `console`, `input` and `interrupt` are the
//! edges to the outside, and `watchdog` ends what does not end. Exit codes are in `exit`.
//!
//! It is a library so that the reader of projects can be fuzzed without a process for each input.
//! `main.rs` has only the allocator, which a library should not choose.

mod address_space;
mod arguments;
mod batch;
mod c_programs;
mod calculus_arguments;
mod commands;
mod competition;
mod compiler;
mod console;
mod engine_arguments;
mod exit;
mod faults;
mod files;
mod input;
mod interrupt;
mod json;
mod kinds;
mod limits;
mod memory;
mod panic;
mod progress;
mod questions;
mod reports;
mod small_headers;
mod subprocess;
mod targets;
mod temporary;
mod trace_arguments;
mod usage;
mod watchdog;
mod witnesses;

pub use batch::read_project;

use arguments::Arguments;
use clap::Parser;
use console::Console;
use exit::{Exit, Failure};
use hardbop_outcome::Limit;
use interrupt::Patience;
use std::process::ExitCode;
use std::sync::mpsc;

/// BDD operations recurse as deep as a program has variables. Untouched stack costs nothing.
const STACK_SIZE: usize = 1 << 30;

/// Does what the command line asks for. `allocated` says how many bytes are allocated at present.
pub fn main(allocated: fn() -> usize) -> ExitCode {
    memory::count_with(allocated);
    panic::install_hook();
    interrupt::survive_the_limit_on_files();
    batch::end_with_parent();
    let arguments = Arguments::try_parse().unwrap_or_else(|error| arguments::refuse(&error));
    let limits = commands::limits(&arguments.command);
    if let Some(end) = limits.and_then(|_| address_space::supervise()) {
        return match end {
            address_space::End::Exited(code) => code.into(),
            address_space::End::Refused => give_up(&arguments, &Limit::Memory).into(),
        };
    }
    let patience = limits
        .map_or_else(Patience::endless, Patience::start)
        .rule_process();
    let work = || command(&arguments, &patience);
    let (sender, end) = mpsc::channel();
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .stack_size(address_space::stack_size(STACK_SIZE))
            .spawn_scoped(scope, || sender.send(work()));
        match (worker, limits) {
            // The large stack is unavailable; fall back to the default stack.
            (Err(_), _) => work(),
            (Ok(_), Some(_)) => {
                watchdog::watch(&end, &patience, |limit| give_up(&arguments, limit))
            }
            (Ok(_), None) => end.recv().unwrap_or(Exit::Internal.into()),
        }
    })
}

/// Tells the user that a limit has ended the command.
fn give_up(arguments: &Arguments, limit: &Limit) -> Exit {
    let limits = commands::limits(&arguments.command);
    let why = limits.map_or_else(|| limit.to_string(), |limits| limits.in_words(limit));
    let (result, exit) = commands::unknown(&arguments.command, limit, &why);
    console::speak_for_command(arguments.message_format, &result, &why);
    exit
}

fn command(arguments: &Arguments, patience: &Patience) -> ExitCode {
    let mut console = Console::new(arguments.color, arguments.message_format, arguments.quiet);
    let result = commands::run(&mut console, patience, &arguments.command);
    let exit = match result {
        Ok(exit) => exit,
        Err(Failure::Limit(limit)) => give_up(arguments, &limit),
        Err(failure) => {
            if let Some(message) = failure.message() {
                console.error(message);
            }
            failure.exit()
        }
    };
    match console.finish() {
        Ok(()) => exit.into(),
        Err(error) => {
            Console::new(arguments.color, arguments.message_format, false).error(&format!(
                "cannot write to standard output: {}",
                input::plain_words(&error)
            ));
            Exit::BadInput.into()
        }
    }
}
