//! Bounded rounds by sequentialization: an engine on the program that stands for the threads.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::engine::takes_only_reachability;
use hardbop_outcome::{
    Answer, Bound, Budget, Declined, Engine, Limit, Outcome, Progress, Question, Target, Verdict,
};
use hardbop_sequentialize::{Sequential, sequentialize};
use hardbop_summary::SummaryEngine;

/// Asks the summary engine about the sequential program and translates its answers back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequentialized {
    /// Answers about the sequential program.
    pub engine: SummaryEngine,
}

impl Engine for Sequentialized {
    fn name(&self) -> &'static str {
        "sequentialized"
    }

    fn takes(&self, machine: &Machine, question: &Question) -> Result<(), Declined> {
        takes_only_reachability(question)?;
        let Some(Bound::Rounds(rounds)) = question.bound else {
            return Declined::because("questions without a bound on rounds");
        };
        let threads = hardbop_outcome::budget::DEFAULT_THREADS;
        match sequentialize(machine, rounds, threads, question.targets()) {
            Ok(_) => Ok(()),
            Err(refused) => Declined::because(refused.to_string()),
        }
    }

    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let Some(bound @ Bound::Rounds(rounds)) = question.bound else {
            unreachable!("only questions with a bound on rounds are taken");
        };
        let threads = budget.threads();
        let program = match sequentialize(machine, rounds, threads, question.targets()) {
            Ok(program) => program,
            Err(refused) => {
                let what = refused.to_string();
                return Outcome::unknown(self.name(), question, &Limit::Declined { what });
            }
        };
        let Ok(sequential) = from_text("sequential.bp", &program.text) else {
            unreachable!("what sequentialization writes is a program");
        };
        let asked = Question::assertions(&sequential).wanting(question.wanted);
        let outcome = self.engine.check(&sequential, &asked, budget, progress);
        let last = outcome.answers.last().map(|answer| &answer.verdict);
        let is_short_of_threads = program.asks_for_threads && last != Some(&Verdict::Excluded);
        let answers = question.targets().iter().map(|target| {
            let place = program.targets.iter().position(|&node| node == target.node);
            let answer = &outcome.answers[place.expect("every target has an assertion")];
            let verdict = translated(machine, &sequential, &program, &answer.verdict, target);
            let verdict = match verdict {
                Verdict::Excluded if is_short_of_threads => Verdict::Unknown(Limit::Threads),
                Verdict::Excluded => Verdict::ExcludedUpTo(bound),
                other => other,
            };
            Answer::new(target.clone(), verdict)
        });
        let mut translated = Outcome::new(self.name(), answers.collect());
        translated.statistics = outcome.statistics;
        translated
    }
}

/// A verdict about the sequential program, as one about the threads.
fn translated(
    machine: &Machine,
    sequential: &Machine,
    program: &Sequential,
    verdict: &Verdict,
    target: &Target,
) -> Verdict {
    let Some(trace) = verdict.trace() else {
        return verdict.clone();
    };
    match program.run_of_threads(machine, sequential, trace, target) {
        Ok(trace) => Verdict::run(trace),
        Err(why) => {
            let what = format!("the run to {target} in rounds is not a run of the threads: {why}");
            Verdict::Unknown(Limit::Contradiction { what })
        }
    }
}
