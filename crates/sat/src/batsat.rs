//! The solver of the default build: `BatSat`, all in Rust.

use crate::lit::{Lit, Var};
use crate::solver::Answer;
use ::batsat::SolverInterface;
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Cl, Lit as LibraryLit, TernaryVal};
use std::cell::Cell;

/// How many steps (decisions) pass between two questions to the interrupt, which may look at a clock.
const STEPS_PER_INTERRUPT_CHECK: u32 = 1024;

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

impl ::batsat::Callbacks for Hooks<'_> {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.interrupted.set(false);
    }

    fn on_new_clause(&mut self, _clause: &[::batsat::Lit], _kind: ::batsat::ClauseKind) {
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
