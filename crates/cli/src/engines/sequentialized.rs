//! Bounded rounds by sequentialization: the summary engine on the program that stands for the threads.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Answer, Bound, Budget, Engine, Evidence, Limit, Outcome, Progress, Question, Target, Verdict,
};
use hardbop_sequentialize::{Sequential, sequentialize};
use hardbop_summary::SummaryEngine;

/// Asks the summary engine about the sequential program and translates its answers back.
#[derive(Clone, Copy, Debug)]
pub struct SequentializedEngine {
    /// Round-robin schedules of so many rounds.
    pub rounds: u32,
    /// The most threads, those that are started included.
    pub threads: u32,
    /// Who answers.
    pub summary: SummaryEngine,
}

/// Rounds if none are given.
pub const DEFAULT_ROUNDS: u32 = 2;

impl Engine for SequentializedEngine {
    fn name(&self) -> &'static str {
        "sequentialized"
    }

    fn check(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let program = match sequentialize(machine, self.rounds, self.threads, &question.targets()) {
            Ok(program) => program,
            Err(refused) => {
                let what = refused.to_string();
                return Outcome::unknown(self.name(), question, &Limit::Declined { what });
            }
        };
        let Ok(sequential) = from_text("sequential.bp", &program.text) else {
            unreachable!("what sequentialization writes is a program");
        };
        let asked = Question::assertions(&sequential);
        let outcome = self.summary.check(&sequential, &asked, budget, progress);
        let is_short_of_threads = program.asks_for_threads
            && outcome.answers.last().map(|answer| &answer.verdict) != Some(&Verdict::Excluded);
        let answers = question.targets().iter().map(|target| {
            let place = program.targets.iter().position(|&node| node == target.node);
            let answer = &outcome.answers[place.expect("every target has an assertion")];
            let verdict = self.verdict(machine, &sequential, &program, answer, target);
            let verdict = match verdict {
                Verdict::ExcludedUpTo(_) if is_short_of_threads => Verdict::Unknown(Limit::Threads),
                other => other,
            };
            Answer::new(target.clone(), verdict)
        });
        let mut translated = Outcome::new(self.name(), answers.collect());
        translated.statistics = outcome.statistics;
        translated
    }
}

impl SequentializedEngine {
    fn verdict(
        &self,
        machine: &Machine,
        sequential: &Machine,
        program: &Sequential,
        answer: &Answer,
        target: &Target,
    ) -> Verdict {
        match &answer.verdict {
            Verdict::Found(Evidence::Run(trace)) => {
                match program.run_of_threads(machine, sequential, trace, target) {
                    Ok(trace) => Verdict::Found(Evidence::Run(trace)),
                    Err(why) => unreachable!("a run of the sequential program is none: {why}"),
                }
            }
            Verdict::Excluded => Verdict::ExcludedUpTo(Bound::Rounds(self.rounds)),
            other => other.clone(),
        }
    }
}
