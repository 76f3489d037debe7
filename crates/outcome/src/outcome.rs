//! What an engine answers, with one versioned JSON form.

use crate::budget::Limit;
use crate::certificate::Certificate;
use crate::query::Target;
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
    /// One certificate covers all unreachable targets of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
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
    /// Not known.
    Unknown {
        /// Why not.
        why: Limit,
    },
}

impl Outcome {
    /// An outcome of an engine without statistics or certificate.
    pub fn new(engine: &str, answers: Vec<Answer>) -> Self {
        Self {
            version: VERSION,
            engine: engine.to_owned(),
            answers,
            statistics: Vec::new(),
            certificate: None,
        }
    }
}
