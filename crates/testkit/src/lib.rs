//! What tests are made of: random programs and one suite for all engines.
//!
//! [`mod@generator`] makes programs from seeds. [`mod@conformance`] compares an engine with the
//! obvious searches of `hardbop-brute-force` and checks its evidence; `hardbop-shrink` makes small
//! what went wrong. Both are at hand here under the names that tests use.

pub mod conformance;
pub mod generator;
pub mod random;

pub use conformance::{ConformanceConfig, ConformanceReport, conformance};
pub use generator::{Knobs, generate};
pub use hardbop_brute_force::{
    ContextOracle, Oracle, RunOracle, Tabulation, TabulationEngine, contexts,
};
pub use hardbop_shrink::shrink;
