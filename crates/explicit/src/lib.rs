//! The explicit engine: VERA rebuilt (Alur, Chaudhuri, Etessami, Madhusudan, *On-the-fly
//! reachability and cycle detection for recursive state machines*, TACAS 2005), with undetermined
//! values.
//!
//! [`layout`] says where variables lie in packed states, [`code`] has the edges as flat code.
//! [`frame`] and [`partial`] are states and expressions with undetermined bits, [`step`] takes
//! steps on them. [`table`] stores states; [`exploration`] makes the state graph with its summaries
//! on the fly from [`moves`], [`depth_first`] (Figure 2) and [`breadth_first`] decide in which
//! order, [`watch`] when to stop; [`parallel`] does the same on several cores. [`runs`] turns
//! derivations into runs, [`certify`] a complete search into a certificate.
//!
//! Properties of runs: [`product`] pairs the program with an automaton, [`cycles`] searches it for
//! fair cycles (Figures 3 and 4), [`lasso`] reads infinite runs off them.

pub mod breadth_first;
pub mod certify;
pub mod code;
pub mod cycles;
pub mod depth_first;
mod engine;
pub mod exploration;
pub mod frame;
pub mod lasso;
pub mod layout;
pub mod moves;
pub mod parallel;
pub mod partial;
mod property;
pub mod runs;
pub mod step;
pub mod table;
pub mod watch;

pub use engine::{ExplicitEngine, Search};
