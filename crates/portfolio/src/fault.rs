//! A fault of hardbop itself: evidence that its judge rejects, or answers that contradict.

/// Something that must not happen: never a verdict, always an internal error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// What is wrong.
    pub what: String,
    /// A small program on which it is wrong, if the program could be made smaller.
    pub reproduction: Option<String>,
}

impl Fault {
    /// A fault of one engine.
    pub(crate) fn of_engine(engine: &str, why: impl std::fmt::Display) -> Self {
        Self {
            what: format!("the answer of engine {engine} was rejected: {why}"),
            reproduction: None,
        }
    }
}

impl From<hardbop_outcome::Conflict> for Fault {
    fn from(conflict: hardbop_outcome::Conflict) -> Self {
        Self {
            what: conflict.to_string(),
            reproduction: None,
        }
    }
}
