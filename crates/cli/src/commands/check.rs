//! `hardbop check`: can an assertion fail, can a label be reached?
//!
//! No verdict is believed: before `VIOLATED` or `REACHABLE` is printed, the interpreter replays the run that the engine
//! found, and a run that is none is an internal error, not a verdict.

mod properties;

use crate::console::Console;
use crate::engines;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use crate::limits::Limits;
use crate::progress::ProgressArguments;
use crate::targets::TargetArguments;
use crate::trace_arguments::TraceArguments;
use crate::usage::{Usage, UsageMembers};
use clap::builder::PossibleValuesParser;
use hardbop_checker::Rejected;
use hardbop_interpreter::replay;
use hardbop_machine::Machine;
use hardbop_outcome::{Answer, Evidence, Outcome, Question, TargetKind, Verdict};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  hardbop check lock.bp                          every assertion
  hardbop check lock.bp --reach ERROR            label ERROR of any procedure
  hardbop check lock.bp --reach main:ERROR       label ERROR of main
  hardbop check lock.bp --ltl 'G (x -> F y)'      every run satisfies a formula
  hardbop check lock.bp --nonterminating         some run never ends
  hardbop check lock.bp --time 60 --states 1000000

Exit codes: 0 nothing found, 1 violated or reachable, 2 bad input, 3 unknown, 4 internal error.";

/// Check the assertions of a program, or whether labels can be reached
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    #[command(flatten)]
    targets: TargetArguments,
    #[command(flatten)]
    properties: properties::PropertyArguments,
    /// Who answers
    #[arg(long, value_parser = PossibleValuesParser::new(engines::names()), default_value = engines::AUTO)]
    engine: String,
    #[command(flatten)]
    engine_options: engines::EngineArguments,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    traces: TraceArguments,
    /// Print the outcome as JSON, with traces that `hardbop replay` reads
    #[arg(long)]
    json: bool,
    /// Print how much work it was
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    progress: ProgressArguments,
    /// Write the evidence for what cannot happen to a file
    #[arg(long, value_name = "FILE")]
    certificate: Option<String>,
    /// Believe the engine: do not replay its runs and do not check its certificate
    #[arg(long)]
    no_validate: bool,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut usage = Usage::start();
    let machine = input::load_watched(console, &arguments.program, &mut usage)?;
    if !arguments.properties.is_empty() {
        return properties::run(console, arguments, &machine, &mut usage);
    }
    let question = if arguments.targets.is_empty() {
        Question::assertions(&machine)
    } else {
        arguments.targets.question(&machine)?
    };
    if question.targets().is_empty() {
        let file = machine.source.name();
        console.note(&format!(
            "{file} has no assertions, so none can fail; ask about a label with --reach LABEL"
        ));
    }
    let patience = Patience::start(arguments.limits.time);
    let mut outcome = ask(console, arguments, &machine, &question, &patience)?;
    usage.end_phase("engine");
    validate(arguments, &machine, &question, &mut outcome, &patience)?;
    usage.end_phase("validation");
    if let Some(file) = &arguments.certificate {
        save_certificate(console, file, &outcome)?;
    }
    if arguments.json {
        console.print(&format!(
            "{}\n",
            to_json(&outcome, arguments.stats.then(|| usage.members()))?
        ));
    } else {
        for answer in &outcome.answers {
            let trace = shown_trace(arguments, &machine, answer)?;
            console.print(&format!("{}\n{trace}", verdict_line(answer)));
        }
    }
    if !arguments.stats
        && exit_of(&outcome) == Exit::Unknown
        && let Some(counters) = how_far(&outcome)
    {
        console.note(&format!("so far: {counters}"));
    }
    if arguments.stats {
        let lines = statistics(&machine, &outcome.engine, &outcome.statistics, &usage);
        console.print_about(&lines);
    }
    Ok(exit_of(&outcome))
}

