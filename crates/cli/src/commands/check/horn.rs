//! `check` on constrained Horn clauses: the verdict as one word of the competition, then the model
//! or the derivation, which have been checked against the clauses.

use super::{Arguments, ask, no_model};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::interrupt::Patience;
use crate::questions::QuestionArguments;
use crate::reports::ReportArguments;
use crate::trace_arguments::Level;
use crate::usage::Usage;
use crate::watchdog;
use hardbop_chc::check::ModelError;
use hardbop_chc::{NoAnswer, Problem, print};
use hardbop_outcome::{Outcome, Question, Support, Verdict, WantedRun};
use hardbop_portfolio::Validation;
use hardbop_syntax::Source;

/// Whether a file is a system of clauses, by its name.
pub fn is_one(file: &str) -> bool {
    let extension = std::path::Path::new(file).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("smt2"))
}

/// Checks a system of clauses.
pub fn run(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    refuse_other_options(arguments)?;
    let mut usage = Usage::start();
    let source = input::read_source(&arguments.program.file)?;
    usage.end_phase("read");
    let mut problem = Problem::new(&source).map_err(|error| bad_input(&source, &error))?;
    usage.end_phase("translate");
    let portfolio = arguments.engines.portfolio(Validation::Full)?;
    let budget = arguments.limits.budget(patience);
    let question = Question::assertions(problem.machine()).wanting(WantedRun::Any);
    let outcome = ask(
        console,
        arguments,
        &portfolio,
        problem.machine(),
        &question,
        &budget,
    )?;
    usage.end_phase("search");
    let stop = || budget.interrupt.check().is_some();
    let answer = answer(&mut problem, &outcome, &stop)?;
    usage.end_phase("evidence");
    watchdog::result_begins();
    let shows_evidence = arguments.output.traces.trace != Level::None;
    let exit = match answer {
        Ok((word, exit, evidence)) => {
            console.print(&format!("{word}\n"));
            if shows_evidence {
                console.print(&evidence);
            }
            exit
        }
        Err(why) => {
            console.print("unknown\n");
            console.note(&why);
            Exit::Unknown
        }
    };
    if arguments.output.stats {
        console.print_about(&super::statistics(problem.machine(), &outcome, &usage));
    }
    Ok(exit)
}

/// The verdict with its evidence, or why it is not known.
type Answer = Result<(&'static str, Exit, String), String>;

fn answer(
    problem: &mut Problem,
    outcome: &Outcome,
    stop: &dyn Fn() -> bool,
) -> Result<Answer, Failure> {
    let internal = |why: NoAnswer| Failure::Internal(format!("internal error: {why}"));
    let Some(answer) = outcome.answers.first() else {
        return Ok(Err("no engine answered".to_owned()));
    };
    match &answer.verdict {
        verdict @ Verdict::Yes(_) => {
            let Some(trace) = verdict.trace() else {
                return Ok(Err(no_model("the engine gave no execution")));
            };
            let derivation = problem.derivation(trace).map_err(internal)?;
            let text = print::derivation(problem.system(), &derivation);
            Ok(Ok(("unsat", Exit::Found, text)))
        }
        Verdict::No(Support::UpTo(bound)) => Ok(Err(no_model(&format!(
            "the question was answered only up to {bound}"
        )))),
        verdict @ Verdict::No(_) => {
            let mut why = match verdict.why_uncertified() {
                Some(why) => no_model(why),
                None => no_model("there is no certificate"),
            };
            for certificate in &outcome.certificates {
                match problem.model(certificate, stop) {
                    Ok(model) => {
                        let text = print::model(problem.system(), &model);
                        return Ok(Ok(("sat", Exit::Fine, text)));
                    }
                    Err(NoAnswer::Model(error @ ModelError::Stopped)) => why = error.to_string(),
                    Err(error @ NoAnswer::NoModel) => why = error.to_string(),
                    Err(error) => return Err(internal(error)),
                }
            }
            Ok(Err(why))
        }
        Verdict::Unknown(limit) => Ok(Err(limit.to_string())),
    }
}

fn bad_input(source: &Source, error: &hardbop_chc::ReadError) -> Failure {
    let (line, column) = source.line_column(error.offset);
    let name = source.name();
    Failure::BadInput(format!("{name}:{line}:{column}: {error}"))
}

/// An option takes effect or is refused.
fn refuse_other_options(arguments: &Arguments) -> Result<(), Failure> {
    let (output, reading) = (&arguments.output, &arguments.program.reading);
    let differs = |given: String, default: String| given != default;
    let asks = differs(
        format!("{:?}", arguments.questions),
        format!("{:?}", QuestionArguments::default()),
    );
    let reports = differs(
        format!("{:?}", output.reports),
        format!("{:?}", ReportArguments::default()),
    );
    let refused = [
        (asks, "questions and bounds"),
        (reports, "reports"),
        (output.json, "--json"),
        (!output.only.is_empty(), "--only"),
        (output.traces.expand.is_some(), "--expand"),
        (output.certificate.is_some(), "--certificate"),
        (output.require_certificate, "--require-certificate"),
        (output.no_validate, "--no-validate"),
        (output.confirm, "--confirm"),
        (reading.guarded, "--guarded"),
        (reading.dialect.is_some(), "--dialect"),
        (reading.c.are_given(), "options about C"),
    ];
    match refused.iter().find(|(is_given, _)| *is_given) {
        Some((_, what)) => Err(Failure::BadInput(format!(
            "{what}: not for Horn clauses, which are either satisfiable or not, with checked evidence"
        ))),
        None => Ok(()),
    }
}
