//! The machine as symbolic engines see it: bits and Boolean formulas instead of words and
//! operators.
//!
//! A variable of type `int<n>` is n bits, lowest first. [`BitLayout`] numbers the bits that a
//! procedure sees; locals of different procedures share numbers, because they never meet in one
//! relation. [`BitView::edge`] turns one edge at a time into formulas over a shared [`BitGraph`],
//! so a machine with a million edges costs nothing until its edges are asked for, and equal
//! formulas of different edges are one node.

mod edge;
mod graph;
mod layout;
mod words;

pub use edge::{BitAssignment, BitEdge, BitResult, BitView};
pub use graph::{BitGraph, BitId, BitNode};
pub use layout::BitLayout;
pub use words::translate;
