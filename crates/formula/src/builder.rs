//! Makes formulas, each only once.
//!
//! A formula that is made again is found again, so equal subformulas of a system have one id and
//! are evaluated once. Constants are folded away (generated files are full of `false |` and
//! `true &`); beyond that a formula stays as it was written, for its shape is what the evaluation
//! follows.

use crate::system::{ArgumentBit, Cofactor, Formula, FormulaId, RelationId, VariableId};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A growing table of formulas.
#[derive(Clone, Debug, Default)]
pub struct FormulaBuilder {
    formulas: Vec<Formula>,
    /// The last formula with a hash.
    last: HashMap<u64, u32, BuildHasherDefault<Identity>>,
    /// For each formula the one before it with the same hash, or itself.
    before: Vec<u32>,
}

impl FormulaBuilder {
    /// All formulas made so far, operands before their users.
    pub(crate) fn formulas(&self) -> &[Formula] {
        &self.formulas
    }

    /// The table, finished.
    pub fn into_formulas(self) -> Vec<Formula> {
        self.formulas
    }

    /// A constant.
    pub fn constant(&mut self, value: bool) -> FormulaId {
        self.make(Formula::Constant(value))
    }

    /// A bit of a variable.
    pub fn bit(&mut self, variable: VariableId, bit: u32) -> FormulaId {
        self.make(Formula::Bit(variable, bit))
    }

    /// A bit of a variable, or its negation.
    pub fn literal(&mut self, variable: VariableId, bit: u32, value: bool) -> FormulaId {
        let positive = self.bit(variable, bit);
        if value { positive } else { self.not(positive) }
    }

    /// Negation.
    pub fn not(&mut self, of: FormulaId) -> FormulaId {
        match self.formulas[of.0 as usize] {
            Formula::Constant(value) => self.constant(!value),
            Formula::Not(inner) => inner,
            _ => self.make(Formula::Not(of)),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, operands: Vec<FormulaId>) -> FormulaId {
        self.junction(operands, true)
    }

    /// Disjunction.
    pub fn or(&mut self, operands: Vec<FormulaId>) -> FormulaId {
        self.junction(operands, false)
    }

    /// `neutral` is the value that changes nothing: true for a conjunction.
    fn junction(&mut self, mut operands: Vec<FormulaId>, neutral: bool) -> FormulaId {
        let mut is_decided = false;
        operands.retain(|&operand| match self.formulas[operand.0 as usize] {
            Formula::Constant(value) => {
                is_decided |= value != neutral;
                false
            }
            _ => true,
        });
        match (is_decided, operands.as_slice()) {
            (true, _) => self.constant(!neutral),
            (false, []) => self.constant(neutral),
            (false, [only]) => *only,
            (false, _) if neutral => self.make(Formula::And(operands)),
            (false, _) => self.make(Formula::Or(operands)),
        }
    }

    /// `a -> b`.
    pub(crate) fn implies(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let not_a = self.not(a);
        self.or(vec![not_a, b])
    }

    /// Both or neither.
    pub fn iff(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        if a == b {
            return self.constant(true);
        }
        match (self.value(a), self.value(b)) {
            (Some(true), _) => b,
            (_, Some(true)) => a,
            (Some(false), _) => self.not(b),
            (_, Some(false)) => self.not(a),
            _ => self.make(Formula::Iff(a.min(b), a.max(b))),
        }
    }

    /// `if c then a else b`.
    pub fn ite(&mut self, c: FormulaId, a: FormulaId, b: FormulaId) -> FormulaId {
        match (self.value(c), self.value(a), self.value(b)) {
            (Some(true), ..) => a,
            (Some(false), ..) => b,
            (_, Some(true), _) => self.or(vec![c, b]),
            (_, Some(false), _) => {
                let not_c = self.not(c);
                self.and(vec![not_c, b])
            }
            (_, _, Some(false)) => self.and(vec![c, a]),
            (_, _, Some(true)) => self.implies(c, a),
            _ if a == b => a,
            _ => self.make(Formula::Ite(c, a, b)),
        }
    }

    /// Some values of the variables.
    pub fn exists(&mut self, variables: Vec<VariableId>, body: FormulaId) -> FormulaId {
        // Over a formula that is true the variables stay: a witness has values for them.
        if variables.is_empty() || self.value(body) == Some(false) {
            return body;
        }
        self.make(Formula::Exists(variables, body))
    }

    /// All values of the variables.
    pub(crate) fn forall(&mut self, variables: Vec<VariableId>, body: FormulaId) -> FormulaId {
        if variables.is_empty() || self.value(body) == Some(true) {
            return body;
        }
        self.make(Formula::Forall(variables, body))
    }

    /// A relation of arguments.
    pub(crate) fn apply(&mut self, relation: RelationId, arguments: Vec<ArgumentBit>) -> FormulaId {
        self.make(Formula::Apply(relation, arguments))
    }

    /// A function that agrees with the first where the second holds.
    pub(crate) fn cofactor(&mut self, kind: Cofactor, of: FormulaId, care: FormulaId) -> FormulaId {
        match self.value(care) {
            None => self.make(Formula::Cofactor(kind, of, care)),
            Some(true) => of,
            Some(false) => care,
        }
    }

    /// That the number made of some bits, the most significant first, is at most a limit.
    pub(crate) fn at_most(
        &mut self,
        variable: VariableId,
        bits: std::ops::Range<u32>,
        limit: u64,
    ) -> FormulaId {
        let mut result = self.constant(true);
        for (place, bit) in bits.rev().enumerate() {
            let zero = self.literal(variable, bit, false);
            let operands = vec![zero, result];
            result = if limit >> place & 1 == 1 {
                self.or(operands)
            } else {
                self.and(operands)
            };
        }
        result
    }

    /// The value, if it is a constant.
    pub fn value(&self, id: FormulaId) -> Option<bool> {
        match self.formulas[id.0 as usize] {
            Formula::Constant(value) => Some(value),
            _ => None,
        }
    }

    fn make(&mut self, formula: Formula) -> FormulaId {
        let mut hasher = Mixer::default();
        formula.hash(&mut hasher);
        let hash = hasher.finish();
        let id = self.formulas.len() as u32;
        let mut before = id;
        if let Some(&last) = self.last.get(&hash) {
            let mut candidate = last;
            loop {
                if self.formulas[candidate as usize] == formula {
                    return FormulaId(candidate);
                }
                let earlier = self.before[candidate as usize];
                if earlier == candidate {
                    break;
                }
                candidate = earlier;
            }
            before = last;
        }
        self.last.insert(hash, id);
        self.before.push(before);
        self.formulas.push(formula);
        FormulaId(id)
    }
}

/// A fast hash of small numbers: what is hashed here are tags and ids.
#[derive(Clone, Copy, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        // The last numbers must reach the low bits too, which tables use.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 29;
    }
}

