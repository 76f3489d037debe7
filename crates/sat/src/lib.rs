//! The one crate that names the SAT library: clauses and assumptions ([`Solver`]), circuits on top
//! of them ([`Circuit`]), and proofs that were checked ([`Prover`]).
//!
//! The library is `BatSat` (a descendant of `MiniSat`, all in Rust), so the default build needs no
//! C compiler and no system package. Its types stay in here: engines and the checker see [`Lit`],
//! [`Answer`] and nothing else.
//!
//! The cargo feature `cadical` puts `CaDiCaL` in its place for the engines, for hard formulas. Its
//! sources come with the crate `cadical` and take a C++ compiler (C++17), nothing else. Either way
//! the same calls give the same answers, but models and cores differ, so runs may.

mod batsat;
#[cfg(feature = "cadical")]
mod cadical;
mod cases;
mod cnf;
mod lit;
mod proof;
mod propagation;
mod prover;
mod solver;
mod tseitin;

pub use cnf::Cnf;
pub use lit::{Lit, Var};
pub use proof::Proof;
pub use prover::{Prover, Refutation};
pub use solver::{Answer, Solver};
pub use tseitin::{Circuit as CircuitOf, Clauses, Model};

/// Circuits in a solver, for whoever checks its answers elsewhere.
pub type Circuit<'i> = tseitin::Circuit<Solver<'i>>;

/// Circuits in a prover, for those whose word is final.
pub type ProvingCircuit<'i> = tseitin::Circuit<Prover<'i>>;
