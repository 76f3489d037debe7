//! How far a bounded question looks. A negative answer to one holds up to the bound and says so.

use serde::{Deserialize, Serialize};

/// A bound that was part of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Runs with at most this many context switches.
    ContextSwitches(u32),
    /// Round-robin schedules of at most this many rounds.
    Rounds(u32),
    /// Runs of at most this many steps.
    Steps(u32),
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (count, unit) = match *self {
            Bound::ContextSwitches(count) => (count, "context switch"),
            Bound::Rounds(count) => (count, "round"),
            Bound::Steps(count) => (count, "step"),
        };
        let plural = match (count, unit) {
            (1, _) => "",
            (_, "context switch") => "es",
            _ => "s",
        };
        write!(f, "{count} {unit}{plural}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_read_like_english() {
        assert_eq!(Bound::ContextSwitches(1).to_string(), "1 context switch");
        assert_eq!(Bound::ContextSwitches(4).to_string(), "4 context switches");
        assert_eq!(Bound::Rounds(2).to_string(), "2 rounds");
        assert_eq!(Bound::Steps(0).to_string(), "0 steps");
    }
}
