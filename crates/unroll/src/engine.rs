//! The engine: rounds of unrolling until every target is decided.

use crate::search::rounds::Search;
use hardbop_machine::Machine;
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Budget, Declined, Engine, Event, Ledger, Limit, Prepared, Question, WantedRun,
};

/// Unrolling of loops and calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnrollEngine;

impl Engine for UnrollEngine {
    fn name(&self) -> &'static str {
        "unroll"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        takes_only_sequential_reachability(machine, question)?;
        if question.wanted == WantedRun::Shortest {
            return Declined::because("`--shortest`");
        }
        Ok(Prepared::new(move |budget, progress| {
            let mut ledger = Ledger::new(machine, question);
            let Some(main) = machine.threads.first() else {
                return ledger.outcome(self.name(), &Limit::Interrupted);
            };
            progress.event(Event::Phase("unrolling"));
            let mut search = Search::new(machine, main.entry, budget);
            let end = search.run(&mut ledger, progress);
            ledger.statistics = search.statistics();
            ledger.outcome(self.name(), &end.err().unwrap_or(Limit::Interrupted))
        }))
    }
}
