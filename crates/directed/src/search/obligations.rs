//! Proof obligations: show that no run reaches a cube at a point within a number of levels.
//!
//! The lowest level comes first, and on one level the newest, so what an obligation waits for comes
//! before it.

use crate::encoding::cubes::Cube;
use hardbop_machine::NodeId;
use hardbop_sat::Lit;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What to exclude.
#[derive(Clone, Debug)]
pub(crate) struct Obligation {
    pub node: NodeId,
    pub cube: Cube,
    pub level: usize,
    pub purpose: Purpose,
    /// Whether a run may begin at the entry of the procedure: a fact is wanted.
    pub is_free: bool,
    /// Whether some run has reached it.
    pub is_reached: bool,
}

/// What it means if a run reaches the cube.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    /// A target is reached.
    Target,
    /// There is another fact about the procedure that ends here.
    Fact,
    /// The parent is reached, by a block with these choices and facts.
    Predecessor { parent: usize, way: Way },
}

/// How to get from one obligation to another.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub block: usize,
    /// Choices of the model that found it.
    pub choices: Vec<Lit>,
    /// The fact of each completed call.
    pub facts: Vec<usize>,
}

/// Obligations in order of their urgency.
#[derive(Debug, Default)]
pub(crate) struct Obligations {
    all: Vec<Obligation>,
    open: BTreeSet<(usize, Reverse<usize>)>,
}

impl Obligations {
    pub fn add(&mut self, obligation: Obligation) -> usize {
        let number = self.all.len();
        self.open.insert((obligation.level, Reverse(number)));
        self.all.push(obligation);
        number
    }

    /// Puts one back, perhaps at a higher level.
    pub fn put_back(&mut self, number: usize, level: usize) {
        self.all[number].level = level;
        self.open.insert((level, Reverse(number)));
    }

    /// Takes the most urgent one up to a level.
    pub fn take(&mut self, most: usize) -> Option<usize> {
        let &(level, Reverse(number)) = self.open.first()?;
        if level > most {
            return None;
        }
        self.open.pop_first();
        Some(number)
    }

    pub fn get(&self, number: usize) -> &Obligation {
        &self.all[number]
    }

    pub fn set_reached(&mut self, number: usize) {
        self.all[number].is_reached = true;
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.all.clear();
        self.open.clear();
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }
}
