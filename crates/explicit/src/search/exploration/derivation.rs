//! How states were derived: eight bytes each, for there is one per state.

use super::StateId;
use hardbop_machine::EdgeId;

/// How a state was derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Derivation {
    /// From this state; [`NO_STATE`] for the start of the program.
    pub(crate) from: StateId,
    /// An edge, or an exit state of a callee.
    via: u32,
}

/// No state.
pub(crate) const NO_STATE: StateId = u32::MAX;
/// Tells exits from edges.
const EXIT_FLAG: u32 = 1 << 31;

/// States have smaller numbers than this.
pub(crate) const MAX_STATES: u32 = EXIT_FLAG;

/// The last step of a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// An edge; if it is a call, the callee is entered by it.
    Edge(EdgeId),
    /// A call that returned from this state.
    Exit(StateId),
}

impl Derivation {
    /// Of an initial state.
    pub(crate) const START: Self = Self {
        from: NO_STATE,
        via: 0,
    };

    pub(crate) fn edge(from: StateId, edge: EdgeId) -> Self {
        Self { from, via: edge.0 }
    }

    pub(crate) fn exit(from: StateId, exit: StateId) -> Self {
        let via = exit | EXIT_FLAG;
        Self { from, via }
    }

    /// As one word.
    pub(crate) fn packed(self) -> u64 {
        u64::from(self.from) << 32 | u64::from(self.via)
    }

    /// From one word.
    pub(crate) fn unpacked(word: u64) -> Self {
        Self {
            from: (word >> 32) as u32,
            via: word as u32,
        }
    }

    /// The same with other numbers for states.
    pub(crate) fn renumbered(self, number: impl Fn(StateId) -> StateId) -> Self {
        if self.from == NO_STATE {
            return self;
        }
        match self.via() {
            Via::Edge(edge) => Self::edge(number(self.from), edge),
            Via::Exit(exit) => Self::exit(number(self.from), number(exit)),
        }
    }

    /// Its last step.
    pub(crate) fn via(self) -> Via {
        if self.via & EXIT_FLAG == 0 {
            Via::Edge(EdgeId(self.via))
        } else {
            Via::Exit(self.via & !EXIT_FLAG)
        }
    }
}
