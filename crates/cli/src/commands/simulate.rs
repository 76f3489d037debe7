//! `hardbop simulate`: one run of a program, at random or with the user choosing.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::trace_arguments::{TraceArguments, shown};
use hardbop_interpreter::{Chooser, End, RandomChooser, Simulation, StepOption, simulate};
use hardbop_machine::{Machine, NodeId, Type};
use hardbop_outcome::{Evidence, Target};
use std::io::BufRead;

/// Run a program, at random or step by step
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// The same seed makes the same run
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    steps: u64,
    /// Ask at every choice
    #[arg(short, long, conflicts_with = "seed")]
    interactive: bool,
    /// Stop at a label: LABEL or PROCEDURE:LABEL
    #[arg(long, value_name = "LABEL")]
    reach: Option<String>,
    /// Write the run to a file that `hardbop replay` reads
    #[arg(long, value_name = "TRACE.json", help_heading = "Output")]
    save: Option<String>,
    #[command(flatten)]
    traces: TraceArguments,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.interactive && arguments.program.file == input::STDIN {
        let message =
            "--interactive needs standard input for your choices; give the program as a file";
        return Err(Failure::BadInput(message.to_owned()));
    }
    let machine = input::load(console, &arguments.program)?;
    let target = find_target(&machine, arguments.reach.as_deref())?;
    let simulation = if arguments.interactive {
        let mut person = Person { console };
        simulate(&machine, &mut person, arguments.steps, target.as_ref())
    } else {
        let mut chooser = RandomChooser::new(arguments.seed);
        simulate(&machine, &mut chooser, arguments.steps, target.as_ref())
    };
    show(console, arguments, &machine, &simulation)?;
    Ok(match simulation.end {
        End::Target | End::AssertionFailed { .. } => Exit::Found,
        End::TooManyChoices(_) => Exit::Unknown,
        End::Ended | End::Stuck { .. } | End::StepLimit | End::Stopped => Exit::Fine,
    })
}

fn find_target(machine: &Machine, label: Option<&str>) -> Result<Option<Target>, Failure> {
    let Some(label) = label else {
        return Ok(None);
    };
    let mut targets = crate::targets::find_label(machine, label)?;
    if targets.len() > 1 {
        let names: Vec<String> = targets.iter().map(|t| format!("`{t}`")).collect();
        let message = format!(
            "`{label}` may be {}; say PROCEDURE:LABEL",
            names.join(" or ")
        );
        return Err(Failure::BadInput(message));
    }
    Ok(targets.pop())
}

fn show(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    simulation: &Simulation,
) -> Result<(), Failure> {
    let internal = |why| {
        Failure::Internal(format!(
            "internal error: the simulated run does not replay: {why}"
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
        End::TooManyChoices(why) => why.to_string(),
    }
}

/// Asks on the terminal. An empty line takes the first choice; `q` or the end of the input stops.
struct Person<'a> {
    console: &'a mut Console,
}

impl Person<'_> {
    /// The number up to `max` that the user picks.
    fn ask(&mut self, question: &str, max: u64) -> Option<u64> {
        loop {
            self.console.print(question);
            self.console.flush();
            let mut line = String::new();
            let read = std::io::stdin().lock().read_line(&mut line).ok()?;
            let answer = line.trim();
            if read == 0 || answer.eq_ignore_ascii_case("q") {
                return None;
            }
            if answer.is_empty() {
                return Some(0);
            }
            match answer.parse() {
                Ok(number) if number <= max => return Some(number),
                _ => self
                    .console
                    .print(&format!("a number from 0 to {max}, or q to stop\n")),
            }
        }
    }

    fn pick(&mut self, head: &str, options: impl Iterator<Item = String>) -> Option<usize> {
        self.console.print(&format!("{head}\n"));
        let mut last = 0;
        for (index, option) in options.enumerate() {
            self.console.print(&format!("  {index}  {option}\n"));
            last = index;
        }
        self.ask("> ", last as u64).map(|number| number as usize)
    }
}

impl Chooser for Person<'_> {
    fn step(&mut self, options: &[StepOption]) -> Option<usize> {
        self.pick(
            "next step:",
            options.iter().map(|option| option.description.clone()),
        )
    }

    fn inputs(&mut self, description: &str, valuations: &[Vec<u64>]) -> Option<usize> {
        let texts = valuations.iter().map(|values| {
            let values: Vec<String> = values.iter().map(u64::to_string).collect();
            values.join(", ")
        });
        self.pick(&format!("values of the choices in {description}:"), texts)
    }

    fn value(&mut self, description: &str, ty: Type) -> Option<u64> {
        let max = ty.max_value();
        self.ask(&format!("{description} (0 to {max}): "), max)
    }
}
