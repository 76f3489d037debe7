//! How states were derived: eight bytes each, for there is one per state.

use super::StateId;
use hardbop_machine::EdgeId;

/// How a state was derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// From this state; [`NO_STATE`] for the start of the program.
    pub from: StateId,
    /// An edge, or an exit state of a callee.
    pub(super) via: u32,
}

/// No state.
pub const NO_STATE: StateId = u32::MAX;
/// Tells exits from edges.
pub(super) const EXIT_FLAG: u32 = 1 << 31;

/// The last step of a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// An edge; if it is a call, the callee is entered by it.
    Edge(EdgeId),
    /// A call that returned from this state.
    Exit(StateId),
}

impl Derivation {
    /// Of an initial state.
    pub(super) const START: Self = Self {
        from: NO_STATE,
        via: 0,
    };

    pub(super) fn edge(from: StateId, edge: EdgeId) -> Self {
        Self { from, via: edge.0 }
    }

    pub(super) fn exit(from: StateId, exit: StateId) -> Self {
        let via = exit | EXIT_FLAG;
        Self { from, via }
    }

    /// Its last step.
    pub fn via(self) -> Via {
        if self.via & EXIT_FLAG == 0 {
            Via::Edge(EdgeId(self.via))
        } else {
            Via::Exit(self.via & !EXIT_FLAG)
        }
    }
}
