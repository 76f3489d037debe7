//! What of a program can be reached at all: one search for every statement and every branch.
//!
//! Runs are not needed, so where no engine is asked for, the search of the summary engine is used
//! without its evidence. Programs with threads go to the portfolio, without validation.

use crate::engines::EngineName;
use crate::judge::Validation;
use crate::portfolio::{Choice, Portfolio, Refused};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Budget, Coverage, Limit, Reach, Silent, Support, Verdict};
use hardbop_transform::split::CoverageQuestion;

/// What can be reached, as far as it is known.
#[derive(Clone, Debug)]
pub struct Covered {
    /// Statement by statement and branch by branch.
    pub coverage: Coverage,
    /// Why something is unknown.
    pub missed: Option<Limit>,
}

/// Asks about every statement and every branch of a program.
pub fn coverage(
    machine: &Machine,
    engine: Option<EngineName>,
    budget: &Budget<'_>,
) -> Result<Covered, Refused> {
    let question = CoverageQuestion::new(machine);
    let machine = question.machine();
    let (reach, missed) =
        if machine.is_sequential() && matches!(engine, None | Some(EngineName::Summary)) {
            of_summaries(machine, budget)
        } else {
            of_engines(&question, engine, budget)?
        };
    Ok(Covered {
        coverage: question.coverage(|node| reach[node.index()]),
        missed,
    })
}

fn of_summaries(machine: &Machine, budget: &Budget<'_>) -> (Vec<Reach>, Option<Limit>) {
    let reached = hardbop_summary::reached(machine, budget);
    let missed = reached.missed().cloned();
    let reach = |node: NodeId| match (reached.contains(node), &missed) {
        (true, _) => Reach::Reachable,
        (false, None) => Reach::Unreachable,
        (false, Some(_)) => Reach::Unknown,
    };
    (machine.node_ids().map(reach).collect(), missed)
}

fn of_engines(
    question: &CoverageQuestion<'_>,
    engine: Option<EngineName>,
    budget: &Budget<'_>,
) -> Result<(Vec<Reach>, Option<Limit>), Refused> {
    let portfolio = Portfolio {
        choice: engine.map_or(Choice::Auto, Choice::Engine),
        validation: Validation::None,
        ..Portfolio::default()
    };
    let machine = question.machine();
    let outcome = portfolio.check(machine, &question.question(), budget, &mut Silent)?;
    let mut missed = None;
    let answers = outcome.answers.into_iter();
    let reach = answers.map(|answer| match answer.verdict {
        Verdict::Yes(_) => Reach::Reachable,
        Verdict::No(Support::UpTo(bound)) => {
            missed = Some(Limit::Beyond { bound });
            Reach::Unknown
        }
        Verdict::No(_) => Reach::Unreachable,
        Verdict::Unknown(why) => {
            missed.get_or_insert(why);
            Reach::Unknown
        }
    });
    Ok((reach.collect(), missed))
}
