//! The engine: a query in, answers with their evidence out.

use crate::certify::forward_certificate;
use crate::forward::{Forward, Progress as Searched};
use crate::interface::Interfaces;
use crate::layers::layers;
use crate::runs::{NoRun, Reader};
use crate::space::Space;
use hardbop_bdd::{Exhausted, Manager};
use hardbop_machine::analysis::{CallGraph, Slice};
use hardbop_machine::{Machine, NodeId, ProcId, Variable};
use hardbop_outcome::{
    Answer, Budget, Engine, Event, Limit, Outcome, Progress, Query, Skeleton, Target, Verdict,
};

/// The summary engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SummaryEngine;

/// Without a limit in the budget: some 2 GB of BDD nodes.
const DEFAULT_NODES: u64 = 1 << 26;
/// Bytes that a BDD node costs with its share of the tables.
const BYTES_PER_NODE: u64 = 32;
/// A run is made shortest if that takes at most this many times the work that finding it took, and some to start with.
const SHORTEST_EFFORT: u64 = 4;
const SHORTEST_START: u64 = 2_000_000;

impl Engine for SummaryEngine {
    fn name(&self) -> &'static str {
        "summary"
    }

    fn check(
        &self,
        machine: &Machine,
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        if !machine.is_sequential() {
            let what = "concurrent programs".to_owned();
            return unknown(self.name(), query, &Limit::Unsupported { what });
        }
        progress.event(Event::Phase("analyses"));
        let space = Space::new(machine);
        let targets: Vec<NodeId> = query.targets.iter().map(|target| target.node).collect();
        let slice = Slice::new(machine, &CallGraph::new(machine), &targets);
        let visible = |procedure: ProcId, variable: Variable| slice.relevant(procedure, variable);
        let interfaces = Interfaces::new(machine, &space, &visible);
        let interrupt = || budget.interrupt.check().is_some();
        let manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        let mut search = Forward::new(machine, &space, &interfaces, &visible, manager);
        progress.event(Event::Phase("forward"));
        let searched = search.start().and_then(|()| search.run(&targets));
        let mut outcome = Outcome::new(self.name(), Vec::new());
        let why = searched.err().map(|why| limit(why, budget));
        let unreached: Vec<Target> = query
            .targets
            .iter()
            .filter(|target| !search.is_reached(target.node))
            .cloned()
            .collect();
        if searched == Ok(Searched::Complete) && !unreached.is_empty() {
            outcome.certificate = Some(forward_certificate(&search, unreached));
        }
        progress.event(Event::Phase("runs"));
        for target in &query.targets {
            let verdict = if search.is_reached(target.node) {
                match run_to(&mut search, target) {
                    Ok(skeleton) => match skeleton.trace(machine, Some(target.clone())) {
                        Some(trace) => Verdict::Reachable { trace },
                        None => Verdict::Unknown {
                            why: Limit::Memory,
                        },
                    },
                    Err(NoRun::Exhausted(why)) => Verdict::Unknown {
                        why: limit(why, budget),
                    },
                    Err(NoRun::Broken) => unreachable!("rings lead back to the start"),
                }
            } else {
                match &why {
                    Some(why) => Verdict::Unknown { why: why.clone() },
                    None => Verdict::Unreachable,
                }
            };
            outcome.answers.push(Answer {
                target: target.clone(),
                verdict,
            });
        }
        outcome.statistics = vec![
            ("visits".to_owned(), search.visits),
            ("bdd-work".to_owned(), search.manager.work()),
            ("peak-bdd-nodes".to_owned(), search.manager.peak() as u64),
        ];
        outcome
    }
}

/// A run to a reached target: a shortest one unless that takes too much work.
fn run_to(search: &mut Forward<'_, '_>, target: &Target) -> Result<Skeleton, NoRun> {
    let work = search.manager.work();
    search.manager.set_work_limit(work + work * SHORTEST_EFFORT + SHORTEST_START);
    let by_distance = search.run(&[]).and_then(|_| layers(search, target.node));
    search.manager.set_work_limit(u64::MAX);
    match by_distance {
        Ok(layers) => Reader::new(search, Some(&layers.rings)).run_to(target.node),
        Err(Exhausted::Work | Exhausted::Nodes) => Reader::new(search, None).run_to(target.node),
        Err(why) => Err(NoRun::Exhausted(why)),
    }
}

fn node_limit(budget: &Budget<'_>) -> usize {
    let by_memory = budget.memory.map(|bytes| bytes / BYTES_PER_NODE);
    let limit = budget.nodes.or(by_memory).unwrap_or(DEFAULT_NODES);
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn limit(why: Exhausted, budget: &Budget<'_>) -> Limit {
    match why {
        Exhausted::Nodes if budget.nodes.is_none() => Limit::Memory,
        Exhausted::Nodes => Limit::Nodes,
        Exhausted::Work => Limit::States,
        Exhausted::Interrupted => budget.interrupt.check().unwrap_or(Limit::Interrupted),
    }
}

fn unknown(engine: &str, query: &Query, why: &Limit) -> Outcome {
    let answers = query.targets.iter().map(|target| Answer {
        target: target.clone(),
        verdict: Verdict::Unknown { why: why.clone() },
    });
    Outcome::new(engine, answers.collect())
}
