//! How far to look.

use hardbop_outcome::bound::Bound;

/// How far the engine looks.
///
/// A *context* is a stretch of steps that one thread takes without another stepping in between. A
/// run with n contexts has n - 1 context switches. `init`, which runs before all threads and alone,
/// belongs to no context: that the first thread takes over from it is not a context switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Runs with at most this many context switches.
    Contexts(u32),
    /// Round-robin schedules of at most this many rounds: in each round every thread runs at most
    /// once, in order of their start.
    Rounds(u32),
    /// No bound was asked for: more and more context switches, up to [`DEFAULT_SWITCHES`].
    Growing,
}

/// With no bound given, this many context switches are tried.
pub const DEFAULT_SWITCHES: u32 = 8;

impl Depth {
    /// The depth that a question asks for; nothing if its bound is not one for threads.
    pub(crate) fn of(bound: Option<Bound>) -> Option<Self> {
        match bound {
            None => Some(Depth::Growing),
            Some(Bound::ContextSwitches(switches)) => Some(Depth::Contexts(switches)),
            Some(Bound::Rounds(rounds)) => Some(Depth::Rounds(rounds)),
            Some(Bound::Steps(_)) => None,
        }
    }

    /// The bound that a negative answer names.
    pub(crate) fn bound(self) -> Bound {
        match self {
            Depth::Contexts(switches) => Bound::ContextSwitches(switches),
            Depth::Rounds(rounds) => Bound::Rounds(rounds),
            Depth::Growing => Bound::ContextSwitches(DEFAULT_SWITCHES),
        }
    }

    /// The bound on rounds.
    pub(crate) fn rounds(self) -> Option<u32> {
        match self {
            Depth::Rounds(rounds) => Some(rounds),
            _ => None,
        }
    }

    /// The most contexts that a run may have, with this many threads.
    pub(crate) fn contexts(self, threads: u32) -> u32 {
        match self {
            Depth::Contexts(switches) => switches.saturating_add(1),
            Depth::Rounds(rounds) => rounds.saturating_mul(threads),
            Depth::Growing => DEFAULT_SWITCHES + 1,
        }
    }
}
