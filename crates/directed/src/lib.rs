//! Property-directed reachability for recursive programs.
//!
//! [`encoding`] divides procedures into points and blocks and makes each block a query to a solver
//! of its own, [`search`] works on proof obligations, [`evidence`] turns frames into certificates
//! and reached states into runs.

mod engine;

/// Points, blocks, cubes and queries.
mod encoding {
    pub(crate) mod cubes;
    pub(crate) mod points;
    pub(crate) mod query;
}

/// Frames, obligations and facts.
mod search {
    pub(crate) mod blocking;
    pub(crate) mod frames;
    pub(crate) mod obligations;
    pub(crate) mod reachability;
    pub(crate) mod reached;
}

/// Certificates and runs.
mod evidence {
    pub(crate) mod certificate;
    pub(crate) mod formulas;
    pub(crate) mod runs;
}

pub use engine::DirectedEngine;
