//! Why a certificate is not accepted, in sentences that a person can act on.

use hardbop_evidence::Limit;
use hardbop_machine::{EdgeId, Machine, NodeId};
use std::fmt::{self, Write as _};

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The checker does not take such machines.
    #[error("certificates for {what} are not supported")]
    Unsupported {
        /// What it does not take.
        what: String,
    },
    /// It is not a certificate of this machine at all.
    #[error("the certificate is malformed: {what}")]
    Malformed {
        /// What is wrong with it.
        what: String,
    },
    /// One of its conditions does not hold.
    #[error("{0}")]
    Broken(Box<Broken>),
    /// The solver says that a condition holds, but its proof has a wrong step.
    #[error("the SAT solver's proof of a condition does not check; this is an error in hardbop")]
    Unproved,
    /// It was neither accepted nor refuted.
    #[error("the certificate was not checked to the end: {0}")]
    Interrupted(Limit),
}

/// A condition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Which.
    pub condition: Condition,
    /// The name of the procedure.
    pub procedure: String,
    /// The node.
    pub node: NodeId,
    /// Its one-based source line.
    pub line: u32,
    /// The edge from that node.
    pub edge: Option<BrokenEdge>,
    /// States that show it.
    pub witness: Witness,
}

/// The edge at which a condition does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenEdge {
    /// The edge.
    pub edge: EdgeId,
    /// One-based source line of the node that it leads to.
    pub to_line: u32,
    /// The procedure that it calls.
    pub callee: Option<String>,
}

/// What an accepted certificate satisfies everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Forward: initial states are in the relation at the entry.
    InitialIsReached,
    /// Forward: a step leads from the relation at its start into that at its end.
    StepIsReached,
    /// Forward: the state that a call makes is in the relation at the callee's entry.
    CallIsReached,
    /// Forward: a call and the callee's summary lead into the relation at the return point.
    ReturnIsReached,
    /// Forward: the relation at a target is empty.
    TargetIsNotReached,
    /// Unrolled: no run goes beyond a bound.
    BoundIsKept,
    /// Unrolled: no run within the bounds reaches a target.
    RunKeepsOff,
    /// Unrolled: no run goes beyond a bound or reaches a target.
    UnrollingIsComplete,
    /// Interleaved: a turn that may be passed on leads into the relation of whoever gets it.
    TurnIsPassed,
    /// Stacks: the relation of a view is closed under exchange of threads with the same entry.
    ExchangeIsReached,
    /// Stacks: a call records the frame that waits.
    CallerIsRecorded,
    /// Stacks: a step of a thread outside a view leads into its relation.
    OtherStepIsReached,
    /// Backward: the relation at a target holds in every state.
    TargetIsBad,
    /// Backward: where a step leads to a bad state, it starts in one.
    StepIsBad,
    /// Backward: where a step leads to a state with a demanded exit, it starts in one with that
    /// exit.
    StepHasExit,
    /// Backward: a call that makes a bad state of the callee starts in a bad state.
    CallIsBad,
    /// Backward: an exit of a callee that leads to a bad state is demanded.
    BadReturnIsDemanded,
    /// Backward: a call starts in a bad state if the callee can end such that a bad state follows.
    ReturnIsBad,
    /// Backward: an exit of a callee that leads to a state with a demanded exit is demanded.
    ExitReturnIsDemanded,
    /// Backward: a call has a demanded exit if the callee can end such that a state with that exit
    /// follows.
    ReturnHasExit,
    /// Backward: no initial state is bad.
    InitialIsNotBad,
}

/// States that show that a condition does not hold; variables that are not named may have any
/// value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The states, in order of time.
    pub states: Vec<WitnessState>,
}

/// A state of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessState {
    /// When the variables have these values.
    pub moment: &'static str,
    /// Variables by name.
    pub values: Vec<(String, u64)>,
}

impl Broken {
    /// A condition that does not hold at a node or one of its edges.
    pub(crate) fn new(
        machine: &Machine,
        condition: Condition,
        node: NodeId,
        edge: Option<EdgeId>,
        witness: Witness,
    ) -> Self {
        let describe = |id: EdgeId| {
            let edge = machine.edge(id);
            let callee = match &edge.action {
                hardbop_machine::Action::Call { callee, .. } => {
                    Some(machine.procedure(*callee).name.clone())
                }
                _ => None,
            };
            BrokenEdge {
                edge: id,
                to_line: machine.line_of(edge.to),
                callee,
            }
        };
        Self {
            condition,
            procedure: machine.procedure(machine.procedure_of(node)).name.clone(),
            node,
            line: machine.line_of(node),
            edge: edge.map(describe),
            witness,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InitialIsReached => "an initial state is not in the relation at the entry",
            Self::StepIsReached => "a step leads out of the relation",
            Self::CallIsReached => "a call makes a state that is not in the callee's entry relation",
            Self::ReturnIsReached => "the callee's summary leads out of the relation after the call",
            Self::TargetIsNotReached => "the relation at a target is not empty",
            Self::BoundIsKept => "a run goes beyond a bound",
            Self::RunKeepsOff => "a run within the bounds reaches a target",
            Self::UnrollingIsComplete => "a run goes beyond a bound or reaches a target",
            Self::TurnIsPassed => "passing the turn on to this thread leads out of the relation",
            Self::ExchangeIsReached => {
                "exchanging two threads with the same entry leads out of the relation"
            }
            Self::CallerIsRecorded => "a call is not recorded with the frame that waits",
            Self::OtherStepIsReached => "a step of another thread leads out of the relation",
            Self::TargetIsBad => "a target has a state that is not marked as bad",
            Self::StepIsBad => "a step leads to a bad state from one that is not marked as bad",
            Self::StepHasExit => "a step leads to a demanded exit that its start is not related to",
            Self::CallIsBad => {
                "a call makes a bad state of the callee from one that is not marked as bad"
            }
            Self::BadReturnIsDemanded => {
                "the callee can end in a state that leads to a bad one and is not demanded"
            }
            Self::ReturnIsBad => {
                "a call and a demanded exit of the callee lead to a bad state from one that is not marked as bad"
            }
            Self::ExitReturnIsDemanded => {
                "the callee can end in a state that leads to a demanded exit and is not demanded"
            }
            Self::ReturnHasExit => {
                "a call and a demanded exit of the callee lead to a demanded exit that the call's start is not related to"
            }
            Self::InitialIsNotBad => "an initial state is bad",
        })
    }
}

impl Broken {
    /// Without the states that show it.
    pub(crate) fn place_and_condition(&self) -> String {
        let mut text = format!("procedure {}, line {}", self.procedure, self.line);
        let _ = write!(text, " (node {}", self.node.0);
        if let Some(edge) = &self.edge {
            let _ = write!(text, ", edge {} to line {}", edge.edge.0, edge.to_line);
            if let Some(callee) = &edge.callee {
                let _ = write!(text, ", a call of {callee}");
            }
        }
        let _ = write!(text, "): {}", self.condition);
        text
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place_and_condition())?;
        if self.witness.states.is_empty() {
            write!(f, "; any state shows it")
        } else {
            write!(f, ": {}", self.witness)
        }
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, state) in self.states.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{} ", state.moment)?;
            for (index, (name, value)) in state.values.iter().enumerate() {
                let separator = if index == 0 { "" } else { ", " };
                write!(f, "{separator}{name}={value}")?;
            }
        }
        Ok(())
    }
}
