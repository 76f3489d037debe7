//! The conditions under which an unrolled point is reached, as a list of literals, oldest first.
//!
//! Two sides of a branch differ in the last conditions only. Where they meet, what they share stays
//! as it is, and the rest becomes one literal, or no literal if one side is the negation of the other.
//! So the conditions of a point behind a branch are those before it, and a loop that repeats
//! without a decision can be told by its conditions.

use hardbop_sat::{Circuit, Lit};

/// Longer lists are shortened: their older half becomes one literal.
const MOST_CONDITIONS: usize = 128;

/// Conditions that all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Conditions(Vec<Lit>);

impl Conditions {
    /// The same and more; `None` if they exclude each other.
    pub(crate) fn with(&self, circuit: &mut Circuit<'_>, more: &[Lit]) -> Option<Self> {
        let mut all = self.0.clone();
        for &lit in more {
            match circuit.as_constant(lit) {
                Some(true) => {}
                Some(false) => return None,
                None if all.contains(&lit) => {}
                None if all.contains(&!lit) => return None,
                None => all.push(lit),
            }
        }
        if all.len() > MOST_CONDITIONS {
            let older = all.drain(..MOST_CONDITIONS / 2).collect::<Vec<Lit>>();
            let older = conjunction(circuit, &older);
            all.insert(0, older);
        }
        Some(Self(all))
    }

    /// All of them as one literal.
    pub(crate) fn literal(&self, circuit: &mut Circuit<'_>) -> Lit {
        conjunction(circuit, &self.0)
    }

    /// The single conditions.
    pub(crate) fn literals(&self) -> &[Lit] {
        &self.0
    }

    /// How many conditions two lists share from the start.
    pub(crate) fn shared(&self, other: &Self) -> usize {
        let pairs = self.0.iter().zip(&other.0);
        pairs.take_while(|(a, b)| a == b).count()
    }

    /// The conditions under which one or the other list holds, and a literal that tells the first
    /// from the second where one of them does.
    pub(crate) fn meet(&self, circuit: &mut Circuit<'_>, other: &Self) -> (Self, Lit) {
        let shared = self.shared(other);
        let first = conjunction(circuit, &self.0[shared..]);
        let second = conjunction(circuit, &other.0[shared..]);
        let mut all = self.0[..shared].to_vec();
        let either = circuit.or(first, second);
        if circuit.as_constant(either) != Some(true) {
            all.push(either);
        }
        (Self(all), first)
    }
}

/// Built from the oldest on, so that lists with the same beginning share its gates.
fn conjunction(circuit: &mut Circuit<'_>, literals: &[Lit]) -> Lit {
    let truth = circuit.constant(true);
    let mut literals = literals.iter();
    literals
        .by_ref()
        .fold(truth, |all, &lit| circuit.and(all, lit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_sat::Solver;

    #[test]
    fn the_conditions_behind_a_branch_are_those_before_it() {
        let mut circuit = Circuit::new(Solver::new());
        let [a, b, c] = [(); 3].map(|()| circuit.input());
        let before = Conditions::default().with(&mut circuit, &[a]).unwrap();
        let mut side = |from: &Conditions, more: &[Lit]| from.with(&mut circuit, more).unwrap();
        let (yes, no) = (side(&before, &[b]), side(&before, &[!b]));
        let (first, second) = (side(&no, &[c]), side(&no, &[!c]));
        let (met, _) = first.meet(&mut circuit, &second);
        assert_eq!(met, no);
        let (met, tells) = yes.meet(&mut circuit, &met);
        assert_eq!((met, tells), (before.clone(), b));
        assert_eq!(yes.with(&mut circuit, &[!b]), None);
    }

    #[test]
    fn long_lists_are_shortened_and_mean_the_same() {
        let mut circuit = Circuit::new(Solver::new());
        let inputs: Vec<Lit> = (0..300).map(|_| circuit.input()).collect();
        let mut conditions = Conditions::default();
        for &input in &inputs {
            conditions = conditions.with(&mut circuit, &[input]).unwrap();
        }
        assert!(conditions.literals().len() <= MOST_CONDITIONS);
        let all = conditions.literal(&mut circuit);
        for &input in &inputs {
            let answer = circuit.solve(&[all, !input]);
            assert_eq!(answer, hardbop_sat::Answer::Unsat);
        }
        assert_eq!(circuit.solve(&[all]), hardbop_sat::Answer::Sat);
    }
}