/// Takes a hash for what it is.
#[derive(Clone, Copy, Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are hashes");
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(formulas: &[Formula], id: FormulaId, bits: u64) -> bool {
        let of = |id| value(formulas, id, bits);
        match &formulas[id.0 as usize] {
            Formula::Constant(value) => *value,
            Formula::Bit(_, bit) => bits >> bit & 1 == 1,
            Formula::Not(a) => !of(*a),
            Formula::And(all) => all.iter().all(|&a| of(a)),
            Formula::Or(all) => all.iter().any(|&a| of(a)),
            Formula::Iff(a, b) => of(*a) == of(*b),
            Formula::Ite(c, a, b) => of(if of(*c) { *a } else { *b }),
            _ => unreachable!("the tests make no other formulas"),
        }
    }

    #[test]
    fn equal_formulas_have_one_id() {
        let mut builder = FormulaBuilder::default();
        let x = VariableId(0);
        let (a, b) = (builder.bit(x, 0), builder.bit(x, 1));
        let first = builder.and(vec![a, b]);
        let count = builder.formulas().len();
        let (a, b) = (builder.bit(x, 0), builder.bit(x, 1));
        assert_eq!(builder.and(vec![a, b]), first);
        assert_eq!(builder.iff(a, b), builder.iff(b, a));
        assert_eq!(builder.formulas().len(), count + 1);
    }

    #[test]
    fn folding_constants_changes_no_value() {
        for case in 0..27u32 {
            let mut builder = FormulaBuilder::default();
            let operand =
                |builder: &mut FormulaBuilder, place: u32| match case / 3u32.pow(place) % 3 {
                    0 => builder.constant(false),
                    1 => builder.constant(true),
                    _ => builder.bit(VariableId(0), place),
                };
            let (c, a, b) = (
                operand(&mut builder, 0),
                operand(&mut builder, 1),
                operand(&mut builder, 2),
            );
            let ite = builder.ite(c, a, b);
            let iff = builder.iff(a, b);
            let and = builder.and(vec![a, b, c]);
            let or = builder.or(vec![a, b, c]);
            let formulas = builder.into_formulas();
            for bits in 0..8 {
                let of = |id| value(&formulas, id, bits);
                assert_eq!(of(ite), if of(c) { of(a) } else { of(b) });
                assert_eq!(of(iff), of(a) == of(b));
                assert_eq!(of(and), of(a) && of(b) && of(c));
                assert_eq!(of(or), of(a) || of(b) || of(c));
            }
        }
    }

    #[test]
    fn a_limit_is_kept() {
        for limit in 0..16 {
            let mut builder = FormulaBuilder::default();
            let formula = builder.at_most(VariableId(0), 0..4, limit);
            let formulas = builder.into_formulas();
            for number in 0..16u64 {
                // Bit 0 of the row is the most significant one.
                let row = number.reverse_bits() >> 60;
                assert_eq!(value(&formulas, formula, row), number <= limit);
            }
        }
    }
}
