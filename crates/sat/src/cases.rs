//! Refutes by cases: takes apart what has to be true, and where that leaves a choice, tries both.
//!
//! The conditions of a certificate speak of large decision diagrams with few paths: a set of
//! thousands of states, each on a path of its own. To go along the paths of the premises one after
//! the other, and to evaluate the step and the conclusion at the end of each, takes time linear in
//! what is visited. Propagation instead evaluates every gate of a diagram in which enough inputs
//! are known, on every path.
//!
//! Why that is sound: suppose that some values of the inputs make all assumptions true. Then all
//! that is required is true with them: the assumptions are, [`Cases::settle`] requires only what
//! follows from what is required and known, and of a choice both sides are tried, so the values are
//! on one of them. What is known is true with them as well: it was required, or follows from what
//! is known ([`Cases::combine`]). So on that side nothing is found to be false that has to be true.
//! If every side ends with such a find, there are no such values.
//!
//! Choices are put off as long as something else is left to look at, since what needs no choice may
//! be false already. They are made between the branches of a diagram only, those of the premises
//! first; what is still open at the end of all branches is for another method.

use crate::lit::{Lit, Var};
use crate::tseitin::Gate;

/// How many visits to gates there may be for each gate of the circuit.
const VISITS_PER_GATE: u64 = 2048;

/// What becomes of a literal that has to be true.
enum Settled {
    /// It is, if what is now required is.
    True,
    False,
    /// That depends on this one first of all.
    Open(Lit),
}

/// What is known of a literal.
#[derive(Clone, Copy)]
enum Value {
    Known(bool),
    Open,
}

impl Value {
    fn known(self) -> Option<bool> {
        match self {
            Value::Known(value) => Some(value),
            Value::Open => None,
        }
    }
}

/// Where a walk through what is required ends.
enum Walk {
    /// Something that has to be true is false.
    False,
    /// At two branches, which this literal decides between.
    Choice(Lit),
    /// With nothing more to look at.
    End,
}

/// A case that has come to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Closed<'c> {
    /// The assumptions and these choices cannot hold together where earlier cases are excluded.
    ByEvaluation { choices: &'c [Lit] },
    /// The same, if another method refutes all that was chosen, assumptions included.
    IfRefuted {
        chosen: &'c [Lit],
        choices: &'c [Lit],
    },
}

/// A literal that was taken to be true, with the lengths of the lists before that.
struct Choice {
    lit: Lit,
    known: usize,
    equated: usize,
    postponed: usize,
    kept: usize,
    chosen: usize,
}

/// A circuit in which some things have to be true.
pub(crate) struct Cases<'c> {
    /// By variable; nothing for an input.
    definitions: &'c [Option<Gate>],
    /// By variable what follows from what is required.
    known: Vec<Option<bool>>,
    /// Variables that are known, in the order in which they became so.
    trail: Vec<Var>,
    /// By variable the literal that an input is equal to, and the inputs for which there is one.
    equals: Vec<Option<Lit>>,
    equated: Vec<Var>,
    /// What has to be true and was not looked at yet.
    required: Vec<Lit>,
    /// What has to be true and is a choice between two branches.
    branching: Vec<Lit>,
    /// What has to be true and was another choice when it was looked at.
    postponed: Vec<Lit>,
    choices: Vec<Choice>,
    /// The literals of `choices`: their negations were not tried yet.
    untried: Vec<Lit>,
    /// The assumptions, and what was chosen until now.
    chosen: Vec<Lit>,
    /// Where each choice was made, the branches that were open.
    kept: Vec<Lit>,
    /// By variable the last look at the circuit that left it open.
    open_in: Vec<u32>,
    look: u32,
    /// Gates that are being looked at, each with the number of operands that are done and whether
    /// one of them was open.
    pending: Vec<(Var, u32, bool)>,
    visits: u64,
}

