//! A program executed with a literal for every bit: what bounded search and the trial of an
//! abstract run have in common.
//!
//! [`edge_circuits`] has the edges, [`frames`] what becomes of a frame's bits when one is taken,
//! [`run_writer`] writes a run down from a model of the solver.

pub mod edge_circuits;
pub mod frames;
pub mod run_writer;
