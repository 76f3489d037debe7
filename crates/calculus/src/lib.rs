//! Getafix rebuilt (sections 4 and 6.1 of its paper): a model-checking algorithm is a page of
//! formulas, and a solver makes it fast.
//!
//! A program becomes a handful of relations ([`relations`]) with a fixed interface; an algorithm is
//! a `.mu` file over that interface (`algorithms/`); together they are a problem that any solver of
//! the calculus can answer, the original Mucke included.

pub mod algorithm;
mod bodies;
mod decide;
mod engine;
mod formula_text;
mod layout;
mod places;
mod problem;
mod relations;
mod steps;
mod text;
pub mod threads;

pub use algorithm::Algorithm;
pub use decide::{Decided, decide_threads};
pub use engine::{CalculusEngine, unsupported};
pub use problem::Program;
