//! Bebop rebuilt.

pub mod calls;
pub mod encode;
pub mod forward;
pub mod interface;
pub mod runs;
pub mod space;
pub mod transfer;
