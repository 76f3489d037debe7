//! `BatSat`, a descendant of `MiniSat` all in Rust: the solver of the default build, and in every
//! build the one that the checker asks, because it says what it derived on its way to `Unsat`.

use crate::lit::{Lit, Var};
use crate::solver::Answer;
use ::batsat::{SolverInterface, lbool};
use std::cell::Cell;

/// How many steps (decisions) pass between two questions to the interrupt, which may look at a
/// clock.
const STEPS_PER_INTERRUPT_CHECK: u32 = 1024;

/// A SAT solver. Deterministic: the same calls give the same answers, models and cores.
pub struct Solver<'i> {
    library: ::batsat::Solver<Hooks<'i>>,
    last: Option<Answer>,
    /// A clause in the library's literals, kept for its memory.
    scratch: Vec<::batsat::Lit>,
}

/// What the library calls while it searches.
#[derive(Default)]
struct Hooks<'i> {
    interrupt: Option<&'i dyn Fn() -> bool>,
    steps: Cell<u32>,
    interrupted: Cell<bool>,
    conflict_limit: Option<u64>,
    conflicts: u64,
    derived: Option<Derivation>,
}

/// Clauses that a search derived, in order: each follows from the clauses of the problem and those
/// before it by unit propagation alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derivation {
    literals: Vec<Lit>,
    ends: Vec<usize>,
}

impl Derivation {
    pub(crate) fn push(&mut self, clause: impl Iterator<Item = Lit>) {
        self.literals.extend(clause);
        self.ends.push(self.literals.len());
    }

    pub(crate) fn clauses(&self) -> impl Iterator<Item = &[Lit]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.literals[start..end])
    }
}

impl ::batsat::Callbacks for Hooks<'_> {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.interrupted.set(false);
    }

    fn on_new_clause(&mut self, clause: &[::batsat::Lit], _kind: ::batsat::ClauseKind) {
        self.conflicts += 1;
        if let Some(derived) = &mut self.derived {
            derived.push(clause.iter().copied().map(from_library));
        }
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
            library: ::batsat::Solver::default(),
            last: None,
            scratch: Vec::new(),
        }
    }

    /// Asks now and then during a search whether to stop.
    pub fn set_interrupt(&mut self, interrupt: &'i dyn Fn() -> bool) {
        self.library.cb_mut().interrupt = Some(interrupt);
    }

    /// Stops each further search after about this many conflicts.
    pub fn set_conflict_limit(&mut self, limit: Option<u64>) {
        self.library.cb_mut().conflict_limit = limit;
    }

    /// Keeps what each further search derives.
    pub(crate) fn keep_derivation(&mut self) {
        self.library.cb_mut().derived = Some(Derivation::default());
    }

    /// What has been derived since the last call.
    pub(crate) fn take_derivation(&mut self) -> Derivation {
        let derived = self.library.cb_mut().derived.as_mut();
        derived.map(std::mem::take).unwrap_or_default()
    }

    /// A new variable.
    pub(crate) fn new_var(&mut self) -> Var {
        Var(self.library.new_var_default().idx())
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> usize {
        self.library.num_vars() as usize
    }

    /// At least one of these must hold from now on. The empty clause makes every further answer
    /// `Unsat`.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.scratch.clear();
        self.scratch.extend(clause.iter().copied().map(to_library));
        self.library.add_clause_reuse(&mut self.scratch);
    }

    /// Searches for a model in which all assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.scratch.clear();
        let assumptions = assumptions.iter().copied();
        self.scratch.extend(assumptions.map(to_library));
        let result = self.library.solve_limited(&self.scratch);
        let answer = if result == lbool::TRUE {
            Answer::Sat
        } else if result == lbool::FALSE {
            Answer::Unsat
        } else {
            Answer::Interrupted
        };
        self.last = Some(answer);
        answer
    }

    /// The value of a literal in the model of the last call; nothing unless its answer was `Sat`.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        if self.last != Some(Answer::Sat) {
            return None;
        }
        let value = self.library.value_lit(to_library(lit));
        (value != lbool::UNDEF).then_some(value == lbool::TRUE)
    }

    /// Assumptions of the last call that cannot hold together; empty if the clauses alone have no
    /// model, or if the answer was not `Unsat`.
    pub fn core(&mut self) -> Vec<Lit> {
        if self.last != Some(Answer::Unsat) {
            return Vec::new();
        }
        // The library gives the clause that follows: the negations of these assumptions.
        let clause = self.library.unsat_core().iter();
        clause.map(|&lit| !from_library(lit)).collect()
    }

    /// Conflicts of all searches so far.
    pub fn conflicts(&self) -> u64 {
        self.library.num_conflicts()
    }
}

fn to_library(lit: Lit) -> ::batsat::Lit {
    // `Solver::new_var` counts as the library does.
    let var = ::batsat::Var::unsafe_from_idx(lit.var().0);
    ::batsat::Lit::new(var, !lit.is_negative())
}

fn from_library(lit: ::batsat::Lit) -> Lit {
    Var(lit.var().idx()).positive().negated_if(!lit.sign())
}