impl<'c> Cases<'c> {
    /// The circuit with these gates, in which one literal is true.
    pub(crate) fn new(definitions: &'c [Option<Gate>], truth: Lit) -> Self {
        let count = definitions.len();
        let mut cases = Self {
            definitions,
            known: vec![None; count],
            trail: Vec::new(),
            equals: vec![None; count],
            equated: Vec::new(),
            required: Vec::new(),
            branching: Vec::new(),
            postponed: Vec::new(),
            choices: Vec::new(),
            untried: Vec::new(),
            chosen: Vec::new(),
            kept: Vec::new(),
            open_in: vec![0; count],
            look: 1,
            pending: Vec::new(),
            visits: 0,
        };
        cases.set(truth.var(), !truth.is_negative());
        cases
    }

    /// Whether every case makes an assumption false. `close` is told of each case; where a case is
    /// left open, it decides by another method whether the assumptions and what was chosen cannot
    /// hold together. False also if there are too many cases.
    pub(crate) fn refute(
        &mut self,
        assumptions: &[Lit],
        is_over: impl Fn() -> bool,
        mut close: impl FnMut(Closed<'_>) -> bool,
    ) -> bool {
        let most = self.definitions.len() as u64 * VISITS_PER_GATE;
        let mut next_interrupt = 0;
        self.chosen.extend(assumptions);
        self.required.extend(assumptions.iter().rev());
        loop {
            if self.visits >= next_interrupt {
                next_interrupt = self.visits + (1 << 16);
                if is_over() {
                    return false;
                }
            }
            let is_false = match self.walk() {
                Walk::False => close(Closed::ByEvaluation {
                    choices: &self.untried,
                }),
                Walk::Choice(lit) if self.visits <= most => {
                    self.choose(lit);
                    continue;
                }
                Walk::Choice(_) => false,
                Walk::End => close(Closed::IfRefuted {
                    chosen: &self.chosen,
                    choices: &self.untried,
                }),
            };
            if !is_false {
                return false;
            }
            if !self.go_back() {
                return true;
            }
        }
    }

    /// Takes a literal to be true.
    fn choose(&mut self, lit: Lit) {
        self.choices.push(Choice {
            lit,
            known: self.trail.len(),
            equated: self.equated.len(),
            postponed: self.postponed.len(),
            kept: self.kept.len(),
            chosen: self.chosen.len(),
        });
        self.untried.push(lit);
        self.kept.extend_from_slice(&self.branching);
        self.chosen.push(lit);
        self.required.push(lit);
    }

    /// Forgets what followed from the last literal that was taken to be true, which is now false.
    /// Not if there is none.
    fn go_back(&mut self) -> bool {
        let Some(last) = self.choices.pop() else {
            return false;
        };
        self.untried.pop();
        for var in self.trail.drain(last.known..) {
            self.known[var.index()] = None;
        }
        for var in self.equated.drain(last.equated..) {
            self.equals[var.index()] = None;
        }
        self.postponed.truncate(last.postponed);
        self.branching.clear();
        self.branching.extend(self.kept.drain(last.kept..));
        self.required.clear();
        self.required.push(!last.lit);
        self.chosen.truncate(last.chosen);
        self.chosen.push(!last.lit);
        true
    }

    fn set(&mut self, var: Var, value: bool) {
        self.known[var.index()] = Some(value);
        self.trail.push(var);
    }

    /// Looks at all that is required, as far as it goes without a choice.
    fn walk(&mut self) -> Walk {
        loop {
            while let Some(lit) = self.required.pop() {
                self.visits += 1;
                let lit = self.resolve(lit);
                match self.known[lit.var().index()] {
                    Some(value) if value == lit.is_negative() => return Walk::False,
                    Some(_) => continue,
                    None => self.set(lit.var(), !lit.is_negative()),
                }
                // What was open may be known now.
                self.look += 1;
                match self.settle(lit) {
                    Settled::True => {}
                    Settled::False => return Walk::False,
                    Settled::Open(_) => match self.definitions[lit.var().index()] {
                        Some(Gate::Ite(..)) => self.branching.push(lit),
                        _ => self.postponed.push(lit),
                    },
                }
            }
            if let Some(&lit) = self.branching.first() {
                match self.settle(lit) {
                    Settled::True => self.branching.remove(0),
                    Settled::False => return Walk::False,
                    Settled::Open(between) => return Walk::Choice(between),
                };
                continue;
            }
            for at in 0..self.postponed.len() {
                if let Settled::False = self.settle(self.postponed[at]) {
                    return Walk::False;
                }
            }
            if self.required.is_empty() {
                return Walk::End;
            }
        }
    }

    /// Requires what a gate needs to be as it has to be.
    fn settle(&mut self, lit: Lit) -> Settled {
        self.visits += 1;
        let definitions = self.definitions;
        let is_true = !lit.is_negative();
        match &definitions[lit.var().index()] {
            None => Settled::True,
            Some(Gate::And2(a, b)) if is_true => self.require(&[*b, *a]),
            Some(Gate::And(operands)) if is_true => self.require(operands),
            Some(Gate::And2(a, b)) => {
                // In the chains of a diagram one of the two is a bit.
                let (bit, rest) = if self.is_input(*b) {
                    (*b, *a)
                } else {
                    (*a, *b)
                };
                match (self.evaluate(bit), self.value(rest)) {
                    (Some(false), _) | (_, Some(Value::Known(false))) => Settled::True,
                    (Some(true), _) => self.require(&[!rest]),
                    (None, Some(Value::Known(true))) => self.require(&[!bit]),
                    (None, _) => Settled::Open(!bit),
                }
            }
            Some(Gate::And(operands)) => self.one_is_false(operands),
            Some(Gate::Xor(a, b)) => {
                let b = b.negated_if(is_true);
                match (self.evaluate(*a), self.evaluate(b)) {
                    (Some(value), _) => self.require(&[b.negated_if(!value)]),
                    (None, Some(value)) => self.require(&[a.negated_if(!value)]),
                    (None, None) if self.is_input(*a) && self.is_input(b) => self.equate(*a, b),
                    (None, None) => Settled::Open(*a),
                }
            }
            Some(Gate::Ite(c, a, b)) => match self.evaluate(*c) {
                Some(c) => {
                    let branch = if c { *a } else { *b };
                    self.require(&[branch.negated_if(!is_true)])
                }
                None => Settled::Open(*c),
            },
        }
    }

    /// What is known already need not be looked at again.
    fn require(&mut self, lits: &[Lit]) -> Settled {
        for &lit in lits {
            match self.value(lit) {
                Some(Value::Known(true)) => {}
                Some(Value::Known(false)) => return Settled::False,
                _ => self.required.push(lit),
            }
        }
        Settled::True
    }

    /// One of several has to be false.
    fn one_is_false(&mut self, operands: &[Lit]) -> Settled {
        let mut open = None;
        for &lit in operands {
            match (self.evaluate(lit), open) {
                (Some(true), _) => {}
                (Some(false), _) => return Settled::True,
                (None, None) => open = Some(lit),
                (None, Some(first)) => return Settled::Open(!first),
            }
        }
        match open {
            Some(last) => self.require(&[!last]),
            None => Settled::False,
        }
    }

    /// Takes two inputs that are open to be equal.
    fn equate(&mut self, a: Lit, b: Lit) -> Settled {
        let (a, b) = (self.resolve(a), self.resolve(b));
        if a.var() == b.var() {
            return if a == b {
                Settled::True
            } else {
                Settled::False
            };
        }
        self.equals[a.var().index()] = Some(b.negated_if(a.is_negative()));
        self.equated.push(a.var());
        self.look += 1;
        Settled::True
    }

    fn is_input(&self, lit: Lit) -> bool {
        self.definitions[lit.var().index()].is_none()
    }

    /// An input that is equal to another is that one.
    fn resolve(&self, mut lit: Lit) -> Lit {
        while let Some(other) = self.equals[lit.var().index()] {
            lit = other.negated_if(lit.is_negative());
        }
        lit
    }

    /// What is known of a literal without another look at gates.
    fn value(&self, lit: Lit) -> Option<Value> {
        let lit = self.resolve(lit);
        let at = lit.var().index();
        match self.known[at] {
            Some(value) => Some(Value::Known(value != lit.is_negative())),
            None if self.is_input(lit) || self.open_in[at] == self.look => Some(Value::Open),
            None => None,
        }
    }

    /// The value of a literal, if it follows from what is known.
    fn evaluate(&mut self, root: Lit) -> Option<bool> {
        loop {
            let Some(&(var, done, is_open)) = self.pending.last() else {
                match self.value(root) {
                    Some(value) => return value.known(),
                    None => self.pending.push((root.var(), 0, false)),
                }
                continue;
            };
            self.visits += 1;
            let definitions = self.definitions;
            let gate = definitions[var.index()].as_ref();
            let gate = gate.expect("the value of an input is known without a look");
            match self.combine(gate, done, is_open) {
                Ok(Some(value)) => {
                    self.set(var, value);
                    self.pending.pop();
                }
                Ok(None) => {
                    self.open_in[var.index()] = self.look;
                    self.pending.pop();
                }
                Err((operand, done, is_open)) => {
                    let last = self.pending.len() - 1;
                    self.pending[last] = (var, done, is_open);
                    self.pending.push((operand.var(), 0, false));
                }
            }
        }
    }

    /// The value of a gate, or the operand that has to be looked at first, with how many are done
    /// and whether one was open so far.
    fn combine(
        &self,
        gate: &Gate,
        done: u32,
        is_open: bool,
    ) -> Result<Option<bool>, (Lit, u32, bool)> {
        let operand = |lit: Lit| {
            let value = self.value(lit).ok_or((lit, 0, false))?;
            Ok(value.known())
        };
        match *gate {
            Gate::And2(a, b) => self.conjunction(&[a, b], done, is_open),
            Gate::And(ref operands) => self.conjunction(operands, done, is_open),
            Gate::Xor(a, b) => Ok(match (operand(a)?, operand(b)?) {
                (Some(a), Some(b)) => Some(a != b),
                _ => {
                    let (a, b) = (self.resolve(a), self.resolve(b));
                    (a.var() == b.var()).then_some(a != b)
                }
            }),
            Gate::Ite(c, a, b) => match operand(c)? {
                Some(c) => operand(if c { a } else { b }),
                None => Ok(None),
            },
        }
    }

    fn conjunction(
        &self,
        operands: &[Lit],
        done: u32,
        mut is_open: bool,
    ) -> Result<Option<bool>, (Lit, u32, bool)> {
        for (number, &lit) in (done..).zip(&operands[done as usize..]) {
            match self.value(lit) {
                None => return Err((lit, number, is_open)),
                Some(Value::Known(true)) => {}
                Some(Value::Known(false)) => return Ok(Some(false)),
                Some(Value::Open) => is_open = true,
            }
        }
        Ok((!is_open).then_some(true))
    }
}

#[cfg(test)]
mod tests {
    use super::{Cases, Closed};
    use crate::solver::tests::Random;
    use crate::tseitin::Circuit;
    use crate::{Lit, Prover, Refutation};

