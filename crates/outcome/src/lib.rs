//! Questions and answers: what every engine is asked and what it says.
//!
//! An [`Engine`] takes a [`Question`] (places or a property, a bound, a wish for a run) with a
//! [`Budget`] and gives an [`Outcome`]: per item a [`Verdict`], with a replayable run as
//! [`Evidence`] or covered by a checkable [`Certificate`]. No engine and no BDD or SAT library is
//! known here, so that whatever checks the evidence depends on none of them.

pub mod answer;
pub mod bound;
pub mod budget;
pub mod certificate;
pub mod coverage;
pub mod digest;
pub mod engine;
pub mod evidence;
pub mod lasso;
pub mod ledger;
pub mod outcome;
pub mod question;
pub mod skeleton;
pub mod target;
pub mod trace;

pub use answer::{Answer, Verdict, VerdictWord};
pub use bound::Bound;
pub use budget::{Budget, Interrupt, Limit, NeverInterrupted, Steady};
pub use certificate::Certificate;
pub use coverage::{Coverage, Reach};
pub use engine::{Declined, Engine, Event, Progress, Silent};
pub use evidence::Evidence;
pub use lasso::{Lasso, ThreadLasso};
pub use ledger::Ledger;
pub use outcome::Outcome;
pub use question::{Asked, Question, Subject, WantedRun};
pub use skeleton::{CompletedCall, Decision, Skeleton};
pub use target::{Target, TargetKind};
pub use trace::{Run, Segment, Step, Trace};
