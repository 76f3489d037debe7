//! What a formula says about an ultimately periodic word, by the definition of the logic.
//!
//! No automaton is involved: this is the judge of the translation in tests, and of every lasso that
//! is found with an automaton. A word `stem loop loop …` has as many different suffixes as
//! positions in stem and loop, so each formula has a truth value per position, computed bottom-up.
//! Until is a least and release a greatest fixed point; going backwards over the positions twice is
//! enough for either, since the second time round the loop nothing new can appear.

use crate::formula::{Formula, FormulaId, Formulas};
use crate::guard::Letter;

/// Whether the infinite word `stem` `cycle` `cycle` … satisfies a formula.
///
/// # Panics
/// If the cycle is empty: there is no such word.
pub(crate) fn holds_on_lasso(
    formulas: &Formulas,
    root: FormulaId,
    stem: &[Letter],
    cycle: &[Letter],
) -> bool {
    assert!(!cycle.is_empty(), "an infinite word needs a cycle");
    let length = stem.len() + cycle.len();
    let letters: Vec<Letter> = stem.iter().chain(cycle).copied().collect();
    let after = |position: usize| {
        if position + 1 == length {
            stem.len()
        } else {
            position + 1
        }
    };
    let needed = needed_formulas(formulas, root);
    let mut truth: Vec<Vec<bool>> = vec![Vec::new(); formulas.len()];
    for &id in &needed {
        let of = |operand: &FormulaId, position: usize| truth[operand.index()][position];
        let values = match formulas.get(id) {
            Formula::True => vec![true; length],
            Formula::False => vec![false; length],
            Formula::Exists(_) | Formula::Forall(_) => {
                unreachable!("formulas of linear time are read without path quantifiers")
            }
            Formula::Literal {
                proposition,
                positive,
            } => letters
                .iter()
                .map(|letter| (letter >> proposition & 1 == 1) == *positive)
                .collect(),
            Formula::And(operands) => (0..length)
                .map(|position| operands.iter().all(|operand| of(operand, position)))
                .collect(),
            Formula::Or(operands) => (0..length)
                .map(|position| operands.iter().any(|operand| of(operand, position)))
                .collect(),
            Formula::Next(operand) => (0..length)
                .map(|position| of(operand, after(position)))
                .collect(),
            Formula::Until(kept, goal) => {
                let mut values = vec![false; length];
                for position in (0..length).chain(0..length).rev() {
                    values[position] =
                        of(goal, position) || (of(kept, position) && values[after(position)]);
                }
                values
            }
            Formula::Release(releasing, kept) => {
                let mut values = vec![true; length];
                for position in (0..length).chain(0..length).rev() {
                    values[position] =
                        of(kept, position) && (of(releasing, position) || values[after(position)]);
                }
                values
            }
        };
        truth[id.index()] = values;
    }
    truth[root.index()][0]
}

/// A formula and everything in it, operands first.
fn needed_formulas(formulas: &Formulas, root: FormulaId) -> Vec<FormulaId> {
    let mut is_needed = vec![false; formulas.len()];
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        if !std::mem::replace(&mut is_needed[id.index()], true) {
            pending.extend(formulas.get(id).operands());
        }
    }
    let ids = (0..formulas.len()).map(FormulaId::new);
    ids.filter(|id| is_needed[id.index()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporal_operators_mean_what_they_say() {
        let mut f = Formulas::default();
        let (p, q) = (f.proposition(0), f.proposition(1));
        let until = f.until(p, q);
        let weak = f.weak_until(p, q);
        let strong = f.strong_release(q, p);
        let release = f.release(q, p);
        let next = f.next(q);
        let infinitely = {
            let finally = f.finally(q);
            f.globally(finally)
        };
        let (none, p_only, q_only, both) = (0, 1, 2, 3);
        // Per word: until, weak until, strong release, release, next, infinitely often.
        let table: [(&[Letter], &[Letter], [bool; 6]); 5] = [
            (
                &[p_only, p_only],
                &[q_only, none],
                [true, true, false, false, false, true],
            ),
            (&[], &[p_only], [false, true, false, true, false, false]),
            (
                &[p_only, both],
                &[none],
                [true, true, true, true, true, false],
            ),
            (&[none], &[q_only], [false, false, false, false, true, true]),
            (&[q_only], &[none], [true, true, false, false, false, false]),
        ];
        for (stem, cycle, expected) in table {
            let found = [until, weak, strong, release, next, infinitely]
                .map(|formula| holds_on_lasso(&f, formula, stem, cycle));
            assert_eq!(found, expected, "{stem:?} {cycle:?}");
        }
    }
}
