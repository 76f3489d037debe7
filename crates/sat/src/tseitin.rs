//! Formulas as clauses (Tseitin): every gate is a literal that is equivalent to it.
//!
//! Gates are built bottom-up by the caller, so nothing here recurses. Equal gates are one literal,
//! negations are free, and constants and opposite operands are folded away; a formula that folds to
//! a constant costs no clause at all.
//!
//! Of the clauses of a gate one half says what follows if it is true, the other what follows if it
//! is false. A solver gets both at once. A prover gets a half when a question [demands] it: the
//! formulas of certificates are large, often decision diagrams, and with the half that a question
//! needs (Plaisted and Greenbaum) propagation follows one path of a diagram where it would
//! otherwise evaluate all of it. Fewer clauses can refute less, never more.
//!
//! [demands]: Circuit::demand

use crate::cases::{Cases, Closed};
use crate::lit::{Lit, Var};
use crate::prover::{Prover, Refutation};
use crate::solver::{Answer, Solver};
use rustc_hash::FxHashMap;

/// Where the clauses of a circuit go.
pub trait Clauses {
    /// Whether a gate has all its clauses from the start.
    const IS_EAGER: bool;

    /// A new variable.
    fn new_var(&mut self) -> Var;

    /// At least one of these holds.
    fn add_clause(&mut self, clause: &[Lit]);

    /// Forgets variables and clauses.
    fn clear(&mut self);
}

/// A solver in which literals can stand for formulas.
pub struct Circuit<S> {
    solver: S,
    pub(crate) truth: Lit,
    gates: FxHashMap<Gate, Lit>,
    /// By variable.
    pub(crate) definitions: Vec<Option<Gate>>,
    /// By literal: whether there are clauses that say what follows from it.
    has_clauses: Vec<bool>,
    /// Literals whose clauses are still to be made.
    pending: Vec<Lit>,
    /// Operands of a conjunction in the making, kept for its memory.
    scratch: Vec<Lit>,
}

/// A gate with operands in a normal form, so that equal gates are found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Gate {
    /// Ascending.
    And2(Lit, Lit),
    /// Three or more, ascending.
    And(Box<[Lit]>),
    /// Ascending, both positive.
    Xor(Lit, Lit),
    /// The condition and the first branch positive.
    Ite(Lit, Lit, Lit),
}

/// Values of all literals of a circuit.
pub struct Model(Vec<bool>);

impl Model {
    /// The value of a literal.
    pub fn value(&self, lit: Lit) -> bool {
        self.0[lit.var().index()] != lit.is_negative()
    }
}

impl<S: Clauses + Default> Default for Circuit<S> {
    fn default() -> Self {
        Self::new(S::default())
    }
}

impl Circuit<Solver<'_>> {
    /// Searches for a model in which all assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solver.solve(assumptions)
    }
}

impl Circuit<Prover<'_>> {
    /// Whether the assumptions cannot hold together.
    pub fn refute(&mut self, assumptions: &[Lit]) -> Refutation {
        for &lit in assumptions {
            self.demand(lit);
        }
        match self.solver.refute_quickly(assumptions) {
            Some(refutation) => refutation,
            None if self.refute_by_cases(assumptions) => Refutation::Searched,
            None => self.solver.refute(assumptions),
        }
    }

    /// Whether a look at the cases shows that the assumptions cannot hold together.
    pub(crate) fn refute_by_cases(&mut self, assumptions: &[Lit]) -> bool {
        let Self {
            definitions,
            truth,
            has_clauses,
            pending,
            solver,
            ..
        } = self;
        let interrupt = solver.interrupt();
        let is_over = || interrupt.is_some_and(|interrupt| interrupt());
        let mut cases = Cases::new(definitions, *truth);
        cases.refute(assumptions, is_over, |closed| match closed {
            Closed::ByEvaluation { choices } if solver.keeps_proofs() => {
                for &choice in choices {
                    // The circuit says what follows from either side of a choice; the clauses say
                    // so only if asked.
                    demand(definitions, has_clauses, pending, solver, choice);
                    demand(definitions, has_clauses, pending, solver, !choice);
                }
                write_case(solver, assumptions, choices)
            }
            Closed::ByEvaluation { .. } => true,
            Closed::IfRefuted { chosen, choices } => {
                let found = solver.refute(chosen);
                let is_refuted = matches!(found, Refutation::Immediate | Refutation::Searched);
                let keeps_proofs = solver.keeps_proofs();
                is_refuted && (!keeps_proofs || write_case(solver, assumptions, choices))
            }
        })
    }

    /// The values of all literals where the last call found that the assumptions can hold. The
    /// solver chose the inputs; gates are computed, since not all their clauses are there.
    pub fn model(&self) -> Model {
        let mut model = Model(Vec::with_capacity(self.definitions.len()));
        for (index, definition) in self.definitions.iter().enumerate() {
            let value = |lit: Lit| model.value(lit);
            // Operands come before their users.
            let is_true = match definition {
                None => self.solver.value(Var(index as u32).positive()) == Some(true),
                Some(Gate::And2(a, b)) => value(*a) && value(*b),
                Some(Gate::And(operands)) => operands.iter().all(|&lit| value(lit)),
                Some(Gate::Xor(a, b)) => value(*a) != value(*b),
                Some(Gate::Ite(c, a, b)) => value(if value(*c) { *a } else { *b }),
            };
            model.0.push(is_true);
        }
        model
    }
}

