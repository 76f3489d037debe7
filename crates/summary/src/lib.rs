//! The summary engine: Bebop rebuilt, the workhorse for sequential programs.
//!
//! Control is explicit, data symbolic: for every node a BDD of path edges, for every procedure a summary (Ball and Rajamani, *Bebop*,
//! SPIN 2000). [`space`] says which BDD variable stands for what, [`interface`] what of a procedure its callers see, [`transfer`] and
//! [`calls`] what edges do to relations. [`forward`] explores from the start; [`runs`] and [`layers`] read shortest
//! runs off it, [`certify`] writes its relations down as a certificate.

pub mod abstraction;
pub mod back_moves;
pub mod back_runs;
pub mod backward;
pub mod calls;
pub mod certify;
pub mod encode;
mod engine;
pub mod forward;
pub mod frontier;
pub mod interface;
pub mod layers;
mod ledger;
pub mod order;
pub mod reached;
pub mod runs;
pub mod space;
pub mod transfer;

pub use engine::{Direction, SummaryEngine};
pub use order::Order;
pub use reached::{Reached, reached};
