//! The engine: the formulas of an algorithm decide, another engine gives the evidence.
//!
//! A formula says what is reached, not how. Runs and certificates come from where they are easiest
//! to get: an engine that is handed in, so that this crate knows none. **The verdict is the
//! formula's.** Evidence for the opposite is a contradiction, which is an internal error if the
//! algorithm is one of hardbop's own, and named as a fault of the algorithm if it is a user's.

use crate::encoding::layout::Extent;
use crate::encoding::threads::{ThreadBound, fixed};
use crate::search::algorithm::{Algorithm, Kind};
use crate::search::decide::{Decided, Decision, Effort, decide_threads_by};
use hardbop_bdd::Exhausted;
use hardbop_fixpoint::Stop;
use hardbop_formula::System;
use hardbop_machine::{Action, Machine};
use hardbop_outcome::engine::{takes_only_reachability, takes_only_sequential_reachability};
use hardbop_outcome::{
    Answer, Bound, Budget, Declined, Engine, Event, Limit, Outcome, Prepared, Progress, Question,
    Support, Target, Verdict,
};
use hardbop_symbolic::limit_reached;
use std::sync::Arc;

/// Solves algorithms written as formulas.
#[derive(Clone)]
pub struct CalculusEngine {
    /// The algorithm, if one is asked for; else the usual one, or the formula for a bound.
    pub algorithm: Option<Algorithm>,
    /// How much the relations say, if that is asked for.
    pub relations: Option<Extent>,
    /// Gives runs and certificates, with threads and without.
    pub evidence: Arc<dyn Engine>,
}

impl Engine for CalculusEngine {
    fn name(&self) -> &'static str {
        "calculus"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        _limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        self.takes(machine, question)?;
        Ok(Prepared::new(move |budget, progress| {
            self.search(machine, question, budget, progress)
        }))
    }
}

impl CalculusEngine {
    /// Declines what the search does not obey.
    fn takes(&self, machine: &Machine, question: &Question) -> Result<(), Declined> {
        match thread_bound(machine, question) {
            Some(_) => {
                takes_only_reachability(question)?;
                self.takes_kind(Kind::Threads)?;
                fixed(machine, hardbop_outcome::budget::DEFAULT_THREADS)
                    .map_or_else(Declined::because, |_| Ok(()))
            }
            None => {
                takes_only_sequential_reachability(machine, question)?;
                self.takes_kind(Kind::Sequential)?;
                two_calls(machine).map_or(Ok(()), Declined::because)
            }
        }
    }

    fn search(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        progress.event(Event::Phase("formulas"));
        let decided = match thread_bound(machine, question) {
            Some(bound) => {
                let nodes = nodes_of(question);
                let own = self.algorithm.as_ref();
                decide_threads_by(machine, &nodes, bound, own, self.relations, budget)
            }
            None => self.decide(machine, question, budget),
        };
        let decided = match decided {
            Ok(decided) => decided,
            Err(why) => return Outcome::unknown(self.name(), question, &why),
        };
        progress.event(Event::Phase("evidence"));
        let found = self.evidence.check(machine, question, budget, progress);
        let claims = decided.is_reached.iter();
        let answers = question.targets().iter().zip(claims).zip(found.answers);
        let answers = answers.map(|((target, &is_reached), evidence)| {
            self.judged(target, is_reached, evidence, question, &decided)
        });
        let mut outcome = Outcome::new(self.name(), answers.collect());
        outcome.statistics.clone_from(&decided.statistics);
        outcome.statistics.join_as("evidence", found.statistics);
        outcome.certificates = found.certificates;
        outcome.printed.clone_from(&decided.printed);
        let is_excluded = |answer: &Answer| answer.verdict.is_no_for_all_runs();
        let excluded: Vec<&Target> = outcome
            .answers
            .iter()
            .filter(|a| is_excluded(a))
            .filter_map(Answer::target)
            .collect();
        for certificate in &mut outcome.certificates {
            certificate
                .targets
                .retain(|target| excluded.contains(&target));
        }
        outcome
            .certificates
            .retain(|certificate| !certificate.targets.is_empty());
        outcome
    }
}

impl CalculusEngine {
    /// An algorithm of hardbop's is for programs with threads or for programs without.
    fn takes_kind(&self, kind: Kind) -> Result<(), Declined> {
        match &self.algorithm {
            Some(algorithm) if algorithm.kind != kind && algorithm.kind != Kind::Own => {
                let what = match kind {
                    Kind::Threads => "for programs with threads",
                    _ => "for programs without threads or without a bound",
                };
                let name = algorithm.name.trim_end_matches(".mu");
                Declined::because(format!("the algorithm `{name}` {what}"))
            }
            _ => Ok(()),
        }
    }

