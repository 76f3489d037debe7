//! What an engine answers, with one versioned JSON form.

use crate::answer::{Answer, Verdict};
use crate::budget::Limit;
use crate::certificate::Certificate;
use crate::question::Question;
use crate::statistics::Statistics;
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

    /// Whether some certificate speaks of the target.
    pub fn is_certified(&self, target: &Target) -> bool {
        let speaks_of_it = |certificate: &Certificate| certificate.targets.contains(target);
        self.certificates.iter().any(speaks_of_it)
    }

    /// A target that was excluded without a certificate, although there are certificates and no
    /// reason was given.
    pub fn uncertified(&self) -> Option<&Target> {
        if self.certificates.is_empty() {
            return None;
        }
        let certified = self.certificates.iter().flat_map(|c| &c.targets);
        let certified: HashSet<&Target> = certified.collect();
        let claims = self
            .answers
            .iter()
            .filter(|answer| answer.verdict == Verdict::Excluded && answer.uncertified.is_none());
        claims
            .filter_map(Answer::target)
            .find(|target| !certified.contains(target))
    }
}
