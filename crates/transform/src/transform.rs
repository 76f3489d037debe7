//! What all transforms have in common: another machine, another question, and the way back.
//!
//! A transform replaces a machine and a question about it by others that are easier to answer, or
//! that more engines take. It says four things: what becomes of the machine, what becomes of the
//! question ([`TargetMap`]), how a run of the new machine becomes one of the original, and how a
//! certificate does, or why it does not. [`Transform::outcome_back`] puts them together. Two
//! transforms one after the other are one ([`Chain`]).
//!
//! **The judges stay where they are**: what comes back is evidence about the original machine, and
//! is replayed or validated there.

use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{
    Answer, Bound, Certificate, Evidence, Limit, Outcome, Question, Support, Target, Trace, Verdict,
};

/// A machine and a question in place of others.
pub trait Transform {
    /// The new machine.
    fn machine(&self) -> &Machine;

    /// The new question, and what its targets mean.
    fn targets(&self) -> &TargetMap;

    /// A run of the new machine to one of its targets as a run of the original.
    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack>;

    /// A certificate of the new machine as one of the original.
    fn certificate_back(
        &self,
        original: &Machine,
        certificate: Certificate,
    ) -> Result<Certificate, NoWayBack>;

    /// The bound within which no run does what the new machine does not do at all; nothing if that
    /// holds of all runs.
    fn bound(&self) -> Option<Bound> {
        None
    }

    /// The question about the new machine.
    fn question(&self) -> &Question {
        &self.targets().question
    }

    /// The answers of an engine to the new question as answers to the original one.
    fn outcome_back(&self, original: &Machine, outcome: Outcome) -> Outcome {
        let targets = self.targets();
        let mut back = Outcome::new(&outcome.engine, Vec::new());
        let mut certificates = Vec::new();
        let mut lost: Vec<(Vec<Target>, String)> = Vec::new();
        for certificate in outcome.certificates {
            let about = certificate.targets.clone();
            match self.certificate_back(original, certificate) {
                Ok(certificate) => certificates.push(certificate),
                Err(why) => lost.push((about, why.to_string())),
            }
        }
        let may_be_reached = |index: usize| !outcome.answers[index].verdict.is_no_for_all_runs();
        let mut provisos = targets.provisos.iter();
        let proviso = provisos.find(|(index, _)| may_be_reached(*index));
        for (asked, standing) in targets.original.asked().into_iter().zip(&targets.standing) {
            let answers = || standing.iter().map(|&index| &outcome.answers[index]);
            let verdict = match one_of(answers().map(|answer| &answer.verdict)) {
                Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
                    match self.run_back(original, &trace) {
                        Ok(mut trace) => {
                            // Of several targets that one stands for, it is this one.
                            trace.target = asked.target().cloned();
                            Verdict::run(trace)
                        }
                        Err(why) => Verdict::Unknown(why.limit()),
                    }
                }
                no if no.is_no_for_all_runs() => match (proviso, self.bound()) {
                    (Some((_, why)), _) => Verdict::Unknown(why.clone()),
                    (None, Some(bound)) => Verdict::up_to(bound),
                    (None, None) => {
                        let reason = |answer: &Answer| {
                            let target = answer.target()?;
                            let why = lost.iter().find(|(about, _)| about.contains(target));
                            let own = answer.verdict.why_uncertified();
                            own.map(str::to_owned).or(why.map(|(_, why)| why.clone()))
                        };
                        Verdict::No(Support::Uncertified(answers().find_map(reason)))
                    }
                },
                other => other,
            };
            back.answers.push(Answer::to(asked, verdict));
        }
        if targets.original.as_property().is_some() {
            back.certify_property(&targets.question, certificates);
        } else {
            for certificate in certificates {
                back.certify(certificate);
            }
        }
        back.statistics = outcome.statistics;
        back.printed = outcome.printed;
        back
    }
}

/// The verdict on something that several targets stand for: it happens where one of them is
/// reached.
fn one_of<'v>(verdicts: impl Iterator<Item = &'v Verdict>) -> Verdict {
    let mut all = Verdict::NO;
    for verdict in verdicts {
        match verdict {
            Verdict::Yes(_) => return verdict.clone(),
            Verdict::No(Support::UpTo(_)) if all.is_unknown() => {}
            Verdict::No(Support::UpTo(_)) | Verdict::Unknown(_) => all = verdict.clone(),
            Verdict::No(_) => {}
        }
    }
    all
}

