//! The `hardbop` command: reads programs, asks engines, shows what they found.
//!
//! The only crate that prints, reads files, or looks at the clock and the environment.
//! `arguments` is the command line, `commands` has one file per command, `batch` checks many files,
//! `engine_arguments` tells the portfolio what to use; `console`, `input` and `interrupt` are the
//! edges to the outside, and `watchdog` ends what does not end. Exit codes are in `exit`.
//!
//! It is a library so that the reader of projects can be fuzzed without a process for each input,
//! and so that `hardbop-lab` speaks to the outside in the same way ([`run_tool`]). `main.rs` has
//! only the allocator, which a library should not choose.

mod address_space;
mod arguments;
mod batch;
mod c_programs;
mod calculus_arguments;
mod commands;
mod competition;
pub mod compiler;
pub mod console;
pub mod engine_arguments;
pub mod exit;
mod faults;
pub mod files;
pub mod input;
pub mod interrupt;
mod json;
mod kinds;
pub mod limits;
mod memory;
pub mod panic;
pub mod process_status;
pub mod progress;
pub mod questions;
mod reports;
mod small_headers;
pub mod subprocess;
mod targets;
pub mod temporary;
mod trace_arguments;
mod usage;
mod watchdog;
mod witnesses;

pub use batch::read_project;

use arguments::Arguments;
pub use arguments::{General, refuse};
use clap::Parser;
use console::Console;
use exit::{Exit, Failure};
use hardbop_outcome::Limit;
use interrupt::Patience;
use std::process::ExitCode;
use std::sync::mpsc;

/// BDD operations recurse as deep as a program has variables. Untouched stack costs nothing.
pub const STACK_SIZE: usize = 1 << 30;

/// Does what the command line asks for. `allocated` says how many bytes are allocated at present.
pub fn main(allocated: fn() -> usize) -> ExitCode {
    memory::count_with(allocated);
    panic::install_hook();
    interrupt::survive_the_limit_on_files();
    batch::end_with_parent();
    let arguments = Arguments::try_parse().unwrap_or_else(|error| refuse(&error));
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
    console::speak_for_command(arguments.general.message_format, &result, &why);
    exit
}

fn command(arguments: &Arguments, patience: &Patience) -> ExitCode {
    let work = |console: &mut Console| match commands::run(console, patience, &arguments.command) {
        Err(Failure::Limit(limit)) => Ok(give_up(arguments, &limit)),
        result => result,
    };
    on_console(arguments.general, work)
}

/// Runs a command of another program that is built on this library. `allocated` is as in [`main`].
pub fn run_tool(
    allocated: fn() -> usize,
    general: General,
    work: impl FnOnce(&mut Console) -> Result<Exit, Failure>,
) -> ExitCode {
    memory::count_with(allocated);
    panic::install_hook();
    interrupt::survive_the_limit_on_files();
    on_console(general, work)
}

/// Does some work and shows how it ended.
fn on_console(
    general: General,
    work: impl FnOnce(&mut Console) -> Result<Exit, Failure>,
) -> ExitCode {
    let mut console = Console::new(general.color, general.message_format, general.quiet);
    let exit = work(&mut console).unwrap_or_else(|failure| {
        if let Some(message) = failure.message() {
            console.error(message);
        }
        failure.exit()
    });
    match console.finish() {
        Ok(()) => exit.into(),
        Err(error) => {
            Console::new(general.color, general.message_format, false).error(&format!(
                "cannot write to standard output: {}",
                input::plain_words(&error)
            ));
            Exit::BadInput.into()
        }
    }
}