    fn by_cases_alone(circuit: &Circuit<Prover<'_>>, assumptions: &[Lit], is_over: bool) -> bool {
        let mut cases = Cases::new(&circuit.definitions, circuit.truth);
        let by_evaluation = |closed: Closed<'_>| matches!(closed, Closed::ByEvaluation { .. });
        cases.refute(assumptions, || is_over, by_evaluation)
    }

    /// Random circuits over a few inputs, asked by cases and by trying all values of the inputs.
    #[test]
    fn what_is_refuted_by_cases_is_false_for_all_values_of_the_inputs() {
        const INPUTS: usize = 4;
        let mut random = Random(0x2545_F491_4F6C_DD1D);
        let (mut refuted, mut open) = (0, 0);
        for _ in 0..600 {
            let mut circuit: Circuit<Prover<'_>> = Circuit::default();
            let inputs: Vec<Lit> = (0..INPUTS).map(|_| circuit.input()).collect();
            let mut lits = inputs.clone();
            // Per literal its value for all values of the inputs, a bit for each.
            let mut tables: Vec<u32> = (0..INPUTS)
                .map(|input| {
                    (0..1 << INPUTS)
                        .filter(|a| a >> input & 1 == 1)
                        .map(|a| 1 << a)
                        .sum()
                })
                .collect();
            for _ in 0..12 {
                let mut pick = || {
                    let at = random.below(lits.len() as u64) as usize;
                    let is_negative = random.below(2) == 1;
                    let table = if is_negative { !tables[at] } else { tables[at] };
                    (lits[at].negated_if(is_negative), table & 0xFFFF)
                };
                let [first, second, third] = [pick(), pick(), pick()];
                let [(a, in_a), (b, in_b), (c, in_c)] = [first, second, third];
                let (lit, table) = match random.below(4) {
                    0 => (circuit.and(a, b), in_a & in_b),
                    1 => (circuit.all([a, b, c]), in_a & in_b & in_c),
                    2 => (circuit.xor(a, b), in_a ^ in_b),
                    _ => (circuit.ite(a, b, c), in_a & in_b | !in_a & in_c),
                };
                lits.push(lit);
                tables.push(table & 0xFFFF);
            }
            let (last, before) = (lits.len() - 1, lits.len() - 2);
            let assumptions = [lits[last], !lits[before]];
            let has_model = tables[last] & !tables[before] != 0;
            let is_refuted = by_cases_alone(&circuit, &assumptions, false);
            assert!(!(is_refuted && has_model));
            let answer = circuit.refute(&assumptions);
            assert_eq!(answer == Refutation::Model, has_model);
            assert_eq!(circuit.refute_by_cases(&assumptions), !has_model);
            refuted += u32::from(is_refuted);
            open += u32::from(has_model);
        }
        assert!(refuted > 50 && open > 50, "{refuted} {open}");
    }

