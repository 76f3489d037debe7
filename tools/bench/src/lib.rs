//! Benchmarks as data: what is run, what was seen, whether it is right, and how it grows.
//!
//! A benchmark is a list of [`Case`]s (members of the generated families, or files of the user) and
//! a list of contenders (engines of hardbop, or [`Peer`]s: other programs). The command line runs
//! every contender on every case, each run in its own process, and hands the [`Sample`]s back; a
//! [`Run`] is all of them together. [`report`] makes tables of it, [`performance`] a page with
//! plots, and [`Changes`] holds it against an earlier one.
//!
//! Nothing here starts a process or looks at a clock, so everything about a report can be tested
//! with made-up figures.

mod against;
pub mod auto_table;
mod case;
pub mod check_output;
mod comparison;
pub mod corpus;
pub mod csv;
mod document;
mod fit;
mod growth_table;
mod known_peer;
mod measure;
mod peer;
pub mod performance;
mod plot;
pub mod quantity;
mod record;
pub mod report;
mod run;
mod standings;
mod table;
mod verdict;

pub use against::Changes;
pub use case::{Case, FRONT_END_FAMILY, FRONT_END_SIZES, Suite};
pub use document::Document;
pub use known_peer::{KNOWN, KnownPeer};
pub use measure::Measure;
pub use peer::{BadPeer, Peer};
pub use record::{End, Kind, Record, Sample};
pub use run::{BadRun, Run};
pub use table::{Align, Table};
pub use verdict::{Judgement, Verdict};
