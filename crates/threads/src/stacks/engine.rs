//! The engine: one thread at a time, then two together, then three; each first with frames that
//! remember little. What nothing excludes is looked for with a bound on context switches.
//!
//! Views of `k` threads know nothing of how more than `k` threads affect each other, so a
//! larger `k` excludes more, up to the number of threads. Most locks need two.

use crate::bounded::engine::BoundedEngine;
use crate::stacks::encoding::crew::Crew;
use crate::stacks::encoding::seats::Memory;
use crate::stacks::evidence::certify::certificate;
use crate::stacks::search::fixpoint::Fixpoint;
use hardbop_bdd::Manager;
use hardbop_machine::{Action, Machine, NodeId};
use hardbop_outcome::engine::{takes_no_bound, takes_only_reachability};
use hardbop_outcome::{
    Answer, Budget, Declined, Engine, Event, Limit, Outcome, Prepared, Progress, Question, Target,
    Verdict,
};
use hardbop_symbolic::{limit_reached, node_limit};
use std::collections::BTreeSet;

/// Proves that no run reaches a target, with recursion and for any number of context switches.
#[derive(Clone, Copy, Debug, Default)]
pub struct StacksEngine;

/// Views of more threads than this are not tried.
const MOST_TOGETHER: u64 = 6;

/// Nor are so many different views.
const MOST_VIEWS: usize = 2_000;

impl Engine for StacksEngine {
    fn name(&self) -> &'static str {
        "stacks"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        takes_only_reachability(question)?;
        takes_no_bound(question)?;
        if machine.threads.is_empty() {
            return Declined::because("programs without a thread");
        }
        if starts_threads(machine) {
            return Declined::because("threads that start others");
        }
        Ok(Prepared::new(move |budget, progress| {
            search(machine, question, budget, progress)
        }))
    }
}

/// Whether threads start others, which is not handled here.
pub(crate) fn starts_threads(machine: &Machine) -> bool {
    let starts = |edge| matches!(machine.edge(edge).action, Action::StartThread(_));
    machine.edge_ids().any(starts)
}

fn search(
    machine: &Machine,
    question: &Question,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
) -> Outcome {
    let targets = question.targets();
    let mut outcome = Outcome::new("stacks", Vec::new());
    let mut open: BTreeSet<NodeId> = targets.iter().map(|target| target.node).collect();
    let patience = Patience {
        most_together: MOST_TOGETHER,
        work: u64::MAX,
    };
    let why = prove(
        machine,
        targets,
        &mut open,
        patience,
        budget,
        progress,
        &mut outcome,
    );
    let left = confirm(
        machine,
        question,
        &open,
        why.as_ref(),
        budget,
        progress,
        &mut outcome,
    );
    for target in targets {
        let found = left.iter().find(|answer| answer.target() == Some(target));
        let verdict = found.map_or(Verdict::CERTIFIED, |answer| answer.verdict.clone());
        outcome.answers.push(Answer::new(target.clone(), verdict));
    }
    outcome
}

/// How hard to look for a proof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// The most threads of a view.
    pub most_together: u64,
    /// The most work for one attempt.
    pub work: u64,
}

/// Looks for proofs that nodes are not reached, which are removed then; says what ended that, if it
/// was a limit.
pub(crate) fn prove(
    machine: &Machine,
    targets: &[Target],
    open: &mut BTreeSet<NodeId>,
    patience: Patience,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
    outcome: &mut Outcome,
) -> Option<Limit> {
    let crew = Crew::new(machine);
    let mut why = None;
    let has_calls = !crew.calls.is_empty();
    let sizes = 1..=crew.len().clamp(1, patience.most_together);
    let attempts = sizes.flat_map(|size| [(size, false), (size, true)]);
    for (size, is_long) in attempts.filter(|&(_, is_long)| has_calls || !is_long) {
        if open.is_empty() || why.is_some() {
            break;
        }
        let Some(views) = crew.views(size as usize, MOST_VIEWS) else {
            break;
        };
        let name = match size {
            1 => "one thread at a time".to_owned(),
            _ => format!("{size} threads together"),
        };
        progress.event(Event::Phase(&name));
        let interrupt = || budget.interrupt.check().is_some();
        let mut manager = Manager::new(node_limit(budget)).with_interrupt(&interrupt);
        manager.set_work_limit(patience.work);
        let memory = Memory { is_long };
        let allowance = budget.states.unwrap_or(u64::MAX);
        let mut fixpoint = Fixpoint::new(machine, &crew, memory, size as u32, manager, allowance);
        let end = fixpoint.run(&views, open);
        let statistics = &mut outcome.statistics;
        statistics.raise("peak nodes", fixpoint.manager.peak() as u64);
        statistics.add("rounds", fixpoint.rounds);
        match end {
            Err(limit) => why = Some(limit_reached(limit, budget)),
            Ok(excluded) if excluded.is_empty() => {}
            Ok(excluded) => {
                statistics.raise("threads together", size);
                let excluded_targets = targets.iter().filter(|t| excluded.contains(&t.node));
                let proof = certificate(machine, &fixpoint, excluded_targets.cloned().collect());
                statistics.add("formulas", proof.formulas.len() as u64);
                outcome.certificates.push(proof);
                open.retain(|node| !excluded.contains(node));
            }
        }
    }
    why
}

/// Looks for runs to the nodes that no proof excludes.
fn confirm(
    machine: &Machine,
    question: &Question,
    open: &BTreeSet<NodeId>,
    why: Option<&Limit>,
    budget: &Budget<'_>,
    progress: &mut dyn Progress,
    outcome: &mut Outcome,
) -> Vec<Answer> {
    if open.is_empty() {
        return Vec::new();
    }
    let targets = question.targets().iter();
    let targets: Vec<_> = targets.filter(|t| open.contains(&t.node)).collect();
    if let Some(limit) = why
        && budget.interrupt.check().is_some()
    {
        let unknown = Verdict::Unknown(limit.clone());
        let answer = |target: Target| Answer::new(target, unknown.clone());
        return targets.into_iter().cloned().map(answer).collect();
    }
    progress.event(Event::Phase("few context switches"));
    let question = Question {
        wanted: question.wanted,
        ..Question::reach(targets.into_iter().cloned().collect())
    };
    let found = BoundedEngine.check(machine, &question, budget, progress);
    outcome.statistics.join_as("bounded", found.statistics);
    let mut answers = found.answers;
    for answer in &mut answers {
        if let (Verdict::Unknown(_), Some(why)) = (&answer.verdict, why) {
            answer.verdict = Verdict::Unknown(why.clone());
        }
    }
    answers
}
