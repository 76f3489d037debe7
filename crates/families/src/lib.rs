//! Families of generated Boolean programs: a size knob, a seed, and a verdict that is known before
//! any engine runs.
//!
//! The paper's evaluations rest on such programs (Bebop's template T(N), SLAM drivers, Terminator's
//! abstractions); here they serve benchmarks and tests. Every family argues in its own module *why*
//! its verdict holds, so a disagreement is a bug of the engine or of that argument, never a matter
//! of opinion. A family and its `-safe` sister differ in as little text as possible: the pair shows
//! that an engine decides, not guesses.
//!
//! [`mod@generator`] makes random programs from seeds, for tests and for `hardbop generate random`.
//! This crate writes text: its programs go through the same front end as a user's.

mod bluetooth;
pub mod c;
mod counters;
mod double_lock;
mod doubling;
mod driver;
mod driver_protocol;
mod factoring;
mod family;
pub mod generator;
mod mixing;
mod quicksort;
pub mod random;
mod random_expr;
mod rng;
mod source_text;
mod terminator;
mod tn;
mod uninitialised;

pub use bluetooth::bluetooth;
pub use double_lock::RELEASED;
pub use family::{Family, Instance, KnownVerdict, Question, all, find};
pub use generator::{Knobs, generate};
pub use terminator::{Dead, TERMINATOR_SHAPES, TerminatorShape};
