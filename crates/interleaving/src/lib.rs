//! Exact answers for concurrent programs whose threads have no recursion: all interleavings, over BDDs.
//!
//! Bounded context switching (Getafix, section 5) leaves open what happens beyond the bound, and with recursion it must. Threads
//! without recursion have finitely many stacks ([`hardbop_machine::inlined`]), so the whole program has finitely many
//! configurations and every question has an answer: a run with the fewest context switches, and the shortest of those,
//! or an invariant of all configurations that `hardbop validate` accepts.
//!
//! [`space`] gives the bits of a configuration BDD variables, [`moves`] compiles their steps, [`search`]
//! explores them context by context, [`runs`] finds the way back and [`certify`] writes the invariant down.

mod certify;
mod engine;
mod moves;
mod runs;
mod search;
mod space;

pub use engine::InterleavingEngine;
