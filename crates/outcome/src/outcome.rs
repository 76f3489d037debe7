//! What an engine answers, with one versioned JSON form.

use crate::answer::{Answer, Verdict};
use crate::budget::Limit;
use crate::certificate::Certificate;
use crate::question::{Asked, Question};
use crate::statistics::Statistics;
use crate::support::Support;
use crate::target::Target;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Version of the JSON form.
pub const VERSION: u32 = 2;

/// The answers to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Version of this form.
    #[serde(rename = "hardbop-outcome")]
    pub version: u32,
    /// The engine that answered.
    pub engine: String,
    /// One per item of the question, in order.
    pub answers: Vec<Answer>,
    /// Work counters in a fixed order.
    pub statistics: Statistics,
    /// Proofs of negative answers. Several small ones are often cheaper to find and to check than
    /// one of everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<Certificate>,
    /// What an algorithm of the user printed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<Printed>,
}

/// What one command of an algorithm printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// The command as it is written.
    pub command: String,
    /// Lines of text.
    pub text: String,
}

impl Outcome {
    /// An outcome without statistics or certificates.
    pub fn new(engine: &str, answers: Vec<Answer>) -> Self {
        Self {
            version: VERSION,
            engine: engine.to_owned(),
            answers,
            statistics: Statistics::default(),
            certificates: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// Nothing is known, for the same reason everywhere.
    pub fn unknown(engine: &str, question: &Question, why: &Limit) -> Self {
        Self::same(engine, question, &Verdict::Unknown(why.clone()))
    }

    /// The same verdict for every item.
    pub fn same(engine: &str, question: &Question, verdict: &Verdict) -> Self {
        let asked = question.asked().into_iter();
        Self::new(
            engine,
            asked
                .map(|asked| Answer::to(asked, verdict.clone()))
                .collect(),
        )
    }

    /// Adds a certificate. It supports negative answers about its targets from now on.
    pub fn certify(&mut self, certificate: Certificate) {
        let targets: HashSet<&Target> = certificate.targets.iter().collect();
        for answer in &mut self.answers {
            let is_meant = answer.target().is_some_and(|t| targets.contains(t));
            if is_meant && answer.verdict.is_no_for_all_runs() {
                answer.verdict = Verdict::CERTIFIED;
            }
        }
        self.certificates.push(certificate);
    }

    /// Adds the certificates of a property, which the question about places was asked instead of,
    /// if together they exclude all of these places.
    pub fn certify_property(&mut self, places: &Question, certificates: Vec<Certificate>) {
        let excluded: HashSet<&Target> = certificates.iter().flat_map(|c| &c.targets).collect();
        let are_excluded = places
            .targets()
            .iter()
            .all(|target| excluded.contains(target));
        if certificates.is_empty() || !are_excluded {
            return;
        }
        for answer in &mut self.answers {
            if answer.verdict.is_no_for_all_runs() {
                answer.verdict = Verdict::CERTIFIED;
            }
        }
        self.certificates.extend(certificates);
    }

    /// The first item whose answer is said to be certified although no certificate speaks of it, or
    /// that has the engine's word without a reason although there are certificates of others.
    pub fn lacks_certificate(&self) -> Option<&Asked> {
        let properties = self.certificates.iter().filter_map(|c| c.property.as_ref());
        let properties: HashSet<&String> = properties.collect();
        let about_places = self.certificates.iter().filter(|c| c.property.is_none());
        let certified: HashSet<&Target> = about_places.flat_map(|c| &c.targets).collect();
        let mut claims = self.answers.iter().filter(|answer| match &answer.verdict {
            Verdict::No(Support::Certificate) => true,
            Verdict::No(Support::Uncertified(None)) => {
                answer.target().is_some() && !certified.is_empty()
            }
            _ => false,
        });
        let lacks = |answer: &&Answer| match &answer.asked {
            Asked::Target(target) => !certified.contains(target),
            Asked::Property(property) => !properties.contains(&property.to_string()),
        };
        claims.find(lacks).map(|answer| &answer.asked)
    }
}
