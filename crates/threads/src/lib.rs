//! Programs with threads: exact answers without recursion, bounded context switches with it.
//!
//! [`exact`] explores all interleavings of threads without recursion and gives certificates.
//! [`bounded`] answers questions with a bound on context switches or rounds for threads with or
//! without recursion (Getafix, section 5). Both have the same plan: `encoding` says what stands for
//! what, `search` explores, `evidence` makes runs and certificates of what was found.

mod bounded;
mod exact;
mod stacks;
mod tables;
mod written;

pub use bounded::depth::DEFAULT_SWITCHES;
pub use bounded::engine::BoundedEngine;
pub use exact::engine::InterleavingEngine;
pub use exact::search::exploration::Reductions;
pub use stacks::engine::StacksEngine;
