//! The SAT engine: Leino's characterization of Boolean-program correctness, and further.
//!
//! A program can go wrong iff the equations of its weakest preconditions have a solution in which
//! the start is false (K. R. M. Leino, *A SAT characterization of boolean-program correctness*,
//! SPIN 2003). [`hardbop_transform::hide::Precision`] says which variables count, [`blocks`] where
//! function terms stand, [`terms`] and [`closure`] make them, with [`evaluate`] for right-hand
//! sides, [`split`] for explicit arguments and [`symbols`] for what arguments speak of.
//! [`equations`] turns them into clauses; [`valuation`] and [`foundation`] judge solutions;
//! [`runs`] (after [`shorten`]), [`certify`] and [`written_out`] give the evidence. `search` lets
//! all this take turns for a group of targets, `engine` the groups. [`tree`] is the paper's
//! algorithm without sharing, for comparison.
//!
//! [`bmc`] is another method on the same solver: plain unrolling up to a number of steps, with the
//! literals that abstract runs are tried with too ([`hardbop_transform::literals`]).

pub mod blocks;
mod bmc;
pub mod certify;
pub mod closure;
mod counts;
mod engine;
pub mod equations;
pub mod evaluate;
pub mod foundation;
pub mod runs;
mod search;
pub mod shorten;
pub mod split;
pub mod symbols;
pub mod terms;
pub mod tree;
pub mod valuation;
pub mod written_out;

pub use engine::{SatEngine, Tracking};
pub use split::Split;
