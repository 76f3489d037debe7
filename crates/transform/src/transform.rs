//! What all transforms have in common: another machine, another question, and the way back.
//!
//! A transform replaces a machine and a question about it by others that are easier to answer, or that more engines take. It
//! says four things: what becomes of the machine, what becomes of the question ([`Asked`]), how a run of the new machine becomes one of
//! the original, and how a certificate does, or why it does not. [`Transform::outcome_back`] puts them together. Two transforms one after the
//! other are one ([`Chain`]).
//!
//! **The judges stay where they are**: what comes back is evidence about the original machine, and is replayed or validated there.

use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{Answer, Bound, Certificate, Limit, Outcome, Query, Target, Trace, Verdict};

/// A machine and a question in place of others.
pub trait Transform {
    /// The new machine.
    fn machine(&self) -> &Machine;

    /// The new question, and what its targets mean.
    fn asked(&self) -> &Asked;

    /// A run of the new machine to one of its targets as a run of the original.
    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack>;

    /// A certificate of the new machine as one of the original.
    fn certificate_back(
        &self,
        original: &Machine,
        certificate: Certificate,
    ) -> Result<Certificate, NoWayBack>;

    /// The bound within which a target is unreachable that the new machine does not reach; none if that holds of all runs.
    fn bound(&self) -> Option<Bound> {
        None
    }

    /// The answers of an engine to the new question as answers to the original one.
    fn outcome_back(&self, original: &Machine, outcome: Outcome) -> Outcome {
        let asked = self.asked();
        let reached = |index: usize| outcome.answers[index].verdict != Verdict::Unreachable;
        let proviso = asked.provisos.iter().find(|(index, _)| reached(*index));
        let answers = asked.original.targets.iter().zip(&asked.standing);
        let answers = answers.map(|(target, standing)| {
            let verdicts = standing.iter().map(|&index| &outcome.answers[index].verdict);
            let verdict = match joined(verdicts) {
                Verdict::Reachable { trace } => match self.run_back(original, &trace) {
                    Ok(trace) => Verdict::Reachable { trace },
                    Err(why) => Verdict::Unknown { why: why.limit() },
                },
                Verdict::Unreachable => match (proviso, self.bound()) {
                    (Some((_, why)), _) => Verdict::Unknown { why: why.clone() },
                    (None, Some(bound)) => Verdict::UnreachableUpTo { bound },
                    (None, None) => Verdict::Unreachable,
                },
                other => other,
            };
            Answer {
                target: target.clone(),
                verdict,
            }
        });
        let mut back = Outcome::new(&outcome.engine, answers.collect());
        let certificates = outcome.certificates.into_iter();
        let certificates = certificates.map(|certificate| self.certificate_back(original, certificate));
        // Those that remain would not cover what those that are lost did.
        back.certificates = certificates.collect::<Result<_, _>>().unwrap_or_default();
        back.statistics = outcome.statistics;
        back
    }
}

/// The verdict on a target that several stand for: it is reached where one of them is.
fn joined<'v>(verdicts: impl Iterator<Item = &'v Verdict>) -> Verdict {
    let mut all = Verdict::Unreachable;
    for verdict in verdicts {
        match verdict {
            Verdict::Reachable { .. } => return verdict.clone(),
            Verdict::Unreachable => {}
            Verdict::UnreachableUpTo { .. } | Verdict::Unknown { .. } => all = verdict.clone(),
        }
    }
    all
}

/// A question in place of another.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The question about the new machine.
    pub question: Query,
    /// The question about the original one.
    pub original: Query,
    /// For every target of the original question those of the new one that stand for it, by position: it is reached where one of them is.
    pub standing: Vec<Vec<usize>>,
    /// Targets of the new question, by position, on which negative answers depend: if one may be reached, they are unknown for this reason.
    pub provisos: Vec<(usize, Limit)>,
}