    fn decide(
        &self,
        machine: &Machine,
        question: &Question,
        budget: &Budget<'_>,
    ) -> Result<Decided, Limit> {
        // The relations of a program have more BDD nodes than it has places, but for rare programs:
        // with fewer nodes allowed they are not worth writing down.
        if budget
            .nodes
            .is_some_and(|nodes| nodes < machine.nodes.len() as u64)
        {
            return Err(limit_reached(Exhausted::Nodes, budget));
        }
        let usual = Algorithm::usual();
        let mut decision = Decision {
            machine,
            budget,
            algorithm: self.algorithm.as_ref().unwrap_or(&usual),
            extent: self.relations,
            effort: Effort::default(),
            printed: Vec::new(),
        };
        let is_reached = decision.reached(&nodes_of(question))?;
        Ok(Decided {
            is_reached,
            is_short_of_threads: false,
            statistics: decision.effort.statistics(),
            printed: decision.printed,
        })
    }

    /// The formula's verdict, with the evidence that was found.
    fn judged(
        &self,
        target: &Target,
        is_reached: bool,
        evidence: Answer,
        question: &Question,
        decided: &Decided,
    ) -> Answer {
        let word = |is_reached| {
            if is_reached {
                "reachable"
            } else {
                "unreachable"
            }
        };
        let is_known = !evidence.verdict.is_unknown();
        let is_so = is_known.then(|| evidence.verdict.is_yes());
        if is_so.is_some_and(|is_so| is_so != is_reached) {
            let own = self.algorithm.as_ref();
            let algorithm = own.map_or("the formula", |own| own.name.as_str());
            let (claim, truth) = (word(is_reached), word(!is_reached));
            let what = format!("`{algorithm}` says that {target} is {claim}, but it is {truth}");
            let why = if own.is_none_or(Algorithm::is_built_in) {
                Limit::Contradiction { what }
            } else {
                let fewer = if is_reached {
                    ""
                } else {
                    " (to explore fewer runs, use `hardbop solve`)"
                };
                let what = format!("`{algorithm}` as an algorithm: {what}{fewer}");
                Limit::Declined { what }
            };
            return Answer::new(target.clone(), Verdict::Unknown(why));
        }
        if is_reached || is_so.is_some() {
            return evidence;
        }
        let verdict = match (question.bound, decided.is_short_of_threads) {
            (_, true) => Verdict::Unknown(Limit::Threads),
            (Some(bound), false) => Verdict::No(Support::UpTo(bound)),
            (None, false) => Verdict::uncertified(match evidence.verdict {
                Verdict::Unknown(why) => format!("no proof was found: {why}"),
                _ => "no proof was found".to_owned(),
            }),
        };
        Answer::new(target.clone(), verdict)
    }
}

/// The nodes of the targets, one each.
fn nodes_of(question: &Question) -> Vec<hardbop_machine::NodeId> {
    question
        .targets()
        .iter()
        .map(|target| target.node)
        .collect()
}

/// The bound of the formulas for threads, if the question is one for them.
fn thread_bound(machine: &Machine, question: &Question) -> Option<ThreadBound> {
    if machine.is_sequential() {
        return None;
    }
    match question.bound? {
        Bound::ContextSwitches(switches) => Some(ThreadBound::Contexts(switches)),
        Bound::Rounds(rounds) => Some(ThreadBound::Rounds(rounds)),
        Bound::Steps(_) => None,
    }
}

/// What the relations of a sequential program cannot say, if the machine has it.
pub fn unsupported(machine: &Machine) -> Option<&'static str> {
    if !machine.is_sequential() {
        return Some("concurrent programs");
    }
    two_calls(machine)
}

/// The interface of section 4 tells calls apart by their program counters; says so if the machine
/// does not.
pub(crate) fn two_calls(machine: &Machine) -> Option<&'static str> {
    let is_call = |edge| matches!(machine.edge(edge).action, Action::Call { .. });
    let has_two_calls = |node| {
        let calls = machine.edges_from(node).filter(|&edge| is_call(edge));
        calls.count() > 1
    };
    machine
        .node_ids()
        .any(has_two_calls)
        .then_some("programs with two calls at one place")
}

/// A stop of the solver as a limit.
pub(crate) fn limit(why: &Stop, system: &System, budget: &Budget<'_>) -> Limit {
    match why {
        Stop::Nodes => limit_reached(Exhausted::Nodes, budget),
        Stop::Rounds => Limit::States,
        Stop::Interrupted => budget.interrupt.check().unwrap_or(Limit::Interrupted),
        Stop::Diverges {
            relation, period, ..
        } => {
            let name = &system.relation(*relation).name;
            let what = format!(
                "an algorithm in which `{name}` comes back every {period} rounds and never settles"
            );
            Limit::Declined { what }
        }
    }
}
