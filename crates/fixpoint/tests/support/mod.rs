//! Systems built by hand, an evaluation of systems by enumeration, and random systems.

#![allow(dead_code, missing_docs)]

pub mod builder;
pub mod enumeration;
pub mod random;
