//! Getafix rebuilt (sections 4 and 6.1 of its paper): a model-checking algorithm is a page of
//! formulas, and a solver makes it fast.
//!
//! A program becomes a handful of relations ([`encoding`]) with a fixed interface; an algorithm is
//! a `.mu` file over that interface (`algorithms/`); together they are a problem that any solver of
//! the calculus can answer, the original Mucke included.

/// The relations of a program, as formulas.
mod encoding {
    mod bodies;
    mod formula_text;
    mod games;
    mod joined_places;
    pub(crate) mod layout;
    pub(crate) mod places;
    pub(crate) mod problem;
    pub(crate) mod relations;
    pub(crate) mod source_names;
    mod static_relations;
    mod steps;
    mod text;
    pub mod threads;
}

/// Algorithms, and what they decide.
mod search {
    pub mod actions;
    pub mod algorithm;
    pub(crate) mod decide;
    pub mod starts;
}

/// What people see of values.
mod evidence {
    pub(crate) mod tuple_words;
}

mod engine;

pub use encoding::layout::Extent;
pub use encoding::problem::{Aim, Program};
pub use encoding::threads;
pub use engine::{CalculusEngine, unsupported};
pub use evidence::tuple_words::TupleWords;
pub use search::actions;
pub use search::algorithm::{self, Algorithm};
pub use search::decide::{Decided, decide_threads, sequential_problem, thread_problem};
pub use search::starts;
