//! Exact answers for concurrent programs whose threads have no recursion: all interleavings.
//!
//! Bounded context switching leaves open what happens beyond the bound, and with recursion it must.
//! Threads without recursion have finitely many stacks ([`hardbop_machine::inlined`]), so the whole
//! program has finitely many configurations and every question has an answer: a run, or an
//! invariant of all configurations that `hardbop validate` accepts. [`engine`] says who does what.

pub(crate) mod engine;

/// What configurations are made of, as numbers and as bits.
mod encoding {
    pub(crate) mod bits;
    pub(crate) mod components;
    pub(crate) mod space;
}

/// Configurations one by one.
pub(crate) mod search {
    pub(crate) mod allowance;
    pub(crate) mod evaluate;
    pub(crate) mod exploration;
    pub(crate) mod firing;
    pub(crate) mod independence;
    pub(crate) mod letters;
    pub(crate) mod ordered;
    pub(crate) mod product;
    pub(crate) mod schedule;
    pub(crate) mod steps;
    pub(crate) mod transitions;
    pub(crate) mod views;
    pub(crate) mod visited;
}

/// Runs and certificates.
mod evidence {
    pub(crate) mod certify;
    pub(crate) mod invariant;
    pub(crate) mod lasso;
    pub(crate) mod runs;
    pub(crate) mod witness;
}
