//! Refutes by cases: evaluates a circuit, and where the value of an input is missing, tries both.
//!
//! The conditions of a certificate speak of large decision diagrams with few paths: a set of
//! thousands of states, each on a path of its own. To go along the paths of the premises one after
//! the other, and to evaluate the step and the conclusion at the end of each, takes time linear in
//! what is visited. Propagation instead evaluates every gate of a diagram in which enough inputs
//! are known, on every path.
//!
//! Why that is sound: a gate has a value only if it has it whatever the open inputs are, since
//! [`Cases::combine`] uses only operands whose value is known; and of each input that is decided,
//! both values are tried, unless the assumptions hold with one of them only. So if some assumption
//! is false in every case, they cannot all hold. Gates are looked at from the assumptions down, and
//! of a gate only what its value depends on.

use crate::lit::{Lit, Var};
use crate::tseitin::Gate;

/// How many visits to gates there may be for each gate of the circuit.
const VISITS_PER_GATE: u64 = 256;

/// What is known of a literal: its value, or an input that has to be decided first.
#[derive(Clone, Copy)]
enum Value {
    Known(bool),
    Open(Var),
}

/// A circuit some of whose inputs are decided.
pub(crate) struct Cases<'c> {
    /// By variable; nothing for an input.
    definitions: &'c [Option<Gate>],
    /// By variable what follows from the inputs that are decided.
    known: Vec<Option<bool>>,
    /// Variables that are known, in the order in which they became so.
    trail: Vec<Var>,
    /// By variable the input that was missing, and in which look at the circuit.
    missing: Vec<(u32, Var)>,
    look: u32,
    /// By literal the last walk down from the assumptions that has met it, and what is to be met.
    met_by: Vec<u32>,
    walk: u32,
    required: Vec<Lit>,
    /// Gates that are being looked at, each with the number of operands that are done and the first
    /// input that was missing.
    pending: Vec<(Var, u32, Option<Var>)>,
    visits: u64,
}

impl<'c> Cases<'c> {
    /// The circuit with these gates, in which one literal is true.
    pub(crate) fn new(definitions: &'c [Option<Gate>], truth: Lit) -> Self {
        let mut cases = Self {
            definitions,
            known: vec![None; definitions.len()],
            trail: Vec::new(),
            missing: vec![(0, Var(0)); definitions.len()],
            look: 0,
            met_by: vec![0; 2 * definitions.len()],
            walk: 0,
            required: Vec::new(),
            pending: Vec::new(),
            visits: 0,
        };
        cases.set(truth.var(), !truth.is_negative());
        cases
    }

    /// Whether every case makes an assumption false. False also if there are too many cases.
    pub(crate) fn refute(&mut self, assumptions: &[Lit], is_over: &dyn Fn() -> bool) -> bool {
        let most = self.definitions.len() as u64 * VISITS_PER_GATE;
        let mut next_interrupt = 0;
        // Inputs that were taken to be true, with what was known before.
        let mut open: Vec<(usize, Var)> = Vec::new();
        loop {
            if self.visits >= next_interrupt {
                next_interrupt = self.visits + (1 << 16);
                if is_over() {
                    return false;
                }
            }
            match self.all(assumptions) {
                Value::Known(true) => return false,
                Value::Open(_) if self.visits > most => return false,
                Value::Open(input) => {
                    open.push((self.trail.len(), input));
                    self.set(input, true);
                }
                Value::Known(false) => {
                    let Some((length, input)) = open.pop() else {
                        return true;
                    };
                    for var in self.trail.drain(length..) {
                        self.known[var.index()] = None;
                    }
                    self.set(input, false);
                }
            }
        }
    }

    fn set(&mut self, var: Var, value: bool) {
        self.known[var.index()] = Some(value);
        self.trail.push(var);
    }

    /// Whether all assumptions hold. Gates that have to be true for that are taken apart, one after
    /// the other; the first that is not known to be true ends it. An input that has to be true is.
    fn all(&mut self, assumptions: &[Lit]) -> Value {
        self.look += 1;
        self.walk += 1;
        self.required.clear();
        self.required.extend(assumptions.iter().rev());
        let definitions = self.definitions;
        while let Some(lit) = self.required.pop() {
            self.visits += 1;
            let at = lit.var().index();
            if self.known[at] == Some(!lit.is_negative())
                || std::mem::replace(&mut self.met_by[lit.index()], self.walk) == self.walk
            {
                continue;
            }
            let found = match &definitions[at] {
                _ if self.known[at].is_some() => Value::Known(false),
                None => {
                    self.set(lit.var(), !lit.is_negative());
                    // What was missing may be known now.
                    self.look += 1;
                    continue;
                }
                Some(Gate::And2(a, b)) if !lit.is_negative() => {
                    self.required.extend([*b, *a]);
                    continue;
                }
                Some(Gate::And(operands)) if !lit.is_negative() => {
                    self.required.extend(operands.iter().rev());
                    continue;
                }
                Some(Gate::Ite(c, a, b)) => match self.evaluate(*c) {
                    Value::Known(c) => {
                        let branch = if c { *a } else { *b };
                        self.required.push(branch.negated_if(lit.is_negative()));
                        continue;
                    }
                    open @ Value::Open(_) => open,
                },
                Some(_) => self.evaluate(lit),
            };
            match found {
                Value::Known(true) => {}
                other => return other,
            }
        }
        Value::Known(true)
    }

