//! The engine: a question in, answers with their evidence out.
//!
//! One forward search decides all targets. What it reaches is given a shortest run if that costs
//! little beside the search; what a complete search has not reached is excluded by its relations.
//!
//! Constant propagation is not among the analyses: in a forward relation a variable with one value
//! is one BDD node, and an edge that it closes propagates nothing.

use crate::encoding::{Encoding, Order};
use crate::evidence::certify::forward_certificate;
use crate::evidence::runs::Reader;
use crate::search::forward::{Forward, Progress as Searched};
use crate::search::layers::layers;
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::engine::takes_only_sequential_reachability;
use hardbop_outcome::{
    Budget, Declined, Engine, Event, Ledger, Limit, Outcome, Prepared, Progress, Question,
    Skeleton, WantedRun,
};
use hardbop_symbolic::{limit_reached, node_limit};

/// Runs are made shortest if that takes at most this part of the work of the search, and some to
/// start with.
const SHORTEST_DIVISOR: u64 = 4;
const SHORTEST_START: u64 = 100_000;

/// The summary engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SummaryEngine {
    /// The order of BDD variables.
    pub order: Order,
}

impl Engine for SummaryEngine {
    fn name(&self) -> &'static str {
        "summary"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        takes_only_sequential_reachability(machine, question)?;
        Ok(Prepared::new(move |budget, progress| {
            self.search(machine, question, budget, progress)
        }))
    }
}

impl SummaryEngine {
    fn search(
        self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        let mut ledger = Ledger::new(machine, question);
        progress.event(Event::Phase("analyses"));
        let encoding = Encoding::new(machine, &question.nodes(), self.order);
        let interrupt = || budget.interrupt.check().is_some();
        let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        let mut search = Forward::new(encoding.compiler(), manager);
        progress.event(Event::Phase("search"));
        let searched = search.run(&ledger.open_nodes());
        for node in ledger.open_nodes() {
            if search.is_reached(node) {
                ledger.promise(node);
            }
        }
        count(&mut ledger, &search);
        let open = ledger.open_targets();
        if searched == Ok(Searched::Complete) && !open.is_empty() {
            ledger.exclude(forward_certificate(&search, open));
        }
        let read = read_runs(&mut search, question.wanted, &mut ledger);
        let why = searched.err().or(read.err());
        let why = why.map_or(Limit::Interrupted, |why| limit_reached(why, budget));
        let shortest = ledger.shortest_runs();
        ledger.statistics.raise("shortest-runs", shortest);
        ledger.outcome(self.name(), &why)
    }
}

fn count(ledger: &mut Ledger<'_>, search: &Forward<'_, '_>) {
    let statistics = &mut ledger.statistics;
    statistics.raise("forward-widest-relation", search.widest());
    statistics.add("forward-visits", search.visits);
    statistics.add("forward-bdd-work", search.manager.work());
    statistics.raise("forward-peak-bdd-nodes", search.manager.peak() as u64);
}

/// Reads runs to what the search has reached, shortest ones if they are wanted and affordable.
fn read_runs(
    search: &mut Forward<'_, '_>,
    wanted: WantedRun,
    ledger: &mut Ledger<'_>,
) -> Result<(), Exhausted> {
    let nodes = ledger.due_nodes();
    if nodes.is_empty() {
        return Ok(());
    }
    let allowance = match wanted {
        WantedRun::Any => None,
        WantedRun::Short => Some(search.manager.work() / SHORTEST_DIVISOR + SHORTEST_START),
        WantedRun::Shortest => Some(u64::MAX),
    };
    if let Some(allowance) = allowance {
        let limit = search.manager.work().saturating_add(allowance);
        search.manager.set_work_limit(limit);
        let runs = shortest_runs(search, &nodes);
        search.manager.set_work_limit(u64::MAX);
        if let Ok(runs) = runs {
            ledger.reach_all(&nodes, &runs, true);
            return Ok(());
        }
        search.collect_garbage();
    }
    let runs = Reader::new(search, None).runs_to(&nodes)?;
    ledger.reach_all(&nodes, &runs, false);
    Ok(())
}

fn shortest_runs(
    search: &mut Forward<'_, '_>,
    nodes: &[NodeId],
) -> Result<Vec<Skeleton>, Exhausted> {
    search.run(&[])?;
    let by_distance = layers(search, nodes)?;
    // Reading needs no limit: it is linear in what is read.
    search.manager.set_work_limit(u64::MAX);
    Reader::new(search, Some(&by_distance)).runs_to(nodes)
}
