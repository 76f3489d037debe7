//! One tool out of many engines: which of them answer a question, in which turns, and whether
//! their answers are to be believed.
//!
//! [`plan`] lists the engines for a kind of question, [`pipeline`] has the passes in front of each,
//! [`turns`] lets them search in turns or side by side, [`judge`] validates every answer, and
//! [`cross_check`] compares all engines that take the question; [`vacuity`] marks assertions that
//! are never reached. [`Portfolio::check`] goes from a question to a validated answer, for the
//! command and for users of the library.

mod coverage;
pub mod cross_check;
pub mod engines;
pub mod explain;
pub mod fault;
pub mod judge;
pub mod options;
pub mod pipeline;
pub mod plan;
mod portfolio;
mod prefixes;
pub mod turns;
mod vacuity;

pub use coverage::{Covered, coverage};
pub use engines::EngineName;
pub use fault::Fault;
pub use judge::{Judgement, Validation, certified_product, judge_evidence};
pub use options::{EngineOption, Options};
pub use pipeline::{Pass, Pipeline};
pub use portfolio::{Choice, PlanLine, Portfolio, Refused};
pub use vacuity::FewLooks;
