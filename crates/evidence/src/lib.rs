//! Evidence and limits: what a judge has to know of an answer.
//!
//! A run as a [`Trace`], an infinite one as a [`Lasso`], a proof as a [`Certificate`], the
//! [`Target`] that they are about, and the [`Limit`] that may stop whoever works on them.
//! `hardbop-outcome` adds questions and answers. The two are apart so that the checker depends on
//! nothing that reads properties: what has to be trusted for a certificate stays small.

pub mod bound;
pub mod budget;
pub mod certificate;
pub mod evidence;
pub mod lasso;
pub mod strategy;
pub mod target;
pub mod trace;

pub use bound::Bound;
pub use budget::{Budget, Interrupt, Limit, NeverInterrupted, Steady};
pub use certificate::Certificate;
pub use evidence::Evidence;
pub use lasso::{Lasso, ThreadLasso};
pub use strategy::Strategy;
pub use target::{Target, TargetKind};
pub use trace::{Run, Segment, Step, Trace};
