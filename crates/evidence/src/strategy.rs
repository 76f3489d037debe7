//! Why a formula of branching time holds or fails, as data: a strategy of Walukiewicz's game. One
//! versioned JSON form.
//!
//! A *position* says that a formula holds at a state of the running frame, if the claims of a
//! context hold once its procedure has returned. Positions refer to each other: each is justified
//! by others, which the judge finds by the rules of the game. At a call the strategy says what it
//! claims about the return. Formulas are numbered as the judge numbers the parts of the question's
//! formula.

use crate::lasso::Lasso;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// Version of the JSON form.
pub const VERSION: u32 = 1;

/// A strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategy {
    /// Version of this form.
    #[serde(rename = "hardbop-strategy")]
    pub version: u32,
    /// [Digest](hardbop_machine::Machine::digest) of the machine, so that a strategy for another program is refused.
    pub program: String,
    /// Whether it shows that the formula holds at all states in which a run begins, or that it
    /// fails at one.
    pub holds: bool,
    /// States of the running frame.
    pub states: Vec<FrameState>,
    /// Lists of claims in order, each a state at an exit and a formula. The first is the context of
    /// `main`, about the end of the program.
    pub contexts: Vec<Vec<(u32, u32)>>,
    /// What is shown.
    pub positions: Vec<Position>,
    /// A run that satisfies the formula, where one can: an example, which proves nothing about
    /// other states in which the program may start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<Lasso>>,
    /// A run to where the rest of the formula holds that no single run shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Box<Path>>,
}

/// A run along the positions of a strategy, as far as one run shows something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// The run.
    pub run: Trace,
    /// The context of each frame at its end, that of `main` first.
    pub contexts: Vec<u32>,
    /// Which formula holds at its end.
    pub formula: u32,
    /// The same in words.
    pub holds: String,
}

/// A state of the running frame; values that do not matter are 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameState {
    /// The node.
    pub node: u32,
    /// Whether the run has ended here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
    /// The globals, then the locals of its procedure.
    pub values: Vec<u64>,
}

/// A formula holds at a state within a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Which state.
    pub state: u32,
    /// Which formula.
    pub formula: u32,
    /// In which context.
    pub context: u32,
    /// For an until: larger than that of each position that justifies it with the same formula.
    #[serde(default)]
    pub rank: u32,
    /// For steps that call: the edge, the first state of the callee, and its context.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<(u32, u32, u32)>,
}
