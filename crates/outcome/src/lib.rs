//! Questions and answers: what every engine is asked and what it says.
//!
//! [`Query`] names the places that are asked for; an [`Engine`] takes it with a [`Budget`] and gives an [`Outcome`]:
//! per place a verdict with its evidence, a replayable [`Trace`] or a checkable [`Certificate`]. No engine and no BDD
//! or SAT library is known here, so that whatever checks the evidence depends on none of them.

pub mod bound;
pub mod budget;
pub mod certificate;
pub mod coverage;
pub mod digest;
pub mod engine;
pub mod lasso;
pub mod outcome;
pub mod query;
pub mod skeleton;
pub mod trace;

pub use bound::Bound;
pub use budget::{Budget, Interrupt, Limit, NeverInterrupted};
pub use certificate::Certificate;
pub use coverage::{Coverage, Reach};
pub use engine::{Engine, Event, Progress, Silent};
pub use lasso::{Lasso, ThreadLasso};
pub use outcome::{Answer, Outcome, Verdict};
pub use query::{Query, Target, TargetKind};
pub use skeleton::{CompletedCall, Decision, Skeleton};
pub use trace::{Run, Segment, Step, Trace};
