//! Evidence that something happens: a run that can be replayed, finite or infinite.
//!
//! Evidence that something cannot happen is a [`crate::Certificate`]. One certificate often covers
//! many targets, so certificates stand beside the answers, in [`crate::Outcome`].

use crate::lasso::{Lasso, ThreadLasso};
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// A run that shows what was asked.
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
}

impl Evidence {
    /// The run, if it is finite.
    pub fn run(&self) -> Option<&Trace> {
        match self {
            Evidence::Run(trace) => Some(trace),
            Evidence::Lasso(_) | Evidence::ThreadLasso(_) => None,
        }
    }
}
