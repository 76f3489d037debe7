//! More and more variables, level by level.
//!
//! The first level has the variables of the nearest conditions before the targets, and constants.
//! The second takes in the conditions that decide when those change, each further one also what
//! flows into all that. In most programs the first levels settle most assertions, and a level costs
//! little more than a walk over the program.

use super::Visible;
use hardbop_machine::{Machine, NodeId};

/// Beyond this many levels as good as everything is visible.
const LEVELS: usize = 4;

/// The levels of a question.
pub struct Levels<'l> {
    machine: &'l Machine,
    last: Option<Visible>,
    level: usize,
}

impl<'l> Levels<'l> {
    /// Nothing is visible yet.
    pub fn new(machine: &'l Machine) -> Self {
        Self {
            machine,
            last: None,
            level: 0,
        }
    }

    /// The variables of the next level for the targets that are left, in order; nothing if they are
    /// those of the last one.
    pub fn next(&mut self, targets: &[NodeId]) -> Option<Visible> {
        let machine = self.machine;
        if self.level == LEVELS {
            return None;
        }
        self.level += 1;
        let next = match &self.last {
            None => {
                let nearest = Visible::nearest_conditions(machine, targets);
                nearest.with_constants(machine)
            }
            Some(last) => {
                let wider = match self.level {
                    2 => last.clone(),
                    _ => last.with_sources(machine),
                };
                let wider = wider.with_controls(machine, targets);
                // To see the same would be to find the same.
                if wider.count() == last.count() {
                    return None;
                }
                wider
            }
        };
        self.last = Some(next.clone());
        Some(next)
    }

    /// There are no more levels.
    pub fn end(&mut self) {
        self.level = LEVELS;
    }
}
