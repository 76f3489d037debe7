//! Ids of the parts of a machine. Each is an index into one table of [`crate::Machine`].

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of a table index.
            pub fn new(index: usize) -> Self {
                Self(index as u32)
            }
        }
    };
}

id! {
    /// A procedure: index into `Machine::procedures`.
    ProcId
}
id! {
    /// A node of any procedure: index into `Machine::nodes`.
    NodeId
}
id! {
    /// An edge of any procedure: index into `Machine::edges`.
    EdgeId
}
id! {
    /// An expression: index into `Machine::exprs`.
    ExprId
}
id! {
    /// A global variable, shared or one per thread: index into `Machine::globals`.
    GlobalId
}
id! {
    /// A local variable of one procedure: index into `Procedure::locals`.
    LocalId
}
id! {
    /// A choice of one edge: index into `Edge::inputs`.
    InputId
}

/// A variable as seen from inside a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variable {
    /// A global.
    Global(GlobalId),
    /// A local of the procedure.
    Local(LocalId),
}
