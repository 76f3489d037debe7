//! Recursive threads with shared memory, up to a bound on context switches (Getafix, section 5).
//!
//! Reachability of such programs is undecidable; with at most k context switches it is not. Control is explicit
//! (schedules, nodes, the number of contexts), data symbolic. The paper computes one set of tuples that hold the whole run's
//! boundaries. Here that set is factored into three relations, each as small as what it speaks of: `path_edges` (what an
//! invocation does, whoever runs it), `entries` (in which histories of a thread it is entered) and `schedule` (which
//! histories of different threads fit together). `search` lets them grow context by context; `witness`, `unwind` and `record` make
//! runs of them.

mod back_calls;
mod back_steps;
mod calls;
mod columns;
mod contexts;
mod depth;
mod engine;
mod entries;
mod moves;
mod path_edges;
mod profile;
mod record;
mod schedule;
mod scopes;
mod search;
mod shortest;
mod switch_points;
mod tuples;
mod unwind;
mod witness;

pub use depth::DEFAULT_SWITCHES;
pub use engine::BoundedEngine;
