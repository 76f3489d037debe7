//! What can be reached of a program, statement by statement and branch by branch, with one
//! versioned JSON form.
//!
//! Statements that no run reaches, conditions that always come out the same, and whether the
//! program's `assume`s leave nothing to be checked, so that `HOLDS` means nothing. The question
//! whose answers these are belongs to the transform that splits edges.

use serde::{Deserialize, Serialize};

/// Version of the JSON form.
pub const VERSION: u32 = 1;

/// Whether some run gets to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// Some run does.
    Reachable,
    /// No run does.
    Unreachable,
    /// Not known: a limit was hit.
    Unknown,
}

/// What can be reached of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Version of this form.
    #[serde(rename = "hardbop-coverage")]
    pub version: u32,
    /// The name of the source.
    pub file: String,
    /// Every statement and every procedure's `end`, in order of the text.
    pub statements: Vec<Place>,
    /// Every condition, in order of the text.
    pub conditions: Vec<Condition>,
    /// Whether the program has assertions and no run reaches one of them or the end of the program:
    /// then that they hold says nothing. Not known is not vacuous.
    pub vacuous: bool,
}

/// A statement, or the end of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its procedure.
    pub procedure: String,
    /// One-based line.
    pub line: u32,
    /// One-based column in characters.
    pub column: u32,
    /// Whether it is the end of the procedure.
    pub is_end: bool,
    /// Whether some run gets there.
    pub reach: Reach,
}

/// A condition and the ways out of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Its procedure.
    pub procedure: String,
    /// One-based line.
    pub line: u32,
    /// One-based column in characters.
    pub column: u32,
    /// What it decides.
    pub kind: ConditionKind,
    /// Whether some run evaluates it.
    pub reach: Reach,
    /// Whether some run goes on because it holds (for `abortif`: because it does not).
    pub holds: Reach,
    /// Whether some run goes on because it does not hold; nothing where such a run just stops.
    pub fails: Option<Reach>,
}

/// What a condition decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConditionKind {
    /// `if`, `elsif` or `while`.
    Branch,
    /// `assert`
    Assert,
    /// `assume`, `constrain` or `abortif`
    Assume,
}

/// Something remarkable about a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It is evaluated and never false.
    AlwaysTrue,
    /// It is evaluated and never true.
    AlwaysFalse,
    /// It is evaluated and lets no run go on.
    Blocks,
}

impl Condition {
    /// What is remarkable about it, as far as that is known.
    pub fn finding(&self) -> Option<Finding> {
        if self.reach != Reach::Reachable {
            return None;
        }
        match (self.holds, self.fails) {
            (Reach::Unreachable, None | Some(Reach::Unreachable)) => Some(Finding::Blocks),
            (Reach::Unreachable, Some(Reach::Reachable)) => Some(Finding::AlwaysFalse),
            (Reach::Reachable, Some(Reach::Unreachable)) => Some(Finding::AlwaysTrue),
            _ => None,
        }
    }
}

impl Coverage {
    /// Whether a limit left something open.
    pub fn has_unknowns(&self) -> bool {
        let is_unknown = |place: &Place| place.reach == Reach::Unknown;
        let is_open = |condition: &Condition| {
            condition.holds == Reach::Unknown || condition.fails == Some(Reach::Unknown)
        };
        self.statements.iter().any(is_unknown) || self.conditions.iter().any(is_open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_out_that_is_never_taken_is_a_finding_only_if_the_rest_is_known() {
        let condition = |holds, fails| Condition {
            procedure: "main".to_owned(),
            line: 1,
            column: 1,
            kind: ConditionKind::Branch,
            reach: Reach::Reachable,
            holds,
            fails,
        };
        let (yes, no, open) = (Reach::Reachable, Reach::Unreachable, Reach::Unknown);
        let finding = |holds, fails| condition(holds, fails).finding();
        assert_eq!(finding(yes, Some(no)), Some(Finding::AlwaysTrue));
        assert_eq!(finding(no, Some(yes)), Some(Finding::AlwaysFalse));
        assert_eq!(finding(no, Some(no)), Some(Finding::Blocks));
        assert_eq!(finding(no, None), Some(Finding::Blocks));
        assert_eq!(finding(yes, None), None);
        assert_eq!(finding(open, Some(no)), None);
        assert_eq!(finding(no, Some(open)), None);
        let unreached = Condition {
            reach: no,
            ..condition(no, Some(no))
        };
        assert_eq!(unreached.finding(), None);
    }
}
