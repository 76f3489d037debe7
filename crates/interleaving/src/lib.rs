//! Exact answers for concurrent programs whose threads have no recursion: all interleavings.
//!
//! Bounded context switching (Getafix, section 5) leaves open what happens beyond the bound, and with recursion it must. Threads
//! without recursion have finitely many stacks ([`hardbop_machine::inlined`]), so the whole program has finitely many
//! configurations and every question has an answer: a run with the fewest context switches, and the shortest of those,
//! or an invariant of all configurations that `hardbop validate` accepts.
//!
//! [`explicit`] explores configurations one by one, with partial-order reduction and symmetry. The other modules explore sets of them
//! over BDDs: [`space`] gives the bits of a configuration BDD variables, [`moves`] compiles their steps, [`search`] explores them context by
//! context, [`runs`] finds the way back. [`certify`] writes invariants of either kind down; [`engine`] says who does what.

mod certify;
mod engine;
mod explicit;
mod moves;
mod runs;
mod schedule;
mod search;
mod space;

pub use engine::{Exploration, InterleavingEngine};
pub use explicit::reduced::Reductions;
