//! Refutations that need not be believed: the solver searches, [`Propagation`] judges.
//!
//! [`Prover`] holds the clauses in its own [`Propagation`]. Where propagation alone refutes the
//! assumptions, no solver is asked. Otherwise `BatSat` gets the clauses, and each clause that it
//! derives has to follow from those before it; at the end the assumptions must be refuted by
//! propagation. A solver with a fault can therefore cost a proof, never make a false one. A circuit
//! lets the solver work for a little while only before it looks at the cases one by one
//! ([`crate::cases`]), and asks it about those that stay open.
//!
//! `BatSat` is asked in every build: what it derives always follows by propagation, while
//! `CaDiCaL` also eliminates variables and reports only some of its steps.

use crate::batsat::{Derivation, Solver};
use crate::lit::{Lit, Var};
use crate::proof::Proof;
use crate::propagation::Propagation;
use crate::solver::Answer;
use crate::tseitin::Clauses;

/// How many steps of a proof are checked between two questions to the interrupt.
const STEPS_PER_INTERRUPT_CHECK: usize = 256;

/// Conflicts after which a quick question is given up.
const QUICK_CONFLICTS: u64 = 50;

/// Whether assumptions can hold together, and how that was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// They cannot: propagation alone shows it.
    Immediate,
    /// They cannot: there is a proof by cases, or the solver found one, which was checked.
    Searched,
    /// They can: ask [`Prover::value`].
    Model,
    /// The interrupt came first.
    Interrupted,
    /// The solver says that they cannot, but what it derived does not show it: it has a fault.
    Unproved,
}

/// Clauses whose consequences are proved.
#[derive(Default)]
pub struct Prover<'i> {
    propagation: Propagation,
    interrupt: Option<&'i dyn Fn() -> bool>,
    solver: Option<Solver<'i>>,
    /// How many clauses the solver has.
    handed_over: usize,
    /// Conflicts of solvers that are gone.
    conflicts: u64,
    /// The clauses of `propagation` that were derived, in ascending order.
    derived: Vec<usize>,
    /// Whether every refutation must leave steps for [`Prover::proof`].
    keeps_proofs: bool,
}

impl Clauses for Prover<'_> {
    const IS_EAGER: bool = false;

    fn new_var(&mut self) -> Var {
        self.propagation.new_var()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.propagation.add(clause);
    }

    fn clear(&mut self) {
        self.propagation.clear();
        self.derived.clear();
        self.drop_solver();
    }
}

impl<'i> Prover<'i> {
    /// A prover without variables and clauses. It asks now and then whether to stop.
    pub fn new(interrupt: &'i dyn Fn() -> bool) -> Self {
        Self {
            interrupt: Some(interrupt),
            ..Self::default()
        }
    }

    /// From now on every refutation can be written down, those by cases too.
    pub fn keep_proofs(&mut self) {
        self.keeps_proofs = true;
    }

    /// Whether every refutation can be written down.
    pub(crate) fn keeps_proofs(&self) -> bool {
        self.keeps_proofs
    }

    /// The refutation of assumptions that were refuted last, for another checker.
    pub fn proof(&self, assumptions: &[Lit]) -> Proof {
        let mut proof = Proof::about(self.propagation.variable_count());
        let mut derived = self.derived.iter().copied().peekable();
        for index in 0..self.propagation.clause_count() {
            let clause = self.propagation.clause(index);
            if derived.next_if_eq(&index).is_some() {
                proof.step(clause);
            } else {
                proof.given(clause);
            }
        }
        for &assumption in assumptions {
            proof.given(&[assumption]);
        }
        proof.step(&[]);
        proof
    }

    /// Adds a clause if it follows by propagation; else gives false.
    #[must_use]
    pub(crate) fn learn(&mut self, clause: &[Lit]) -> bool {
        let follows = self.propagation.learn(clause);
        if follows {
            self.derived.push(self.propagation.clause_count() - 1);
        }
        follows
    }

    /// Whether the assumptions cannot hold together. The interrupt is asked first: whoever asks one
    /// question after the other need not do it.
    pub fn refute(&mut self, assumptions: &[Lit]) -> Refutation {
        self.search(assumptions, None)
    }

    /// The same, but nothing if it takes the solver long.
    pub(crate) fn refute_quickly(&mut self, assumptions: &[Lit]) -> Option<Refutation> {
        let refutation = self.search(assumptions, Some(QUICK_CONFLICTS));
        Some(refutation).filter(|&found| found != Refutation::Interrupted || self.is_over())
    }