fn ask(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    question: &Question,
    patience: &Patience,
) -> Result<Outcome, Failure> {
    let engine = engines::find(&arguments.engine, &arguments.engine_options)?;
    if question.targets().is_empty() {
        return Ok(Outcome::new(engine.name(), Vec::new()));
    }
    let budget = arguments.limits.budget(patience);
    let mut meter = arguments.progress.meter(console);
    Ok(engine.check(machine, question, &budget, &mut meter))
}

/// Holds the engine to its word: runs are replayed, certificates checked. A proof for which the time did not suffice is none.
fn validate(
    arguments: &Arguments,
    machine: &Machine,
    question: &Question,
    outcome: &mut Outcome,
    patience: &Patience,
) -> Result<(), Failure> {
    if arguments.no_validate {
        return Ok(());
    }
    let engine = outcome.engine.clone();
    let reject = |why: String| {
        Err(Failure::Internal(format!(
            "internal error: the answer of engine {engine} was rejected: {why}"
        )))
    };
    let answered = outcome.answers.iter().map(|answer| &answer.target);
    if !answered.eq(&question.targets()) {
        return reject("it does not answer what was asked".to_owned());
    }
    for Answer { target, verdict } in &outcome.answers {
        let Verdict::Found(Evidence::Run(trace)) = verdict else {
            continue;
        };
        if trace.target.as_ref() != Some(target) {
            return reject(format!("its run does not lead to the {}", target.kind));
        }
        if let Err(error) = replay(machine, trace) {
            return reject(format!("its run to the {} is none: {error}", target.kind));
        }
    }
    if let Some(target) = outcome.uncertified() {
        return reject(format!(
            "its certificates say nothing about the {}",
            target.kind
        ));
    }
    for certificate in &outcome.certificates {
        match hardbop_checker::validate(machine, certificate, patience) {
            Ok(_) => {}
            Err(Rejected::Interrupted(why)) => {
                for answer in &mut outcome.answers {
                    if certificate.targets.contains(&answer.target) {
                        answer.verdict = Verdict::Unknown(why.clone());
                    }
                }
            }
            Err(rejected) => return reject(rejected.to_string()),
        }
    }
    Ok(())
}

fn save_certificate(console: &mut Console, file: &str, outcome: &Outcome) -> Result<(), Failure> {
    if outcome.certificates.is_empty() {
        console.note(&format!(
            "engine {} gave no certificate; {file} was not written",
            outcome.engine
        ));
        return Ok(());
    }
    let text = match outcome.certificates.as_slice() {
        [only] => serde_json::to_string(only),
        several => serde_json::to_string(several),
    };
    let text = text.map_err(|error| no_json(&error))?;
    files::replace(file, &format!("{text}\n"))
}

/// An outcome is deterministic; what it took is not, and is added only on request.
#[derive(serde::Serialize)]
struct OutcomeAndUsage<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    #[serde(flatten)]
    usage: Option<UsageMembers>,
}

fn to_json(outcome: &Outcome, usage: Option<UsageMembers>) -> Result<String, Failure> {
    serde_json::to_string_pretty(&OutcomeAndUsage { outcome, usage })
        .map_err(|error| no_json(&error))
}

fn no_json(error: &serde_json::Error) -> Failure {
    Failure::Internal(format!("internal error: {error}"))
}

/// The verdict in the words that fit the question.
fn verdict_line(answer: &Answer) -> String {
    let is_assertion = matches!(answer.target.kind, TargetKind::Assertion { .. });
    let place = &answer.target.kind;
    match (&answer.verdict, is_assertion) {
        (Verdict::Found(_), true) => format!("VIOLATED     {place}"),
        (Verdict::Found(_), false) => format!("REACHABLE    {place}"),
        (Verdict::Excluded, true) => format!("HOLDS        {place}"),
        (Verdict::Excluded, false) => format!("UNREACHABLE  {place}"),
        (Verdict::ExcludedUpTo(bound), true) => format!("HOLDS up to {bound}: {place}"),
        (Verdict::ExcludedUpTo(bound), false) => {
            format!("UNREACHABLE up to {bound}: {place}")
        }
        (Verdict::Unknown(why), _) => format!("UNKNOWN      {place}: {why}"),
    }
}

