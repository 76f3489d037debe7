//! Transforms: a machine and a question in place of others, with the way back for runs and
//! certificates.
//!
//! Between the front ends, which make a [`hardbop_machine::Machine`], and the engines, which answer
//! questions about one. Each transform has a folder of its own whose head says why it is sound:
//! [`slice`] leaves out what cannot matter, [`domains`] makes integers smaller, [`hide`] takes
//! variables as arbitrary, [`predicates`] says facts about words in place of words, [`split`] asks
//! about edges, [`product`] runs a program beside an automaton, [`liveness`] makes places of fair loops, [`static_threads`] says started
//! threads and atomic blocks by variables, [`sequentialize`] runs threads one after the other. All
//! of them are a [`Transform`] and can be put in a [`Chain`]; those that change more than
//! expressions work on one `draft` and share one [`Correspondence`].
//!
//! **Nothing here is trusted**: what comes back is judged on the original machine.

mod correspondence;
pub mod domains;
mod draft;
pub mod hide;
pub mod literals;
pub mod liveness;
pub mod predicates;
pub mod product;
pub mod sequentialize;
pub mod slice;
pub mod split;
pub mod static_threads;
mod steps;
mod through;
mod transform;

pub use correspondence::{Correspondence, Origin};
pub use through::{Made, Making, Through};
pub use transform::{Chain, NoWayBack, TargetMap, Transform};
