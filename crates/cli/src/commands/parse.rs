//! `hardbop parse`: is this a program? Errors and warnings are the result, and go to standard
//! output.

use crate::console::{Console, MessageFormat};
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::usage::Usage;
use hardbop_machine::{Machine, Storage};
use serde_json::json;

/// Report errors and warnings, and the size of the program
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// Print the counts as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Print the time of each phase and the peak memory
    #[arg(long, help_heading = "Output")]
    stats: bool,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut usage = Usage::start();
    let ProgramArguments { file, reading } = &arguments.program;
    let checked = input::check(file, reading, &mut usage)?;
    console.print_diagnostics(&checked.source, &checked.diagnostics);
    let Some(program) = checked.program else {
        return Ok(Exit::BadInput);
    };
    let dialect = program.dialect.name();
    let machine = hardbop_machine::lower(program, &checked.source);
    usage.end_phase("lower");
    let counts = counts(&machine);
    if arguments.json {
        let mut object = serde_json::Map::new();
        object.insert("file".to_owned(), json!(checked.source.name()));
        object.insert("dialect".to_owned(), json!(dialect));
        object.extend(
            counts
                .into_iter()
                .map(|(name, count)| (name.replace([' ', '-'], "_"), json!(count))),
        );
        if arguments.stats {
            object.insert("usage".to_owned(), json!(usage.members()));
        }
        console.print(&format!("{}\n", serde_json::Value::Object(object)));
    } else if console.format() == MessageFormat::Human {
        console.print(&format!("{}: {}\n", checked.source.name(), dialect));
        for (name, count) in counts {
            console.print(&format!("  {name:<20} {count:>8}\n"));
        }
    }
    if arguments.stats && !arguments.json {
        let row = |(name, figure): (String, String)| format!("  {name:<28} {figure:>14}\n");
        let rows: String = usage.lines().into_iter().map(row).collect();
        console.print_about(&rows);
    }
    Ok(Exit::Fine)
}

fn counts(machine: &Machine) -> [(&'static str, u64); 9] {
    let globals = |storage| {
        machine
            .globals
            .iter()
            .filter(|g| g.storage == storage)
            .count()
    };
    let locals: usize = machine.procedures.iter().map(|p| p.locals.len()).sum();
    let threads: u64 = machine.threads.iter().map(|t| u64::from(t.instances)).sum();
    [
        ("procedures", machine.procedures.len() as u64),
        ("nodes", machine.nodes.len() as u64),
        ("edges", machine.edges.len() as u64),
        ("shared globals", globals(Storage::Shared) as u64),
        ("per-thread globals", globals(Storage::PerThread) as u64),
        ("locals", locals as u64),
        ("labels", machine.labels.len() as u64),
        ("assertions", machine.assertions.len() as u64),
        ("threads", threads),
    ]
}
