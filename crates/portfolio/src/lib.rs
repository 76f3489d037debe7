//! One tool out of many engines: which of them answer a question, in which turns, and whether
//! their answers are to be believed.
//!
//! [`plan`] lists the engines for a kind of question, [`turns`] lets them search in turns or side
//! by side, [`judge`] holds whoever answers to its word, and [`cross_check`] compares everyone who
//! takes the question; [`vacuity`] remarks on assertions that are never reached. [`Portfolio::check`] is the whole way from a question to a validated
//! answer; the command and library users go the same way.

mod coverage;
pub mod cross_check;
pub mod engines;
pub mod explain;
pub mod fault;
pub mod judge;
pub mod options;
pub mod plan;
mod portfolio;
pub mod turns;
mod vacuity;

pub use coverage::{Covered, coverage};
pub use engines::EngineName;
pub use fault::Fault;
pub use judge::{Judgement, Validation, judge_evidence};
pub use options::{EngineOption, Options};
pub use portfolio::{Choice, Portfolio, Refused};
pub use vacuity::FewLooks;
