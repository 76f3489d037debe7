//! The steps of a completed call, in little memory.
//!
//! A long run has a million of them, and most take an edge without choices. Such a step is the
//! number of its edge; the others stand in a list of their own.

use crate::skeleton::Decision;
use hardbop_machine::{EdgeId, List};

/// Some steps in order.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// By step: its edge, or [`OTHER`] and the position in `others`.
    steps: Box<[u32]>,
    others: List<Decision>,
}

/// Tells positions from edges.
const OTHER: u32 = 1 << 31;

impl Decisions {
    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// A step.
    pub fn get(&self, index: usize) -> Option<Decision> {
        self.steps.get(index).map(|&step| self.decision(step))
    }

    /// All steps.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Decision> {
        self.steps.iter().map(|&step| self.decision(step))
    }

    fn decision(&self, step: u32) -> Decision {
        if step & OTHER == 0 {
            let (edge, inputs) = (EdgeId(step), List::default());
            return Decision::Edge { edge, inputs };
        }
        self.others[(step & !OTHER) as usize].clone()
    }
}

impl From<Vec<Decision>> for Decisions {
    fn from(decisions: Vec<Decision>) -> Self {
        decisions.into_iter().collect()
    }
}

impl FromIterator<Decision> for Decisions {
    fn from_iter<I: IntoIterator<Item = Decision>>(decisions: I) -> Self {
        let mut others: Vec<Decision> = Vec::new();
        let decisions = decisions.into_iter();
        let steps = decisions.map(|decision| match decision {
            Decision::Edge { edge, inputs } if inputs.is_empty() && edge.0 < OTHER => edge.0,
            other => {
                others.push(other);
                (others.len() - 1) as u32 | OTHER
            }
        });
        Self {
            steps: steps.collect(),
            others: others.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_back_as_they_were_put_in() {
        let edge = |edge, inputs: &[u64]| Decision::Edge {
            edge: EdgeId(edge),
            inputs: inputs.iter().copied().collect(),
        };
        let call = |call| Decision::Call {
            edge: EdgeId(5),
            inputs: List::default(),
            call,
        };
        let given = [
            edge(3, &[]),
            call(7),
            edge(4, &[1, 0]),
            edge(u32::MAX, &[]),
            edge(0, &[]),
            call(8),
        ];
        let kept: Decisions = given.iter().cloned().collect();
        assert_eq!((kept.len(), kept.is_empty()), (given.len(), false));
        assert_eq!(
            format!("{:?}", kept.iter().collect::<Vec<_>>()),
            format!("{given:?}")
        );
        assert_eq!(
            format!("{:?}", (kept.get(1), kept.get(6))),
            format!("{:?}", (Some(&given[1]), None::<Decision>))
        );
    }
}
