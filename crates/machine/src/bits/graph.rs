//! Boolean formulas that share their parts: equal nodes are one node, operands have smaller ids
//! than their users.
//!
//! Construction folds constants and the obvious cases only (`a & a`, `a & !a`, `ite` with a
//! constant branch). Canonical forms are the business of BDDs, and SAT solvers simplify better than
//! a pass here could.

use crate::analysis::QuickMap;
use crate::ids::{InputId, Variable};
use std::collections::HashMap;

/// Up to this many nodes a cone is looked through as a list.
const SMALL_CONE: usize = 16;

/// A formula: index of a node of a [`BitGraph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitId(pub u32);

impl BitId {
    /// False.
    pub const FALSE: Self = Self(0);
    /// True.
    pub const TRUE: Self = Self(1);

    /// As an index into a table of the caller's, one entry per node.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The constant of that value.
    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }
}

/// A node of a graph. Bits are numbered from the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitNode {
    /// A constant.
    Const(bool),
    /// A bit of a variable before the step.
    Var(Variable, u8),
    /// A bit of a variable after the step.
    Next(Variable, u8),
    /// A bit of a choice of the edge.
    Input(InputId, u8),
    /// Negation.
    Not(BitId),
    /// Conjunction.
    And(BitId, BitId),
    /// Disjunction.
    Or(BitId, BitId),
    /// Exclusive or.
    Xor(BitId, BitId),
    /// `if c then a else b`.
    Ite(BitId, BitId, BitId),
}

impl BitNode {
    /// Its operands, first to last.
    pub fn operands(&self) -> impl Iterator<Item = BitId> + use<> {
        let (operands, count) = match *self {
            BitNode::Const(_) | BitNode::Var(..) | BitNode::Next(..) | BitNode::Input(..) => {
                ([BitId::FALSE; 3], 0)
            }
            BitNode::Not(a) => ([a; 3], 1),
            BitNode::And(a, b) | BitNode::Or(a, b) | BitNode::Xor(a, b) => ([a, b, b], 2),
            BitNode::Ite(c, a, b) => ([c, a, b], 3),
        };
        operands.into_iter().take(count)
    }
}

/// Formulae over variable bits and choices.
#[derive(Clone, Debug)]
pub struct BitGraph {
    nodes: Vec<BitNode>,
    ids: QuickMap<BitNode, BitId>,
}

impl Default for BitGraph {
    fn default() -> Self {
        let mut graph = Self {
            nodes: Vec::new(),
            ids: QuickMap::default(),
        };
        for value in [false, true] {
            let id = graph.leaf(BitNode::Const(value));
            debug_assert_eq!(id, BitId::constant(value));
        }
        graph
    }
}

impl BitGraph {
    /// A node.
    pub fn get(&self, id: BitId) -> BitNode {
        self.nodes[id.index()]
    }

    /// How many nodes there are; ids are below.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes: never, the constants are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The id of a node, which is made if there is none like it.
    fn node(&mut self, node: BitNode) -> BitId {
        let next = BitId(self.nodes.len() as u32);
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// A leaf: a constant, a bit of a variable or of a choice.
    pub fn leaf(&mut self, leaf: BitNode) -> BitId {
        debug_assert_eq!(leaf.operands().count(), 0);
        self.node(leaf)
    }

    /// `!a`.
    pub fn not(&mut self, a: BitId) -> BitId {
        match self.get(a) {
            BitNode::Const(value) => BitId::constant(!value),
            BitNode::Not(operand) => operand,
            _ => self.node(BitNode::Not(a)),
        }
    }

    fn are_opposite(&self, a: BitId, b: BitId) -> bool {
        self.get(a) == BitNode::Not(b) || self.get(b) == BitNode::Not(a)
    }

    /// `a & b`.
    pub fn and(&mut self, a: BitId, b: BitId) -> BitId {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            BitId::FALSE => BitId::FALSE,
            BitId::TRUE => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => BitId::FALSE,
            _ => self.node(BitNode::And(a, b)),
        }
    }

