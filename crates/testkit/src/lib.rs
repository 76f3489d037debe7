//! What tests are made of: random programs and one suite for all engines.
//!
//! [`mod@conformance`] compares an engine with the obvious searches of `hardbop-brute-force` and
//! checks its evidence; `hardbop-shrink` makes small what went wrong. Both are at hand here under
//! the names that tests use. [`shared()`] finds programs of other tools.

pub mod conformance;
mod shared;

pub use conformance::{ConformanceConfig, ConformanceReport, conformance};
pub use hardbop_brute_force::{
    Bounds, ContextOracle, Cost, Oracle, RunOracle, Tabulation, TabulationEngine, path_edges,
};
pub use hardbop_families::{Knobs, generate, generator, random};
pub use hardbop_shrink::shrink;
pub use shared::{shared, shared_programs};
