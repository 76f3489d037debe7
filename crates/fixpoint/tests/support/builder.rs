//! Builds systems bit by bit.

use hardbop_formula::{
    ArgumentBit, Formula, FormulaId, Leaf, Relation, RelationId, RelationKind, System, Values,
    Variable, VariableId,
};
use hardbop_syntax::Span;
use std::collections::HashMap;

#[derive(Default)]
pub struct Builder {
    pub system: System,
    known: HashMap<Formula, FormulaId>,
}

impl Builder {
    /// A variable of one enumeration with this many values.
    pub fn variable(&mut self, name: &str, values: u64) -> VariableId {
        let bits = 64 - (values - 1).leading_zeros();
        let id = VariableId(self.system.variables.len() as u32);
        self.system.variables.push(Variable {
            name: name.to_owned(),
            leaves: vec![Leaf {
                enumeration: None,
                path: String::new(),
                bits: 0..bits,
                values: Values::Numbers {
                    first: 0,
                    count: values,
                },
            }],
            bits,
            domain: None,
        });
        if !values.is_power_of_two() {
            let domain = self.at_most(id, values - 1);
            self.system.variables[id.0 as usize].domain = Some(domain);
        }
        id
    }

    fn at_most(&mut self, variable: VariableId, last: u64) -> FormulaId {
        let width = self.system.variable(variable).bits;
        let mut result = self.constant(true);
        for place in 0..width {
            let bit = self.bit(variable, width - 1 - place);
            let not = self.not(bit);
            result = if last >> place & 1 == 1 {
                self.or(&[not, result])
            } else {
                self.and(&[not, result])
            };
        }
        result
    }

    pub fn formula(&mut self, formula: Formula) -> FormulaId {
        if let Some(&known) = self.known.get(&formula) {
            return known;
        }
        let id = FormulaId(self.system.formulas.len() as u32);
        self.system.formulas.push(formula.clone());
        self.known.insert(formula, id);
        id
    }

    pub fn constant(&mut self, value: bool) -> FormulaId {
        self.formula(Formula::Constant(value))
    }

    pub fn bit(&mut self, variable: VariableId, bit: u32) -> FormulaId {
        self.formula(Formula::Bit(variable, bit))
    }

    pub fn not(&mut self, a: FormulaId) -> FormulaId {
        self.formula(Formula::Not(a))
    }

    pub fn and(&mut self, parts: &[FormulaId]) -> FormulaId {
        self.formula(Formula::And(parts.to_vec()))
    }

    pub fn or(&mut self, parts: &[FormulaId]) -> FormulaId {
        self.formula(Formula::Or(parts.to_vec()))
    }

    pub fn iff(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.formula(Formula::Iff(a, b))
    }

    /// `variable = value`.
    pub fn is(&mut self, variable: VariableId, value: u64) -> FormulaId {
        let width = self.system.variable(variable).bits;
        let mut parts = Vec::new();
        for at in 0..width {
            let bit = self.bit(variable, at);
            let is_one = value >> (width - 1 - at) & 1 == 1;
            parts.push(if is_one { bit } else { self.not(bit) });
        }
        self.and(&parts)
    }

    /// `a = b`, bit by bit.
    pub fn equal(&mut self, a: VariableId, b: VariableId) -> FormulaId {
        let width = self.system.variable(a).bits;
        let mut parts = Vec::new();
        for at in 0..width {
            let (x, y) = (self.bit(a, at), self.bit(b, at));
            parts.push(self.iff(x, y));
        }
        self.and(&parts)
    }

    /// `b = a + 1`, without overflow.
    pub fn successor(&mut self, a: VariableId, b: VariableId) -> FormulaId {
        let width = self.system.variable(a).bits;
        let mut carry = self.constant(true);
        let mut parts = Vec::new();
        for at in (0..width).rev() {
            let (x, y) = (self.bit(a, at), self.bit(b, at));
            let same = self.iff(x, y);
            let flips = self.iff(same, carry);
            parts.push(self.not(flips));
            carry = self.and(&[carry, x]);
        }
        parts.push(self.not(carry));
        self.and(&parts)
    }

    pub fn exists(&mut self, variables: &[VariableId], a: FormulaId) -> FormulaId {
        let mut parts = self.domains(variables);
        parts.push(a);
        let inner = if parts.len() == 1 {
            a
        } else {
            self.and(&parts)
        };
        self.formula(Formula::Exists(variables.to_vec(), inner))
    }

    pub fn forall(&mut self, variables: &[VariableId], a: FormulaId) -> FormulaId {
        let domains = self.domains(variables);
        let mut parts: Vec<FormulaId> = domains.into_iter().map(|d| self.not(d)).collect();
        parts.push(a);
        let inner = if parts.len() == 1 { a } else { self.or(&parts) };
        self.formula(Formula::Forall(variables.to_vec(), inner))
    }

    fn domains(&self, variables: &[VariableId]) -> Vec<FormulaId> {
        let domains = variables.iter().map(|&v| self.system.variable(v).domain);
        domains.flatten().collect()
    }

    pub fn apply(&mut self, relation: RelationId, arguments: &[VariableId]) -> FormulaId {
        let mut bits = Vec::new();
        for &argument in arguments {
            let width = self.system.variable(argument).bits;
            bits.extend((0..width).map(|bit| ArgumentBit::Bit(argument, bit)));
        }
        self.formula(Formula::Apply(relation, bits))
    }

    /// Announces a relation; its body comes later.
    pub fn relation(
        &mut self,
        name: &str,
        kind: RelationKind,
        parameters: &[VariableId],
    ) -> RelationId {
        let id = RelationId(self.system.relations.len() as u32);
        let body = self.constant(false);
        self.system.relations.push(Relation {
            name: name.to_owned(),
            kind,
            parameters: parameters.to_vec(),
            body,
            hints: Vec::new(),
            shown: None,
            span: Span::new(0, 0),
        });
        id
    }

    pub fn define(&mut self, relation: RelationId, body: FormulaId) {
        self.system.relations[relation.0 as usize].body = body;
    }
}
