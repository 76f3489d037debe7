//! What can be known about a machine without exploring its states.
//!
//! A [`crate::Machine`] computes those that depend on nothing else once, when they are first asked for.
//! All analyses are linear or nearly so in the size of the machine, none recurses on the host's
//! stack, and each states why engines may rely on it. Bebop (section 2) needs [`Liveness`] and
//! [`ModRef`] to keep path edges small; [`Slice`] and [`Constants`] leave out what cannot matter
//! for a query.

pub mod bit_set;
pub mod call_graph;
pub mod constants;
pub mod liveness;
pub mod mod_ref;
pub mod order;
mod partial_eval;
mod recent;
mod shared_sets;
pub mod slice;
pub mod switch_points;
pub mod table;
pub mod variables;
pub mod words;

pub use bit_set::BitSet;
pub use call_graph::CallGraph;
pub use constants::Constants;
pub use liveness::Liveness;
pub use mod_ref::ModRef;
pub use order::NodeOrder;
pub use recent::Recent;
pub use shared_sets::QuickMap;
pub use slice::Slice;
pub use switch_points::SwitchPoints;
pub use table::Table;
pub use variables::VariableIndex;
