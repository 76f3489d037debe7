//! The engine: solves the formulae of an algorithm for a program, and turns what was solved into evidence.
//!
//! The entry-forward algorithms compute exactly the reachable path edges, so runs are read off their rounds and certificates off
//! their final values. Other algorithms answer yes or no; the answer is believed only if the reference algorithm comes to
//! the same, with evidence.

use crate::algorithm::Algorithm;
use crate::evidence::{Answers, Question};
use crate::scouts::Scouting;
use hardbop_bdd::Exhausted;
use hardbop_fixpoint::Stop;
use hardbop_formula::System;
use hardbop_machine::{Action, Machine, NodeId};
use hardbop_outcome::{
    Answer, Budget, Engine, Event, Limit, Outcome, Progress, Query, Target, Verdict,
};
use hardbop_symbolic::limit_reached;

/// Solves algorithms written as formulae.
#[derive(Clone, Debug, Default)]
pub struct CalculusEngine {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Whether it is first solved with few variables.
    pub scouting: Scouting,
}

impl Engine for CalculusEngine {
    fn name(&self) -> &'static str {
        "calculus"
    }

    fn check(
        &self,
        machine: &Machine,
        query: &Query,
        budget: &Budget<'_>,
        progress: &mut dyn Progress,
    ) -> Outcome {
        if let Some(what) = unsupported(machine) {
            let what = what.to_owned();
            return self.outcome(unknown(query, &Limit::Unsupported { what }));
        }
        progress.event(Event::Phase("relations"));
        let mut question = Question::new(machine, &self.algorithm, budget, self.scouting);
        let answers = if self.algorithm.gives_evidence {
            question.decide(query)
        } else {
            self.judged(&mut question, query, progress)
        };
        match answers {
            Ok(answers) => self.outcome(answers),
            Err(why) => {
                let mut answers = unknown(query, &why);
                answers.statistics = question.statistics();
                self.outcome(answers)
            }
        }
    }
}

impl CalculusEngine {
    fn outcome(&self, answers: Answers) -> Outcome {
        let mut outcome = Outcome::new(self.name(), answers.list);
        outcome.certificates = answers.certificates;
        outcome.statistics = answers.statistics;
        outcome
    }

    /// The answers of the algorithm, each confirmed by the reference.
    fn judged(
        &self,
        question: &mut Question<'_>,
        query: &Query,
        progress: &mut dyn Progress,
    ) -> Result<Answers, Limit> {
        let claims = claims(question, query)?;
        progress.event(Event::Phase("evidence"));
        let reference = Algorithm::reference();
        let (machine, budget) = (question.machine, question.budget);
        let mut judge = Question::new(machine, &reference, budget, self.scouting);
        let mut answers = judge.decide(query)?;
        for (answer, &claim) in answers.list.iter_mut().zip(&claims) {
            let found = match answer.verdict {
                Verdict::Reachable { .. } => true,
                Verdict::Unreachable => false,
                _ => continue,
            };
            if found != claim {
                let words = |reachable| {
                    if reachable {
                        "reachable"
                    } else {
                        "unreachable"
                    }
                };
                let what = format!(
                    "`{}` for an algorithm: it says that {} is {}, but it is {}",
                    self.algorithm.name,
                    answer.target.kind,
                    words(claim),
                    words(found)
                );
                let why = Limit::Unsupported { what };
                answer.verdict = Verdict::Unknown { why };
            }
        }
        let is_believed = |target: &Target| {
            let mut same = answers
                .list
                .iter()
                .filter(|answer| answer.target == *target);
            same.all(|answer| answer.verdict == Verdict::Unreachable)
        };
        for certificate in &mut answers.certificates {
            certificate.targets.retain(&is_believed);
        }
        answers
            .certificates
            .retain(|certificate| !certificate.targets.is_empty());
        let mut statistics = question.statistics();
        let evidence = answers.statistics.into_iter();
        statistics.extend(evidence.map(|(name, value)| (format!("evidence-{name}"), value)));
        answers.statistics = statistics;
        Ok(answers)
    }
}

/// What an algorithm that only says yes or no says about each target.
fn claims(question: &mut Question<'_>, query: &Query) -> Result<Vec<bool>, Limit> {
    let nodes: Vec<NodeId> = query.targets.iter().map(|target| target.node).collect();
    let some = question.holds(&nodes)?;
    if !some || nodes.len() == 1 {
        return Ok(vec![some; nodes.len()]);
    }
    nodes.iter().map(|&node| question.holds(&[node])).collect()
}

/// What the engine does not take, if the machine has it.
pub fn unsupported(machine: &Machine) -> Option<&'static str> {
    if !machine.is_sequential() {
        return Some("concurrent programs");
    }
    two_calls(machine)
}

/// The interface of section 4 tells calls apart by their program counters; says so if the machine does not.
pub(crate) fn two_calls(machine: &Machine) -> Option<&'static str> {
    let is_call = |edge| matches!(machine.edge(edge).action, Action::Call { .. });
    let has_two_calls = |node| {
        machine
            .edges_from(node)
            .filter(|&edge| is_call(edge))
            .count()
            > 1
    };
    machine
        .node_ids()
        .any(has_two_calls)
        .then_some("programs with two calls at one place")
}

fn unknown(query: &Query, why: &Limit) -> Answers {
    let answers = query.targets.iter().map(|target| Answer {
        target: target.clone(),
        verdict: Verdict::Unknown { why: why.clone() },
    });
    Answers {
        list: answers.collect(),
        ..Answers::default()
    }
}

/// A stop of the solver as a limit.
pub(crate) fn limit(why: &Stop, system: &System, budget: &Budget<'_>) -> Limit {
    match why {
        Stop::Nodes => limit_reached(Exhausted::Nodes, budget),
        Stop::Rounds | Stop::Work => Limit::States,
        Stop::Interrupted => budget.interrupt.check().unwrap_or(Limit::Interrupted),
        Stop::Diverges {
            relation, period, ..
        } => {
            let name = &system.relation(*relation).name;
            let what = format!(
                "an algorithm in which `{name}` comes back every {period} rounds and never settles"
            );
            Limit::Unsupported { what }
        }
    }
}
