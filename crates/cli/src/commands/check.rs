//! `hardbop check`: can an assertion fail, can a label be reached, does every execution have a
//! property?
//!
//! The portfolio answers and validates: a run is replayed and a certificate checked before anything
//! is printed, and evidence that is wrong is an internal error, not a verdict. Several questions
//! are answered one after the other, and what is known stays known if the command is ended in a
//! later one.

mod confirm;
mod defined;
pub mod horn;
mod known;
mod verdicts;

use crate::batch::{self, BatchArguments};
use crate::calculus_arguments::check_algorithm;
use crate::commands::coverage;
use crate::competition::{Assignment, Property};
use crate::console::Console;
use crate::engine_arguments::EngineArguments;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use crate::limits::{Limits, TimeAndMemory};
use crate::progress::ProgressArguments;
use crate::questions::{QuestionArguments, ReadQuestion};
use crate::reports::{self, ReportArguments, Reported};
use crate::trace_arguments::{TraceArguments, shown};
use crate::usage::Usage;
use crate::watchdog;
use crate::witnesses;
use hardbop_machine::Machine;
use hardbop_outcome::{
    Answer, Asked, Budget, Certificate, Evidence, Limit, Outcome, Question, Statistics, Support,
    Verdict, VerdictWord,
};
use hardbop_portfolio::{Options, Portfolio, Refused, Validation, explain::explain};
use hardbop_report::{Document, Painter, TraceTexts};
use std::collections::VecDeque;
use std::fmt::Write;
use std::time::Duration;
use verdicts::Only;

const EXAMPLES: &str = "\
Examples:
  hardbop check lock.bp                          every assertion
  hardbop check lock.bp --reach ERROR            label ERROR of any procedure
  hardbop check lock.bp --reach main:ERROR       label ERROR of main
  hardbop check lock.bp --ltl 'G (x -> F y)'     a formula of all executions
  hardbop check lock.bp --ctl 'AG EF at(IDLE)'   IDLE is reachable from every state
  hardbop check lock.bp --nonterminating         is there an infinite execution?
  hardbop check lock.bp --jobs 2 --time 60       two engines at a time, at most a minute
  hardbop check lock.bp --cross-check            compare all engines
  hardbop check clauses.smt2                     Horn clauses: sat with a model, or unsat
  hardbop check drivers/ -j 2 --out results.jsonl   every program in a folder, two at a time
  hardbop check                                  the project in ./hardbop.toml

Exit codes: 0 holds or unreachable, 1 violated or reachable, 2 bad input,
3 unknown, 4 internal error.";

/// Check assertions, reachability of labels, and other properties
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("file", |file| file.index(1).required(false).default_value("").hide_default_value(true))
)]
pub struct Arguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    batch: BatchArguments,
    #[command(flatten)]
    questions: QuestionArguments,
    #[command(flatten)]
    engines: EngineArguments,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What is shown and kept.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    #[command(flatten)]
    traces: TraceArguments,
    /// List only these verdicts; the summary still counts all
    #[arg(
        long,
        value_name = "VERDICT",
        value_delimiter = ',',
        conflicts_with = "json"
    )]
    only: Vec<Only>,
    /// Print the outcome as JSON, with traces for `hardbop replay`
    #[arg(long)]
    pub json: bool,
    /// Print work counters and timings
    #[arg(long)]
    stats: bool,
    /// Print the plan instead of checking: for each question the engines with the passes in front
    #[arg(long, conflicts_with_all = ["json", "confirm"])]
    explain_plan: bool,
    #[command(flatten)]
    progress: ProgressArguments,
    #[command(flatten)]
    reports: ReportArguments,
    /// Write the certificates to a file
    #[arg(long, value_name = "FILE")]
    certificate: Option<String>,
    /// Treat a negative answer without a checked certificate as unknown (exit code 3)
    #[arg(long)]
    require_certificate: bool,
    /// Trust the engine: do not replay counterexamples or check certificates
    #[arg(long, conflicts_with = "require_certificate")]
    no_validate: bool,
    /// Compile a C program with `cc` and compare: with the inputs of an execution that was found, it
    /// must fail there; if it holds, it is executed on random inputs for a second
    #[arg(long, conflicts_with = "json")]
    confirm: bool,
}

