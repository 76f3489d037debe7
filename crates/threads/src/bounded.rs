//! Recursive threads with shared memory, up to a bound on context switches (Getafix, section 5).
//!
//! Reachability of such programs is undecidable; with at most k context switches it is not. Control
//! is explicit (schedules, nodes, the number of contexts), data symbolic. The paper computes one
//! set of tuples that hold the whole run's boundaries. Here that set is factored into three
//! relations, each as small as what it speaks of: `path_edges` (what an invocation does, whoever
//! runs it), `entries` (in which histories of a thread it is entered) and `schedule` (which
//! histories of different threads fit together). `levels` lets them grow context by context;
//! `witness`, `unwind` and `record` make runs of them.

pub(crate) mod depth;
pub(crate) mod engine;

/// Which BDD variable stands for what, and what edges do to relations.
mod encoding {
    pub(crate) mod columns;
    pub(crate) mod moves;
    pub(crate) mod profile;
    pub(crate) mod scopes;
}

/// The three relations, and how they grow.
mod search {
    pub(crate) mod calls;
    pub(crate) mod entries;
    pub(crate) mod histories;
    pub(crate) mod leaving;
    pub(crate) mod levels;
    pub(crate) mod path_edges;
    pub(crate) mod schedule;
}

/// Runs.
mod evidence {
    pub(crate) mod back_calls;
    pub(crate) mod back_steps;
    pub(crate) mod packing;
    pub(crate) mod record;
    pub(crate) mod shortest;
    pub(crate) mod tuples;
    pub(crate) mod unwind;
    pub(crate) mod witness;
}
