//! The obvious searches, for small programs and for testing everything else.
//!
//! [`BruteForce`] explores whole configurations with the interpreter's own steps: for places, with
//! or without a bound on context switches or rounds ([`configurations`], [`contexts`]), and for
//! properties of runs ([`runs`]), and for formulas of branching time ([`branching`]). [`TabulationEngine`] tabulates explicit path edges
//! ([`tabulation`]), exact for any recursion of sequential programs. The two share nothing but the
//! evaluation of a single edge, so that one can be held against the other.

mod branching;
mod configurations;
mod contexts;
mod engine;
pub mod path_edges;
mod runs;
mod steps;
mod tabulation;
mod tabulation_engine;

pub use branching::holds_everywhere;
pub use configurations::Oracle;
pub use contexts::{ContextOracle, Cost};
pub use engine::BruteForce;
pub use runs::RunOracle;
pub use steps::{Bounds, initial_configurations, successors};
pub use tabulation::Tabulation;
pub use tabulation_engine::TabulationEngine;