impl Arguments {
    /// Whether this is a batch, in which every file has separate limits.
    pub fn is_batch(&self) -> bool {
        self.batch.is_batch(&self.program.file)
    }
}

/// Runs the command.
pub fn run(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    if arguments.is_batch() {
        return batch::run(console, &arguments.program.file, &arguments.batch);
    }
    if horn::is_one(&arguments.program.file) {
        return horn::run(console, patience, arguments);
    }
    let mut usage = Usage::start();
    let output = &arguments.output;
    let validation = if output.no_validate {
        Validation::None
    } else {
        Validation::Full
    };
    let portfolio = arguments.engines.portfolio(validation)?;
    let property = arguments.questions.property.as_deref();
    let assignment = Assignment::read(console, &arguments.program, property)?;
    let machine = input::load_watched(console, &assignment.program, &mut usage)?;
    let property = assignment.property.as_ref();
    let questions = arguments.questions.questions(console, &machine, property)?;
    if let Some(file) = &output.certificate {
        if !questions.iter().any(ReadQuestion::may_be_certified) {
            let why = "--certificate has no effect: only questions about places and safety \
                       properties, without a bound, have certificates";
            return Err(Failure::BadInput(why.to_owned()));
        }
        files::prepare(file)?;
    }
    if output.reports.witness.is_some() {
        let has_certificates = questions.iter().all(ReadQuestion::has_certificates);
        witnesses::refuse_without_effect(&machine, has_certificates)?;
    }
    output.reports.prepare(output.certificate.as_deref())?;
    if output.confirm && machine.source.c_reading().is_none() {
        let why = "--confirm is about C programs (`.c` or `.i`)";
        return Err(Failure::BadInput(why.to_owned()));
    }
    usage.end_phase("questions");
    let budget = arguments.limits.budget(patience);
    let mut all = Outcome::new("", Vec::new());
    let mut trouble = Ok(());
    let mut questions = VecDeque::from(questions);
    while let Some(question) = questions.pop_front() {
        let may_be_certified = question.may_be_certified();
        if question.is_empty() {
            nothing_to_check(console, &machine, property, output.json);
            continue;
        }
        let question = match question.prepare(console) {
            Ok(question) => question,
            Err(failure) => {
                trouble = Err(failure);
                break;
            }
        };
        let options = &portfolio.options;
        check_algorithm(options, &machine, &question, budget.threads())?;
        if output.explain_plan {
            explain_plan(console, &portfolio, &machine, &question, &budget)?;
            continue;
        }
        let mut outcome = ask(console, arguments, &portfolio, &machine, &question, &budget)?;
        defined::prefer(&machine, &portfolio, &question, &budget, &mut outcome);
        usage.end_phase("search");
        if !output.json {
            for printed in &outcome.printed {
                console.print(&printed.text);
            }
            print_answers(console, arguments, &machine, &outcome.answers, &budget)?;
            if let Some(note) = foreign_runs(&machine, options, &outcome) {
                console.note(&note);
            }
        }
        if let Some(file) = &output.certificate
            && may_be_certified
        {
            trouble = save_certificates(console, file, &all, &outcome);
        }
        if output.confirm {
            confirm::confirm(console, patience, &machine, &outcome)?;
        }
        append(&mut all, outcome);
        if !questions.is_empty() {
            console.flush();
            known::keep(
                &all,
                questions.iter().flat_map(ReadQuestion::asked).collect(),
            );
            watchdog::result_goes_on();
        }
    }
    if output.explain_plan {
        return trouble.map(|()| Exit::Fine);
    }
    let reported = Reported {
        machine: &machine,
        outcome: &all,
        most_steps: output.traces.most_steps(),
        certificate_file: output.certificate.as_deref(),
    };
    if output.json {
        watchdog::result_begins();
        let mut document = reported.document(reported.most_steps)?;
        if output.stats {
            let members = usage.members();
            (document.times, document.peak_kib) = (Some(members.times), members.peak_kib);
        }
        console.print(&document.to_json().map_err(|error| no_json(&error))?);
    }
    // Whatever becomes of the reports, the verdicts are there.
    console.flush();
    output.reports.write(console, &reported, || {
        coverage::of_sequential(&machine, &budget)
    })?;
    assignment.compare(console, &all);
    let exit = exit_of(&all, output.require_certificate);
    if output.stats {
        console.print_about(&statistics(&machine, &all, &usage));
    } else if exit == Exit::Unknown
        && let Some(counters) = how_far(&all)
    {
        console.note(&format!("so far: {counters}"));
    }
    trouble.map(|()| exit)
}

