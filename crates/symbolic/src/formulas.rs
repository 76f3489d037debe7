//! BDDs as formulas of a certificate: each node becomes one `Ite`, shared as in the BDD.

use hardbop_bdd::{Bdd, Manager};
use hardbop_outcome::certificate::Formula;
use std::collections::HashMap;

/// Writes formulas, each once.
#[derive(Clone, Debug, Default)]
pub struct FormulaWriter {
    formulas: Vec<Formula>,
    known: HashMap<Formula, u32>,
    of_bdd: HashMap<Bdd, u32>,
}

impl FormulaWriter {
    /// From here on BDD variables stand for something else.
    pub fn forget_bdds(&mut self) {
        self.of_bdd.clear();
    }

    /// The index of a formula.
    pub fn formula(&mut self, formula: Formula) -> u32 {
        if let Some(&index) = self.known.get(&formula) {
            return index;
        }
        let index = self.formulas.len() as u32;
        self.formulas.push(formula.clone());
        self.known.insert(formula, index);
        index
    }

    /// The index of the formula of a BDD; `leaf` says what a BDD variable stands for.
    pub fn bdd(
        &mut self,
        manager: &Manager<'_>,
        root: Bdd,
        mut leaf: impl FnMut(u32) -> Formula,
    ) -> u32 {
        let mut pending = vec![root];
        while let Some(&bdd) = pending.last() {
            if self.of_bdd.contains_key(&bdd) {
                pending.pop();
                continue;
            }
            let Some((variable, low, high)) = manager.branch(bdd) else {
                let index = self.formula(Formula::Constant(bdd.is_true()));
                self.of_bdd.insert(bdd, index);
                continue;
            };
            match (self.of_bdd.get(&low), self.of_bdd.get(&high)) {
                (Some(&low), Some(&high)) => {
                    let condition = self.formula(leaf(variable));
                    let index = self.formula(Formula::Ite(condition, high, low));
                    self.of_bdd.insert(bdd, index);
                }
                (low_known, high_known) => {
                    let missing = [(low_known.is_none(), low), (high_known.is_none(), high)];
                    pending.extend(missing.iter().filter(|(is, _)| *is).map(|(_, bdd)| *bdd));
                }
            }
        }
        self.of_bdd[&root]
    }

    /// The formulas written.
    pub fn finish(self) -> Vec<Formula> {
        self.formulas
    }
}
