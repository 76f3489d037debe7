//! Benchmarks as data: what is run, what was seen, whether it is right, and how it grows.
//!
//! A benchmark is a list of [`Case`]s (members of the generated families, or files of the user) and
//! a list of contenders (engines of hardbop, or [`Peer`]s: other programs). The command line runs
//! every contender on every case, each run in its own process, and hands the [`Sample`]s back;
//! [`report`] makes tables and CSV of them.
//!
//! Nothing here starts a process or looks at a clock, so everything about a report can be tested
//! with made-up figures.

pub mod auto_table;
pub mod case;
pub mod check_output;
pub mod comparison;
pub mod csv;
pub mod growth;
pub mod growth_table;
pub mod peer;
pub mod process_status;
pub mod quantity;
pub mod record;
pub mod report;
pub mod table;
pub mod verdict;

pub use case::{Case, Source, Suite};
pub use peer::Peer;
pub use record::{End, Record, Sample};
pub use verdict::{Judgement, Verdict};