    /// What it asks now and then.
    pub(crate) fn interrupt(&self) -> Option<&'i dyn Fn() -> bool> {
        self.interrupt
    }

    /// Whether the interrupt says that it is over.
    fn is_over(&self) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt())
    }

    fn search(&mut self, assumptions: &[Lit], conflicts: Option<u64>) -> Refutation {
        if self.is_over() {
            return Refutation::Interrupted;
        }
        if self.propagation.refutes(assumptions.iter().copied()) {
            return Refutation::Immediate;
        }
        let mut solver = self.solver_with_all_clauses();
        solver.set_conflict_limit(conflicts);
        let answer = solver.solve(assumptions);
        // What a search with another answer derived stays with the solver: a later one may use it.
        let derived = (answer == Answer::Unsat).then(|| solver.take_derivation());
        self.solver = Some(solver);
        match derived {
            Some(derived) => {
                let refutation = self.confirm(&derived, assumptions);
                if self.solver.is_some() {
                    // It knows what it has derived.
                    self.handed_over = self.propagation.clause_count();
                }
                refutation
            }
            None if answer == Answer::Sat => Refutation::Model,
            None => Refutation::Interrupted,
        }
    }

    fn drop_solver(&mut self) {
        let solver = self.solver.take();
        self.conflicts += solver.map_or(0, |solver| solver.conflicts());
        self.handed_over = 0;
    }

    fn solver_with_all_clauses(&mut self) -> Solver<'i> {
        let mut solver = self.solver.take().unwrap_or_else(|| {
            let mut solver = Solver::new();
            solver.keep_derivation();
            if let Some(interrupt) = self.interrupt {
                solver.set_interrupt(interrupt);
            }
            solver
        });
        while solver.variable_count() < self.propagation.variable_count() as usize {
            solver.new_var();
        }
        for index in self.handed_over..self.propagation.clause_count() {
            solver.add_clause(self.propagation.clause(index));
        }
        self.handed_over = self.propagation.clause_count();
        solver
    }

    /// Checks every step that the solver took, and that the assumptions are refuted after them.
    fn confirm(&mut self, derived: &Derivation, assumptions: &[Lit]) -> Refutation {
        for (index, clause) in derived.clauses().enumerate() {
            let asks = index % STEPS_PER_INTERRUPT_CHECK == STEPS_PER_INTERRUPT_CHECK - 1;
            if asks && self.interrupt.is_some_and(|interrupt| interrupt()) {
                // Steps that are not checked must not be used later.
                self.drop_solver();
                return Refutation::Interrupted;
            }
            if !self.learn(clause) {
                return Refutation::Unproved;
            }
        }
        if self.propagation.refutes(assumptions.iter().copied()) {
            Refutation::Searched
        } else {
            Refutation::Unproved
        }
    }

    /// The value of a literal in the model of the last call; nothing unless there was one.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        self.solver.as_ref()?.value(lit)
    }

    /// Conflicts of all searches so far.
    pub fn conflicts(&self) -> u64 {
        self.conflicts + self.solver.as_ref().map_or(0, Solver::conflicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::tests::{Random, holds, pigeons};

    #[test]
    fn what_is_refuted_has_no_model_and_the_rest_has_one() {
        let variables: u32 = 8;
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut found = [0; 3];
        let mut prover = Prover::default();
        for _ in 0..300 {
            prover.clear();
            let vars: Vec<Var> = (0..variables).map(|_| prover.new_var()).collect();
            let mut clauses: Vec<Vec<Lit>> = Vec::new();
            for _ in 0..6 {
                for _ in 0..8 {
                    let clause: Vec<Lit> = (0..3).map(|_| random.literal(&vars)).collect();
                    prover.add_clause(&clause);
                    clauses.push(clause);
                }
                let assumptions = [random.literal(&vars), random.literal(&vars)];
                let mut units = clauses.clone();
                units.extend(assumptions.iter().map(|&lit| vec![lit]));
                let has_model = (0..1 << variables).any(|assignment| holds(&units, assignment));
                let refutation = prover.refute(&assumptions);
                let expected: &[Refutation] = if has_model {
                    &[Refutation::Model]
                } else {
                    &[Refutation::Immediate, Refutation::Searched]
                };
                assert!(expected.contains(&refutation), "{refutation:?}");
                found[refutation as usize % 3] += 1;
                if has_model {
                    let model = vars.iter().map(|var| {
                        let value = prover.value(var.positive());
                        u32::from(value.expect("every variable is decided")) << var.0
                    });
                    assert!(holds(&units, model.sum()));
                }
            }
        }
        assert!(found.iter().all(|&count| count > 50), "{found:?}");
    }

    /// The steps of a search that refutes pigeons in one hole fewer, and the prover without them.
    fn steps_for_pigeons() -> (Prover<'static>, Vec<Vec<Lit>>) {
        let mut prover = Prover::default();
        pigeons(&mut prover, 5);
        let mut solver = prover.solver_with_all_clauses();
        assert_eq!(solver.solve(&[]), Answer::Unsat);
        let derived = solver.take_derivation();
        let steps = derived.clauses().map(<[Lit]>::to_vec).collect();
        (prover, steps)
    }

    fn confirmed(steps: &[Vec<Lit>]) -> Refutation {
        let mut prover = Prover::default();
        pigeons(&mut prover, 5);
        let mut derived = Derivation::default();
        for step in steps {
            derived.push(step.iter().copied());
        }
        prover.confirm(&derived, &[])
    }

    #[test]
    fn a_proof_with_a_wrong_step_is_rejected() {
        let (prover, steps) = steps_for_pigeons();
        assert!(steps.len() > 20, "{}", steps.len());
        assert_eq!(confirmed(&steps), Refutation::Searched);
        assert_eq!(confirmed(&[]), Refutation::Unproved);
        // At the start the literals of one pigeon are true in some models and false in others.
        let mut rejected = 0;
        for (index, step) in steps.iter().enumerate().take(10) {
            for dropped in 0..step.len() {
                let mut wrong = steps.clone();
                wrong[index].remove(dropped);
                rejected += u32::from(confirmed(&wrong) == Refutation::Unproved);
            }
        }
        assert!(rejected > 20, "only {rejected} wrong steps were rejected");
        let unfounded = vec![vec![prover.propagation.clause(0)[0]]];
        let mut wrong = unfounded;
        wrong.extend(steps);
        assert_eq!(confirmed(&wrong), Refutation::Unproved);
    }

    #[test]
    fn an_interrupt_ends_a_search_and_the_check_of_a_proof() {
        let interrupt = || true;
        let mut prover = Prover::new(&interrupt);
        pigeons(&mut prover, 12);
        assert_eq!(prover.refute(&[]), Refutation::Interrupted);
        let mut derived = Derivation::default();
        for _ in 0..STEPS_PER_INTERRUPT_CHECK {
            derived.push(prover.propagation.clause(0).iter().copied());
        }
        assert_eq!(prover.confirm(&derived, &[]), Refutation::Interrupted);
    }
}
