//! The SAT engine: Leino's characterization of Boolean-program correctness, and further.
//!
//! A program can go wrong iff the equations of its weakest preconditions have a solution in which
//! the start is false (K. R. M. Leino, *A SAT characterization of boolean-program correctness*,
//! SPIN 2003). `encoding` makes the function terms: `blocks` says where they stand, `closure` makes
//! them, with `evaluate` for right-hand sides, `split` for explicit arguments and `symbols` for
//! what arguments speak of. `search` turns them into clauses (`equations`), judges solutions
//! (`valuation`, `foundation`) and lets all this take turns (`solving`). `evidence` gives runs and
//! certificates; `export` writes equations and clauses to files. `tree` is the paper's algorithm without sharing, for comparison in tests.
//!
//! `bmc` is another method on the same solver: plain unrolling up to a number of steps
//! ([`hardbop_transform::literals`]).

mod bmc;
mod engine;
mod export;
#[cfg(test)]
mod tree;

/// Function terms: what the equations are about.
mod encoding {
    pub(crate) mod blocks;
    pub(crate) mod closure;
    pub(crate) mod evaluate;
    pub(crate) mod split;
    pub(crate) mod symbols;
    pub(crate) mod terms;
}

/// The equations as clauses, and their solutions.
mod search {
    pub(crate) mod equations;
    pub(crate) mod foundation;
    pub(crate) mod solving;
    pub(crate) mod valuation;
}

/// Runs and certificates.
mod evidence {
    pub(crate) mod certify;
    pub(crate) mod runs;
    pub(crate) mod written_out;
}

pub use encoding::split::Split;
pub use engine::SatEngine;
pub use export::{Characterization, LEFT_OUT};
