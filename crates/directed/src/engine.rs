//! The engine: one search for all targets; frames, facts and lemmas serve all of them.

use crate::evidence::certificate::certificate;
use crate::evidence::runs::run_to;
use crate::search::reachability::{Found, Reachability};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Budget, Declined, Engine, Event, Ledger, Limit, Outcome, Prepared, Progress, Question,
    Statistics, WantedRun,
};

/// Property-directed reachability.
#[derive(Clone, Copy, Debug, Default)]
pub struct DirectedEngine;

impl Engine for DirectedEngine {
    fn name(&self) -> &'static str {
        "directed"
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
            search(machine, question, budget, progress)
        }))
    }
}

fn search(
    machine: &Machine,
    question: &Question,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
) -> Outcome {
    let mut ledger = Ledger::new(machine, question);
    progress.event(Event::Phase("frames"));
    let why = search_all(machine, budget, progress, &mut ledger);
    ledger.outcome("directed", &why.err().unwrap_or(Limit::Interrupted))
}

fn search_all(
    machine: &Machine,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
    ledger: &mut Ledger<'_>,
) -> Result<(), Limit> {
    let Some(main) = machine.threads.first() else {
        return Ok(());
    };
    let entry = machine.procedure(main.entry).entry;
    let interrupt = || budget.interrupt.check().is_some();
    let mut open: Vec<NodeId> = ledger.open_nodes();
    let mut search = Reachability::new(machine, entry, &open, budget, &interrupt);
    let end = loop {
        if open.is_empty() {
            break Ok(());
        }
        match search.run(&open, progress) {
            Ok(Found::Run { target, last }) => {
                ledger.reach(target, &run_to(&search, last), false);
                open.retain(|&node| node != target);
            }
            Ok(Found::Invariant { level }) => {
                let targets = ledger.open_targets();
                ledger.exclude(certificate(&search, level, targets));
                break Ok(());
            }
            Err(why) => break Err(why),
        }
    };
    let counts = search.counts;
    ledger.statistics = Statistics::sums([
        ("levels", counts.levels),
        ("obligations", counts.obligations),
        ("lemmas", counts.lemmas),
        ("facts", search.fact_count()),
        ("sat-calls", counts.questions),
        ("blocks", search.points.blocks.len() as u64),
    ]);
    end
}