/// Says that a program has nothing that could violate what is asked, so it holds.
fn nothing_to_check(
    console: &mut Console,
    machine: &Machine,
    property: Option<&Property>,
    json: bool,
) {
    let file = machine.source.name();
    let why = match property {
        Some(Property::UnreachCall { function }) => format!("nothing calls `{function}`"),
        Some(Property::NoOverflow | Property::Termination) | None => {
            "no arithmetic can overflow".to_owned()
        }
    };
    if json {
        console.note(&format!("{file}: {why}"));
    } else {
        watchdog::result_begins();
        let word = Painter(console.colour()).verdict(VerdictWord::Holds, 12);
        console.print(&format!("{word} {file}: {why}\n"));
    }
}

/// Says that runs are not those of a user's algorithm for threads, which may define another
/// scheduler.
fn foreign_runs(machine: &Machine, options: &Options, outcome: &Outcome) -> Option<String> {
    if machine.is_sequential() {
        return None;
    }
    let own = options
        .algorithm
        .as_ref()
        .filter(|own| !own.is_built_in())?;
    let mut evidence = outcome.answers.iter().filter_map(|a| a.verdict.evidence());
    evidence.any(Evidence::has_run).then(|| {
        format!(
            "the counterexample was found by another engine; `{}` may exclude it",
            own.name
        )
    })
}

/// Once the first verdict is being written, the rest follows.
fn print_answers(
    console: &mut Console,
    arguments: &Arguments,
    machine: &Machine,
    answers: &[Answer],
    budget: &Budget<'_>,
) -> Result<(), Failure> {
    watchdog::result_begins();
    let output = &arguments.output;
    let mut evidence = answers
        .iter()
        .filter_map(|answer| answer.verdict.evidence());
    let has_runs = evidence.any(Evidence::has_run);
    let texts = if has_runs {
        output.traces.texts(console, machine)
    } else {
        None
    };
    let painter = Painter(console.colour());
    for answer in verdicts::sorted(answers, &output.only) {
        let line = verdict_line(machine, answer, budget, &arguments.limits.process);
        let word = painter.verdict(answer.word(), 12);
        let run = shown_run(texts.as_ref(), answer)?;
        console.print(&format!("{word} {line}\n{run}"));
    }
    if let Some(summary) = verdicts::summary(answers) {
        console.print(&format!("{summary}\n"));
    }
    Ok(())
}

/// Prints the pipelines that would answer a question.
fn explain_plan(
    console: &mut Console,
    portfolio: &Portfolio,
    machine: &Machine,
    question: &Question,
    budget: &Budget<'_>,
) -> Result<(), Failure> {
    let lines = portfolio.plan(machine, question, budget).map_err(refused)?;
    let mut text = match question.asked().as_slice() {
        [Asked::Property(property)] => format!("{property}\n"),
        [Asked::Target(target)] => format!("{}:{target}\n", machine.source.name()),
        several => format!("{}: {} places\n", machine.source.name(), several.len()),
    };
    for line in lines {
        let (name, pipeline) = (line.pipeline.name.as_str(), &line.pipeline);
        let _ = write!(text, "  {name:<14} {pipeline}");
        for pass in line.idle {
            let _ = write!(text, "; {pass} changes nothing here");
        }
        text.push('\n');
    }
    console.print(&text);
    Ok(())
}

fn ask(
    console: &mut Console,
    arguments: &Arguments,
    portfolio: &Portfolio,
    machine: &Machine,
    question: &Question,
    budget: &Budget<'_>,
) -> Result<Outcome, Failure> {
    let mut meter = arguments.output.progress.meter(console);
    let answer = portfolio.check(machine, question, budget, &mut meter);
    answer.map_err(refused)
}