impl<S: Clauses> Circuit<S> {
    /// Circuits in a solver without variables.
    pub fn new(solver: S) -> Self {
        let mut circuit = Self {
            solver,
            truth: Var(0).positive(),
            gates: FxHashMap::default(),
            definitions: Vec::new(),
            has_clauses: Vec::new(),
            pending: Vec::new(),
            scratch: Vec::new(),
        };
        circuit.add_truth();
        circuit
    }

    /// Forgets all gates; the memory is used again.
    pub fn clear(&mut self) {
        self.solver.clear();
        self.gates.clear();
        self.definitions.clear();
        self.has_clauses.clear();
        self.add_truth();
    }

    fn add_truth(&mut self) {
        self.truth = self.input();
        self.solver.add_clause(&[self.truth]);
    }

    /// The solver, for limits, models and cores.
    pub fn solver(&mut self) -> &mut S {
        &mut self.solver
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> Lit {
        self.truth.negated_if(!value)
    }

    /// The value of a literal that is a constant.
    pub fn as_constant(&self, lit: Lit) -> Option<bool> {
        (lit.var() == self.truth.var()).then_some(lit == self.truth)
    }

    /// Literals whose conjunction a literal is: itself, unless it is a conjunction.
    pub fn conjuncts(&self, lit: Lit) -> Vec<Lit> {
        let mut conjuncts = Vec::new();
        let mut pending = vec![lit];
        while let Some(lit) = pending.pop() {
            match &self.definitions[lit.var().index()] {
                Some(Gate::And2(a, b)) if !lit.is_negative() => pending.extend([*b, *a]),
                Some(Gate::And(operands)) if !lit.is_negative() => {
                    pending.extend(operands.iter().rev());
                }
                _ => conjuncts.push(lit),
            }
        }
        conjuncts
    }

    /// A new variable.
    pub fn input(&mut self) -> Lit {
        self.variable(None)
    }

    fn variable(&mut self, definition: Option<Gate>) -> Lit {
        self.definitions.push(definition);
        self.has_clauses.extend([false; 2]);
        self.solver.new_var().positive()
    }

    /// The literal of a gate.
    fn gate(&mut self, gate: Gate) -> Lit {
        if let Some(&lit) = self.gates.get(&gate) {
            return lit;
        }
        let lit = self.variable(Some(gate.clone()));
        self.gates.insert(gate, lit);
        if S::IS_EAGER {
            self.demand(lit);
            self.demand(!lit);
        }
        lit
    }

    /// Adds the clauses that say what follows if a literal holds, for it and all it is made of.
    pub fn demand(&mut self, lit: Lit) {
        let Self {
            definitions,
            has_clauses,
            pending,
            solver,
            ..
        } = self;
        demand(definitions, has_clauses, pending, solver, lit);
    }

    /// `a & b`.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.all([a, b])
    }

