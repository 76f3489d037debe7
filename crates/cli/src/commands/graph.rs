//! `hardbop graph`: the recursive state machine that a program becomes, to look at or to process.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use clap::ValueEnum;
use hardbop_machine::{Machine, ProcId, graph};
use hardbop_report::svg;
use hardbop_syntax::suggest::{did_you_mean, nearest};

/// Draw the control-flow graphs of a program
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// Draw only this procedure (may be repeated)
    #[arg(long, value_name = "NAME")]
    procedure: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
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
    let procedures = procedures(&machine, &arguments.procedure)?;
    let text = match arguments.format {
        Format::Dot => graph::to_dot(&machine, &procedures),
        Format::Json => graph::to_json(&machine, &procedures),
        Format::Svg => {
            svg(&machine, &procedures).map_err(|why| Failure::BadInput(why.to_string()))?
        }
    };
    match &arguments.output {
        Some(file) => files::replace(file, &text)?,
        None => console.print(&text),
    }
    Ok(Exit::Fine)
}

/// The procedures of some names, those of one name in different threads included; all without any.
fn procedures(machine: &Machine, names: &[String]) -> Result<Vec<ProcId>, Failure> {
    let name = |id: &ProcId| machine.procedure(*id).name.as_str();
    for wanted in names {
        let ids: Vec<ProcId> = machine.procedure_ids().collect();
        if !ids.iter().any(|id| name(id) == wanted) {
            let help = nearest(wanted, ids.iter().map(name)).map(did_you_mean);
            let help = help.map_or_else(String::new, |help| format!("; {help}"));
            let file = machine.source.name();
            return Err(Failure::BadInput(format!(
                "there is no procedure `{wanted}` in {file}{help}"
            )));
        }
    }
    let is_wanted = |id: &ProcId| names.is_empty() || names.iter().any(|n| n == name(id));
    Ok(machine.procedure_ids().filter(is_wanted).collect())
}