fn refused(refused: Refused) -> Failure {
    match refused {
        Refused::Usage(why) => Failure::BadInput(why),
        Refused::Fault(fault) => {
            let saved = fault.reproduction.as_ref().map(|program| {
                let file = "hardbop-fault.bp";
                match files::replace(file, program) {
                    Ok(()) => format!("\nthe smallest program that shows it is in {file}"),
                    Err(_) => format!("\nthe smallest program that shows it:\n{program}"),
                }
            });
            let saved = saved.unwrap_or_default();
            Failure::Internal(format!("internal error: {fault}{saved}"))
        }
    }
}

/// Adds the answers to another question.
fn append(all: &mut Outcome, outcome: Outcome) {
    if all.engine.is_empty() {
        *all = outcome;
        return;
    }
    if !all.engine.split(", ").any(|name| name == outcome.engine) {
        all.engine = format!("{}, {}", all.engine, outcome.engine);
    }
    all.answers.extend(outcome.answers);
    all.statistics.join(outcome.statistics);
    all.certificates.extend(outcome.certificates);
    all.printed.extend(outcome.printed);
}

/// Saves the certificates of a question with those of the questions before it.
fn save_certificates(
    console: &mut Console,
    file: &str,
    before: &Outcome,
    now: &Outcome,
) -> Result<(), Failure> {
    let all: Vec<&Certificate> = before
        .certificates
        .iter()
        .chain(&now.certificates)
        .collect();
    if all.is_empty() {
        console.note(&format!(
            "there is no certificate to save; {file} was not written"
        ));
        return Ok(());
    }
    let text = match all.as_slice() {
        [only] => serde_json::to_string(only),
        several => serde_json::to_string(several),
    };
    let text = text.map_err(|error| no_json(&error))?;
    files::replace(file, &format!("{text}\n"))
}

/// The outcome of a command that was ended at a limit: what is known, and what is not.
pub fn unknown(arguments: &Arguments, limit: &Limit, why: &str) -> (String, Exit) {
    let file = &arguments.program.file;
    let (outcome, open) = known::all(limit);
    let exit = match exit_of(&outcome, false) {
        Exit::Found => Exit::Found,
        _ => Exit::Unknown,
    };
    if arguments.output.json {
        let mut document = Document::bare(&outcome, reports::VERSION, file);
        document.unknown = Some(why);
        return (document.to_json().unwrap_or_default(), exit);
    }
    if horn::is_one(file) {
        return ("unknown\n".to_owned(), exit);
    }
    let line = |what: &str| format!("UNKNOWN      {what}: {why}\n");
    if open.is_empty() {
        return (line(file), exit);
    }
    let lines = open.iter().map(|property| line(&property.to_string()));
    (lines.collect(), exit)
}

/// Why satisfiable clauses have no model.
fn no_model(why: &str) -> String {
    format!("there is no model that could be checked: {why}")
}

fn no_json(error: &serde_json::Error) -> Failure {
    Failure::Internal(format!("internal error: {error}"))
}

/// The text after the word of a verdict: the place, its bound, and whether it is certified.
fn verdict_line(
    machine: &Machine,
    answer: &Answer,
    budget: &Budget<'_>,
    limits: &TimeAndMemory,
) -> String {
    let place = match &answer.asked {
        Asked::Target(target) => format!("{}:{target}", machine.source.name()),
        Asked::Property(property) => property.to_string(),
    };
    let extent = match &answer.verdict {
        Verdict::Unknown(Limit::Memory) if limits.is_address_space_first() => {
            let why = limits.in_words(&Limit::Memory);
            format!(": {why}; raise it or try another --engine")
        }
        Verdict::Unknown(why) => {
            let seconds = limits.time.map(|time| time.as_secs_f64());
            format!(": {}", explain(why, budget, seconds))
        }
        Verdict::Yes(support) | Verdict::No(support) => in_words(support),
    };
    let vacuous = if answer.vacuous {
        ", vacuously: it is never reached"
    } else {
        ""
    };
    format!("{place}{vacuous}{extent}")
}

