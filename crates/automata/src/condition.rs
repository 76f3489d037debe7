//! Conditions on one state as guards: a formula without temporal operators becomes a list of cubes.

use crate::formula::{Formula, FormulaId, Formulas};
use crate::guard::{Cube, Guard, TooManyCubes};
use std::collections::{BTreeSet, HashMap};

/// The guard of a condition on one state.
pub(crate) fn guard_of(formulas: &Formulas, root: FormulaId) -> Result<Guard, TooManyCubes> {
    let mut needed = BTreeSet::new();
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        if needed.insert(id) {
            pending.extend(formulas.get(id).operands());
        }
    }
    let mut guards: HashMap<FormulaId, Guard> = HashMap::new();
    // Operands have smaller ids than their users.
    for id in needed {
        let guard = match formulas.get(id) {
            Formula::True => Guard::always(),
            &Formula::Literal {
                proposition,
                positive,
            } => Cube::literal(proposition, positive).into(),
            Formula::And(operands) => operands
                .iter()
                .try_fold(Guard::always(), |all, operand| all.and(&guards[operand]))?,
            Formula::Or(operands) => operands
                .iter()
                .try_fold(Guard::never(), |some, operand| some.or(&guards[operand]))?,
            // Temporal operators have been refused before, and path quantifiers are not read.
            Formula::False
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Release(..)
            | Formula::Exists(_)
            | Formula::Forall(_) => Guard::never(),
        };
        guards.insert(id, guard);
    }
    Ok(guards.remove(&root).unwrap_or_default())
}
