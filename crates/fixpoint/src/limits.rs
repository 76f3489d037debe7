//! What a solver may spend, and why it may end without an answer.

use hardbop_bdd::Exhausted;
use hardbop_formula::RelationId;

/// Limits of a solver.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// BDD nodes.
    pub nodes: Option<usize>,
    /// Rounds of all iterations together.
    pub rounds: Option<u64>,
    /// Asked now and then; true ends the run.
    pub interrupt: Option<&'a dyn Fn() -> bool>,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Too many BDD nodes.
    Nodes,
    /// Too many rounds.
    Rounds,
    /// The interrupt said so.
    Interrupted,
    /// The iteration of a relation came back to an earlier value that is not a fixed point, so it
    /// would go on for ever. Only relations that depend on their own complement can do that.
    Diverges {
        /// The relation.
        relation: RelationId,
        /// After how many rounds that was seen.
        round: u64,
        /// How many values there are in the circle.
        period: u64,
    },
}

impl From<Exhausted> for Stop {
    fn from(why: Exhausted) -> Self {
        match why {
            Exhausted::Nodes => Stop::Nodes,
            // The solver sets no limit on work.
            Exhausted::Work | Exhausted::Interrupted => Stop::Interrupted,
        }
    }
}
