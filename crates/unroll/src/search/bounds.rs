//! How far each loop and each recursion is unrolled.

use hardbop_machine::{Machine, NodeId, ProcId};
use hardbop_outcome::certificate::{LoopBound, NestingBound, UnrollingBounds};
use std::collections::BTreeMap;

/// Repetitions of a loop that are written out in the first round.
const FIRST_REPETITIONS: u32 = 1;
/// Frames of a recursive procedure in the first round.
const FIRST_FRAMES: u32 = 2;

/// What a run may take further than the bounds allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Excess {
    /// The loop with this head.
    Loop(NodeId),
    /// Nested calls of this procedure.
    Nesting(ProcId),
    /// A loop or a recursion that continues without a decision, while the unrolling has become large.
    Size,
}

/// The bounds of a round.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    loops: BTreeMap<NodeId, u32>,
    procedures: BTreeMap<ProcId, u32>,
    /// While there are fewer unrolled points, what continues without a decision raises its bound.
    pub(crate) points: usize,
}

impl Bounds {
    /// Small ones.
    pub(crate) fn new(points: usize) -> Self {
        Self {
            loops: BTreeMap::new(),
            procedures: BTreeMap::new(),
            points,
        }
    }

    /// How often a loop is repeated.
    pub(crate) fn repetitions(&self, head: NodeId) -> u32 {
        self.loops.get(&head).copied().unwrap_or(FIRST_REPETITIONS)
    }

    /// How often a procedure may be on the stack.
    pub(crate) fn frames(&self, procedure: ProcId) -> u32 {
        self.procedures
            .get(&procedure)
            .copied()
            .unwrap_or(FIRST_FRAMES)
    }

    /// Raises a bound to what was needed.
    pub(crate) fn allow(&mut self, excess: Excess, needed: u32) {
        match excess {
            Excess::Loop(head) => {
                self.loops.insert(head, needed);
            }
            Excess::Nesting(procedure) => {
                self.procedures.insert(procedure, needed);
            }
            Excess::Size => {}
        }
    }

    /// Raises a bound for the next round. By half, so that all rounds together take a small multiple
    /// of the last one's work.
    pub(crate) fn raise(&mut self, excess: Excess) {
        let raised = |bound: u32| bound.saturating_add(bound / 2).saturating_add(1);
        match excess {
            Excess::Loop(head) => {
                self.loops.insert(head, raised(self.repetitions(head)));
            }
            Excess::Nesting(procedure) => {
                let frames = self.frames(procedure);
                self.procedures.insert(procedure, raised(frames));
            }
            Excess::Size => self.points = self.points.saturating_mul(2),
        }
    }

    /// The bounds of all loops and recursive procedures, as a certificate lists them.
    pub(crate) fn listed(
        &self,
        machine: &Machine,
        heads: impl Iterator<Item = NodeId>,
    ) -> UnrollingBounds {
        let loops = heads.map(|head| LoopBound {
            head,
            line: machine.line_of(head),
            repetitions: self.repetitions(head),
        });
        let recursive = |&procedure: &ProcId| machine.calls().is_recursive(procedure);
        let procedures = machine.procedure_ids().filter(recursive);
        UnrollingBounds {
            loops: loops.collect(),
            procedures: procedures
                .map(|procedure| NestingBound {
                    procedure,
                    frames: self.frames(procedure),
                })
                .collect(),
        }
    }
}
