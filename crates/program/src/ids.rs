//! Ids of procedures and variables. A machine keeps them, so that the two need no translation.

use serde::{Deserialize, Serialize};

/// Declares a newtype over `u32` that is an index into one table.
#[doc(hidden)]
#[macro_export]
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
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
    /// A procedure: index into the table of procedures.
    ProcId
}
id! {
    /// A global variable, shared or one per thread: index into the table of globals.
    GlobalId
}
id! {
    /// A local variable of one procedure: index into its `locals`.
    LocalId
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
