//! The explicit engine: VERA rebuilt (Alur, Chaudhuri, Etessami, Madhusudan, *On-the-fly
//! reachability and cycle detection for recursive state machines*, TACAS 2005), with undetermined
//! values.
//!
//! `encoding`: where variables lie in packed states, edges as flat code, states and expressions with
//! undetermined bits, the steps on them, and the table that stores states. `search`: the state graph
//! with its summaries, made on the fly in depth-first (Figure 2) or breadth-first order or on several
//! cores, and fair cycles in the product with an automaton (Figures 3 and 4). `evidence`: runs from
//! derivations, infinite runs from cycles, certificates from complete searches.

mod engine;
mod property;

/// States and steps.
mod encoding {
    pub(crate) mod blocks;
    pub(crate) mod code;
    pub(crate) mod frame;
    pub(crate) mod layout;
    pub(crate) mod moves;
    pub(crate) mod partial;
    pub(crate) mod step;
    pub(crate) mod table;
    pub(crate) mod tail;
    pub(crate) mod words;
}

/// The state graph, and the order in which it is made.
mod search {
    pub(crate) mod breadth_first;
    pub(crate) mod cycles;
    pub(crate) mod depth_first;
    pub(crate) mod exploration;
    pub(crate) mod parallel;
    pub(crate) mod watch;
}

/// Runs and certificates.
mod evidence {
    pub(crate) mod certify;
    pub(crate) mod lasso;
    pub(crate) mod runs;
}

pub use engine::{ExplicitEngine, Search};
