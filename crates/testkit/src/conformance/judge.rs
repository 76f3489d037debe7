//! Judges an engine's answers for one program.

use super::{CertificateCheck, ConformanceConfig, Programs};
use hardbop_brute_force::TabulationEngine;
use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Answer, Budget, Engine, Evidence, Outcome, Question, Silent, Support, Target, Verdict,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// In a word.
    pub kind: DisagreementKind,
    /// In a sentence.
    pub what: String,
}

/// What is wrong with an answer, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisagreementKind {
    /// The engine did not answer each target in order.
    Answers,
    /// The engine says reachable, the oracle unreachable.
    WronglyReachable,
    /// The engine says unreachable, the oracle reachable.
    WronglyUnreachable,
    /// A trace does not replay, or does not end at its target.
    Trace,
    /// A certificate was refused, or does not cover what was called unreachable.
    Certificate,
    /// The engine panicked.
    Panic,
}

/// What was found out about one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub exact: u64,
    pub reachable: u64,
    pub unreachable: u64,
    pub unknown: u64,
    pub certificates: u64,
}

pub(super) enum Judgement {
    /// The engine does not take such programs.
    NotTaken,
    Judged {
        counts: Counts,
        disagreement: Option<Disagreement>,
    },
}

impl Judgement {
    pub fn disagreement(self) -> Option<Disagreement> {
        match self {
            Judgement::NotTaken => None,
            Judgement::Judged { disagreement, .. } => disagreement,
        }
    }
}

pub(super) struct Judge<'a> {
    pub engine: &'a dyn Engine,
    pub check_certificate: &'a CertificateCheck<'a>,
    pub config: &'a ConformanceConfig,
}

impl Judge<'_> {
    /// Asks engine and oracle, and compares.
    pub fn judge(&self, text: &str) -> Judgement {
        let Ok(machine) = from_text("generated.bp", text) else {
            return Judgement::NotTaken;
        };
        if self.config.programs == Programs::Sequential && !machine.is_sequential() {
            return Judgement::NotTaken;
        }
        let question = Question::every_target(&machine);
        let budget = Budget {
            states: self.config.states,
            ..Budget::unlimited()
        };
        let check = || self.engine.check(&machine, &question, &budget, &mut Silent);
        let mut counts = Counts::default();
        let disagreement = match catch_unwind(AssertUnwindSafe(check)) {
            Ok(outcome) => self
                .compare(&machine, &question, &outcome, &mut counts)
                .err(),
            Err(panic) => Some(panicked(panic.as_ref())),
        };
        Judgement::Judged {
            counts,
            disagreement,
        }
    }

    fn compare(
        &self,
        machine: &Machine,
        question: &Question,
        outcome: &Outcome,
        counts: &mut Counts,
    ) -> Result<(), Disagreement> {
        let answered = outcome.answers.iter().filter_map(Answer::target);
        let answered: Vec<&Target> = answered.collect();
        if answered != question.targets().iter().collect::<Vec<_>>() {
            let what = format!("asked for {:?}, answered {answered:?}", question.targets());
            return disagree(DisagreementKind::Answers, what);
        }
        let expected = self.reachable_targets(machine, question);
        for (answer, expected) in outcome.answers.iter().zip(expected) {
            counts.exact += u64::from(expected.is_some());
            let name = &answer.asked;
            match (&answer.verdict, expected) {
                // A negative answer up to a bound is none about all runs; the engine's own tests
                // compare bounded answers.
                (Verdict::Unknown(_) | Verdict::No(Support::UpTo(_)), _) => {
                    counts.unknown += 1;
                }
                (Verdict::Yes(_), Some(false)) => {
                    let what = format!("{name}: reachable, but the oracle says unreachable");
                    return disagree(DisagreementKind::WronglyReachable, what);
                }
                (Verdict::No(_), Some(true)) => {
                    let what = format!("{name}: unreachable, but the oracle says reachable");
                    return disagree(DisagreementKind::WronglyUnreachable, what);
                }
                (Verdict::Yes(_), _) => counts.reachable += 1,
                (Verdict::No(_), _) => counts.unreachable += 1,
            }
            check_trace(machine, answer)?;
        }
        self.check_certificate(machine, outcome, counts)
    }

    /// For each target whether it is reachable, where an oracle knows.
    fn reachable_targets(&self, machine: &Machine, question: &Question) -> Vec<Option<bool>> {
        let budget = Budget {
            states: Some(self.config.oracle.max_configurations as u64),
            ..Budget::unlimited()
        };
        let ask = |oracle: &dyn Engine| -> Vec<Option<bool>> {
            let outcome = oracle.check(machine, question, &budget, &mut Silent);
            outcome
                .answers
                .iter()
                .map(|answer| is_reachable(&answer.verdict))
                .collect()
        };
        let mut verdicts = ask(&self.config.oracle);
        if machine.is_sequential() && verdicts.contains(&None) {
            // Deep recursion is beyond whole configurations, not beyond summaries.
            let others = ask(&TabulationEngine);
            for (verdict, other) in verdicts.iter_mut().zip(others) {
                *verdict = verdict.or(other);
            }
        }
        verdicts
    }

    fn check_certificate(
        &self,
        machine: &Machine,
        outcome: &Outcome,
        counts: &mut Counts,
    ) -> Result<(), Disagreement> {
        if let Some(asked) = outcome.lacks_certificate() {
            let what = format!("{asked} is in no certificate");
            return disagree(DisagreementKind::Certificate, what);
        }
        // Those of a property are about a product, which the checker of this suite does not make.
        let certificates = outcome.certificates.iter();
        for certificate in certificates.filter(|one| one.property.is_none()) {
            if let Err(why) = (self.check_certificate)(machine, certificate) {
                let what = format!("the certificate is refused: {why}");
                return disagree(DisagreementKind::Certificate, what);
            }
            counts.certificates += 1;
        }
        Ok(())
    }
}

fn check_trace(machine: &Machine, answer: &Answer) -> Result<(), Disagreement> {
    let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &answer.verdict else {
        return Ok(());
    };
    let name = &answer.asked;
    if trace.target.as_ref() != answer.target() {
        let what = format!(
            "the trace for {name} says that it is for {:?}",
            trace.target
        );
        return disagree(DisagreementKind::Trace, what);
    }
    match replay(machine, trace) {
        Ok(replayed) if answer.target().is_some_and(|t| replayed.last.is_at(t.node)) => Ok(()),
        Ok(_) => {
            let what = format!("the trace does not end at {name}");
            disagree(DisagreementKind::Trace, what)
        }
        Err(why) => {
            let what = format!("the trace to {name} does not replay: {why}");
            disagree(DisagreementKind::Trace, what)
        }
    }
}

fn is_reachable(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Yes(_) => Some(true),
        Verdict::Unknown(_) | Verdict::No(Support::UpTo(_)) => None,
        Verdict::No(_) => Some(false),
    }
}

fn disagree(kind: DisagreementKind, what: String) -> Result<(), Disagreement> {
    Err(Disagreement { kind, what })
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Disagreement {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    Disagreement {
        kind: DisagreementKind::Panic,
        what: format!(
            "the engine panicked: {}",
            text.unwrap_or("without a message")
        ),
    }
}
