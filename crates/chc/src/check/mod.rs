//! The judges of answers: is this a model of the clauses, is this a derivation from them?
//!
//! They work on the clauses as read and share nothing with the translation into a machine: terms
//! are evaluated by `evaluate` and become circuits by `words`, which both follow SMT-LIB.

mod derivations;
pub mod evaluate;
mod models;
mod words;

pub use derivations::{Rejected, check_derivation};
pub use models::{ModelError, check_model};