    /// `a | b`.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.all([!a, !b])
    }

    /// Whether all hold; true if there are none.
    pub fn all(&mut self, operands: impl IntoIterator<Item = Lit>) -> Lit {
        let mut conjuncts = std::mem::take(&mut self.scratch);
        conjuncts.clear();
        conjuncts.extend(operands.into_iter().filter(|&lit| lit != self.truth));
        conjuncts.sort_unstable();
        conjuncts.dedup();
        // The two literals of a variable are neighbours in this order.
        let is_false = conjuncts.contains(&!self.truth)
            || conjuncts.windows(2).any(|pair| pair[0] == !pair[1]);
        let lit = if is_false {
            !self.truth
        } else {
            match *conjuncts {
                [] => self.truth,
                [only] => only,
                [a, b] => self.gate(Gate::And2(a, b)),
                _ => self.gate(Gate::And(conjuncts.as_slice().into())),
            }
        };
        self.scratch = conjuncts;
        lit
    }

    /// Whether any holds; false if there are none.
    pub fn any(&mut self, operands: impl IntoIterator<Item = Lit>) -> Lit {
        !self.all(operands.into_iter().map(|lit| !lit))
    }

    /// `a ^ b`.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if let Some(value) = self.as_constant(a) {
            return b.negated_if(value);
        }
        if let Some(value) = self.as_constant(b) {
            return a.negated_if(value);
        }
        if a.var() == b.var() {
            return self.constant(a != b);
        }
        let negated = a.is_negative() != b.is_negative();
        let (a, b) = (a.var().positive(), b.var().positive());
        let (a, b) = (a.min(b), a.max(b));
        self.gate(Gate::Xor(a, b)).negated_if(negated)
    }

    /// `a <-> b`.
    pub fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `if c then a else b`.
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if let Some(value) = self.as_constant(c) {
            return if value { a } else { b };
        }
        let (c, a, b) = if c.is_negative() {
            (!c, b, a)
        } else {
            (c, a, b)
        };
        if a == b {
            return a;
        }
        if a == !b {
            return self.equal(c, a);
        }
        // Where the condition is true, it equals its own value in the branch; likewise where it is
        // false.
        let value_in_first = self
            .as_constant(a)
            .or((a.var() == c.var()).then_some(a == c));
        let value_in_second = self
            .as_constant(b)
            .or((b.var() == c.var()).then_some(b != c));
        match (value_in_first, value_in_second) {
            (Some(true), _) => return self.or(c, b),
            (Some(false), _) => return self.and(!c, b),
            (_, Some(true)) => return self.or(!c, a),
            (_, Some(false)) => return self.and(c, a),
            (None, None) => {}
        }
        let negated = a.is_negative();
        let (a, b) = (a.negated_if(negated), b.negated_if(negated));
        self.gate(Gate::Ite(c, a, b)).negated_if(negated)
    }

    /// Requires the literal from now on.
    pub fn require(&mut self, lit: Lit) {
        self.demand(lit);
        self.solver.add_clause(&[lit]);
    }
}

/// Adds the clauses that say what follows if a literal holds, for it and all it is made of.
fn demand<S: Clauses>(
    definitions: &[Option<Gate>],
    has_clauses: &mut [bool],
    pending: &mut Vec<Lit>,
    solver: &mut S,
    lit: Lit,
) {
    pending.push(lit);
    while let Some(lit) = pending.pop() {
        if !std::mem::replace(&mut has_clauses[lit.index()], true) {
            let definition = definitions[lit.var().index()].as_ref();
            add_clauses_of(definition, pending, solver, lit);
        }
    }
}

/// Writes a closed case down as a clause: the assumptions and what is chosen do not hold together.
///
/// The clauses of the circuit show that by propagation wherever evaluation has closed the case, but
/// for inputs that were found to be equal without a value. There the solver finds steps that lead
/// to it. Cases that were closed earlier exclude the other sides of all choices, so only the
/// choices that are open are in the clause.
fn write_case(solver: &mut Prover<'_>, assumptions: &[Lit], choices: &[Lit]) -> bool {
    let both = assumptions.iter().chain(choices).copied();
    let clause: Vec<Lit> = both.clone().map(|lit| !lit).collect();
    if solver.learn(&clause) {
        return true;
    }
    let found = solver.refute(&both.collect::<Vec<Lit>>());
    matches!(found, Refutation::Immediate | Refutation::Searched) && solver.learn(&clause)
}

