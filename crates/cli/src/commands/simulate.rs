//! `hardbop simulate`: one run of a program, at random or with the user choosing.

mod person;

use super::replay;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use crate::trace_arguments::{TraceArguments, shown};
use hardbop_interpreter::{Course, End, RandomChooser, Simulation, simulate_course};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Evidence, Interrupt};
use person::Person;

/// Execute a program, at random or interactively
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// Seed; the same seed gives the same execution
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    steps: u64,
    /// Ask at every choice that is read; u undoes the last answer, q quits
    #[arg(short, long, conflicts_with = "seed")]
    interactive: bool,
    /// Continue from the end of a trace, or of the first one in the output of `check --json`
    #[arg(long, value_name = "TRACE.json")]
    from: Option<String>,
    /// Stop at a label: LABEL or PROCEDURE:LABEL
    #[arg(long, value_name = "LABEL")]
    reach: Option<String>,
    /// Write the execution to a file, for `hardbop replay`
    #[arg(long, value_name = "TRACE.json", help_heading = "Output")]
    save: Option<String>,
    #[command(flatten)]
    traces: TraceArguments,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.interactive && arguments.program.file == input::STDIN {
        let message =
            "--interactive needs standard input for your choices; pass the program as a file";
        return Err(Failure::BadInput(message.to_owned()));
    }
    let machine = input::load(console, &arguments.program)?;
    let targets = match &arguments.reach {
        Some(label) => crate::targets::find_label(&machine, label)?,
        None => Vec::new(),
    };
    let from = arguments
        .from
        .as_deref()
        .map(replay::read_run)
        .transpose()?;
    // The first Ctrl-C shows the run so far.
    let patience = Patience::for_at_most(None);
    let course = Course {
        max_steps: arguments.steps,
        targets: &targets,
        from: from.as_ref(),
        interrupt: &patience,
    };
    let simulation = if arguments.interactive {
        let mut person = Person::new(console, &machine, &patience);
        loop {
            let simulation = simulate_course(&machine, &mut person, &course);
            if !person.takes_back() {
                break simulation;
            }
        }
    } else {
        simulate_course(&machine, &mut RandomChooser::new(arguments.seed), &course)
    };
    let mut simulation = simulation.map_err(|why| {
        let file = arguments.from.as_deref().unwrap_or_default();
        let program = machine.source.name();
        Failure::BadInput(format!("{file} is not an execution of {program}: {why}"))
    })?;
    if let (End::Stopped, Some(limit)) = (&simulation.end, patience.check()) {
        simulation.end = End::Interrupted(limit);
    }
    show(console, arguments, &machine, &simulation)?;
    Ok(match simulation.end {
        End::Target | End::AssertionFailed { .. } => Exit::Found,
        End::TooManyChoices(_) | End::Interrupted(_) => Exit::Unknown,
        End::Ended | End::Stuck { .. } | End::StepLimit | End::Stopped => Exit::Fine,
    })
}

fn show(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    simulation: &Simulation,
) -> Result<(), Failure> {
    let internal = |why| {
        Failure::Internal(format!(
            "internal error: the simulated execution does not replay: {why}"
        ))
    };
    let texts = arguments.traces.texts(console, machine);
    let run = Evidence::Run(simulation.trace.clone());
    let shown = shown(texts.as_ref(), &run, None);
    console.print(&shown.map_err(internal)?);
    let steps = if simulation.steps == 1 {
        "step"
    } else {
        "steps"
    };
    let end = describe(machine, simulation);
    console.print(&format!("after {} {steps}: {end}\n", simulation.steps));
    if let Some(file) = &arguments.save {
        let text = serde_json::to_string(&simulation.trace)
            .map_err(|error| Failure::Internal(format!("internal error: {error}")))?;
        files::replace(file, &format!("{text}\n"))?;
    }
    Ok(())
}

fn describe(machine: &Machine, simulation: &Simulation) -> String {
    let line = |node: NodeId| machine.line_of(node);
    match &simulation.end {
        End::Target => match &simulation.trace.target {
            Some(target) => format!("reached {target}"),
            None => "reached the target".to_owned(),
        },
        End::AssertionFailed { node, .. } => {
            format!("the assertion on line {} failed", line(*node))
        }
        End::Ended => "the program ended".to_owned(),
        End::Stuck { waiting } => {
            let places: Vec<String> = waiting
                .iter()
                .map(|(_, node)| format!("line {}", line(*node)))
                .collect();
            format!("no step can be taken (at {})", places.join(", "))
        }
        End::StepLimit => "the limit on steps was reached".to_owned(),
        End::Stopped => "stopped".to_owned(),
        End::Interrupted(limit) => limit.to_string(),
        End::TooManyChoices(why) => why.to_string(),
    }
}
