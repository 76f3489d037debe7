//! Terms for variables, on the shared graph: each node is visited once.

use crate::terms::{Term, TermId, Terms, VarId};
use rustc_hash::FxHashMap;

/// What variables are replaced by.
pub type Substitution = FxHashMap<VarId, TermId>;

/// The terms with variables replaced, all at once.
pub fn substitute(terms: &mut Terms, values: &Substitution, roots: &[TermId]) -> Vec<TermId> {
    if values.is_empty() {
        return roots.to_vec();
    }
    let mut replaced: FxHashMap<TermId, TermId> = FxHashMap::default();
    for id in terms.below(roots) {
        let new = match terms.get(id) {
            Term::Constant(_) => id,
            Term::Variable(variable) => values.get(variable).copied().unwrap_or(id),
            Term::Apply(op, operands) => {
                let new: Box<[TermId]> = operands.iter().map(|operand| replaced[operand]).collect();
                if new == *operands {
                    id
                } else {
                    let (op, sort) = (*op, terms.sort(id));
                    terms.add(Term::Apply(op, new), sort)
                }
            }
        };
        replaced.insert(id, new);
    }
    roots.iter().map(|root| replaced[root]).collect()
}
