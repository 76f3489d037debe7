//! What tests are made of: random programs, oracles that answer slowly but surely, a shrinker, one suite for all engines.
//!
//! [`mod@generator`] makes programs from seeds; [`oracle`] explores whole configurations, [`summary_oracle`] tabulates explicit
//! path edges; [`run_oracle`] asks for infinite runs of several threads. The first two share nothing but the evaluation of a single edge, and agree on every program that both can
//! finish. [`mod@conformance`] compares an engine with them and checks its evidence; [`mod@shrink`] makes small what went wrong.

pub mod conformance;
pub mod context_oracle;
pub mod generator;
pub mod oracle;
pub mod path_edges;
pub mod random;
pub mod run_oracle;
pub mod shrink;
pub mod summary_oracle;
pub mod tabulation;

pub use conformance::{ConformanceConfig, ConformanceReport, conformance};
pub use context_oracle::ContextOracle;
pub use generator::{Knobs, generate};
pub use oracle::Oracle;
pub use run_oracle::RunOracle;
pub use shrink::shrink;
pub use summary_oracle::SummaryOracle;
pub use tabulation::Tabulation;
