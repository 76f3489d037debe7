//! The machine as a graph for people and other tools: DOT and JSON. The layout as SVG is the report
//! crate's business.

pub mod captions;
pub mod dot;
pub mod json;

pub use captions::{Captions, NodeRole};
pub use dot::to_dot;
pub use json::to_json;
