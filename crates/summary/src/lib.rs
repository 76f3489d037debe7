//! The summary engine: Bebop rebuilt, the workhorse for sequential programs.
//!
//! Control is explicit, data symbolic: for every node a BDD of path edges, for every procedure a
//! summary (Ball and Rajamani, *Bebop*, SPIN 2000). [`encoding`] says which BDD variable stands for
//! what and what edges do to relations. [`search`] explores from the start and puts what it has
//! reached in order of distance. [`evidence`] reads runs off a search and writes its relations down
//! as a certificate.
//!
//! There is one search. Few variables first, for programs whose whole relations are too large, is
//! `hardbop_transform::hide::FewVariables` around the engine.

mod encoding;
mod engine;
mod reached;

/// Path edges and summaries from the start on, and distances.
mod search {
    pub(crate) mod forward;
    pub(crate) mod frontier;
    pub(crate) mod layers;
}

/// Runs and certificates.
mod evidence {
    pub(crate) mod certify;
    pub(crate) mod runs;
}

pub use encoding::Order;
pub use engine::SummaryEngine;
pub use reached::{Reached, reached};
