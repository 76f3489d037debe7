//! `hardbop graph`: the recursive state machine that a program becomes, to look at or to process.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use clap::ValueEnum;
use hardbop_machine::graph;
use hardbop_report::svg;

/// Draw the control-flow graphs of a program
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// The kind of output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

/// The kind of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For Graphviz.
    #[default]
    Dot,
    /// The whole machine, for other tools.
    Json,
    /// A picture.
    Svg,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let machine = input::load(console, &arguments.program)?;
    let text = match arguments.format {
        Format::Dot => graph::to_dot(&machine),
        Format::Json => graph::to_json(&machine),
        Format::Svg => svg(&machine).map_err(|why| Failure::BadInput(why.to_string()))?,
    };
    match &arguments.output {
        Some(file) => files::replace(file, &text)?,
        None => console.print(&text),
    }
    Ok(Exit::Fine)
}
