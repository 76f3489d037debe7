//! From what an engine says about the machine to what it means for the clauses.

mod derive;
mod interpret;

pub use derive::derivation;
pub use interpret::model;
