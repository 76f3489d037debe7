//! Verdicts, and whether they are right.

use hardbop_families::KnownVerdict;
use serde::{Deserialize, Serialize};

/// What a contender says about a case. A failing assertion is a reachable place, as everywhere in
/// hardbop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The label can be reached, or some assertion can fail.
    Reachable,
    /// The label cannot be reached, or no assertion can fail.
    Unreachable,
    /// The contender gave up.
    Unknown,
}

/// A verdict held against the one that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// As expected.
    Right,
    /// The opposite of what is expected.
    Wrong,
    /// No verdict: out of time or memory, or the contender gave up.
    NoAnswer,
    /// The process ended in a way that is no answer at all.
    Failed,
    /// Nothing is expected, or nothing about a verdict was read.
    NotJudged,
}

impl Verdict {
    /// The word in tables and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Reachable => "reachable",
            Verdict::Unreachable => "unreachable",
            Verdict::Unknown => "unknown",
        }
    }
}

impl From<KnownVerdict> for Verdict {
    fn from(known: KnownVerdict) -> Self {
        match known {
            KnownVerdict::Reachable => Verdict::Reachable,
            KnownVerdict::Unreachable => Verdict::Unreachable,
        }
    }
}

impl Judgement {
    /// Holds a verdict against the expected one.
    pub fn of(seen: Option<Verdict>, expected: Option<Verdict>) -> Self {
        match (seen, expected) {
            (Some(Verdict::Unknown), _) => Judgement::NoAnswer,
            (Some(seen), Some(expected)) if seen == expected => Judgement::Right,
            (Some(_), Some(_)) => Judgement::Wrong,
            (None, _) | (_, None) => Judgement::NotJudged,
        }
    }

    /// The word in tables. A wrong verdict must not be overlooked.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Judgement::Right => "right",
            Judgement::Wrong => "WRONG",
            Judgement::NoAnswer => "no answer",
            Judgement::Failed => "failed",
            Judgement::NotJudged => "-",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Reachable, Unknown, Unreachable};

    #[test]
    fn only_the_opposite_verdict_is_wrong() {
        for (seen, judgement) in [
            (Some(Reachable), Judgement::Right),
            (Some(Unreachable), Judgement::Wrong),
            (Some(Unknown), Judgement::NoAnswer),
            (None, Judgement::NotJudged),
        ] {
            assert_eq!(Judgement::of(seen, Some(Reachable)), judgement);
        }
        assert_eq!(Judgement::of(Some(Reachable), None), Judgement::NotJudged);
    }
}
