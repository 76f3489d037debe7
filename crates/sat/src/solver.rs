//! An incremental solver: clauses stay, assumptions hold for one call.
//!
//! [`Solver`] is `BatSat` or, with the cargo feature `cadical`, `CaDiCaL`. Both offer the same
//! methods and have to pass the tests below:
//!
//! ```text
//! cargo test --release -p hardbop-sat -p hardbop-satcheck --features hardbop-sat/cadical
//! ```

#[cfg(not(feature = "cadical"))]
pub use crate::batsat::Solver;
#[cfg(feature = "cadical")]
pub use crate::cadical::Solver;

use crate::lit::{Lit, Var};
use crate::tseitin::Clauses;

impl Clauses for Solver<'_> {
    const IS_EAGER: bool = true;

    fn new_var(&mut self) -> Var {
        Solver::new_var(self)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        Solver::add_clause(self, clause);
    }

    fn clear(&mut self) {
        *self = Self::new();
    }
}

/// What a solver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model: ask [`Solver::value`].
    Sat,
    /// There is none under the assumptions: ask [`Solver::core`].
    Unsat,
    /// The conflict limit or the interrupt came first.
    Interrupted,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::cell::Cell;

    /// A fixed pseudo-random sequence (xorshift).
    pub(crate) struct Random(pub u64);

    impl Random {
        pub fn literal(&mut self, vars: &[Var]) -> Lit {
            let var = vars[self.below(vars.len() as u64) as usize];
            var.positive().negated_if(self.below(2) == 1)
        }

        pub fn below(&mut self, bound: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % bound
        }
    }

    pub(crate) fn holds(clauses: &[Vec<Lit>], assignment: u32) -> bool {
        let value = |lit: &Lit| (assignment >> lit.var().0 & 1 == 1) != lit.is_negative();
        clauses.iter().all(|clause| clause.iter().any(value))
    }

    #[test]
    fn random_3_sat_agrees_with_trying_all_assignments() {
        let variables: u32 = 8;
        let mut random = Random(0x2545_F491_4F6C_DD1D);
        let mut answers = [0, 0];
        for _ in 0..300 {
            let mut solver = Solver::new();
            let vars: Vec<Var> = (0..variables).map(|_| solver.new_var()).collect();
            let mut clauses: Vec<Vec<Lit>> = Vec::new();
            // Clauses are added between the calls, as incremental users do.
            for _ in 0..6 {
                for _ in 0..8 {
                    let mut lit = || random.literal(&vars);
                    let clause = vec![lit(), lit(), lit()];
                    solver.add_clause(&clause);
                    clauses.push(clause);
                }
                let mut assumption = |index: usize| {
                    let positive = vars[index].positive();
                    positive.negated_if(random.below(2) == 1)
                };
                let assumptions = [assumption(0), assumption(3)];
                let mut units = clauses.clone();
                units.extend(assumptions.iter().map(|&lit| vec![lit]));
                let expected = (0..1 << variables).any(|assignment| holds(&units, assignment));
                let answer = solver.solve(&assumptions);
                assert_eq!(answer == Answer::Sat, expected);
                answers[usize::from(expected)] += 1;
                if expected {
                    let model = vars.iter().map(|var| {
                        let value = solver
                            .value(var.positive())
                            .expect("every variable is decided");
                        u32::from(value) << var.0
                    });
                    assert!(holds(&units, model.sum()));
                } else {
                    let core = solver.core();
                    assert!(core.iter().all(|lit| assumptions.contains(lit)));
                    let mut units = clauses.clone();
                    units.extend(core.into_iter().map(|lit| vec![lit]));
                    assert!(!(0..1 << variables).any(|assignment| holds(&units, assignment)));
                    assert_eq!(solver.value(vars[0].positive()), None);
                }
            }
        }
        assert!(answers.iter().all(|&count| count > 100), "{answers:?}");
    }

    #[test]
    fn a_core_names_only_assumptions_that_matter() {
        let mut solver = Solver::new();
        let [a, b, c] = [(); 3].map(|()| solver.new_var().positive());
        solver.add_clause(&[!a, !b]);
        assert_eq!(solver.solve(&[c, a, b]), Answer::Unsat);
        let mut core = solver.core();
        core.sort_unstable();
        assert_eq!(core, [a, b]);
        assert_eq!(solver.solve(&[c, a]), Answer::Sat);
        solver.add_clause(&[]);
        assert_eq!(solver.solve(&[c]), Answer::Unsat);
        assert!(solver.core().is_empty());
    }

    /// `holes + 1` pigeons in `holes` holes: unsatisfiable, and hard for resolution.
    pub(crate) fn pigeons(solver: &mut impl Clauses, holes: usize) {
        let sits: Vec<Vec<Lit>> = (0..=holes)
            .map(|_| (0..holes).map(|_| solver.new_var().positive()).collect())
            .collect();
        for (first, pigeon) in sits.iter().enumerate() {
            solver.add_clause(pigeon);
            for other in &sits[..first] {
                for (&a, &b) in pigeon.iter().zip(other) {
                    solver.add_clause(&[!a, !b]);
                }
            }
        }
    }

    #[test]
    fn a_limit_ends_a_search_and_can_be_lifted() {
        let mut solver = Solver::new();
        pigeons(&mut solver, 7);
        solver.set_conflict_limit(Some(10));
        assert_eq!(solver.solve(&[]), Answer::Interrupted);
        assert!(solver.conflicts() < 100);
        solver.set_conflict_limit(None);
        assert_eq!(solver.solve(&[]), Answer::Unsat);
    }

    #[test]
    fn an_interrupt_ends_a_search() {
        let asked = Cell::new(0);
        let interrupt = || {
            asked.set(asked.get() + 1);
            asked.get() >= 2
        };
        let mut solver = Solver::new();
        solver.set_interrupt(&interrupt);
        pigeons(&mut solver, 12);
        assert_eq!(solver.solve(&[]), Answer::Interrupted);
        assert_eq!(asked.get(), 2);
    }
}