    /// `a | b`.
    pub fn or(&mut self, a: BitId, b: BitId) -> BitId {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            BitId::FALSE => b,
            BitId::TRUE => BitId::TRUE,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => BitId::TRUE,
            _ => self.node(BitNode::Or(a, b)),
        }
    }

    /// `a ^ b`.
    pub fn xor(&mut self, a: BitId, b: BitId) -> BitId {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            BitId::FALSE => b,
            BitId::TRUE => self.not(b),
            _ if a == b => BitId::FALSE,
            _ if self.are_opposite(a, b) => BitId::TRUE,
            _ => self.node(BitNode::Xor(a, b)),
        }
    }

    /// `if c then a else b`.
    pub fn ite(&mut self, c: BitId, a: BitId, b: BitId) -> BitId {
        match (c, a, b) {
            (BitId::TRUE, _, _) => a,
            (BitId::FALSE, _, _) => b,
            _ if a == b => a,
            (_, BitId::TRUE, _) => self.or(c, b),
            (_, _, BitId::FALSE) => self.and(c, a),
            (_, BitId::FALSE, _) => {
                let not_c = self.not(c);
                self.and(not_c, b)
            }
            (_, _, BitId::TRUE) => {
                let not_c = self.not(c);
                self.or(not_c, a)
            }
            _ => self.node(BitNode::Ite(c, a, b)),
        }
    }

    /// All nodes that some formulas are made of, each once, operands before their users.
    pub fn cone(&self, roots: impl IntoIterator<Item = BitId>) -> Vec<BitId> {
        // Most formulas are small, and looking through a short list takes less than hashing.
        let mut seen = rustc_hash::FxHashSet::default();
        let mut pending: Vec<BitId> = roots.into_iter().collect();
        let mut cone: Vec<BitId> = Vec::new();
        while let Some(id) = pending.pop() {
            let is_known = if cone.len() < SMALL_CONE {
                cone.contains(&id)
            } else {
                if seen.is_empty() {
                    seen.extend(cone.iter().copied());
                }
                !seen.insert(id)
            };
            if !is_known {
                cone.push(id);
                pending.extend(self.get(id).operands());
            }
        }
        cone.sort_unstable();
        cone
    }

    /// The values of some formulas, given the values of the leaves.
    pub fn eval(&self, roots: &[BitId], mut leaf: impl FnMut(BitNode) -> bool) -> Vec<bool> {
        let cone = self.cone(roots.iter().copied());
        let mut values: HashMap<BitId, bool> = HashMap::with_capacity(cone.len());
        for id in cone {
            let node = self.get(id);
            let value = match node {
                BitNode::Const(value) => value,
                BitNode::Var(..) | BitNode::Next(..) | BitNode::Input(..) => leaf(node),
                BitNode::Not(a) => !values[&a],
                BitNode::And(a, b) => values[&a] & values[&b],
                BitNode::Or(a, b) => values[&a] | values[&b],
                BitNode::Xor(a, b) => values[&a] ^ values[&b],
                BitNode::Ite(c, a, b) => values[if values[&c] { &a } else { &b }],
            };
            values.insert(id, value);
        }
        roots.iter().map(|root| values[root]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GlobalId;

    fn bit(graph: &mut BitGraph, index: u32) -> BitId {
        graph.leaf(BitNode::Var(Variable::Global(GlobalId(index)), 0))
    }

    #[test]
    fn every_folding_rule_keeps_the_value() {
        let mut graph = BitGraph::default();
        let (x, y) = (bit(&mut graph, 0), bit(&mut graph, 1));
        let (not_x, not_y) = (graph.not(x), graph.not(y));
        let operands = [BitId::FALSE, BitId::TRUE, x, y, not_x, not_y];
        for assignment in 0..4u32 {
            let value_of = |node| match node {
                BitNode::Var(Variable::Global(id), _) => assignment >> id.0 & 1 == 1,
                _ => unreachable!("only variables are used"),
            };
            for a in operands {
                for b in operands {
                    let formulas = [graph.and(a, b), graph.or(a, b), graph.xor(a, b), a, b];
                    let values = graph.eval(&formulas, value_of);
                    let (p, q) = (values[3], values[4]);
                    assert_eq!(values[..3], [p & q, p | q, p ^ q]);
                    for c in operands {
                        let formulas = [graph.ite(c, a, b), c];
                        let values = graph.eval(&formulas, value_of);
                        assert_eq!(values[0], if values[1] { p } else { q });
                    }
                }
            }
        }
    }

    #[test]
    fn equal_formulas_are_one_node() {
        let mut graph = BitGraph::default();
        let (x, y) = (bit(&mut graph, 0), bit(&mut graph, 1));
        assert_eq!(graph.and(x, y), graph.and(y, x));
        let nodes = graph.len();
        graph.and(x, y);
        assert_eq!(graph.len(), nodes);
        let not_x = graph.not(x);
        assert_eq!(graph.not(not_x), x);
    }
}