fn add_clauses_of<S: Clauses>(
    definition: Option<&Gate>,
    pending: &mut Vec<Lit>,
    solver: &mut S,
    lit: Lit,
) {
    let is_negative = lit.is_negative();
    let mut conjunction = |conjuncts: &[Lit]| {
        if is_negative {
            let mut clause = Vec::with_capacity(conjuncts.len() + 1);
            clause.push(!lit);
            clause.extend(conjuncts.iter().map(|&conjunct| !conjunct));
            solver.add_clause(&clause);
            pending.extend_from_slice(&clause[1..]);
        } else {
            for &conjunct in conjuncts {
                solver.add_clause(&[!lit, conjunct]);
            }
            pending.extend_from_slice(conjuncts);
        }
    };
    match definition {
        None => {}
        Some(&Gate::And2(a, b)) => conjunction(&[a, b]),
        Some(Gate::And(operands)) => conjunction(operands),
        Some(&Gate::Xor(a, b)) => {
            let b = b.negated_if(is_negative);
            solver.add_clause(&[!lit, a, b]);
            solver.add_clause(&[!lit, !a, !b]);
            pending.extend([a, !a, b, !b]);
        }
        Some(&Gate::Ite(c, a, b)) => {
            let (a, b) = (a.negated_if(is_negative), b.negated_if(is_negative));
            solver.add_clause(&[!lit, !c, a]);
            solver.add_clause(&[!lit, c, b]);
            // Redundant, but it lets the solver conclude from equal branches.
            solver.add_clause(&[!lit, a, b]);
            pending.extend([c, !c, a, b]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A formula built with the circuit and its value under every assignment of three variables, as
    /// a table of 8 bits.
    type Formula = (Lit, u8);

    fn grow(circuit: &mut crate::Circuit<'_>, formulas: &[Formula]) -> Vec<Formula> {
        let mut grown = Vec::new();
        for &(a, p) in formulas {
            grown.push((!a, !p));
            for &(b, q) in formulas {
                grown.push((circuit.and(a, b), p & q));
                grown.push((circuit.or(a, b), p | q));
                grown.push((circuit.xor(a, b), p ^ q));
                grown.push((circuit.equal(a, b), !(p ^ q)));
                for &(c, r) in formulas {
                    grown.push((circuit.ite(a, b, c), p & q | !p & r));
                    grown.push((circuit.all([a, b, c]), p & q & r));
                    grown.push((circuit.any([a, b, c]), p | q | r));
                }
            }
        }
        grown
    }

    #[test]
    fn every_gate_has_its_value_under_every_assignment() {
        let mut circuit = crate::Circuit::default();
        let [x, y, z] = [(); 3].map(|()| circuit.input());
        let leaves = [
            (circuit.constant(false), 0),
            (circuit.constant(true), 0xFF),
            (x, 0b1010_1010),
            (y, 0b1100_1100),
            (z, 0b1111_0000),
            (!x, 0b0101_0101),
            (!y, 0b0011_0011),
        ];
        let formulas = grow(&mut circuit, &leaves);
        // A second layer over a sample: gates of gates.
        let sample: Vec<Formula> = formulas.iter().copied().step_by(71).collect();
        let deeper = grow(&mut circuit, &sample);
        for assignment in 0..8u8 {
            let fixed = [(x, 1), (y, 2), (z, 4)];
            let assumptions = fixed.map(|(lit, bit)| lit.negated_if(assignment & bit == 0));
            assert_eq!(circuit.solve(&assumptions), Answer::Sat);
            for &(lit, table) in formulas.iter().chain(&deeper) {
                let expected = table >> assignment & 1 == 1;
                assert_eq!(circuit.solver().value(lit), Some(expected));
            }
        }
    }

    #[test]
    fn equal_gates_are_one_literal() {
        let mut circuit = crate::Circuit::default();
        let [x, y, z] = [(); 3].map(|()| circuit.input());
        let first = [circuit.and(x, y), circuit.xor(x, !y), circuit.ite(x, !y, z)];
        let gates = circuit.gates.len();
        let again = [
            circuit.and(y, x),
            !circuit.xor(y, x),
            circuit.ite(!x, z, !y),
        ];
        assert_eq!(first, again);
        assert_eq!(!circuit.any([!y, !x]), first[0]);
        assert_eq!(circuit.gates.len(), gates);
    }

    #[test]
    fn formulas_that_fold_cost_no_gate() {
        let mut circuit = crate::Circuit::default();
        let x = circuit.input();
        let y = circuit.input();
        let (no, yes) = (circuit.constant(false), circuit.constant(true));
        assert_eq!(circuit.all([x, y, !x]), no);
        assert_eq!(circuit.ite(x, y, y), y);
        assert_eq!(circuit.ite(x, x, no), x);
        assert_eq!(circuit.xor(x, yes), !x);
        assert_eq!(circuit.as_constant(no), Some(false));
        assert_eq!(circuit.as_constant(x), None);
        assert_eq!(circuit.gates.len(), 0);
        circuit.require(x);
        assert_eq!(circuit.solve(&[!x]), Answer::Unsat);
    }
}
