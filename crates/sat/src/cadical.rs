//! The solver of builds with the feature `cadical`: `CaDiCaL`, in C++.
//!
//! `CaDiCaL` forgets model and core with the next clause, while users of [`Solver`] add gates
//! between questions to the model. So both are copied right after a search. Conflicts are counted
//! by the clauses learnt from them: the interface does not tell the number.

use crate::lit::{Lit, Var};
use crate::solver::Answer;

/// How often the library asks whether to stop between two questions to the interrupt, which may
/// look at a clock.
const STEPS_PER_INTERRUPT_CHECK: u32 = 64;

/// A SAT solver. Deterministic: the same calls give the same answers, models and cores.
pub struct Solver<'i> {
    library: ::cadical::Solver<Hooks<'i>>,
    variables: u32,
    conflict_limit: Option<u64>,
    /// The values of all variables in the model of the last call, if there was one.
    model: Option<Vec<bool>>,
    core: Vec<Lit>,
}

/// What the library calls while it searches.
#[derive(Default)]
struct Hooks<'i> {
    interrupt: Option<&'i dyn Fn() -> bool>,
    steps: u32,
    interrupted: bool,
    conflicts: u64,
}

impl ::cadical::Callbacks for Hooks<'_> {
    fn started(&mut self) {
        self.interrupted = false;
    }

    fn terminate(&mut self) -> bool {
        let Some(interrupt) = self.interrupt else {
            return false;
        };
        self.steps += 1;
        if self.steps == STEPS_PER_INTERRUPT_CHECK {
            self.steps = 0;
            // Sticky within a call: the library asks again while it unwinds.
            self.interrupted = self.interrupted || interrupt();
        }
        self.interrupted
    }

    fn max_length(&self) -> i32 {
        i32::MAX
    }

    fn learn(&mut self, _clause: &[i32]) {
        self.conflicts += 1;
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
        let mut library = ::cadical::Solver::new();
        library.set_callbacks(Some(Hooks::default()));
        Self {
            library,
            variables: 0,
            conflict_limit: None,
            model: None,
            core: Vec::new(),
        }
    }

    /// Asks now and then during a search whether to stop.
    pub fn set_interrupt(&mut self, interrupt: &'i dyn Fn() -> bool) {
        if let Some(hooks) = self.library.get_callbacks() {
            hooks.interrupt = Some(interrupt);
        }
    }

    /// Stops each further search after about this many conflicts.
    pub fn set_conflict_limit(&mut self, limit: Option<u64>) {
        self.conflict_limit = limit;
    }

    /// A new variable.
    pub(crate) fn new_var(&mut self) -> Var {
        let var = Var(self.variables);
        self.variables += 1;
        var
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> usize {
        self.variables as usize
    }

    /// At least one of these must hold from now on. The empty clause makes every further answer
    /// `Unsat`.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.library.add_clause(clause.iter().copied().map(number));
    }

    /// Searches for a model in which all assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.model = None;
        self.core.clear();
        if let Some(limit) = self.conflict_limit {
            // Limits hold for one search.
            let limit = i32::try_from(limit).unwrap_or(i32::MAX);
            let known = self.library.set_limit("conflicts", limit);
            known.expect("the library has this limit");
        }
        let answer = self
            .library
            .solve_with(assumptions.iter().copied().map(number));
        match answer {
            Some(true) => {
                let variables = (0..self.variables).map(|var| Var(var).positive());
                let value = |lit| self.library.value(number(lit)) == Some(true);
                self.model = Some(variables.map(value).collect());
                Answer::Sat
            }
            Some(false) => {
                let failed = assumptions.iter().copied();
                self.core = failed
                    .filter(|&lit| self.library.failed(number(lit)))
                    .collect();
                Answer::Unsat
            }
            None => Answer::Interrupted,
        }
    }

    /// The value of a literal in the model of the last call; nothing unless its answer was `Sat`.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        let model = self.model.as_ref()?;
        let value = model.get(lit.var().index()).copied();
        value.map(|value| value != lit.is_negative())
    }

    /// Assumptions of the last call that cannot hold together; empty if the clauses alone have no
    /// model, or if the answer was not `Unsat`.
    pub fn core(&mut self) -> Vec<Lit> {
        self.core.clone()
    }

    /// Conflicts of all searches so far.
    pub fn conflicts(&mut self) -> u64 {
        let hooks = self.library.get_callbacks();
        hooks.map_or(0, |hooks| hooks.conflicts)
    }
}

/// The literal as the library counts them: from 1, negations negative.
fn number(lit: Lit) -> i32 {
    let variable =
        i32::try_from(lit.var().0 + 1).expect("fewer variables than the library can have");
    if lit.is_negative() {
        -variable
    } else {
        variable
    }
}
