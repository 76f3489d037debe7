//! Brute force as an engine: it takes small programs with almost any question.

use crate::branching::holds_everywhere;
use crate::configurations::Oracle;
use crate::contexts::{ContextOracle, Cost};
use crate::runs::RunOracle;
use crate::steps::Bounds;
use hardbop_machine::Machine;
use hardbop_outcome::engine::takes_for_a_thread;
use hardbop_outcome::{
    Bound, Budget, Declined, Engine, Limit, Outcome, Prepared, Progress, Question, Statistics,
    Support, Verdict, WantedRun,
};

/// Explores whole configurations, one by one.
#[derive(Clone, Copy, Debug, Default)]
pub struct BruteForce;

/// Configurations that fit an ordinary computer's memory; [`Budget::states`] sets another limit.
pub(crate) const MANY: usize = 10_000_000;

impl Engine for BruteForce {
    fn name(&self) -> &'static str {
        "brute-force"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        takes(machine, question)?;
        Ok(Prepared::new(move |budget, progress| {
            self.search(machine, question, budget, progress)
        }))
    }
}

/// Declines what the search does not obey.
fn takes(machine: &Machine, question: &Question) -> Result<(), Declined> {
    takes_for_a_thread(machine, question)?;
    let is_property = question.as_property().is_some() || question.as_branching().is_some();
    match question.bound {
        Some(Bound::Steps(_)) => Declined::because("a bound on steps"),
        Some(_) if is_property => Declined::because("a bound for properties of runs"),
        _ if is_property && question.wanted == WantedRun::Shortest => {
            Declined::because("`--shortest` for properties")
        }
        _ => Ok(()),
    }
}

impl BruteForce {
    fn search(
        self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let bounds = Bounds::of(machine, budget);
        let max_configurations = budget
            .states
            .map_or(MANY, |states| usize::try_from(states).unwrap_or(usize::MAX));
        let contexts = |cost, max_cost| ContextOracle {
            cost,
            max_cost,
            max_stack: bounds.stack,
            max_threads: bounds.threads,
            max_configurations,
        };
        if let Some(ctl) = question.as_branching() {
            let (holds, statistics) = holds_everywhere(machine, ctl, bounds, budget, progress);
            return branching_outcome(self.name(), question, holds, statistics);
        }
        if let Some(property) = question.as_property() {
            let search = RunOracle { bounds };
            let (verdict, statistics) =
                search.check(machine, &property.automaton, budget, progress);
            let mut outcome = Outcome::same(self.name(), question, &verdict);
            outcome.statistics = statistics;
            return outcome;
        }
        let mut outcome = match question.bound {
            Some(Bound::ContextSwitches(switches)) => {
                contexts(Cost::Switches, switches).answer(machine, question, budget)
            }
            Some(Bound::Rounds(rounds)) => {
                contexts(Cost::Rounds, rounds.saturating_sub(1)).answer(machine, question, budget)
            }
            Some(Bound::Steps(_)) | None => {
                let oracle = Oracle {
                    max_stack: bounds.stack,
                    max_threads: bounds.threads,
                    max_configurations,
                    with_certificate: machine.is_sequential(),
                };
                oracle.search(machine, question, budget, progress)
            }
        };
        self.name().clone_into(&mut outcome.engine);
        outcome
    }
}

/// The answer to a question about branching time, for which there is no evidence.
fn branching_outcome(
    name: &str,
    question: &Question,
    holds: Result<bool, Limit>,
    statistics: Statistics,
) -> Outcome {
    let support = Support::Uncertified(Some("brute force writes no strategy down".to_owned()));
    let verdict = match holds {
        Ok(true) => Verdict::No(support),
        Ok(false) => Verdict::Yes(support),
        Err(why) => Verdict::Unknown(why),
    };
    let mut outcome = Outcome::same(name, question, &verdict);
    outcome.statistics = statistics;
    outcome
}
