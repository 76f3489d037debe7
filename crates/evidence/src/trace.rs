//! Runs as data: hierarchical, replayable, with one versioned JSON form.
//!
//! A program whose procedures each call the next twice has only runs of 2^N steps. So a trace is
//! hierarchical (Bebop, section 3.2): a call that returns is one step, which refers to a [`Run`] of
//! the callee in a table; equal runs are stored once, and each is checked once. A run in the table
//! refers only to runs before it, so the table is well-founded and everything about a trace is
//! computed in one pass over it.
//!
//! A call that is still open at the end of the trace, or that a context switch interrupts, is an
//! `Enter` step (and, if it ends later, a `Leave`); its steps stand in line. A sequential trace has
//! one [`Segment`].
//!
//! The trace holds only what is not determined: initial values, edges, the values of choices, the
//! arbitrary initial locals. The interpreter computes everything else, so a trace cannot contradict
//! the semantics without the replay noticing.

use crate::target::Target;
use hardbop_machine::{EdgeId, List, ProcId};
use serde::{Deserialize, Serialize};

/// Version of the JSON form.
pub const VERSION: u32 = 1;

/// A run of a machine from an initial configuration to a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Version of this form.
    #[serde(rename = "hardbop-trace")]
    pub version: u32,
    /// [Digest](hardbop_machine::Machine::digest) of the machine, so that a trace of another program is refused.
    pub program: String,
    /// What it reaches; nothing for a mere simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// Initial values of all shared globals, in the order of the machine. (Entries of per-thread
    /// globals are 0 and have no meaning.)
    pub globals: Vec<u64>,
    /// The threads that take part, in order of their start: number 0 is `init` if there is one (or
    /// the first thread), then the instances of the machine's threads in order, then started ones.
    /// Each gives the initial values that are arbitrary.
    pub threads: Vec<ThreadOrigin>,
    /// Completed calls; each refers only to earlier ones.
    pub runs: Vec<Run>,
    /// What happens, context by context.
    pub segments: Vec<Segment>,
}

/// The arbitrary initial values of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadOrigin {
    /// Initial values of its per-thread globals (entries of shared globals are 0 and have no
    /// meaning). Ignored for a thread that another one started: it has a copy of its parent's.
    pub globals: Vec<u64>,
    /// Initial values of the locals of its first frame. For a thread started by a call the
    /// parameters are given by the call and must agree; for one started at a node all must agree
    /// with the parent's.
    pub locals: Vec<u64>,
}

/// Steps that one thread takes without being interrupted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Index into [`Trace::threads`].
    pub thread: u32,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A completed call: from a procedure's entry to its exit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    /// The procedure.
    pub procedure: ProcId,
    /// Values of all globals at the entry, as the running thread sees them.
    pub globals: Vec<u64>,
    /// Values of all locals at the entry: parameters as passed, the others as chosen.
    pub locals: Vec<u64>,
    /// Its steps: `Edge` and `Call` only, the last one leading to the exit.
    pub steps: Vec<Step>,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Takes an edge that is not a call.
    Edge {
        /// The edge.
        edge: EdgeId,
        /// Values of its choices.
        #[serde(default, skip_serializing_if = "List::is_empty")]
        inputs: List<u64>,
    },
    /// Takes a call edge, all of the callee's run, and the return.
    Call {
        /// The call edge.
        edge: EdgeId,
        /// Values of its choices.
        #[serde(default, skip_serializing_if = "List::is_empty")]
        inputs: List<u64>,
        /// Index into [`Trace::runs`]: a run of the callee that starts in the very state the call
        /// makes.
        run: u32,
    },
    /// Takes a call edge; the steps that follow are the callee's.
    Enter {
        /// The call edge.
        edge: EdgeId,
        /// Values of its choices.
        #[serde(default, skip_serializing_if = "List::is_empty")]
        inputs: List<u64>,
        /// Values of all locals of the callee at its entry: parameters as passed, the others as
        /// chosen.
        locals: List<u64>,
    },
    /// Returns from a procedure that was entered by `Enter` or in which the thread began.
    Leave,
}
