//! What the tests share.

pub mod display;
