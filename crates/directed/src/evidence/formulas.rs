//! Formulas of a certificate: equal ones are one, constants are folded.

use hardbop_machine::Variable;
use hardbop_machine::bits::{BitGraph, BitId, BitNode};
use hardbop_outcome::certificate::{Bit, Formula};
use rustc_hash::FxHashMap;

/// Formulas in the making. The first two are the constants.
#[derive(Debug)]
pub(crate) struct FormulaTable {
    pub formulas: Vec<Formula>,
    known: FxHashMap<Formula, u32>,
}

pub(crate) const FALSE: u32 = 0;
pub(crate) const TRUE: u32 = 1;

impl FormulaTable {
    pub fn new() -> Self {
        let mut table = Self {
            formulas: Vec::new(),
            known: FxHashMap::default(),
        };
        table.add(Formula::Constant(false));
        table.add(Formula::Constant(true));
        table
    }

    fn add(&mut self, formula: Formula) -> u32 {
        if let Some(&known) = self.known.get(&formula) {
            return known;
        }
        let index = self.formulas.len() as u32;
        self.formulas.push(formula.clone());
        self.known.insert(formula, index);
        index
    }

    pub fn now(&mut self, variable: Variable, bit: u32) -> u32 {
        self.add(Formula::Now(Bit { variable, bit }))
    }

    pub fn entry(&mut self, variable: Variable, bit: u32) -> u32 {
        self.add(Formula::Entry(Bit { variable, bit }))
    }

    pub fn not(&mut self, operand: u32) -> u32 {
        match self.formulas[operand as usize] {
            Formula::Constant(value) => u32::from(!value),
            Formula::Not(inner) => inner,
            _ => self.add(Formula::Not(operand)),
        }
    }

    pub fn and(&mut self, operands: &[u32]) -> u32 {
        self.junction(operands, true)
    }

    pub fn or(&mut self, operands: &[u32]) -> u32 {
        self.junction(operands, false)
    }

    fn junction(&mut self, operands: &[u32], is_and: bool) -> u32 {
        let (neutral, end) = if is_and { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let mut parts: Vec<u32> = operands.to_vec();
        parts.retain(|&part| part != neutral);
        parts.sort_unstable();
        parts.dedup();
        if parts.contains(&end) {
            return end;
        }
        match *parts {
            [] => neutral,
            [only] => only,
            _ if is_and => self.add(Formula::And(parts)),
            _ => self.add(Formula::Or(parts)),
        }
    }

    pub fn ite(&mut self, c: u32, a: u32, b: u32) -> u32 {
        match (c, a, b) {
            (TRUE, _, _) => a,
            (FALSE, _, _) => b,
            _ if a == b => a,
            (_, TRUE, _) => self.or(&[c, b]),
            (_, _, FALSE) => self.and(&[c, a]),
            (_, FALSE, _) => {
                let denied = self.not(c);
                self.and(&[denied, b])
            }
            (_, _, TRUE) => {
                let denied = self.not(c);
                self.or(&[denied, a])
            }
            _ => self.add(Formula::Ite(c, a, b)),
        }
    }

    pub fn equal(&mut self, a: u32, b: u32) -> u32 {
        let denied = self.not(b);
        self.ite(a, b, denied)
    }

    /// Formulas of an edge, with a formula for each leaf.
    pub fn of_edge(
        &mut self,
        graph: &BitGraph,
        roots: &[BitId],
        leaf: &mut dyn FnMut(&mut Self, BitNode) -> u32,
    ) -> Vec<u32> {
        let mut values: FxHashMap<BitId, u32> = FxHashMap::default();
        for id in graph.cone(roots.iter().copied()) {
            let node = graph.get(id);
            let value = match node {
                BitNode::Const(value) => u32::from(value),
                BitNode::Var(..) | BitNode::Next(..) | BitNode::Input(..) => leaf(self, node),
                BitNode::Not(a) => self.not(values[&a]),
                BitNode::And(a, b) => self.and(&[values[&a], values[&b]]),
                BitNode::Or(a, b) => self.or(&[values[&a], values[&b]]),
                BitNode::Xor(a, b) => {
                    let equal = self.equal(values[&a], values[&b]);
                    self.not(equal)
                }
                BitNode::Ite(c, a, b) => self.ite(values[&c], values[&a], values[&b]),
            };
            values.insert(id, value);
        }
        roots.iter().map(|root| values[root]).collect()
    }

    /// A formula with other leaves.
    pub fn substitute(
        &mut self,
        root: u32,
        leaf: &mut dyn FnMut(&mut Self, &Formula) -> u32,
    ) -> u32 {
        let mut values: FxHashMap<u32, u32> = FxHashMap::default();
        for index in self.cone(root) {
            let formula = self.formulas[index as usize].clone();
            let of = |operands: &[u32]| -> Vec<u32> {
                operands.iter().map(|operand| values[operand]).collect()
            };
            let value = match &formula {
                Formula::Constant(_) => index,
                Formula::Not(a) => self.not(values[a]),
                Formula::And(operands) => self.and(&of(operands)),
                Formula::Or(operands) => self.or(&of(operands)),
                Formula::Ite(c, a, b) => self.ite(values[c], values[a], values[b]),
                _ => leaf(self, &formula),
            };
            values.insert(index, value);
        }
        values[&root]
    }

    /// What a formula is made of, operands first.
    fn cone(&self, root: u32) -> Vec<u32> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut cone = Vec::new();
        let mut pending = vec![root];
        while let Some(index) = pending.pop() {
            if !seen.insert(index) {
                continue;
            }
            cone.push(index);
            match &self.formulas[index as usize] {
                Formula::Not(a) => pending.push(*a),
                Formula::And(operands) | Formula::Or(operands) => pending.extend(operands),
                Formula::Ite(c, a, b) => pending.extend([*c, *a, *b]),
                _ => {}
            }
        }
        cone.sort_unstable();
        cone
    }
}