/// What a verdict stands on, where its word does not say so.
fn in_words(support: &Support) -> String {
    match support {
        Support::Evidence(Evidence::Strategy(strategy)) => match strategy.positions.len() {
            1 => ", by a strategy of 1 position".to_owned(),
            count => format!(", by a strategy of {count} positions"),
        },
        Support::UpTo(bound) => format!(", up to {bound}"),
        Support::Uncertified(Some(why)) => format!(", not certified: {why}"),
        Support::Evidence(_) | Support::Certificate | Support::Uncertified(None) => String::new(),
    }
}

fn shown_run(texts: Option<&TraceTexts<'_>>, answer: &Answer) -> Result<String, Failure> {
    let evidence = answer.verdict.evidence().filter(|e| e.has_run());
    let Some(evidence) = evidence else {
        return Ok(String::new());
    };
    let shown = shown(texts, evidence, Some(&answer.asked));
    shown.map_err(|error| Failure::Internal(format!("internal error: {error}")))
}

/// A violation outweighs an unknown verdict.
fn exit_of(outcome: &Outcome, requires_certificates: bool) -> Exit {
    let is_open = |answer: &Answer| match answer.verdict.support() {
        None => true,
        Some(Support::Evidence(_) | Support::Certificate) => false,
        Some(Support::UpTo(_) | Support::Uncertified(_)) => requires_certificates,
    };
    if outcome.answers.iter().any(|answer| answer.verdict.is_yes()) {
        Exit::Found
    } else if outcome.answers.iter().any(is_open) {
        Exit::Unknown
    } else {
        Exit::Fine
    }
}

/// What an engine had done when it gave up, if it counts anything.
fn how_far(outcome: &Outcome) -> Option<String> {
    let counters = outcome.statistics.iter().filter(|&(_, count)| count > 0);
    let counters = counters.map(|(name, count)| format!("{count} {}", name.replace('-', " ")));
    let list: Vec<String> = counters.collect();
    (!list.is_empty()).then(|| list.join(", "))
}

fn statistics(machine: &Machine, outcome: &Outcome, usage: &Usage) -> String {
    let mut lines = vec![
        ("answered by".to_owned(), outcome.engine.clone()),
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
    let counters = outcome.statistics.iter();
    lines.extend(counters.map(|(name, count)| (name.to_owned(), count.to_string())));
    let time = usage.time_of("search");
    lines.extend(time.and_then(|time| states_per_second(&outcome.statistics, time)));
    let row = |(name, value): &(String, String)| format!("  {name:<28} {value:>14}\n");
    lines.iter().map(row).collect()
}

/// The speed of an engine that counts states.
fn states_per_second(counters: &Statistics, time: Duration) -> Option<(String, String)> {
    let states = counters.get("states")?;
    let speed = (u128::from(states) * 1_000_000).checked_div(time.as_micros())?;
    Some(("states per second".to_owned(), speed.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::NodeId;
    use hardbop_outcome::{Target, TargetKind, Trace};

    fn answer(verdict: Verdict) -> Answer {
        let target = Target {
            node: NodeId(0),
            kind: TargetKind::Assertion,
            procedure: "main".to_owned(),
            line: 1,
            column: 1,
            text: "assert(x)".to_owned(),
        };
        Answer::new(target, verdict)
    }

    fn found() -> Verdict {
        Verdict::run(Trace {
            version: 1,
            program: String::new(),
            target: None,
            globals: Vec::new(),
            threads: Vec::new(),
            runs: Vec::new(),
            segments: Vec::new(),
        })
    }

    #[test]
    fn a_violation_outweighs_an_unknown_and_an_unknown_outweighs_a_proof() {
        let unknown = || Verdict::Unknown(Limit::Time);
        let outcome = |verdicts: Vec<Verdict>| {
            Outcome::new("test", verdicts.into_iter().map(answer).collect())
        };
        let exit = |verdicts| exit_of(&outcome(verdicts), false);
        assert_eq!(exit(vec![]), Exit::Fine);
        assert_eq!(exit(vec![Verdict::NO]), Exit::Fine);
        assert_eq!(exit(vec![Verdict::NO, unknown()]), Exit::Unknown);
        assert_eq!(exit(vec![unknown(), found()]), Exit::Found);
        let demanding = exit_of(&outcome(vec![Verdict::NO]), true);
        assert_eq!(demanding, Exit::Unknown);
    }
}
