//! `hardbop fmt`: one layout for every program.
//!
//! A text that would not mean the same is not written; the file stays as it is.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, Reading, STDIN};
use hardbop_syntax::Source;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::format::format_checked;

/// Format programs in place
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The programs; `-` formats standard input to standard output
    #[arg(required = true, value_name = "FILES")]
    files: Vec<String>,
    /// Do not write; list the files that would change, and exit with 1 if there are any
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
    /// Write the result to standard output instead of the file
    #[arg(long)]
    stdout: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Runs the command. A file that cannot be formatted does not keep the others from being so.
pub fn run(console: &mut Console, arguments: &Arguments) -> Exit {
    let mut failure = None;
    let mut exit = Exit::Fine;
    for file in &arguments.files {
        match format_file(console, arguments, file) {
            Ok(Exit::Fine) => {}
            Ok(other) => exit = other,
            Err(error) => {
                if let Some(message) = error.message() {
                    console.error(message);
                }
                let is_internal = matches!(error, Failure::Internal(_));
                if is_internal || failure.is_none() {
                    failure = Some(error.exit());
                }
            }
        }
    }
    failure.unwrap_or(exit)
}

fn format_file(console: &mut Console, arguments: &Arguments, file: &str) -> Result<Exit, Failure> {
    input::refuse_clauses(file)?;
    let source = input::read_source(file)?;
    if source.c_reading().is_some() {
        let why = format!("{file} is C, which `hardbop fmt` does not format");
        return Err(Failure::BadInput(why));
    }
    if arguments.reading.c.are_given() {
        let why = "options for C programs have no effect on `hardbop fmt`";
        return Err(Failure::BadInput(why.to_owned()));
    }
    let formatted = formatted(console, &source, &arguments.reading)?;
    let is_changed = formatted != source.text();
    if arguments.check {
        if is_changed {
            console.print(&format!("{}\n", source.name()));
            return Ok(Exit::Found);
        }
    } else if arguments.stdout || file == STDIN {
        console.print(&formatted);
    } else if is_changed {
        files::replace(file, &formatted)?;
    }
    Ok(Exit::Fine)
}

/// The formatted text, which is known to mean the same.
fn formatted(console: &mut Console, source: &Source, reading: &Reading) -> Result<String, Failure> {
    let parsed = input::parse(source, reading);
    input::refuse_other_kinds(source, &parsed, reading)?;
    if has_errors(&parsed.diagnostics) {
        console.diagnostics(source, &parsed.diagnostics);
        return Err(Failure::Reported);
    }
    format_checked(&parsed.ast, source).ok_or_else(|| {
        let name = source.name();
        Failure::Internal(format!(
            "internal error: formatting {name} would change its meaning; the file was not changed"
        ))
    })
}
