//! Formula to Büchi automaton: the tableau, one set of accepting states, then reductions.

use crate::buchi::Buchi;
use crate::formula::{FormulaId, Formulas};
use crate::reduce::reduce;
use crate::tableau::{TooLarge, tableau};

/// An automaton that accepts exactly the words that satisfy a formula.
pub(crate) fn translate(formulas: &Formulas, root: FormulaId) -> Result<Buchi, TooLarge> {
    let (automaton, _) = tableau(formulas, root)?
        .degeneralise()
        .map_err(|_| TooLarge)?;
    reduce(automaton).map_err(|_| TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::holds_on_lasso;
    use crate::guard::Letter;
    use hardbop_testkit::random::Random;

    fn random_formula(random: &mut Random, formulas: &mut Formulas, size: usize) -> FormulaId {
        if size <= 1 {
            return match random.below(12) {
                0 => Formulas::TRUE,
                1 => Formulas::FALSE,
                other => formulas.proposition(other as u32 % 3),
            };
        }
        let unary = random.below(10);
        if size == 2 || unary < 4 {
            let operand = random_formula(random, formulas, size - 1);
            return match unary % 4 {
                0 => formulas.not(operand),
                1 => formulas.next(operand),
                2 => formulas.finally(operand),
                _ => formulas.globally(operand),
            };
        }
        let left_size = 1 + random.below(size - 2);
        let left = random_formula(random, formulas, left_size);
        let right = random_formula(random, formulas, size - 1 - left_size);
        match random.below(8) {
            0 => formulas.and([left, right]),
            1 => formulas.or([left, right]),
            2 => formulas.until(left, right),
            3 => formulas.release(left, right),
            4 => formulas.weak_until(left, right),
            5 => formulas.strong_release(left, right),
            6 => formulas.implies(left, right),
            _ => formulas.equivalent(left, right),
        }
    }

    fn random_word(random: &mut Random, most: usize) -> Vec<Letter> {
        let length = random.below(most + 1);
        (0..length).map(|_| random.below(8) as Letter).collect()
    }

    #[test]
    fn automata_accept_exactly_the_words_of_their_formulas() {
        let mut random = Random::new(2026);
        let (mut accepted, mut rejected) = (0, 0);
        for round in 0..3000 {
            let mut formulas = Formulas::default();
            let root = random_formula(&mut random, &mut formulas, 1 + round % 12);
            let Ok(automaton) = translate(&formulas, root) else {
                continue;
            };
            for _ in 0..30 {
                let stem = random_word(&mut random, 4);
                let mut cycle = random_word(&mut random, 3);
                cycle.push(random.below(8) as Letter);
                let expected = holds_on_lasso(&formulas, root, &stem, &cycle);
                assert_eq!(
                    automaton.accepts(&stem, &cycle),
                    expected,
                    "round {round}: {:?} on {stem:?} {cycle:?}",
                    formulas.get(root)
                );
                accepted += usize::from(expected);
                rejected += usize::from(!expected);
            }
        }
        assert!(
            accepted > 20_000 && rejected > 20_000,
            "{accepted} {rejected}"
        );
    }
}
