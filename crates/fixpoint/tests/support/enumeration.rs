//! `Evaluate` of section 3 of the Getafix paper on tables of tuples: the meaning that solvers are
//! held to.

use hardbop_formula::{
    ArgumentBit, Formula, FormulaId, RelationId, RelationKind, System, VariableId,
};
use std::collections::{HashMap, HashSet};

/// Per tuple whether it is in.
pub type Table = Vec<bool>;

/// Why there is no table.
#[derive(Debug, PartialEq, Eq)]
pub enum NoTable {
    Diverges,
    TooMuch,
}

pub struct Enumeration<'a> {
    system: &'a System,
    /// Body evaluations left.
    fuel: u64,
}

type Assignment = HashMap<VariableId, u64>;

impl<'a> Enumeration<'a> {
    pub fn new(system: &'a System, fuel: u64) -> Self {
        Self { system, fuel }
    }

    /// How many bits the parameters of a relation have.
    pub fn width(&self, relation: RelationId) -> u32 {
        let parameters = &self.system.relation(relation).parameters;
        parameters
            .iter()
            .map(|&p| self.system.variable(p).bits)
            .sum()
    }

    pub fn evaluate(
        &mut self,
        relation: RelationId,
        fixed: &HashMap<RelationId, Table>,
    ) -> Result<Table, NoTable> {
        let kind = self.system.relation(relation).kind;
        let size = 1usize << self.width(relation);
        if kind == RelationKind::Definition {
            return self.body(relation, fixed);
        }
        let mut value = vec![kind == RelationKind::Greatest; size];
        let mut seen = HashSet::new();
        loop {
            let mut inner = fixed.clone();
            inner.insert(relation, value.clone());
            let next = self.body(relation, &inner)?;
            if next == value {
                return Ok(value);
            }
            if !seen.insert(value) {
                return Err(NoTable::Diverges);
            }
            value = next;
        }
    }

    fn body(
        &mut self,
        relation: RelationId,
        fixed: &HashMap<RelationId, Table>,
    ) -> Result<Table, NoTable> {
        let system = self.system;
        let body = system.relation(relation).body;
        let known = self.tables(body, fixed)?;
        let size = 1u64 << self.width(relation);
        let mut table = Vec::new();
        for tuple in 0..size {
            self.fuel = self.fuel.checked_sub(1).ok_or(NoTable::TooMuch)?;
            let mut assignment = self.assignment(relation, tuple);
            table.push(self.formula(body, &mut assignment, &known));
        }
        Ok(table)
    }

    /// The tables of all relations that occur in a formula.
    fn tables(
        &mut self,
        root: FormulaId,
        fixed: &HashMap<RelationId, Table>,
    ) -> Result<HashMap<RelationId, Table>, NoTable> {
        let mut known = fixed.clone();
        let mut pending = vec![root];
        let mut seen = HashSet::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.system.formula(id) {
                Formula::Apply(relation, _) => {
                    if !known.contains_key(relation) {
                        let table = self.evaluate(*relation, fixed)?;
                        known.insert(*relation, table);
                    }
                }
                Formula::Constant(_) | Formula::Bit(..) => {}
                Formula::Not(a) | Formula::Exists(_, a) | Formula::Forall(_, a) => pending.push(*a),
                Formula::And(parts) | Formula::Or(parts) => pending.extend(parts),
                Formula::Iff(a, b) | Formula::Cofactor(_, a, b) => pending.extend([*a, *b]),
                Formula::Ite(c, a, b) => pending.extend([*c, *a, *b]),
            }
        }
        Ok(known)
    }

    fn assignment(&self, relation: RelationId, tuple: u64) -> Assignment {
        let mut left = self.width(relation);
        let mut assignment = Assignment::new();
        for &parameter in &self.system.relation(relation).parameters {
            let bits = self.system.variable(parameter).bits;
            left -= bits;
            assignment.insert(parameter, tuple >> left & ((1 << bits) - 1));
        }
        assignment
    }

    /// The value of a closed formula.
    pub fn closed(&mut self, formula: FormulaId) -> Result<bool, NoTable> {
        let known = self.tables(formula, &HashMap::new())?;
        Ok(self.formula(formula, &mut Assignment::new(), &known))
    }

    fn formula(
        &self,
        id: FormulaId,
        assignment: &mut Assignment,
        known: &HashMap<RelationId, Table>,
    ) -> bool {
        let bit = |assignment: &Assignment, variable: VariableId, bit: u32| {
            let bits = self.system.variable(variable).bits;
            assignment[&variable] >> (bits - 1 - bit) & 1 == 1
        };
        match self.system.formula(id) {
            Formula::Constant(value) => *value,
            Formula::Bit(variable, at) => bit(assignment, *variable, *at),
            Formula::Not(a) => !self.formula(*a, assignment, known),
            Formula::And(parts) => parts.iter().all(|&p| self.formula(p, assignment, known)),
            Formula::Or(parts) => parts.iter().any(|&p| self.formula(p, assignment, known)),
            Formula::Iff(a, b) => {
                self.formula(*a, assignment, known) == self.formula(*b, assignment, known)
            }
            Formula::Ite(c, a, b) => {
                let chosen = if self.formula(*c, assignment, known) {
                    a
                } else {
                    b
                };
                self.formula(*chosen, assignment, known)
            }
            Formula::Exists(variables, a) => self.some(variables, *a, assignment, known, true),
            Formula::Forall(variables, a) => !self.some(variables, *a, assignment, known, false),
            Formula::Apply(relation, arguments) => {
                let index = arguments.iter().fold(0usize, |index, argument| {
                    let value = match argument {
                        ArgumentBit::Bit(variable, at) => bit(assignment, *variable, *at),
                        ArgumentBit::Constant(value) => *value,
                    };
                    index << 1 | usize::from(value)
                });
                known[relation][index]
            }
            Formula::Cofactor(..) => unreachable!("its value depends on the order of variables"),
        }
    }

    /// Whether the formula has this value for some values of the variables.
    fn some(
        &self,
        variables: &[VariableId],
        a: FormulaId,
        assignment: &mut Assignment,
        known: &HashMap<RelationId, Table>,
        wanted: bool,
    ) -> bool {
        let Some((&first, rest)) = variables.split_first() else {
            return self.formula(a, assignment, known) == wanted;
        };
        (0..1 << self.system.variable(first).bits).any(|value| {
            assignment.insert(first, value);
            self.some(rest, a, assignment, known, wanted)
        })
    }
}
