//! Bounded rounds by sequentialization: the summary engine on the program that stands for the threads.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Answer, Bound, Budget, Engine, Limit, Outcome, Progress, Query, Target, Verdict,
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
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let program = match sequentialize(machine, self.rounds, self.threads, &query.targets) {
            Ok(program) => program,
            Err(refused) => {
                let what = refused.to_string();
                return Outcome::unknown(self.name(), query, &Limit::Unsupported { what });
            }
        };
        let Ok(sequential) = from_text("sequential.bp", &program.text) else {
            unreachable!("what sequentialization writes is a program");
        };
        let asked = Query::assertions(&sequential);
        let outcome = self.summary.check(&sequential, &asked, budget, progress);
        let is_short_of_threads = program.asks_for_threads
            && outcome.answers.last().map(|answer| &answer.verdict) != Some(&Verdict::Unreachable);
        let answers = query.targets.iter().map(|target| {
            let place = program.targets.iter().position(|&node| node == target.node);
            let answer = &outcome.answers[place.expect("every target has an assertion")];
            let verdict = self.verdict(machine, &sequential, &program, answer, target);
            let verdict = match verdict {
                Verdict::UnreachableUpTo { .. } if is_short_of_threads => Verdict::Unknown {
                    why: Limit::Threads,
                },
                other => other,
            };
            Answer {
                target: target.clone(),
                verdict,
            }
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
            Verdict::Reachable { trace } => {
                match program.run_of_threads(machine, sequential, trace, target) {
                    Ok(trace) => Verdict::Reachable { trace },
                    Err(why) => unreachable!("a run of the sequential program is none: {why}"),
                }
            }
            Verdict::Unreachable => Verdict::UnreachableUpTo {
                bound: Bound::Rounds(self.rounds),
            },
            other => other.clone(),
        }
    }
}
