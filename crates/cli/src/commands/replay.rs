//! `hardbop replay`: is this a run of this program, and is it what it is said to be?
//!
//! Reads a trace (`simulate --save`), a lasso, or a whole outcome (`check --json`), whose runs are
//! replayed one after the other and checked against the outcome's claim: a place, or
//! a property, which is evaluated on the run once more.
//!
//! The question may be asked as `check` and `validate` ask it. Then the file does not choose what
//! its runs show: there must be a run for each item of the question.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::json;
use crate::limits::TimeAndMemory;
use crate::questions::{PropertyArguments, read_property};
use crate::reports;
use crate::targets::TargetArguments;
use crate::trace_arguments::{TraceArguments, shown};
use hardbop_interpreter::{Ending, ReplayedLasso, replay, replay_lasso, replay_thread_lasso};
use hardbop_machine::Machine;
use hardbop_outcome::{
    Answer, Asked, Evidence, Outcome, Question, Support, Trace, Verdict, outcome,
};
use hardbop_portfolio::{Judgement, judge_evidence};
use hardbop_report::document::ReplayDocument;

/// Replay a trace, checking that it is an execution of the program
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// A trace, a lasso, or the output of `check --json`; `-` is standard input
    #[arg(value_name = "TRACE.json")]
    trace_file: String,
    #[command(flatten)]
    targets: TargetArguments,
    #[command(flatten)]
    properties: PropertyArguments,
    #[command(flatten)]
    traces: TraceArguments,
    /// Print the executions as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    pub limits: TimeAndMemory,
}

/// A run in a file.
enum Recorded {
    /// The file says nothing about it.
    Bare(Box<Evidence>),
    /// It answers a question.
    Answer(Box<Answer>),
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.program.file == input::STDIN && arguments.trace_file == input::STDIN {
        return Err(Failure::BadInput(
            "program and trace cannot both be standard input".to_owned(),
        ));
    }
    let machine = input::load(console, &arguments.program)?;
    let asked = asked(&machine, arguments)?;
    let recorded = read(&arguments.trace_file)?;
    let recorded = if asked.is_empty() {
        recorded
    } else {
        answers_to(asked, &recorded, arguments)?
    };
    let has_evidence = |one: &Recorded| match one {
        Recorded::Bare(_) => true,
        Recorded::Answer(answer) => answer.verdict.evidence().is_some(),
    };
    if !recorded.iter().any(has_evidence) {
        let why = format!("{} has nothing to replay", arguments.trace_file);
        return Err(Failure::Internal(why));
    }
    let mut document = ReplayDocument::new(&machine, reports::VERSION);
    let mut texts = None;
    for run in &recorded {
        let (evidence, asked, end) = match run {
            Recorded::Bare(evidence) => {
                let target = evidence.run().and_then(|trace| trace.target.as_ref());
                let end = match target {
                    Some(target) => format!("reaches {}:{target}", machine.source.name()),
                    None => "is an execution of the program".to_owned(),
                };
                (&**evidence, None, end)
            }
            Recorded::Answer(answer) => {
                let Some(evidence) = answer.verdict.evidence() else {
                    let asked = &answer.asked;
                    console.note(&format!(
                        "{} has no execution for: {asked}",
                        arguments.trace_file
                    ));
                    continue;
                };
                let end = judge(console, arguments, &machine, &answer.asked, evidence)?;
                (evidence, Some(&answer.asked), end)
            }
        };
        if arguments.json {
            let most = arguments.traces.most_steps();
            let added = document.add(&machine, evidence, asked, end, most);
            added.map_err(|why| reject(arguments, &machine, &why))?;
        } else {
            let text = texts.get_or_insert_with(|| arguments.traces.texts(console, &machine));
            let texts = text.as_ref().filter(|_| evidence.has_run());
            let run = shown(texts, evidence, asked);
            let run = run.map_err(|why| reject(arguments, &machine, &why))?;
            let length = length(arguments, &machine, evidence)?;
            console.print(&format!("REPLAYED     {end}: {length}\n{run}"));
        }
    }
    if arguments.json {
        let text = document.to_json();
        let text = text.map_err(|e| Failure::Internal(format!("internal error: {e}")))?;
        console.print(&text);
    }
    Ok(Exit::Fine)
}

/// The items of the question; none if the file is to say what its runs show.
fn asked(machine: &Machine, arguments: &Arguments) -> Result<Vec<Asked>, Failure> {
    let targets = arguments.targets.targets(machine)?;
    let texts = arguments.properties.texts(machine)?;
    let targets = targets.into_iter().map(Asked::Target);
    let properties = texts.into_iter().map(Asked::Property);
    Ok(targets.chain(properties).collect())
}

/// Takes each item of a question with the evidence that the file has for it. What the evidence
/// shows is judged later, by what is asked here and not by what the file says.
fn answers_to(
    asked: Vec<Asked>,
    recorded: &[Recorded],
    arguments: &Arguments,
) -> Result<Vec<Recorded>, Failure> {
    let mut answers = Vec::new();
    for item in asked {
        let about_item = recorded.iter().find_map(|one| match one {
            Recorded::Answer(answer) if answer.asked == item => answer.verdict.evidence(),
            Recorded::Answer(_) => None,
            Recorded::Bare(evidence) => Some(&**evidence),
        });
        let Some(evidence) = about_item else {
            let why = format!("{} has no run for {item}", arguments.trace_file);
            return Err(Failure::Internal(why));
        };
        let verdict = Verdict::Yes(Support::Evidence(evidence.clone()));
        answers.push(Recorded::Answer(Box::new(Answer::to(item, verdict))));
    }
    Ok(answers)
}

