//! `hardbop replay`: is this a run of this program, and is it what it is said to be?
//!
//! Reads a trace (`simulate --save`), a lasso, or a whole outcome (`check --json`), whose runs are replayed one after the other. With a run that answers a
//! question about runs the question is recorded; then the property is evaluated on the run once more.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::properties::json::{self, PropertyOutcome};
use crate::properties::{FoundRun, Judgement, Question};
use crate::trace_arguments::TraceArguments;
use hardbop_interpreter::{Ending, ReplayedLasso, replay, replay_lasso, replay_thread_lasso};
use hardbop_machine::Machine;
use hardbop_outcome::{Evidence, Outcome, Trace, Verdict};

/// Go through a trace step by step, checking that it is a run of the program
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// A trace, a lasso, or the output of `check --json`; `-` is standard input
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
    let recorded = read(&arguments.trace_file)?;
    if recorded.is_empty() {
        console.note(&format!("{} has no traces", arguments.trace_file));
    }
    for run in &recorded {
        let shown = match run {
            Recorded::Bare(run) => {
                let end = match run.as_ref() {
                    FoundRun::Trace(Trace {
                        target: Some(target),
                        ..
                    }) => format!("reaches the {}", target.kind),
                    _ => "is a run of the program".to_owned(),
                };
                show(arguments, &machine, run, &end)?
            }
            Recorded::Answer(answer) => show_answer(console, arguments, &machine, answer)?,
        };
        console.print(&shown);
    }
    Ok(Exit::Fine)
}

/// A run in a file.
enum Recorded {
    /// One that nothing is said about but what stands in it.
    Bare(Box<FoundRun>),
    /// One that answers a question.
    Answer(Box<json::Answer>),
}

/// The file is damaged or about something else.
fn reject(arguments: &Arguments, machine: &Machine, why: &dyn std::fmt::Display) -> Failure {
    let (file, program) = (&arguments.trace_file, machine.source.name());
    Failure::Internal(format!("{file} is not a run of {program}: {why}"))
}

/// Judges the run that an answer has, if it has one.
fn show_answer(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    answer: &json::Answer,
) -> Result<String, Failure> {
    let file = &arguments.trace_file;
    let damaged = |why| Failure::BadInput(format!("cannot read a run from {file}: {why}"));
    let Some(run) = answer.run().map_err(damaged)? else {
        let property = &answer.property;
        console.note(&format!("{file} has no run for: {property}"));
        return Ok(String::new());
    };
    let question = Question::read(console, machine, answer.question.clone())?;
    let judged = question.judge(machine, &run);
    let judged = judged.map_err(|why| reject(arguments, machine, &why))?;
    let text = &question.text;
    let end = match (judged, question.asks_for_run) {
        (Judgement::Confirmed, true) => format!("is what was asked for ({text})"),
        (Judgement::Confirmed, false) => format!("violates {text}"),
        (Judgement::TooLong, _) => {
            format!("is a run of the program, but too long to evaluate {text} on it")
        }
    };
    show(arguments, machine, &run, &end)
}

/// Replays a run and shows it, with what is known about it.
fn show(
    arguments: &Arguments,
    machine: &Machine,
    run: &FoundRun,
    end: &str,
) -> Result<String, Failure> {
    let no_run = |why: &dyn std::fmt::Display| reject(arguments, machine, why);
    let traces = &arguments.traces;
    let (length, shown) = match run {
        FoundRun::Trace(trace) => {
            let replayed = replay(machine, trace).map_err(|why| no_run(&why))?;
            let length = if replayed.saturated {
                format!("more than {} steps", replayed.flat_steps)
            } else {
                steps(replayed.flat_steps)
            };
            let shown = traces.shown(machine, trace);
            (length, shown.map_err(|why| no_run(&why))?)
        }
        FoundRun::Lasso(lasso) => {
            let replayed = replay_lasso(machine, lasso).map_err(|why| no_run(&why))?;
            let shown = traces.shown_lasso(machine, lasso);
            (shape(&replayed), shown.map_err(|why| no_run(&why))?)
        }
        FoundRun::Threads(lasso) => {
            let replayed = replay_thread_lasso(machine, lasso).map_err(|why| no_run(&why))?;
            let shown = traces.shown_thread_lasso(machine, lasso);
            (shape(&replayed), shown.map_err(|why| no_run(&why))?)
        }
    };
    Ok(format!("REPLAYED     {end}: {length}\n{shown}"))
}

/// The parts of a lasso in words.
fn shape(lasso: &ReplayedLasso) -> String {
    let stem = steps(lasso.stem_steps);
    match lasso.ending {
        Some(Ending::Terminated) => format!("{stem}, then it has ended"),
        Some(Ending::Failed) => format!("{stem}, then an assertion has failed"),
        None => {
            let frames = match lasso.growth {
                0 => String::new(),
                1 => ", each leaving 1 frame behind".to_owned(),
                frames => format!(", each leaving {frames} frames behind"),
            };
            let round = steps(lasso.loop_steps);
            format!("{stem}, then rounds of {round} for ever{frames}")
        }
    }
}

fn steps(count: u128) -> String {
    if count == 1 {
        "1 step".to_owned()
    } else {
        format!("{count} steps")
    }
}

fn read(file: &str) -> Result<Vec<Recorded>, Failure> {
    let text = input::read_text(file)?;
    let bad = |error: &dyn std::fmt::Display| {
        Failure::BadInput(format!("cannot read a trace from {file}: {error}"))
    };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| bad(&error))?;
    if value.get("hardbop-outcome").is_some() {
        let outcome: Outcome = serde_json::from_value(value).map_err(|error| bad(&error))?;
        let answers = outcome.answers.into_iter();
        let traces = answers.filter_map(|answer| match answer.verdict {
            Verdict::Found(Evidence::Run(trace)) => {
                Some(Recorded::Bare(Box::new(FoundRun::Trace(trace))))
            }
            _ => None,
        });
        return Ok(traces.collect());
    }
    if value.get(json::MARK).is_some() {
        let outcome: PropertyOutcome =
            serde_json::from_value(value).map_err(|error| bad(&error))?;
        let (found, known) = (outcome.version, json::VERSION);
        if found != known {
            let why = format!("this is version {found} of the form; only version {known} is known");
            return Err(bad(&why));
        }
        let answers = outcome.answers.into_iter();
        return Ok(answers
            .map(|answer| Recorded::Answer(Box::new(answer)))
            .collect());
    }
    let run = if value.get("hardbop-lasso").is_some() {
        serde_json::from_value(value).map(FoundRun::Lasso)
    } else if value.get("hardbop-thread-lasso").is_some() {
        serde_json::from_value(value).map(FoundRun::Threads)
    } else {
        serde_json::from_value(value).map(FoundRun::Trace)
    };
    let run = run.map_err(|error| bad(&error))?;
    Ok(vec![Recorded::Bare(Box::new(run))])
}