    /// What is known of a literal without another look at gates.
    fn value(&self, lit: Lit) -> Option<Value> {
        let at = lit.var().index();
        if let Some(value) = self.known[at] {
            return Some(Value::Known(value != lit.is_negative()));
        }
        if self.definitions[at].is_none() {
            return Some(Value::Open(lit.var()));
        }
        let (look, input) = self.missing[at];
        (look == self.look).then_some(Value::Open(input))
    }

    fn evaluate(&mut self, root: Lit) -> Value {
        loop {
            let Some(&(var, done, missing)) = self.pending.last() else {
                match self.value(root) {
                    Some(value) => return value,
                    None => self.pending.push((root.var(), 0, None)),
                }
                continue;
            };
            self.visits += 1;
            let definitions = self.definitions;
            let gate = definitions[var.index()].as_ref();
            let gate = gate.expect("the value of an input is known without a look");
            match self.combine(gate, done, missing) {
                Ok(Value::Known(value)) => {
                    self.set(var, value);
                    self.pending.pop();
                }
                Ok(Value::Open(input)) => {
                    self.missing[var.index()] = (self.look, input);
                    self.pending.pop();
                }
                Err((operand, done, missing)) => {
                    let last = self.pending.len() - 1;
                    self.pending[last] = (var, done, missing);
                    self.pending.push((operand.var(), 0, None));
                }
            }
        }
    }

    /// The value of a gate, or the operand that has to be looked at first, with how many are done
    /// and which input was missing so far.
    fn combine(
        &self,
        gate: &Gate,
        done: u32,
        missing: Option<Var>,
    ) -> Result<Value, (Lit, u32, Option<Var>)> {
        let operand = |lit: Lit| self.value(lit).ok_or((lit, 0, None));
        match *gate {
            Gate::And2(a, b) => self.conjunction(&[a, b], done, missing),
            Gate::And(ref operands) => self.conjunction(operands, done, missing),
            Gate::Xor(a, b) => Ok(match (operand(a)?, operand(b)?) {
                (Value::Known(a), Value::Known(b)) => Value::Known(a != b),
                (Value::Open(input), _) | (_, Value::Open(input)) => Value::Open(input),
            }),
            Gate::Ite(c, a, b) => match operand(c)? {
                Value::Known(c) => operand(if c { a } else { b }),
                open @ Value::Open(_) => Ok(open),
            },
        }
    }

    fn conjunction(
        &self,
        operands: &[Lit],
        done: u32,
        mut missing: Option<Var>,
    ) -> Result<Value, (Lit, u32, Option<Var>)> {
        for (number, &lit) in (done..).zip(&operands[done as usize..]) {
            match self.value(lit) {
                None => return Err((lit, number, missing)),
                Some(Value::Known(true)) => {}
                Some(Value::Known(false)) => return Ok(Value::Known(false)),
                Some(Value::Open(input)) => missing = missing.or(Some(input)),
            }
        }
        Ok(missing.map_or(Value::Known(true), Value::Open))
    }
}

#[cfg(test)]
mod tests {
    use crate::solver::tests::Random;
    use crate::tseitin::Circuit;
    use crate::{Lit, Prover, Refutation};

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
            let is_refuted = circuit.refute_by_cases(&assumptions, &|| false);
            assert_eq!(is_refuted, !has_model);
            let answer = circuit.refute(&assumptions);
            assert_eq!(answer == Refutation::Model, has_model);
            refuted += u32::from(is_refuted);
            open += u32::from(has_model);
        }
        assert!(refuted > 50 && open > 50, "{refuted} {open}");
    }

    #[test]
    fn too_many_cases_and_interrupts_refute_nothing() {
        let mut circuit: Circuit<Prover<'_>> = Circuit::default();
        let inputs: Vec<Lit> = (0..30).map(|_| circuit.input()).collect();
        // Both sides count the same bits in another order: 2^30 cases.
        let forwards = inputs.iter().copied().reduce(|a, b| circuit.xor(a, b));
        let mut backwards = inputs.iter().rev().copied();
        let first = backwards.next().expect("there are thirty");
        let backwards = backwards.fold(first, |a, b| circuit.xor(b, a));
        let forwards = forwards.expect("there are thirty");
        assert!(!circuit.refute_by_cases(&[forwards, !backwards], &|| false));
        let (a, b) = (inputs[0], inputs[1]);
        let both = circuit.and(a, b);
        assert!(circuit.refute_by_cases(&[both, !a], &|| false));
        assert!(!circuit.refute_by_cases(&[both, !a], &|| true));
    }
}
