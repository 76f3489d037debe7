//! The one crate that names the SAT library: clauses and assumptions ([`Solver`]), circuits on top of them ([`Circuit`]).
//!
//! The library is `rustsat` with `BatSat` (a descendant of `MiniSat`, all in Rust), so the default build needs no C compiler and no system
//! package. Its types stay in here: engines and the checker see [`Lit`], [`Answer`] and nothing else, and
//! another solver could take its place in `solver.rs` alone.

mod lit;
mod solver;
mod tseitin;

pub use lit::{Lit, Var};
pub use solver::{Answer, Solver};
pub use tseitin::Circuit;
