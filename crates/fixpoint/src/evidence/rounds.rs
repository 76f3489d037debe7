//! What happens round by round, for people who watch.

/// One round of a relation, as reported while it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The relation's name.
    pub relation: String,
    /// How many iterations there are around this one.
    pub depth: usize,
    /// The number of the round, from 1.
    pub round: u64,
    /// BDD nodes of what the round changed.
    pub news: usize,
    /// BDD nodes of the value after it.
    pub nodes: usize,
}

/// Told of each round.
pub type Observer<'a> = &'a dyn Fn(&Round);
