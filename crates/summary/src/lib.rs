//! The summary engine: Bebop rebuilt, the workhorse for sequential programs.
//!
//! Control is explicit, data symbolic: for every node a BDD of path edges, for every procedure a
//! summary (Ball and Rajamani, *Bebop*, SPIN 2000). [`space`] says which BDD variable stands for
//! what, [`interface`] what of a procedure its callers see, [`transfer`], [`calls`] and
//! [`back_moves`] what edges do to relations. [`forward`] explores from the start, [`backward`]
//! from the targets; `scout` and `follower` are forward searches that see little of the state,
//! chosen by [`hardbop_transform::hide::Visible`], or of the program. `contest` lets them all take
//! turns. [`runs`], [`layers`] and [`back_runs`] read runs off searches, [`certify`] writes their
//! relations down as certificates.

pub mod back_moves;
pub mod back_runs;
pub mod backward;
pub mod calls;
pub mod certify;
mod contest;
pub mod encode;
mod engine;
mod follower;
pub mod forward;
pub mod frontier;
pub mod interface;
pub mod layers;
pub mod order;
pub mod reached;
pub mod runs;
mod scout;
pub mod space;
mod tally;
pub mod transfer;

pub use engine::{Direction, SummaryEngine};
pub use order::Order;
pub use reached::{Reached, reached};
