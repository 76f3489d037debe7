//! `hardbop coverage`: what of a program can be reached at all?
//!
//! One search answers for every statement and every branch. Code that no run reaches, conditions
//! that always come out the same, and assumptions that leave nothing to check are usually mistakes
//! in the model: a verdict about it then says less than it seems to.

use crate::console::Console;
use crate::engine_arguments::{AUTO, names};
use crate::exit::{Exit, Failure};
use crate::input::{self, ProgramArguments};
use crate::interrupt::Patience;
use crate::limits::Limits;
use clap::builder::PossibleValuesParser;
use hardbop_machine::NodeId;
use hardbop_outcome::{Budget, Coverage, Limit, Reach, Silent, Verdict};
use hardbop_portfolio::{Choice, EngineName, Portfolio, Refused, Validation};
use hardbop_report::coverage::{Lines, render};
use hardbop_transform::split::CoverageQuestion;

const EXAMPLES: &str = "\
Examples:
  hardbop coverage lock.bp               the source, each line marked
  hardbop coverage lock.bp --findings    only lines with something remarkable
  hardbop coverage lock.bp --json        the same for scripts

Exit codes: 0 everything is decided, 2 bad input, 3 something is unknown, 4 internal error.";

/// Show which statements can be reached and which conditions always come out the same
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// Engine to use
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(names()), default_value = AUTO, help_heading = "Engines")]
    engine: String,
    #[command(flatten)]
    pub limits: Limits,
    /// Show only lines with something unreachable, or a condition that always comes out the same
    /// (an assertion that holds aside)
    #[arg(long, help_heading = "Output")]
    findings: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Runs the command.
pub fn run(
    console: &mut Console,
    patience: &Patience,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    let machine = input::load(console, &arguments.program)?;
    let question = CoverageQuestion::new(&machine);
    let budget = arguments.limits.budget(patience);
    let answers = answers(&question, &arguments.engine, &budget)?;
    let coverage = question.coverage(|node| answers.reach[node.index()]);
    if arguments.json {
        console.print(&to_json(&coverage)?);
    } else {
        let lines = if arguments.findings {
            Lines::Findings
        } else {
            Lines::All
        };
        console.print(&render(&machine, &coverage, lines));
    }
    if !coverage.has_unknowns() {
        return Ok(Exit::Fine);
    }
    if let Some(why) = answers.missed {
        console.note(&format!("not everything is known: {why}"));
    }
    Ok(Exit::Unknown)
}

/// The answers for all nodes of a question.
struct Answers {
    reach: Vec<Reach>,
    /// Why some are unknown.
    missed: Option<Limit>,
}

/// Asks for all nodes at once. Runs are not needed, so where no engine is asked for, the search of
/// the summary engine is used without its evidence.
fn answers(
    question: &CoverageQuestion<'_>,
    engine: &str,
    budget: &Budget<'_>,
) -> Result<Answers, Failure> {
    let machine = question.machine();
    let engine = EngineName::find(engine);
    if machine.is_sequential() && matches!(engine, None | Some(EngineName::Summary)) {
        let reached = hardbop_summary::reached(machine, budget);
        let missed = reached.missed().cloned();
        let reach = |node: NodeId| match (reached.contains(node), &missed) {
            (true, _) => Reach::Reachable,
            (false, None) => Reach::Unreachable,
            (false, Some(_)) => Reach::Unknown,
        };
        return Ok(Answers {
            reach: machine.node_ids().map(reach).collect(),
            missed,
        });
    }
    let portfolio = Portfolio {
        choice: engine.map_or(Choice::Auto, Choice::Engine),
        validation: Validation::None,
        ..Portfolio::default()
    };
    let outcome = portfolio.check(machine, &question.question(), budget, &mut Silent);
    let outcome = outcome.map_err(|refused| match refused {
        Refused::Usage(why) => Failure::BadInput(why),
        fault @ Refused::Fault(_) => Failure::Internal(fault.to_string()),
    })?;
    let mut missed = None;
    let reach = outcome
        .answers
        .into_iter()
        .map(|answer| match answer.verdict {
            Verdict::Found(_) => Reach::Reachable,
            Verdict::Excluded => Reach::Unreachable,
            Verdict::ExcludedUpTo(bound) => {
                missed = Some(Limit::Beyond { bound });
                Reach::Unknown
            }
            Verdict::Unknown(why) => {
                missed.get_or_insert(why);
                Reach::Unknown
            }
        });
    Ok(Answers {
        reach: reach.collect(),
        missed,
    })
}

fn to_json(coverage: &Coverage) -> Result<String, Failure> {
    match serde_json::to_string(coverage) {
        Ok(text) => Ok(format!("{text}\n")),
        Err(error) => Err(Failure::Internal(format!("internal error: {error}"))),
    }
}
