//! Frames: for every point clauses that hold of everything reached within a number of levels.
//!
//! A clause is the negation of a cube. One at level `k` belongs to the frames 0 to `k`, so later
//! frames have fewer clauses and more states.

use crate::encoding::cubes::{Cube, StateLit, is_part};
use hardbop_machine::NodeId;

/// A cube that is not reached within a number of levels.
#[derive(Clone, Debug)]
pub(crate) struct Lemma {
    pub cube: Cube,
    pub level: usize,
}

/// The lemmas of all points.
#[derive(Debug)]
pub(crate) struct Lemmas {
    by_node: Vec<Vec<Lemma>>,
}

impl Lemmas {
    pub fn new(nodes: usize) -> Self {
        Self {
            by_node: vec![Vec::new(); nodes],
        }
    }

    pub fn at(&self, node: NodeId) -> &[Lemma] {
        &self.by_node[node.index()]
    }

    /// The highest level at which a lemma excludes the cube.
    pub fn excluded_up_to(&self, node: NodeId, cube: &[StateLit]) -> Option<usize> {
        let lemmas = self.at(node).iter();
        let matching = lemmas.filter(|lemma| is_part(&lemma.cube, cube));
        matching.map(|lemma| lemma.level).max()
    }

    /// Adds a lemma; weaker ones go.
    pub fn add(&mut self, node: NodeId, lemma: Lemma) {
        let lemmas = &mut self.by_node[node.index()];
        lemmas.retain(|old| old.level > lemma.level || !is_part(&lemma.cube, &old.cube));
        lemmas.push(lemma);
    }

    /// Whether no lemma has this level exactly, so that its frames equal those above.
    pub fn is_fixpoint(&self, level: usize) -> bool {
        let mut all = self.by_node.iter().flatten();
        !all.any(|lemma| lemma.level == level)
    }

    pub fn count(&self) -> usize {
        self.by_node.iter().map(Vec::len).sum()
    }
}
