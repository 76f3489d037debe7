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
mod case;
pub mod check_output;
mod comparison;
pub mod csv;
mod growth;
mod growth_table;
mod peer;
pub mod process_status;
pub mod quantity;
mod record;
pub mod report;
mod table;
mod verdict;

pub use case::{Case, FRONT_END_FAMILY, FRONT_END_SIZES, Source, Suite};
pub use comparison::Measure;
pub use peer::Peer;
pub use record::{End, Kind, Record, Sample};
pub use table::{Align, Table};
pub use verdict::{Judgement, Verdict};