/// A question in place of another.
#[derive(Clone, Debug)]
pub struct TargetMap {
    /// The question about the new machine.
    pub question: Question,
    /// The question about the original one.
    pub original: Question,
    /// For every item of the original question the targets of the new one that stand for it, by
    /// position: it happens where one of them is reached.
    pub standing: Vec<Vec<usize>>,
    /// Targets of the new question, by position, on which negative answers depend: if one may be
    /// reached, they are unknown for this reason.
    pub provisos: Vec<(usize, Limit)>,
}

impl TargetMap {
    /// The question about the nodes that stand for those of another question.
    pub(crate) fn at_nodes<'n>(
        question: &Question,
        standing_for: impl Fn(NodeId) -> &'n [NodeId],
    ) -> Self {
        let (mut targets, mut standing) = (Vec::new(), Vec::new());
        for target in question.targets() {
            let nodes = standing_for(target.node).iter();
            let first = targets.len();
            targets.extend(nodes.map(|&node| Target {
                node,
                ..target.clone()
            }));
            standing.push((first..targets.len()).collect());
        }
        Self {
            question: question.about(targets),
            original: question.clone(),
            standing,
            provisos: Vec::new(),
        }
    }

    /// The same question.
    pub fn unchanged(question: &Question) -> Self {
        Self {
            question: question.clone(),
            original: question.clone(),
            standing: (0..question.targets().len())
                .map(|index| vec![index])
                .collect(),
            provisos: Vec::new(),
        }
    }

    /// The target of the original question that the target of a run stands for.
    pub(crate) fn target_of(&self, trace: &Trace) -> Option<Target> {
        let target = trace.target.as_ref()?;
        let stands = |&index: &usize| self.question.targets()[index] == *target;
        let place = self
            .standing
            .iter()
            .position(|some| some.iter().any(stands))?;
        self.original.targets().get(place).cloned()
    }

    /// The targets of the original question that are excluded where these targets of the new one
    /// are.
    pub(crate) fn targets_back(&self, excluded: &[Target]) -> Vec<Target> {
        let is_excluded = |&index: &usize| excluded.contains(&self.question.targets()[index]);
        let targets = self.original.targets().iter().zip(&self.standing);
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
    /// The original has no such run, against what the transform promises; with the reason.
    #[error("the original does not have this run: {0}")]
    NotARun(String),
    /// The original need not have such a run, and does not; with the reason.
    #[error("a run that hidden variables rule out: {0}")]
    Spurious(String),
    /// The original has a run that gets so far, but an infinite one is needed.
    #[error(
        "properties of infinite executions: it found a finite one that may block; engine explicit \
         looks for infinite ones"
    )]
    NotInfinite,
    /// What the certificate says holds of the new machine only; with the reason.
    #[error("{0}")]
    NotCertified(&'static str),
}

impl NoWayBack {
    /// What is said of a target whose run is lost.
    fn limit(&self) -> Limit {
        match self {
            NoWayBack::TooLong => Limit::Memory,
            NoWayBack::NotARun(_) => Limit::Contradiction {
                what: self.to_string(),
            },
            _ => Limit::Declined {
                what: self.to_string(),
            },
        }
    }
}

/// One transform and another of its result.
#[derive(Clone, Debug)]
pub struct Chain<A, B> {
    first: A,
    second: B,
    targets: TargetMap,
}

impl<A: Transform, B: Transform> Chain<A, B> {
    /// The second transform must be of the machine and the question of the first.
    pub fn new(first: A, second: B) -> Self {
        let (outer, inner) = (first.targets(), second.targets());
        let through = |index: &usize| inner.standing[*index].iter().copied();
        let standing = outer.standing.iter();
        let standing = standing.map(|some| some.iter().flat_map(through).collect());
        let provisos = outer.provisos.iter().flat_map(|(index, why)| {
            let standing = inner.standing[*index].iter();
            standing.map(|&index| (index, why.clone()))
        });
        let provisos = provisos.chain(inner.provisos.iter().cloned());
        let targets = TargetMap {
            question: inner.question.clone(),
            original: outer.original.clone(),
            standing: standing.collect(),
            provisos: provisos.collect(),
        };
        Self {
            first,
            second,
            targets,
        }
    }
}

impl<A: Transform, B: Transform> Transform for Chain<A, B> {
    fn machine(&self) -> &Machine {
        self.second.machine()
    }

    fn targets(&self) -> &TargetMap {
        &self.targets
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
        let between = self
            .second
            .certificate_back(self.first.machine(), certificate)?;
        self.first.certificate_back(original, between)
    }

    fn bound(&self) -> Option<Bound> {
        self.first.bound().or(self.second.bound())
    }
}