fn shown_trace(
    arguments: &Arguments,
    machine: &Machine,
    answer: &Answer,
) -> Result<String, Failure> {
    match &answer.verdict {
        Verdict::Found(Evidence::Run(trace)) => {
            let shown = arguments.traces.shown(machine, trace);
            shown.map_err(|error| Failure::Internal(format!("internal error: {error}")))
        }
        Verdict::Excluded | Verdict::ExcludedUpTo(_) | Verdict::Unknown(_) => Ok(String::new()),
    }
}

/// What was found outweighs what is not known.
fn exit_of(outcome: &Outcome) -> Exit {
    let any = |is: fn(&Verdict) -> bool| outcome.answers.iter().any(|answer| is(&answer.verdict));
    if any(|verdict| matches!(verdict, Verdict::Found(_))) {
        Exit::Found
    } else if any(|verdict| matches!(verdict, Verdict::Unknown(_))) {
        Exit::Unknown
    } else {
        Exit::Fine
    }
}

/// What an engine had done when it gave up, if it counts anything.
fn how_far(outcome: &Outcome) -> Option<String> {
    let counters = outcome.statistics.iter().filter(|(_, count)| *count > 0);
    let counters = counters.map(|(name, count)| format!("{count} {}", name.replace('-', " ")));
    let list: Vec<String> = counters.collect();
    (!list.is_empty()).then(|| list.join(", "))
}

fn statistics(
    machine: &Machine,
    engine: &str,
    counters: &[(String, u64)],
    usage: &Usage,
) -> String {
    let mut lines = vec![
        ("engine".to_owned(), engine.to_owned()),
        (
            "procedures".to_owned(),
            machine.procedures.len().to_string(),
        ),
        (
            "nodes of the program".to_owned(),
            machine.nodes.len().to_string(),
        ),
        (
            "edges of the program".to_owned(),
            machine.edges.len().to_string(),
        ),
    ];
    lines.extend(usage.lines());
    let figures = counters.iter();
    lines.extend(figures.map(|(name, count)| (name.clone(), count.to_string())));
    let time = usage.time_of("engine");
    lines.extend(time.and_then(|time| states_per_second(counters, time)));
    rows(&lines)
}

/// A name and a figure per line.
fn rows(lines: &[(String, String)]) -> String {
    let row = |(name, value): &(String, String)| format!("  {name:<28} {value:>14}\n");
    lines.iter().map(row).collect()
}

/// The speed of an engine that counts states.
fn states_per_second(counters: &[(String, u64)], time: Duration) -> Option<(String, String)> {
    let (_, states) = counters.iter().find(|(name, _)| name == "states")?;
    let speed = (u128::from(*states) * 1_000_000).checked_div(time.as_micros())?;
    Some(("states per second".to_owned(), speed.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::NodeId;
    use hardbop_outcome::{Limit, Target, Trace};

    fn answer(verdict: Verdict) -> Answer {
        let target = Target {
            node: NodeId(0),
            kind: TargetKind::Assertion { line: 1 },
        };
        Answer::new(target, verdict)
    }

    fn reachable() -> Verdict {
        let trace = Trace {
            version: 1,
            program: String::new(),
            target: None,
            globals: Vec::new(),
            threads: Vec::new(),
            runs: Vec::new(),
            segments: Vec::new(),
        };
        Verdict::Found(Evidence::Run(trace))
    }

    #[test]
    fn a_violation_outweighs_an_unknown_and_an_unknown_outweighs_a_proof() {
        let unknown = || Verdict::Unknown(Limit::Time);
        let exit = |verdicts: Vec<Verdict>| {
            exit_of(&Outcome::new(
                "test",
                verdicts.into_iter().map(answer).collect(),
            ))
        };
        assert_eq!(exit(vec![]), Exit::Fine);
        assert_eq!(exit(vec![Verdict::Excluded]), Exit::Fine);
        assert_eq!(exit(vec![Verdict::Excluded, unknown()]), Exit::Unknown);
        assert_eq!(exit(vec![unknown(), reachable()]), Exit::Found);
    }
}
