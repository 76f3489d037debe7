//! Formulas of edges as BDDs.

use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::analysis::QuickMap;
use hardbop_machine::bits::{BitGraph, BitId, BitNode};

/// Turns the formulas of one edge into BDDs and remembers those it has seen. What its leaves stand
/// for must not change in between.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    /// Formulas encoded last. Most edges have few: those are found fastest by looking at each.
    recent: Vec<(BitId, Bdd)>,
    known: QuickMap<BitId, Bdd>,
}

/// So many formulas are looked through one by one.
const FEW: usize = 16;

impl Encoder {
    /// The BDD of a formula; `variable` gives the BDD variable of a leaf that is not a constant.
    pub fn encode(
        &mut self,
        manager: &mut Manager<'_>,
        graph: &BitGraph,
        root: BitId,
        mut variable: impl FnMut(BitNode) -> u32,
    ) -> Result<Bdd, Exhausted> {
        let mut pending = vec![root];
        while let Some(&id) = pending.last() {
            if self.find(id).is_some() {
                pending.pop();
                continue;
            }
            let node = graph.get(id);
            let waiting = pending.len();
            pending.extend(node.operands().filter(|&a| self.find(a).is_none()));
            if pending.len() > waiting {
                continue;
            }
            let of = |a: BitId| self.find(a).unwrap_or(Bdd::TRUE);
            let value = match node {
                BitNode::Const(value) => Bdd::constant(value),
                BitNode::Var(..) | BitNode::Next(..) | BitNode::Input(..) => {
                    manager.variable(variable(node))?
                }
                BitNode::Not(a) => !of(a),
                BitNode::And(a, b) => manager.and(of(a), of(b))?,
                BitNode::Or(a, b) => manager.or(of(a), of(b))?,
                BitNode::Xor(a, b) => manager.xor(of(a), of(b))?,
                BitNode::Ite(c, a, b) => manager.ite(of(c), of(a), of(b))?,
            };
            self.recent.push((id, value));
            if self.recent.len() > FEW {
                self.known.extend(self.recent.drain(..));
            }
            pending.pop();
        }
        Ok(self.find(root).unwrap_or(Bdd::TRUE))
    }

    /// The BDD of a formula that has been encoded.
    fn find(&self, id: BitId) -> Option<Bdd> {
        let recent = self.recent.iter().find(|(known, _)| *known == id);
        let recent = recent.map(|&(_, value)| value);
        recent.or_else(|| self.known.get(&id).copied())
    }
}
