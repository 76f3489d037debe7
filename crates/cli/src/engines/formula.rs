//! The calculus engine with threads: the formula decides, and the engine for bounded context switches finds the runs.
//!
//! The formulas for threads (section 5 of the Getafix paper) say what is reached, not how. Engines do not know of each
//! other, so it is here that the run to what the formula says is reached is asked for. If there is none, one of them is
//! wrong, and no answer is given.

use hardbop_calculus::CalculusEngine;
use hardbop_calculus::threads::{ThreadBound, decide};
use hardbop_concurrent::BoundedEngine;
use hardbop_machine::Machine;
use hardbop_outcome::{
    Answer, Budget, Engine, Event, Limit, Outcome, Progress, Question, Target, Verdict,
};

/// Solves formulas, for programs with threads too if there is a bound.
pub struct FormulaEngine {
    /// For programs without threads.
    pub sequential: CalculusEngine,
    /// How far to look.
    pub bound: Option<ThreadBound>,
    /// Finds runs, with the same bound.
    pub runs: BoundedEngine,
}

impl Engine for FormulaEngine {
    fn name(&self) -> &'static str {
        self.sequential.name()
    }

    fn check(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let bound = match self.bound {
            Some(bound) if !machine.is_sequential() => bound,
            _ => return self.sequential.check(machine, question, budget, progress),
        };
        progress.event(Event::Phase("formula"));
        let decided = match decide(machine, question, bound, self.runs.threads, budget) {
            Ok(decided) => decided,
            Err(why) => return Outcome::unknown(self.name(), question, &why),
        };
        let claims = || question.targets().iter().zip(&decided.is_reached);
        let reached: Vec<Target> = claims()
            .filter(|(_, is_reached)| **is_reached)
            .map(|(target, _)| target.clone())
            .collect();
        let mut statistics = decided.statistics.clone();
        let mut runs = Vec::new();
        if !reached.is_empty() {
            progress.event(Event::Phase("runs"));
            let asked = Question { targets: reached };
            let found = self.runs.check(machine, &asked, budget, progress);
            let counters = found.statistics.into_iter();
            statistics.extend(counters.map(|(name, value)| (format!("evidence-{name}"), value)));
            runs = found.answers;
        }
        let mut runs = runs.into_iter();
        let answers = claims().map(|(target, &is_reached)| {
            let run = if is_reached { runs.next() } else { None };
            Answer {
                target: target.clone(),
                verdict: match run {
                    Some(run) => confirmed(run.verdict, target),
                    None if decided.is_short_of_threads => Verdict::Unknown(Limit::Threads),
                    None => Verdict::ExcludedUpTo(bound.bound()),
                },
            }
        });
        let mut outcome = Outcome::new(self.name(), answers.collect());
        outcome.statistics = statistics;
        outcome
    }
}

/// What becomes of a target that the formula says is reached.
fn confirmed(verdict: Verdict, target: &Target) -> Verdict {
    match verdict {
        Verdict::Found(_) | Verdict::Unknown(_) => verdict,
        _ => {
            let what = format!(
                "a formula without a run: it says that {} is reachable, which is a mistake of hardbop",
                target.kind
            );
            let why = Limit::Declined { what };
            Verdict::Unknown(why)
        }
    }
}
