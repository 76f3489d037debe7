//! `hardbop replay`: is this trace a run of this program?
//!
//! Reads a trace (`simulate --save`) or a whole outcome (`check --json`), whose traces are replayed one after the other.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::trace_arguments::TraceArguments;
use hardbop_interpreter::replay;
use hardbop_machine::Machine;
use hardbop_outcome::{Outcome, Trace, Verdict};

/// Go through a trace step by step, checking that it is a run of the program
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// A trace, or the output of `check --json`; `-` is standard input
    #[arg(value_name = "TRACE.json")]
    trace_file: String,
    #[command(flatten)]
    traces: TraceArguments,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.program.file == input::STDIN && arguments.trace_file == input::STDIN {
        return Err(Failure::BadInput(
            "program and trace cannot both be standard input".to_owned(),
        ));
    }
    let machine = input::load(console, &arguments.program)?;
    let traces = read_traces(&arguments.trace_file)?;
    if traces.is_empty() {
        console.note(&format!("{} has no traces", arguments.trace_file));
    }
    for trace in &traces {
        show(console, arguments, &machine, trace)?;
    }
    Ok(Exit::Fine)
}

fn show(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    trace: &Trace,
) -> Result<(), Failure> {
    let (file, program) = (&arguments.trace_file, machine.source.name());
    let reject = |why| Failure::Internal(format!("{file} is not a run of {program}: {why}"));
    let replayed = replay(machine, trace).map_err(reject)?;
    let end = match &trace.target {
        Some(target) => format!("reaches the {}", target.kind),
        None => "is a run of the program".to_owned(),
    };
    let steps = match replayed.flat_steps {
        1 => "1 step".to_owned(),
        steps if replayed.saturated => format!("more than {steps} steps"),
        steps => format!("{steps} steps"),
    };
    console.print(&format!("REPLAYED     {end}: {steps}\n"));
    console.print(&arguments.traces.shown(machine, trace).map_err(reject)?);
    Ok(())
}

fn read_traces(file: &str) -> Result<Vec<Trace>, Failure> {
    let text = input::read_text(file)?;
    let bad = |error: serde_json::Error| {
        Failure::BadInput(format!("cannot read a trace from {file}: {error}"))
    };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(bad)?;
    if value.get("hardbop-outcome").is_none() {
        return Ok(vec![serde_json::from_value(value).map_err(bad)?]);
    }
    let outcome: Outcome = serde_json::from_value(value).map_err(bad)?;
    let traces = outcome
        .answers
        .into_iter()
        .filter_map(|answer| match answer.verdict {
            Verdict::Reachable { trace } => Some(trace),
            _ => None,
        });
    Ok(traces.collect())
}
