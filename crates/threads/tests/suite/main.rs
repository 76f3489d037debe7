//! The engines for threads against brute force, each other, and programs worked out by hand.

mod bounded_bluetooth;
mod bounded_conformance;
mod bounded_corpus;
mod bounded_limits;
mod bounded_semantics;
mod bounded_shortest;
mod exact_conformance;
mod exact_corpus;
mod exact_explorations;
mod exact_limits;
mod exact_properties;
mod exact_soundness;
mod stacks_conformance;
mod stacks_soundness;