impl Asked {
    /// The question about the nodes that stand for those of another question.
    pub fn at_nodes<'n>(question: &Query, standing_for: impl Fn(NodeId) -> &'n [NodeId]) -> Self {
        let mut asked = Self {
            original: question.clone(),
            ..Self::default()
        };
        for target in &question.targets {
            let nodes = standing_for(target.node).iter();
            let first = asked.question.targets.len();
            asked.question.targets.extend(nodes.map(|&node| Target {
                node,
                kind: target.kind.clone(),
            }));
            asked.standing.push((first..asked.question.targets.len()).collect());
        }
        asked
    }

    /// The same question.
    pub fn unchanged(question: &Query) -> Self {
        Self {
            question: question.clone(),
            original: question.clone(),
            standing: (0..question.targets.len()).map(|index| vec![index]).collect(),
            provisos: Vec::new(),
        }
    }

    /// The target of the original question that one of the new question stands for.
    pub fn target_back(&self, target: &Target) -> Option<&Target> {
        let stands = |&index: &usize| self.question.targets[index] == *target;
        let place = self.standing.iter().position(|some| some.iter().any(stands))?;
        Some(&self.original.targets[place])
    }

    /// The targets of the original question that are excluded where these targets of the new one are.
    pub fn targets_back(&self, excluded: &[Target]) -> Vec<Target> {
        let is_excluded = |&index: &usize| excluded.contains(&self.question.targets[index]);
        let targets = self.original.targets.iter().zip(&self.standing);
        let targets = targets.filter(|(_, standing)| standing.iter().all(is_excluded));
        targets.map(|(target, _)| target.clone()).collect()
    }
}

/// Why evidence about a transformed machine says nothing about the original.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoWayBack {
    /// A run of several threads where one was expected.
    #[error("the run is not sequential")]
    NotSequential,
    /// The original's run has too many different calls.
    #[error("the run has too many different calls to be written down")]
    TooLong,
    /// The original has no such run; with the reason.
    #[error("the original does not have this run: {0}")]
    NotARun(String),
    /// What the certificate says holds of the new machine only.
    #[error("the certificate does not carry over: {0}")]
    NotCertified(&'static str),
}

impl NoWayBack {
    /// What is said of a target whose evidence is lost.
    fn limit(&self) -> Limit {
        match self {
            NoWayBack::TooLong => Limit::Memory,
            other => Limit::Unsupported {
                what: other.to_string(),
            },
        }
    }
}

/// One transform and another of its result.
pub struct Chain<A, B> {
    first: A,
    second: B,
    asked: Asked,
}

impl<A: Transform, B: Transform> Chain<A, B> {
    /// The second transform must be of the machine and the question of the first.
    pub fn new(first: A, second: B) -> Self {
        let (outer, inner) = (first.asked(), second.asked());
        let through = |index: &usize| inner.standing[*index].iter().copied();
        let standing = outer.standing.iter();
        let standing = standing.map(|some| some.iter().flat_map(through).collect());
        let provisos = outer.provisos.iter().flat_map(|(index, why)| {
            let standing = inner.standing[*index].iter();
            standing.map(|&index| (index, why.clone()))
        });
        let provisos = provisos.chain(inner.provisos.iter().cloned());
        let asked = Asked {
            question: inner.question.clone(),
            original: outer.original.clone(),
            standing: standing.collect(),
            provisos: provisos.collect(),
        };
        Self {
            first,
            second,
            asked,
        }
    }
}

impl<A: Transform, B: Transform> Transform for Chain<A, B> {
    fn machine(&self) -> &Machine {
        self.second.machine()
    }

    fn asked(&self) -> &Asked {
        &self.asked
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        let between = self.second.run_back(self.first.machine(), trace)?;
        self.first.run_back(original, &between)
    }

    fn certificate_back(
        &self,
        original: &Machine,
        certificate: Certificate,
    ) -> Result<Certificate, NoWayBack> {
        let between = self.second.certificate_back(self.first.machine(), certificate)?;
        self.first.certificate_back(original, between)
    }

    fn bound(&self) -> Option<Bound> {
        self.first.bound().or(self.second.bound())
    }
}
