//! Bounded rounds by sequentialization: the summary engine on the program that stands for the threads.

use hardbop_machine::Machine;
use hardbop_outcome::{Bound, Budget, Declined, Engine, Outcome, Progress, Question};
use hardbop_summary::SummaryEngine;
use hardbop_transform::Through;

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

    fn takes(&self, machine: &Machine, question: &Question) -> Result<(), Declined> {
        let question = question.clone().within(Bound::Rounds(self.rounds));
        Through::sequentialized(Box::new(self.summary)).takes(machine, &question)
    }

    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let question = question.clone().within(Bound::Rounds(self.rounds));
        let budget = Budget {
            threads: Some(self.threads),
            ..*budget
        };
        Through::sequentialized(Box::new(self.summary)).search(machine, &question, &budget, progress)
    }
}
