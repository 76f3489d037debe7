//! An incremental solver: clauses stay, assumptions hold for one call.

use crate::lit::{Lit, Var};
use batsat::SolverInterface;
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Cl, Lit as LibraryLit, TernaryVal};
use std::cell::Cell;

/// How many steps (decisions) pass between two questions to the interrupt, which may look at a clock.
const STEPS_PER_INTERRUPT_CHECK: u32 = 1024;

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

/// A SAT solver. Deterministic: the same calls give the same answers, models and cores.
pub struct Solver<'i> {
    library: rustsat_batsat::Solver<Hooks<'i>>,
    variables: u32,
    /// A clause in the library's literals, kept for its memory.
    scratch: Vec<LibraryLit>,
}

/// What the library calls while it searches.
#[derive(Default)]
struct Hooks<'i> {
    interrupt: Option<&'i dyn Fn() -> bool>,
    steps: Cell<u32>,
    interrupted: Cell<bool>,
    conflict_limit: Option<u64>,
    conflicts: u64,
}

impl batsat::Callbacks for Hooks<'_> {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.interrupted.set(false);
    }

    fn on_new_clause(&mut self, _clause: &[batsat::Lit], _kind: batsat::ClauseKind) {
        self.conflicts += 1;
    }

    fn stop(&self) -> bool {
        if self
            .conflict_limit
            .is_some_and(|limit| self.conflicts > limit)
        {
            return true;
        }
        let Some(interrupt) = self.interrupt else {
            return false;
        };
        let steps = self.steps.get() + 1;
        self.steps.set(steps % STEPS_PER_INTERRUPT_CHECK);
        if steps == STEPS_PER_INTERRUPT_CHECK {
            // Sticky within a call: the library asks again after it has unwound.
            self.interrupted.set(self.interrupted.get() || interrupt());
        }
        self.interrupted.get()
    }
}

impl Default for Solver<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'i> Solver<'i> {
    /// A solver without variables, clauses or limits.
    pub fn new() -> Self {
        Self {
            library: rustsat_batsat::Solver::default(),
            variables: 0,
            scratch: Vec::new(),
        }
    }

    /// Asks now and then during a search whether to stop.
    pub fn set_interrupt(&mut self, interrupt: &'i dyn Fn() -> bool) {
        self.library.batsat_mut().cb_mut().interrupt = Some(interrupt);
    }

    /// Stops each further search after about so many conflicts.
    pub fn set_conflict_limit(&mut self, limit: Option<u64>) {
        self.library.batsat_mut().cb_mut().conflict_limit = limit;
    }

    /// A new variable.
    pub fn new_var(&mut self) -> Var {
        let var = Var(self.variables);
        self.variables += 1;
        // The library learns of it here, so that it has a value in every model.
        self.library.batsat_mut().new_var_default();
        var
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> usize {
        self.variables as usize
    }

    /// At least one of these must hold from now on. The empty clause makes every further answer `Unsat`.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.scratch.clear();
        self.scratch.extend(clause.iter().copied().map(to_library));
        self.library
            .add_clause_ref(Cl::new(&self.scratch))
            .expect("the BatSat binding never refuses a clause");
    }

    /// Searches for a model in which all assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        let assumptions: Vec<_> = assumptions.iter().copied().map(to_library).collect();
        let result = self
            .library
            .solve_assumps(&assumptions)
            .expect("the BatSat binding never refuses assumptions");
        match result {
            SolverResult::Sat => Answer::Sat,
            SolverResult::Unsat => Answer::Unsat,
            SolverResult::Interrupted => Answer::Interrupted,
        }
    }

    /// The value of a literal in the model of the last call; nothing unless its answer was `Sat`.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.library.lit_val(to_library(lit)) {
            Ok(TernaryVal::True) => Some(true),
            Ok(TernaryVal::False) => Some(false),
            Ok(TernaryVal::DontCare) | Err(_) => None,
        }
    }

    /// Assumptions of the last call that cannot hold together; empty if the clauses alone have no model, or if the answer
    /// was not `Unsat`.
    pub fn core(&mut self) -> Vec<Lit> {
        let core = self.library.core().unwrap_or_default();
        // The library gives the clause that follows: the negations of these assumptions.
        core.into_iter().map(|lit| !from_library(lit)).collect()
    }

    /// Conflicts of all searches so far.
    pub fn conflicts(&self) -> u64 {
        self.library.batsat_ref().num_conflicts()
    }
}

fn to_library(lit: Lit) -> LibraryLit {
    LibraryLit::new(lit.var().0, lit.is_negative())
}

fn from_library(lit: LibraryLit) -> Lit {
    Var(lit.vidx32()).positive().negated_if(lit.is_neg())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed pseudo-random sequence (xorshift).
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % bound
        }
    }

    fn holds(clauses: &[Vec<Lit>], assignment: u32) -> bool {
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
                    let mut lit = || {
                        let var = vars[random.below(u64::from(variables)) as usize];
                        var.positive().negated_if(random.below(2) == 1)
                    };
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
    fn pigeons(solver: &mut Solver<'_>, holes: usize) {
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
