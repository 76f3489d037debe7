//! What a verdict stands on.
//!
//! Evidence is executed or played through by a judge, and it belongs to one answer. A certificate
//! often covers many targets, so certificates stand beside the answers, in [`crate::Outcome`]; an
//! answer only says that one of them is about it.

use crate::bound::Bound;
use crate::evidence::Evidence;
use serde::{Deserialize, Serialize};

/// What a verdict stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for each answer, and most answers with evidence keep it"
)]
pub enum Support {
    /// A run, a lasso or a strategy, which a judge goes through.
    Evidence(Evidence),
    /// One of the outcome's certificates.
    Certificate,
    /// A complete search of the runs within the bound that was asked for.
    UpTo(Bound),
    /// The engine's word, and why there is no more where more is to be expected. Of negative
    /// answers about properties it is not.
    Uncertified(Option<String>),
}

/// A support in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SupportWord {
    /// A finite run.
    Run,
    /// An infinite run.
    Lasso,
    /// A strategy of the game of a formula.
    Strategy,
    /// A certificate.
    Certificate,
    /// A bound within which the verdict holds.
    Bound,
    /// The engine's word.
    Uncertified,
}

impl Support {
    /// The evidence in it.
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            Support::Evidence(evidence) => Some(evidence),
            Support::Certificate | Support::UpTo(_) | Support::Uncertified(_) => None,
        }
    }

    /// In one word.
    pub fn word(&self) -> SupportWord {
        match self {
            Support::Evidence(Evidence::Run(_)) => SupportWord::Run,
            Support::Evidence(Evidence::Lasso(_) | Evidence::ThreadLasso(_)) => SupportWord::Lasso,
            Support::Evidence(Evidence::Strategy(_)) => SupportWord::Strategy,
            Support::Certificate => SupportWord::Certificate,
            Support::UpTo(_) => SupportWord::Bound,
            Support::Uncertified(_) => SupportWord::Uncertified,
        }
    }
}
