//! Evidence for an answer: a run that can be replayed, finite or infinite, or a strategy.
//!
//! Evidence that something cannot happen is a [`crate::Certificate`]. One certificate often covers
//! many targets, so certificates stand beside the answers, in [`crate::Outcome`].

use crate::lasso::{Lasso, ThreadLasso};
use crate::strategy::Strategy;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// What shows the answer to what was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// A finite one.
    #[serde(rename = "trace")]
    Run(Trace),
    /// An infinite one of a sequential program.
    Lasso(Lasso),
    /// An infinite one of several threads.
    ThreadLasso(ThreadLasso),
    /// A strategy for a formula of branching time.
    Strategy(Strategy),
}

impl Evidence {
    /// Whether there is a run in it.
    pub fn has_run(&self) -> bool {
        match self {
            Evidence::Run(_) | Evidence::Lasso(_) | Evidence::ThreadLasso(_) => true,
            Evidence::Strategy(strategy) => strategy.run.is_some() || strategy.path.is_some(),
        }
    }

    /// The run, if it is finite.
    pub fn run(&self) -> Option<&Trace> {
        match self {
            Evidence::Run(trace) => Some(trace),
            Evidence::Lasso(_) | Evidence::ThreadLasso(_) | Evidence::Strategy(_) => None,
        }
    }
}
