//! Questions and answers: what every engine is asked and what it says.
//!
//! An [`Engine`] takes a [`Question`] (places or a property, a bound, a wish for a run) with a
//! [`Budget`] and gives an [`Outcome`]: per item a [`Verdict`] and what
//! supports it: replayable [`Evidence`], a checkable [`Certificate`], a bound, or nothing and why.
//! Evidence comes from `hardbop-evidence` and is at hand here under the same names. Two outcomes of
//! one question are joined by [`Outcome::join`] alone. No engine and no BDD or SAT library is known
//! here.

pub mod answer;
pub mod coverage;
pub mod decisions;
pub mod engine;
pub mod join;
pub mod ledger;
pub mod outcome;
pub mod question;
pub mod skeleton;
pub mod statistics;
pub mod support;

pub use answer::{Answer, Verdict, VerdictWord};
pub use coverage::{Coverage, Reach};
pub use decisions::Decisions;
pub use engine::{Declined, Engine, Event, Prepared, Progress, Silent};
pub use hardbop_evidence::{
    Bound, Budget, Certificate, Evidence, Interrupt, Lasso, Limit, NeverInterrupted, Run, Segment,
    Steady, Step, Strategy, Target, TargetKind, ThreadLasso, Trace, bound, budget, certificate,
    evidence, lasso, strategy, target, trace,
};
pub use join::Conflict;
pub use ledger::Ledger;
pub use outcome::Outcome;
pub use question::{Asked, Question, Subject, WantedRun};
pub use skeleton::{CompletedCall, Decision, Skeleton};
pub use statistics::Statistics;
pub use support::{Support, SupportWord};
