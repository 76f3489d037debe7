//! Looking at functions without making new ones.

use crate::hash::{BddMap, BddSet};
use crate::manager::{Bdd, Manager};
use std::collections::BTreeSet;

impl Manager<'_> {
    /// How many nodes a function has, the constant not counted.
    pub fn size(&self, f: Bdd) -> usize {
        let mut seen = BddSet::default();
        let mut pending = vec![f.regular()];
        while let Some(bdd) = pending.pop() {
            if let Some((_, low, high)) = self.parts(bdd)
                && seen.insert(bdd)
            {
                pending.push(low.regular());
                pending.push(high.regular());
            }
        }
        seen.len()
    }

    /// Whether a function has more than this many nodes; looks at no more than that.
    pub fn is_larger(&self, f: Bdd, size: usize) -> bool {
        let mut seen = BddSet::default();
        let mut pending = vec![f.regular()];
        while let Some(bdd) = pending.pop() {
            if let Some((_, low, high)) = self.parts(bdd)
                && seen.insert(bdd)
            {
                if seen.len() > size {
                    return true;
                }
                pending.push(low.regular());
                pending.push(high.regular());
            }
        }
        false
    }

    /// The variables that a function depends on, in order.
    pub fn support(&self, f: Bdd) -> BTreeSet<u32> {
        let mut seen = BddSet::default();
        let mut variables = BTreeSet::new();
        let mut pending = vec![f.regular()];
        while let Some(bdd) = pending.pop() {
            if let Some((variable, low, high)) = self.parts(bdd)
                && seen.insert(bdd)
            {
                variables.insert(variable);
                pending.push(low.regular());
                pending.push(high.regular());
            }
        }
        variables
    }

    /// The value of a function under an assignment.
    pub fn eval(&self, f: Bdd, mut assignment: impl FnMut(u32) -> bool) -> bool {
        let mut at = f;
        while let Some((variable, low, high)) = self.parts(at) {
            at = if assignment(variable) { high } else { low };
        }
        at.is_true()
    }

    /// Some values of variables that satisfy a function whatever the other variables are; nothing
    /// for false. Prefers 0.
    pub fn pick(&self, f: Bdd) -> Option<Vec<(u32, bool)>> {
        if f.is_false() {
            return None;
        }
        let mut chosen = Vec::new();
        let mut at = f;
        while let Some((variable, low, high)) = self.parts(at) {
            let value = low.is_false();
            chosen.push((variable, value));
            at = if value { high } else { low };
        }
        Some(chosen)
    }

    /// How many assignments of `variables` variables satisfy a function, as a floating-point
    /// number.
    pub fn count(&self, f: Bdd, variables: u32) -> f64 {
        // Fractions of all assignments, bottom-up.
        let mut fractions: BddMap<f64> = [(Bdd::TRUE, 1.0)].into_iter().collect();
        let mut pending = vec![f.regular()];
        while let Some(&bdd) = pending.last() {
            if fractions.contains_key(&bdd) {
                pending.pop();
                continue;
            }
            let (_, low, high) = match self.parts(bdd) {
                Some(branch) => branch,
                None => (0, Bdd::TRUE, Bdd::TRUE),
            };
            let fraction = |g: Bdd| {
                let known = fractions.get(&g.regular());
                known.map(|&x| if g.is_complemented() { 1.0 - x } else { x })
            };
            match (fraction(low), fraction(high)) {
                (Some(a), Some(b)) => {
                    fractions.insert(bdd, f64::midpoint(a, b));
                    pending.pop();
                }
                (a, b) => {
                    if a.is_none() {
                        pending.push(low.regular());
                    }
                    if b.is_none() {
                        pending.push(high.regular());
                    }
                }
            }
        }
        let fraction = fractions[&f.regular()];
        let fraction = if f.is_complemented() {
            1.0 - fraction
        } else {
            fraction
        };
        fraction * f64::from(variables).exp2()
    }
}
