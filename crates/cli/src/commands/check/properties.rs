//! Properties of runs: formulas, monitors, automata, and three questions that need no text.
//!
//! The explicit engine looks for a run of the kind that each question is about. As everywhere, what it finds is not believed: the run
//! is [judged](crate::properties::Question::judge) before the verdict is printed.

use super::{Arguments, no_json, rows, states_per_second, statistics};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::interrupt::Patience;
use crate::properties::json::{self, OutcomeAndUsage, PropertyOutcome};
use crate::properties::{Answered, Asked, FoundRun, Question, RunsVerdict};
use crate::usage::Usage;
use hardbop_machine::Machine;
use hardbop_outcome::Limit;
use std::time::Duration;

/// Who answers about sequential programs.
const ENGINE: &str = "explicit";

/// What to ask about runs.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Properties of runs")]
pub struct PropertyArguments {
    /// Check a formula of linear temporal logic (may be repeated)
    #[arg(long, value_name = "FORMULA")]
    ltl: Vec<String>,
    /// Check a monitor: its target states must not be entered, its accepting states not for ever (may be repeated)
    #[arg(long, value_name = "FILE.mon")]
    monitor: Vec<String>,
    /// Check an automaton of the runs that must not be, in the HOA format (may be repeated)
    #[arg(long, value_name = "FILE.hoa")]
    hoa: Vec<String>,
    /// Ask for a run that visits a label again and again (may be repeated)
    #[arg(long, value_name = "LABEL")]
    fair: Vec<String>,
    /// Ask for a run that never ends
    #[arg(long)]
    nonterminating: bool,
    /// Ask for a run that ends
    #[arg(long)]
    terminates: bool,
}

impl PropertyArguments {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.ltl.is_empty()
            && self.monitor.is_empty()
            && self.hoa.is_empty()
            && self.fair.is_empty()
            && !self.nonterminating
            && !self.terminates
    }

    /// What is asked, in a fixed order; files are read.
    fn asked(&self) -> Result<Vec<Asked>, Failure> {
        let mut asked = Vec::new();
        for formula in &self.ltl {
            let formula = formula.clone();
            asked.push(Asked::Ltl { formula });
        }
        for file in &self.monitor {
            let (file, text) = (file.clone(), input::read_text(file)?);
            asked.push(Asked::Monitor { file, text });
        }
        for file in &self.hoa {
            let (file, text) = (file.clone(), input::read_text(file)?);
            asked.push(Asked::Hoa { file, text });
        }
        for label in &self.fair {
            let label = label.clone();
            asked.push(Asked::Fair { label });
        }
        asked.extend(self.nonterminating.then_some(Asked::Nonterminating));
        asked.extend(self.terminates.then_some(Asked::Terminates));
        Ok(asked)
    }
}

/// Answers the questions about runs.
pub fn run(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    usage: &mut Usage,
) -> Result<Exit, Failure> {
    let bad = |why: &str| Err(Failure::BadInput(why.to_owned()));
    if !arguments.targets.is_empty() {
        return bad("labels and properties of runs are asked about one at a time");
    }
    if !["auto", "explicit"].contains(&arguments.engine.as_str()) {
        return bad("properties of runs are for the engine explicit");
    }
    if arguments.certificate.is_some() {
        return bad("there are no certificates for properties of runs");
    }
    let asked = arguments.properties.asked()?.into_iter();
    let questions = asked.map(|asked| Question::read(console, machine, asked));
    let questions: Vec<Question> = questions.collect::<Result<_, _>>()?;
    usage.end_phase("properties");
    let engine = arguments.engine_options.property_engine();
    let patience = Patience::start(arguments.limits.time);
    let mut exit = Exit::Fine;
    let mut engine_name = ENGINE;
    let mut answers = Vec::new();
    for question in &questions {
        let budget = arguments.limits.budget(&patience);
        let mut meter = arguments.progress.meter(console);
        let answer = question.answer(engine, machine, &budget, &mut meter);
        engine_name = answer.engine;
        let time = usage.end_phase("engine");
        if !arguments.no_validate
            && let RunsVerdict::Found(run) = &answer.verdict
        {
            question.judge(machine, run).map_err(|why| {
                Failure::Internal(format!(
                    "internal error: the answer of engine {engine_name} was rejected: {why}"
                ))
            })?;
        }
        usage.end_phase("validation");
        exit = match (exit, &answer.verdict) {
            (_, RunsVerdict::Found(_)) | (Exit::Found, _) => Exit::Found,
            (_, RunsVerdict::Unknown(_)) => Exit::Unknown,
            (exit, RunsVerdict::Excluded) => exit,
        };
        if arguments.json {
            answers.push(json::Answer::new(question, answer));
        } else {
            console.print(&shown(arguments, machine, question, &answer)?);
            if arguments.stats {
                console.print_about(&counters(&answer, time));
            }
        }
    }
    if arguments.json {
        let outcome = PropertyOutcome {
            version: json::VERSION,
            engine: engine_name.to_owned(),
            answers,
        };
        let usage = arguments.stats.then(|| usage.members());
        let json = OutcomeAndUsage { outcome, usage };
        let text = serde_json::to_string_pretty(&json).map_err(|error| no_json(&error))?;
        console.print(&format!("{text}\n"));
    }
    if arguments.stats {
        console.print_about(&statistics(machine, engine_name, &[], usage));
    }
    Ok(exit)
}

/// The work that went into one answer.
fn counters(answer: &Answered, time: Duration) -> String {
    let counters = answer.statistics.iter();
    let mut lines: Vec<(String, String)> = counters
        .map(|(name, count)| (name.clone(), count.to_string()))
        .collect();
    lines.extend(states_per_second(&answer.statistics, time));
    rows(&lines)
}

/// An answer with its run.
fn shown(
    arguments: &Arguments,
    machine: &Machine,
    question: &Question,
    answer: &Answered,
) -> Result<String, Failure> {
    let internal = |error: String| Failure::Internal(format!("internal error: {error}"));
    let text = &question.text;
    let count = |wanted: &str| {
        let mut counters = answer.statistics.iter();
        counters.find(|(name, _)| name == wanted).map_or(0, |c| c.1)
    };
    let states = count("states");
    let explored = if machine.is_sequential() {
        format!("{states} states, {} summaries", count("summaries"))
    } else {
        format!(
            "{states} states, {} configurations",
            count("configurations")
        )
    };
    let (found, excluded) = if question.asks_for_run {
        ("REACHABLE    ", "UNREACHABLE  ")
    } else {
        ("VIOLATED     ", "HOLDS        ")
    };
    Ok(match &answer.verdict {
        RunsVerdict::Excluded => format!("{excluded}{text}\n  all explored: {explored}\n"),
        RunsVerdict::Unknown(why) => {
            let so_far = match why {
                Limit::Declined { .. } => String::new(),
                _ => format!("  explored so far: {explored}\n"),
            };
            format!("UNKNOWN      {text}: {why}\n{so_far}")
        }
        RunsVerdict::Found(run) => {
            let traces = &arguments.traces;
            let shown = match run {
                FoundRun::Lasso(lasso) => traces
                    .shown_lasso(machine, lasso)
                    .map_err(|error| internal(error.to_string())),
                FoundRun::Threads(lasso) => traces
                    .shown_thread_lasso(machine, lasso)
                    .map_err(|error| internal(error.to_string())),
                FoundRun::Trace(trace) => traces
                    .shown(machine, trace)
                    .map_err(|error| internal(error.to_string())),
            };
            format!("{found}{text}\n{}", shown?)
        }
    })
}
