//! What an engine answers, with one versioned JSON form.

use crate::bound::Bound;
use crate::budget::Limit;
use crate::certificate::Certificate;
use crate::query::{Query, Target};
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// Version of the JSON form.
pub const VERSION: u32 = 1;

/// The answers of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Version of this form.
    #[serde(rename = "hardbop-outcome")]
    pub version: u32,
    /// The engine that answered.
    pub engine: String,
    /// One per target, in order.
    pub answers: Vec<Answer>,
    /// Work counters in a fixed order; deterministic, so no times.
    pub statistics: Vec<(String, u64)>,
    /// Together they cover all unreachable targets of the run, unless there are none at all: an engine without certificates.
    /// Several small proofs are often cheaper to find and to check than one of everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<Certificate>,
}

/// The answer for one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What was asked.
    pub target: Target,
    /// What was found.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Verdict {
    /// Some run reaches the target.
    Reachable {
        /// Such a run.
        trace: Trace,
    },
    /// No run reaches the target.
    Unreachable,
    /// No run within the bound that was asked for reaches the target.
    UnreachableUpTo {
        /// The bound.
        bound: Bound,
    },
    /// Not known.
    Unknown {
        /// Why not.
        why: Limit,
    },
}

impl Outcome {
    /// An outcome of an engine without statistics or certificates.
    pub fn new(engine: &str, answers: Vec<Answer>) -> Self {
        Self {
            version: VERSION,
            engine: engine.to_owned(),
            answers,
            statistics: Vec::new(),
            certificates: Vec::new(),
        }
    }

    /// Nothing is known of any target, for the same reason.
    pub fn unknown(engine: &str, query: &Query, why: &Limit) -> Self {
        let answers = query.targets.iter().map(|target| Answer {
            target: target.clone(),
            verdict: Verdict::Unknown { why: why.clone() },
        });
        Self::new(engine, answers.collect())
    }

    /// Whether some certificate speaks of the target.
    pub fn is_certified(&self, target: &Target) -> bool {
        let speaks_of_it = |certificate: &Certificate| certificate.targets.contains(target);
        self.certificates.iter().any(speaks_of_it)
    }

    /// An unreachable target of which no certificate speaks, although there are certificates.
    pub fn uncertified(&self) -> Option<&Target> {
        if self.certificates.is_empty() {
            return None;
        }
        let claims = self.answers.iter();
        let mut claims = claims.filter(|answer| answer.verdict == Verdict::Unreachable);
        let bare = claims.find(|answer| !self.is_certified(&answer.target))?;
        Some(&bare.target)
    }
}
