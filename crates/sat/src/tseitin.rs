//! Formulas as clauses (Tseitin): every gate is a literal that is equivalent to it.
//!
//! Gates are built bottom-up by the caller, so nothing here recurses. Equal gates are one literal, negations are free, and
//! constants and opposite operands are folded away; a formula that folds to a constant costs no clause at all.

use crate::lit::{Lit, Var};
use crate::solver::{Answer, Solver};
use std::collections::HashMap;

/// Where the clauses of a circuit go.
pub trait Clauses {
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
    truth: Lit,
    gates: HashMap<Gate, Lit>,
    /// Operands of a conjunction in the making, kept for its memory.
    scratch: Vec<Lit>,
}

/// A gate with operands in a normal form, so that equal gates are found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Gate {
    /// Ascending.
    And2(Lit, Lit),
    /// Three or more, ascending.
    And(Box<[Lit]>),
    /// Ascending, both positive.
    Xor(Lit, Lit),
    /// The condition and the first branch positive.
    Ite(Lit, Lit, Lit),
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

impl<S: Clauses> Circuit<S> {
    /// Circuits in a solver without variables.
    pub fn new(mut solver: S) -> Self {
        let truth = solver.new_var().positive();
        solver.add_clause(&[truth]);
        Self {
            solver,
            truth,
            gates: HashMap::new(),
            scratch: Vec::new(),
        }
    }

    /// Forgets all gates; the memory is used again.
    pub fn clear(&mut self) {
        self.solver.clear();
        self.gates.clear();
        self.truth = self.solver.new_var().positive();
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

    /// A new variable.
    pub fn input(&mut self) -> Lit {
        self.solver.new_var().positive()
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
                [a, b] => self.conjunction(Gate::And2(a, b), &conjuncts),
                _ => self.conjunction(Gate::And(conjuncts.as_slice().into()), &conjuncts),
            }
        };
        self.scratch = conjuncts;
        lit
    }

    /// Whether any holds; false if there are none.
    pub fn any(&mut self, operands: impl IntoIterator<Item = Lit>) -> Lit {
        !self.all(operands.into_iter().map(|lit| !lit))
    }

    fn conjunction(&mut self, gate: Gate, conjuncts: &[Lit]) -> Lit {
        if let Some(&lit) = self.gates.get(&gate) {
            return lit;
        }
        let lit = self.input();
        let mut all = Vec::with_capacity(conjuncts.len() + 1);
        for &conjunct in conjuncts {
            self.solver.add_clause(&[!lit, conjunct]);
            all.push(!conjunct);
        }
        all.push(lit);
        self.solver.add_clause(&all);
        self.gates.insert(gate, lit);
        lit
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
        let gate = Gate::Xor(a, b);
        if let Some(&lit) = self.gates.get(&gate) {
            return lit.negated_if(negated);
        }
        let lit = self.input();
        for clause in [[!lit, a, b], [!lit, !a, !b], [lit, !a, b], [lit, a, !b]] {
            self.solver.add_clause(&clause);
        }
        self.gates.insert(gate, lit);
        lit.negated_if(negated)
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
        // Where the condition is true, it equals its own value in the branch; likewise where it is false.
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
        let gate = Gate::Ite(c, a, b);
        if let Some(&lit) = self.gates.get(&gate) {
            return lit.negated_if(negated);
        }
        let lit = self.input();
        for clause in [[!c, !a, lit], [!c, a, !lit], [c, !b, lit], [c, b, !lit]] {
            self.solver.add_clause(&clause);
        }
        // Redundant, but they let the solver conclude from equal branches.
        for clause in [[!a, !b, lit], [a, b, !lit]] {
            self.solver.add_clause(&clause);
        }
        self.gates.insert(gate, lit);
        lit.negated_if(negated)
    }

    /// Requires the literal from now on.
    pub fn require(&mut self, lit: Lit) {
        self.solver.add_clause(&[lit]);
    }

    /// How many different gates there are.
    pub fn gate_count(&self) -> usize {
        self.gates.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A formula built with the circuit and its value under every assignment of three variables, as a table of 8 bits.
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
        let gates = circuit.gate_count();
        let again = [
            circuit.and(y, x),
            !circuit.xor(y, x),
            circuit.ite(!x, z, !y),
        ];
        assert_eq!(first, again);
        assert_eq!(!circuit.any([!y, !x]), first[0]);
        assert_eq!(circuit.gate_count(), gates);
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
        assert_eq!(circuit.gate_count(), 0);
        circuit.require(x);
        assert_eq!(circuit.solve(&[!x]), Answer::Unsat);
    }
}
