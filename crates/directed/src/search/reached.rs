//! States that runs do reach, and how: facts about calls, and the path from the start.

use crate::encoding::cubes::Cube;
use hardbop_machine::{EdgeId, NodeId};

/// A state that a run reaches.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    pub node: NodeId,
    /// All bits of the vocabulary of the node.
    pub state: Cube,
    pub by: Arrival,
}

/// How a state is reached.
#[derive(Clone, Debug)]
pub(crate) enum Arrival {
    /// A run begins here; or a call, in a procedure to which nothing is passed.
    Start,
    /// From another one, by a block.
    Block {
        from: usize,
        enters: bool,
        steps: Vec<TakenEdge>,
    },
}

/// An edge with its choices, and the fact that a completed call is.
#[derive(Clone, Debug)]
pub(crate) struct TakenEdge {
    pub edge: EdgeId,
    pub inputs: Vec<u64>,
    /// The number of the state at the exit of the callee.
    pub call: Option<usize>,
}

/// A pair of entry and exit state of a procedure.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// Over the callee's entry and exit bits.
    pub cube: Cube,
    /// The state at the exit.
    pub reached: usize,
}