/// The file is damaged or about something else.
fn reject(arguments: &Arguments, machine: &Machine, why: &dyn std::fmt::Display) -> Failure {
    let (file, program) = (&arguments.trace_file, machine.source.name());
    Failure::Internal(format!("{file} is not an execution of {program}: {why}"))
}

/// Judges the run of an answer, and says what it is.
fn judge(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    asked: &Asked,
    evidence: &Evidence,
) -> Result<String, Failure> {
    let question = match asked {
        Asked::Target(target) => Question::reach(vec![target.clone()]),
        Asked::Property(text) => read_property(console, machine, text.clone())?,
    };
    let judged = judge_evidence(machine, &question, asked, evidence);
    let judged = judged.map_err(|why| reject(arguments, machine, &why))?;
    Ok(match (judged, asked) {
        (_, Asked::Target(target)) => format!("reaches {}:{target}", machine.source.name()),
        (Judgement::TooLong, Asked::Property(text)) => {
            format!("is an execution of the program, but too long to evaluate {text} on it")
        }
        (Judgement::Confirmed, Asked::Property(text)) if text.asks_for_run() => {
            format!("confirms {text}")
        }
        (Judgement::Unchecked(why), Asked::Property(text)) => {
            format!("was not fully checked ({why}) for {text}")
        }
        (Judgement::Confirmed, Asked::Property(text)) => match evidence {
            Evidence::Strategy(strategy) if strategy.holds => format!("shows {text}"),
            Evidence::Strategy(_) => format!("refutes {text}"),
            _ => format!("violates {text}"),
        },
    })
}

/// Replays a run and says how long it is.
fn length(
    arguments: &Arguments,
    machine: &Machine,
    evidence: &Evidence,
) -> Result<String, Failure> {
    let reject = |why: &dyn std::fmt::Display| reject(arguments, machine, why);
    Ok(match evidence {
        Evidence::Run(trace) => {
            let replayed = replay(machine, trace).map_err(|why| reject(&why))?;
            if replayed.saturated {
                format!("more than {} steps", replayed.flat_steps)
            } else {
                steps(replayed.flat_steps)
            }
        }
        Evidence::Lasso(lasso) => shape(&replay_lasso(machine, lasso).map_err(|why| reject(&why))?),
        Evidence::Strategy(strategy) => match strategy.positions.len() {
            1 => "1 position".to_owned(),
            count => format!("{count} positions"),
        },
        Evidence::ThreadLasso(lasso) => {
            shape(&replay_thread_lasso(machine, lasso).map_err(|why| reject(&why))?)
        }
    })
}

/// The parts of a lasso in words.
fn shape(lasso: &ReplayedLasso) -> String {
    let stem = steps(lasso.stem_steps);
    match lasso.ending {
        Some(Ending::Terminated) => format!("{stem}, then the program ends"),
        Some(Ending::Failed) => format!("{stem}, then an assertion fails"),
        None => {
            let frames = match lasso.growth {
                0 => String::new(),
                1 => ", adding 1 frame each time".to_owned(),
                frames => format!(", adding {frames} frames each time"),
            };
            let round = steps(lasso.loop_steps);
            format!("{stem}, then a loop of {round} repeated forever{frames}")
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

/// The first finite run in a file.
pub fn read_run(file: &str) -> Result<Trace, Failure> {
    let evidence = read(file)?
        .into_iter()
        .filter_map(|recorded| match recorded {
            Recorded::Bare(evidence) => Some(*evidence),
            Recorded::Answer(answer) => match answer.verdict {
                Verdict::Yes(Support::Evidence(evidence)) => Some(evidence),
                _ => None,
            },
        });
    let mut runs = evidence.filter_map(|evidence| match evidence {
        Evidence::Run(trace) => Some(trace),
        _ => None,
    });
    let none = || Failure::BadInput(format!("{file} has no finite execution"));
    runs.next().ok_or_else(none)
}

fn read(file: &str) -> Result<Vec<Recorded>, Failure> {
    let text = input::read_text(file)?;
    let bad = |error: &dyn std::fmt::Display| {
        Failure::BadInput(format!("cannot read a trace from {file}: {error}"))
    };
    let value = json::read(&text).map_err(|error| bad(&error))?;
    if value.get("hardbop-outcome").is_some() {
        let outcome: Outcome = serde_json::from_value(value).map_err(|error| bad(&error))?;
        let (found, known) = (outcome.version, outcome::VERSION);
        if found != known {
            let why = format!("format version {found} is not supported, only version {known}");
            return Err(bad(&why));
        }
        let answers = outcome.answers.into_iter();
        let recorded = answers.map(|answer| Recorded::Answer(Box::new(answer)));
        return Ok(recorded.collect());
    }
    let run = if value.get("hardbop-lasso").is_some() {
        serde_json::from_value(value).map(Evidence::Lasso)
    } else if value.get("hardbop-thread-lasso").is_some() {
        serde_json::from_value(value).map(Evidence::ThreadLasso)
    } else {
        serde_json::from_value(value).map(Evidence::Run)
    };
    let run = run.map_err(|error| bad(&error))?;
    Ok(vec![Recorded::Bare(Box::new(run))])
}
