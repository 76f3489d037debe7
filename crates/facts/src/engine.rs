//! The engine: facts first without phases, then with every loop split by one predicate, then by
//! two, until they exclude all targets or nothing is left to try.

use crate::analysis::{Analysis, Work};
use crate::certificate::certificate;
use crate::needed::needed;
use hardbop_machine::{ExprId, Machine, ProcId};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Budget, Declined, Engine, Event, Ledger, Limit, Outcome, Prepared, Progress, Question,
    Statistics, WantedRun,
};

/// Predicates that are tried in pairs.
const MOST_IN_PAIRS: usize = 8;
/// Predicates that are tried.
const MOST_SPLITS: usize = 24;

/// Invariants from facts about words.
#[derive(Clone, Copy, Debug, Default)]
pub struct FactsEngine;

impl Engine for FactsEngine {
    fn name(&self) -> &'static str {
        "facts"
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
    let interrupt = || budget.interrupt.check().is_some();
    let mut work = Work::default();
    let mut attempts = 0;
    let end = prove(
        machine,
        budget,
        &interrupt,
        progress,
        &mut ledger,
        &mut work,
        &mut attempts,
    );
    ledger.statistics = Statistics::sums([
        ("attempts", attempts),
        ("queries", work.queries),
        ("points", work.points),
        ("sat-conflicts", work.conflicts),
    ]);
    let why = end.err().unwrap_or_else(no_proof);
    ledger.outcome("facts", &why)
}

/// Why targets are open after all attempts.
fn no_proof() -> Limit {
    Limit::Declined {
        what: "programs whose proof needs other facts than affine relations, bounds and orders"
            .to_owned(),
    }
}

fn prove<'i>(
    machine: &Machine,
    budget: &'i Budget<'i>,
    is_over: &'i dyn Fn() -> bool,
    progress: &mut dyn Progress,
    ledger: &mut Ledger<'_>,
    work: &mut Work,
    attempts: &mut u64,
) -> Result<(), Limit> {
    let nodes = ledger.open_nodes();
    let mut analysis = Analysis::new(machine, &nodes, budget.interrupt, is_over);
    if analysis.is_too_large() {
        return Err(no_proof());
    }
    let mut splits: Vec<Vec<(ProcId, ExprId)>> = vec![Vec::new()];
    let mut next = 0;
    while let Some(phases) = splits.get(next).cloned() {
        progress.event(Event::Count("attempts", next as u64 + 1));
        *attempts += 1;
        let end = analysis.run(&phases);
        *work = analysis.work;
        end?;
        exclude(&mut analysis, ledger)?;
        *work = analysis.work;
        if ledger.is_decided() {
            return Ok(());
        }
        if next == 0 {
            let mut found = analysis.splits();
            found.truncate(MOST_SPLITS);
            splits.extend(found.iter().map(|&one| vec![one]));
            let first = &found[..found.len().min(MOST_IN_PAIRS)];
            for (index, &a) in first.iter().enumerate() {
                splits.extend(first[..index].iter().map(|&b| vec![b, a]));
            }
        }
        next += 1;
    }
    Ok(())
}

/// Enters the targets that the facts exclude.
fn exclude(analysis: &mut Analysis<'_, '_>, ledger: &mut Ledger<'_>) -> Result<(), Limit> {
    let open = ledger.open_targets().into_iter();
    let excluded: Vec<_> = open
        .filter(|target| analysis.excludes(target.node))
        .collect();
    if excluded.is_empty() {
        return Ok(());
    }
    if let Some(needed) = needed(analysis)?
        && let Some(certificate) = certificate(analysis, &needed, excluded)
    {
        ledger.exclude(certificate);
    }
    Ok(())
}