    /// Equations and inequalities of a few inputs, as many as make half of the systems false.
    #[test]
    fn inputs_that_are_equal_or_opposite_are_one() {
        const INPUTS: u64 = 6;
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut refuted = 0;
        for _ in 0..400 {
            let mut circuit: Circuit<Prover<'_>> = Circuit::default();
            let inputs: Vec<Lit> = (0..INPUTS).map(|_| circuit.input()).collect();
            let equations: Vec<(u64, u64, bool)> = (0..INPUTS)
                .map(|_| {
                    (
                        random.below(INPUTS),
                        random.below(INPUTS),
                        random.below(2) == 1,
                    )
                })
                .filter(|(a, b, _)| a != b)
                .collect();
            let mut gate = |&(a, b, differ): &(u64, u64, bool)| {
                let differs = circuit.xor(inputs[a as usize], inputs[b as usize]);
                differs.negated_if(!differ)
            };
            let assumptions: Vec<Lit> = equations.iter().map(&mut gate).collect();
            let has_model = (0..1_u64 << INPUTS).any(|values| {
                let holds =
                    |&(a, b, differ): &_| (values >> a ^ values >> b) & 1 == u64::from(differ);
                equations.iter().all(holds)
            });
            assert_eq!(by_cases_alone(&circuit, &assumptions, false), !has_model);
            refuted += u32::from(!has_model);
        }
        assert!((100..300).contains(&refuted), "{refuted}");
    }

    #[test]
    fn too_many_cases_and_interrupts_refute_nothing() {
        let mut circuit: Circuit<Prover<'_>> = Circuit::default();
        let inputs: Vec<Lit> = (0..30).map(|_| circuit.input()).collect();
        // Which of 2^30 branches is taken says nothing of the last.
        let diagram = inputs.iter().fold(inputs[0], |below, &bit| {
            let other = circuit.xor(below, bit);
            circuit.ite(bit, below, other)
        });
        assert!(!by_cases_alone(&circuit, &[diagram, !inputs[0]], false));
        let (a, b) = (inputs[0], inputs[1]);
        let both = circuit.and(a, b);
        assert!(by_cases_alone(&circuit, &[both, !a], false));
        assert!(!by_cases_alone(&circuit, &[both, !a], true));
    }
}
