//! Binary decision diagrams with the operations that symbolic reachability needs.
//!
//! A [`Manager`] holds the nodes; a [`Bdd`] is a small copyable handle into it. Negation is free
//! (complement edges). The operation everything is built on is [`Manager::relprod`]: conjunction,
//! quantification and renaming in one pass, by a [`Plan`] that is made once (section 3.1 of the
//! Bebop paper spends most of its time in exactly this, as `Join`).
//!
//! **Running out is a value.** Each operation that may create nodes returns [`Exhausted`] when the
//! node limit, the work limit or the caller's interrupt says stop; the manager stays usable, so the
//! caller can collect garbage or raise a limit, and ask again. **Deterministic**: no clock, no
//! threads, no randomness; the same calls give the same nodes and counts.
//!
//! The order of the variables is the caller's affair; [`force`] finds a good one.
//!
//! Recursion goes as deep as there are variables, not nodes: whoever makes a manager with tens of
//! thousands of variables runs it on a thread with a stack to match.

mod cache;
mod cofactor;
mod collect;
mod force;
mod hash;
mod inspect;
mod manager;
mod marks;
mod operations;
mod plan;
mod record;
mod recursion;
mod table;

pub use collect::Roots;
pub use force::force;
pub use manager::{Bdd, Exhausted, Manager};
pub use plan::{Plan, PlanBuilder};
#[cfg(feature = "record")]
pub use record::take_traces;

#[cfg(test)]
mod tests;
