//! The trade-off between symbolic and explicit arguments (section 4).
//!
//! Equation (12) as printed conjoins `¬e ∧ b(…, false, …)` with `e ∧ b(…, true, …)`, which is false
//! whatever `b` is. What holds, by cases on the value of `e`, is
//!
//! ```text
//! b(E0, e, E1)  =  (¬e ⇒ b(E0, false, E1)) ∧ (e ⇒ b(E0, true, E1))
//! ```
//!
//! or, read as the disjunction of the ways in which execution can go wrong (which is how
//! [`crate::search::equations`] writes it),
//! `¬b(E0, e, E1) = (¬e ∧ ¬b(E0, false, E1)) ∨ (e ∧ ¬b(E0, true, E1))`. So an argument can be made
//! explicit wherever a term is about to be made: instead of one hop to ⟨b, (E0, e, E1)⟩ under a
//! condition `c` there are two, to ⟨b, (E0, false, E1)⟩ under `c ∧ ¬e` and to ⟨b, (E0, true, E1)⟩
//! under `c ∧ e`. Several arguments are split one after the other, and a combination whose
//! condition is already false as a BDD is left out, which the paper's equation, applied to one
//! argument at a time, would not notice.
//!
//! Some splits are not a matter of taste: without them the closure need not end.
//! [`crate::encoding::closure`] says which.

use hardbop_bdd::{Bdd, Exhausted, Manager};

/// Which arguments are made explicit besides those that have to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// None.
    Never,
    /// All.
    Always,
    /// Those with more BDD nodes than this.
    Nodes(u32),
    /// All but those that have the symbolic initial value of their own variable. An argument is then
    /// one of three things, and N blocks with K arguments have at most N·3^K terms.
    Initial,
    /// At the head of a loop all, if any of them is large; elsewhere none.
    ///
    /// Chosen by experiment. Terms some of whose arguments are symbolic and some explicit are the
    /// most numerous kind: which ones are large changes from one way around a loop to the next, and
    /// the same states come back in ever new mixtures. So it is all or none.
    #[default]
    Auto,
}

/// More nodes than this make an argument large.
const LARGE: usize = 200;

impl Split {
    /// The places of arguments that are made explicit at a head; `is_initial` says which ones have
    /// the initial value of their variable.
    pub(crate) fn places(
        self,
        manager: &Manager<'_>,
        values: &[Option<Bdd>],
        is_initial: impl Fn(usize) -> bool,
        is_loop_head: bool,
    ) -> Vec<usize> {
        let is_larger =
            |value: &Option<Bdd>, size| value.is_some_and(|value| manager.is_larger(value, size));
        let all = match self {
            Split::Never | Split::Nodes(_) => false,
            Split::Always | Split::Initial => true,
            Split::Auto => is_loop_head && values.iter().any(|value| is_larger(value, LARGE)),
        };
        let chosen = values
            .iter()
            .enumerate()
            .filter(|(place, value)| match self {
                Split::Nodes(limit) => is_larger(value, limit as usize),
                Split::Initial => !is_initial(*place),
                Split::Never | Split::Always | Split::Auto => all,
            });
        chosen.map(|(place, _)| place).collect()
    }
}

/// A condition and the values that hold under it.
pub(crate) type Case = (Bdd, Vec<Option<Bdd>>);

/// All cases of the values at some places of a list, each with the part of the condition under
/// which it is the case.
///
/// `allowed` is how many cases there may be at most; more than that give nothing.
pub(crate) fn cases(
    manager: &mut Manager<'_>,
    condition: Bdd,
    values: Vec<Option<Bdd>>,
    places: &[usize],
    allowed: usize,
) -> Result<Option<Vec<Case>>, Exhausted> {
    let mut cases = vec![(condition, values)];
    for &place in places {
        let mut finer = Vec::with_capacity(cases.len());
        for (condition, values) in cases {
            let Some(value) = values[place] else {
                finer.push((condition, values));
                continue;
            };
            for truth in [false, true] {
                let under = if truth { value } else { !value };
                let under = manager.and(condition, under)?;
                if !under.is_false() {
                    let mut values = values.clone();
                    values[place] = Some(Bdd::constant(truth));
                    finer.push((under, values));
                }
            }
        }
        if finer.len() > allowed {
            return Ok(None);
        }
        cases = finer;
    }
    Ok(Some(cases))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_share_the_condition_out_and_leave_impossible_ones_out() {
        let mut manager = Manager::new(1 << 12);
        let [x, y, z] = [0, 1, 2].map(|v| manager.variable(v).unwrap());
        let both = manager.and(x, y).unwrap();
        let condition = manager.or(x, z).unwrap();
        let values = vec![Some(x), Some(z), Some(both), None];
        let found = cases(&mut manager, condition, values, &[0, 2, 3], 8);
        let found = found.unwrap().unwrap();
        // `x & y` is false where `x` is.
        assert_eq!(found.len(), 3);
        let mut covered = Bdd::FALSE;
        for (under, values) in &found {
            assert!(manager.and(covered, *under).unwrap().is_false());
            covered = manager.or(covered, *under).unwrap();
            for (place, value) in [(0, x), (2, both)] {
                let truth = values[place].unwrap();
                assert!(truth.is_constant());
                let holds = if truth.is_true() { value } else { !value };
                assert_eq!(manager.and(*under, holds).unwrap(), *under);
            }
            assert_eq!((values[1], values[3]), (Some(z), None));
        }
        assert_eq!(covered, condition);
    }

    #[test]
    fn more_cases_than_allowed_are_none() {
        let mut manager = Manager::new(1 << 12);
        let values: Vec<_> = (0..3).map(|v| Some(manager.variable(v).unwrap())).collect();
        let few = cases(&mut manager, Bdd::TRUE, values.clone(), &[0, 1, 2], 7);
        assert_eq!(few.unwrap(), None);
        let all = cases(&mut manager, Bdd::TRUE, values, &[0, 1, 2], 8);
        assert_eq!(all.unwrap().unwrap().len(), 8);
    }

    #[test]
    fn auto_splits_all_arguments_of_a_loop_head_or_none() {
        let mut manager = Manager::new(1 << 16);
        let small = manager.variable(0).unwrap();
        // Pairs far apart in the order: exponential.
        let mut large = Bdd::FALSE;
        for pair in 0..9 {
            let first = manager.variable(pair).unwrap();
            let second = manager.variable(pair + 9).unwrap();
            let both = manager.and(first, second).unwrap();
            large = manager.or(large, both).unwrap();
        }
        assert!(manager.is_larger(large, LARGE));
        let values = [Some(small), Some(large), None];
        let places = |split: Split, values: &[_], is_head| {
            split.places(&manager, values, |place| place == 1, is_head)
        };
        assert_eq!(places(Split::Auto, &values, true), [0, 1, 2]);
        assert!(places(Split::Auto, &values, false).is_empty());
        assert!(places(Split::Auto, &[Some(small)], true).is_empty());
        assert!(places(Split::Never, &values, true).is_empty());
        assert_eq!(places(Split::Always, &values, false), [0, 1, 2]);
        assert_eq!(places(Split::Nodes(2), &values, false), [1]);
        assert_eq!(places(Split::Initial, &values, false), [0, 2]);
    }
}
