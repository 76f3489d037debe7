//! BDDs as formulas of a certificate: each node becomes one `Ite`, shared as in the BDD.
//!
//! Chains of nodes that each have the same constant as a branch become one conjunction or
//! disjunction. A diagram of a few thousand states, each on a path of its own, consists of such
//! chains; written node by node, they make the checker's propagation climb each of them step by
//! step.

use hardbop_bdd::{Bdd, Manager};
use hardbop_machine::analysis::QuickMap;
use hardbop_outcome::certificate::Formula;

/// Writes formulas, each once.
#[derive(Clone, Debug, Default)]
pub struct FormulaWriter {
    formulas: Vec<Formula>,
    known: QuickMap<Formula, u32>,
    of_bdd: QuickMap<Bdd, u32>,
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
        let parents = self.parents(manager, root);
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
            if let Some(chain) = Chain::from(manager, bdd, &parents) {
                if let Some(&rest) = self.of_bdd.get(&chain.rest) {
                    let index = self.chain(chain, rest, &mut leaf);
                    self.of_bdd.insert(bdd, index);
                } else {
                    pending.push(chain.rest);
                }
                continue;
            }
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

    fn chain(&mut self, chain: Chain, rest: u32, leaf: &mut impl FnMut(u32) -> Formula) -> u32 {
        let mut operands = Vec::with_capacity(chain.literals.len() + 1);
        for (variable, is_positive) in chain.literals {
            let literal = self.formula(leaf(variable));
            operands.push(if is_positive {
                literal
            } else {
                self.formula(Formula::Not(literal))
            });
        }
        if !chain.rest.is_constant() {
            operands.push(rest);
        }
        self.formula(if chain.constant {
            Formula::Or(operands)
        } else {
            Formula::And(operands)
        })
    }

    /// How many parents each node has below a root, down to what has been written before.
    fn parents(&self, manager: &Manager<'_>, root: Bdd) -> QuickMap<Bdd, u32> {
        let mut parents: QuickMap<Bdd, u32> = QuickMap::default();
        let mut pending = vec![root];
        while let Some(bdd) = pending.pop() {
            let count = parents.entry(bdd).or_default();
            *count += 1;
            if *count == 1 && !self.of_bdd.contains_key(&bdd) {
                let branch = manager.branch(bdd);
                pending.extend(branch.into_iter().flat_map(|(_, low, high)| [low, high]));
            }
        }
        parents
    }

    /// The formulas written.
    pub fn finish(self) -> Vec<Formula> {
        self.formulas
    }
}

/// Nodes that follow each other and each have the same constant as one branch.
struct Chain {
    /// The constant: the chain is a disjunction if it is true, else a conjunction.
    constant: bool,
    /// Variables, and whether they stand there positively.
    literals: Vec<(u32, bool)>,
    /// What follows.
    rest: Bdd,
}

impl Chain {
    /// The chain of at least two nodes at a node. All but the first have no other parent.
    fn from(manager: &Manager<'_>, start: Bdd, parents: &QuickMap<Bdd, u32>) -> Option<Self> {
        let (_, low, high) = manager.branch(start)?;
        let constants = [low, high].into_iter().filter(|bdd| bdd.is_constant());
        let constant = constants.map(Bdd::is_true).min()?;
        let mut chain = Self {
            constant,
            literals: Vec::new(),
            rest: start,
        };
        while let Some((variable, low, high)) = manager.branch(chain.rest) {
            let is_first = chain.literals.is_empty();
            if !is_first && parents.get(&chain.rest) != Some(&1) {
                break;
            }
            let is_it = |bdd: Bdd| bdd.is_constant() && bdd.is_true() == constant;
            if is_it(low) {
                chain.literals.push((variable, !constant));
                chain.rest = high;
            } else if is_it(high) {
                chain.literals.push((variable, constant));
                chain.rest = low;
            } else {
                break;
            }
        }
        (chain.literals.len() > 1).then_some(chain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::{GlobalId, Variable};
    use hardbop_outcome::certificate::Bit;

    const VARIABLES: u32 = 5;

    fn leaf(variable: u32) -> Formula {
        Formula::Now(Bit {
            variable: Variable::Global(GlobalId(variable)),
            bit: 0,
        })
    }

    /// The values of all formulas under an assignment.
    fn values(formulas: &[Formula], assignment: u32) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::new();
        for formula in formulas {
            let value = |index: &u32| values[*index as usize];
            values.push(match formula {
                Formula::Constant(value) => *value,
                Formula::Now(bit) => (0..VARIABLES)
                    .any(|v| leaf(v) == Formula::Now(*bit) && assignment >> v & 1 == 1),
                Formula::Not(a) => !value(a),
                Formula::And(operands) => operands.iter().all(value),
                Formula::Or(operands) => operands.iter().any(value),
                Formula::Ite(c, a, b) => value(if value(c) { a } else { b }),
                other => panic!("{other:?} is not written"),
            });
        }
        values
    }

    #[test]
    fn a_formula_has_the_values_of_its_diagram() {
        let mut manager = Manager::new(1 << 16);
        let mut writer = FormulaWriter::default();
        let mut written = Vec::new();
        let mut kinds = [0, 0];
        for seed in 1..400_u32 {
            // A few points, or all but a few, or anything: chains of both kinds, and sharing.
            let mut table = seed.wrapping_mul(0x9E37_79B9);
            let rotated = table.rotate_left(seed % 31);
            table = [
                table & rotated & table.reverse_bits(),
                table | rotated,
                table,
            ][seed as usize % 3];
            let mut bdd = Bdd::FALSE;
            for assignment in (0..1 << VARIABLES).filter(|a| table >> a & 1 == 1) {
                let mut point = Bdd::TRUE;
                for variable in 0..VARIABLES {
                    let literal = manager.variable(variable).unwrap();
                    let is_set = assignment >> variable & 1 == 1;
                    let literal = if is_set { literal } else { !literal };
                    point = manager.and(point, literal).unwrap();
                }
                bdd = manager.or(bdd, point).unwrap();
            }
            written.push((table, writer.bdd(&manager, bdd, leaf)));
        }
        let formulas = writer.finish();
        for formula in &formulas {
            kinds[0] += usize::from(matches!(formula, Formula::And(_)));
            kinds[1] += usize::from(matches!(formula, Formula::Or(_)));
        }
        assert!(kinds.iter().all(|&count| count > 10), "{kinds:?}");
        for assignment in 0..1 << VARIABLES {
            let values = values(&formulas, assignment);
            for &(table, index) in &written {
                assert_eq!(values[index as usize], table >> assignment & 1 == 1);
            }
        }
    }

    #[test]
    fn a_path_is_one_conjunction() {
        let mut manager = Manager::new(1 << 16);
        let mut path = Bdd::TRUE;
        for variable in 0..VARIABLES {
            let literal = manager.variable(variable).unwrap();
            path = manager.and(path, !literal).unwrap();
        }
        let mut writer = FormulaWriter::default();
        let root = writer.bdd(&manager, path, leaf);
        let formulas = writer.finish();
        assert!(matches!(&formulas[root as usize], Formula::And(all) if all.len() == 5));
        assert!(!formulas.iter().any(|f| matches!(f, Formula::Ite(..))));
    }
}
