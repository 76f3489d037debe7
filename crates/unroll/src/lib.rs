//! Unrolling: a program whose loops and calls are written out is one formula without loops, which a
//! SAT solver decides.
//!
//! [`encoding`] writes a machine out up to bounds of each loop and each recursion and makes a
//! circuit of it, [`search`] asks the solver and raises bounds, [`evidence`] reads executions off
//! models and writes the bounds that suffice as a certificate. The method is that of CBMC (E. Clarke,
//! D. Kroening, F. Lerda, *A tool for checking ANSI-C programs*, TACAS 2004), whose unwinding
//! assertions become the question whether a bound can be exceeded.

mod engine;

/// The machine written out as a circuit.
mod encoding {
    pub(crate) mod conditions;
    pub(crate) mod nest;
    pub(crate) mod unrolling;
}

/// The questions to the solver.
mod search {
    pub(crate) mod bounds;
    pub(crate) mod rounds;
}

/// Executions and certificates.
mod evidence {
    pub(crate) mod decode;
}

pub use engine::UnrollEngine;
