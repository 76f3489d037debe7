//! Concurrent programs with a bounded number of rounds as sequential programs (Lal and Reps, CAV 2008).
//!
//! In a round-robin schedule of R rounds each thread runs at most once per round, in a fixed order. The sequential program runs the
//! threads one after the other, each through all its rounds. It *guesses* with which values of the shared variables each round begins; a
//! thread takes over the values that the thread before it has left for the same round, and leaves its own to the next. At
//! the end the guesses are checked: what the last thread leaves for a round must be what the next round was guessed to begin
//! with. Only then does what was reached on the way count.
//!
//! The code of the threads stays as it is, but for a call of `hb_switch` before every step that others may notice: there the
//! thread may go on to a later round or stop for good. Everything else is ordinary procedures and variables, so that every
//! sequential engine takes the result. [`sequentialize`] writes the program; [`Sequential::run_of_threads`] makes a run of the
//! threads from a run of it.
//!
//! Threads that are started while the program runs, and atomic blocks, are said by shared variables first
//! ([`hardbop_machine::static_threads`]).

mod back;
mod code;
mod expressions;
mod frame;
mod names;
mod switch_points;

pub use frame::{NotSequential, Sequential, sequentialize};
