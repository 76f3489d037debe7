//! Random systems of a few relations over a few bits.

use super::builder::Builder;
use hardbop_formula::{
    ArgumentBit, Formula, FormulaId, RelationId, RelationKind, System, VariableId,
};

/// What a random system may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Least fixed points, positive.
    Positive,
    /// Least and greatest fixed points, positive: alternation.
    Alternating,
    /// Anything.
    Arbitrary,
}

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

struct Generator {
    random: Random,
    builder: Builder,
    flavour: Flavour,
    /// The relation whose body is made.
    current: usize,
}

/// A system and a closed formula about each of its relations.
pub fn system(seed: u64, flavour: Flavour) -> System {
    let mut generator = Generator {
        random: Random(seed),
        builder: Builder::default(),
        flavour,
        current: 0,
    };
    let count = 1 + generator.random.below(4);
    for at in 0..count {
        let kind = match (flavour, generator.random.below(6)) {
            (_, 0) => RelationKind::Definition,
            (Flavour::Positive, _) | (_, 1..=3) => RelationKind::Least,
            _ => RelationKind::Greatest,
        };
        let parameters: Vec<VariableId> = (0..=generator.random.below(2))
            .map(|p| generator.variable(&format!("p{at}_{p}")))
            .collect();
        generator
            .builder
            .relation(&format!("R{at}"), kind, &parameters);
    }
    for at in 0..count {
        generator.current = at;
        let parameters = generator.builder.system.relations[at].parameters.clone();
        let body = generator.formula(&parameters, 4, true);
        generator.builder.define(RelationId(at as u32), body);
    }
    generator.builder.system
}

impl Generator {
    fn variable(&mut self, name: &str) -> VariableId {
        let values = [2, 2, 3, 4][self.random.below(4)];
        self.builder.variable(name, values)
    }

    fn formula(&mut self, scope: &[VariableId], depth: u32, positive: bool) -> FormulaId {
        if depth == 0 {
            return self.atom(scope, positive);
        }
        match self.random.below(12) {
            0 | 1 => {
                let a = self.formula(scope, depth - 1, positive);
                let b = self.formula(scope, depth - 1, positive);
                self.builder.and(&[a, b])
            }
            2..=4 => {
                let a = self.formula(scope, depth - 1, positive);
                let b = self.formula(scope, depth - 1, positive);
                let c = self.atom(scope, positive);
                self.builder.or(&[a, b, c])
            }
            5 => {
                let a = self.formula(scope, depth - 1, !positive);
                self.builder.not(a)
            }
            6 => {
                let c = self.static_atom(scope);
                let a = self.formula(scope, depth - 1, positive);
                let b = self.formula(scope, depth - 1, positive);
                self.builder.formula(Formula::Ite(c, a, b))
            }
            7 | 8 => self.image(scope, positive),
            9 => {
                let (a, b) = (self.any_atom(scope), self.any_atom(scope));
                self.builder.iff(a, b)
            }
            at => {
                let count = self.builder.system.variables.len();
                let bound = self.variable(&format!("q{count}"));
                let mut inner = scope.to_vec();
                inner.push(bound);
                let body = self.formula(&inner, depth - 1, positive);
                if at == 10 {
                    self.builder.exists(&[bound], body)
                } else {
                    self.builder.forall(&[bound], body)
                }
            }
        }
    }

    /// `exists t. R(t, …) & Step(t, …)` with some equalities: what real systems look like.
    fn image(&mut self, scope: &[VariableId], positive: bool) -> FormulaId {
        let count = self.builder.system.variables.len();
        let bound = [
            self.variable(&format!("t{count}")),
            self.variable(&format!("u{count}")),
        ];
        let mut inner = scope.to_vec();
        inner.extend(bound);
        let mut parts = Vec::new();
        for _ in 0..=self.random.below(2) {
            parts.push(self.application(&inner, positive));
        }
        for _ in 0..self.random.below(4) {
            let (a, b) = (self.static_atom(&inner), self.static_atom(&inner));
            parts.push(match self.random.below(3) {
                0 => self.builder.or(&[a, b]),
                1 => a,
                _ => self.builder.iff(a, b),
            });
        }
        let body = self.builder.and(&parts);
        self.builder.exists(&bound, body)
    }

    fn static_atom(&mut self, scope: &[VariableId]) -> FormulaId {
        let variable = scope[self.random.below(scope.len())];
        let bits = self.builder.system.variable(variable).bits;
        let bit = self.random.below(bits as usize) as u32;
        self.builder.bit(variable, bit)
    }

    fn any_atom(&mut self, scope: &[VariableId]) -> FormulaId {
        if self.flavour == Flavour::Arbitrary && self.random.below(2) == 0 {
            self.application(scope, true)
        } else {
            self.static_atom(scope)
        }
    }

    fn atom(&mut self, scope: &[VariableId], positive: bool) -> FormulaId {
        match self.random.below(8) {
            0 => {
                let value = self.random.below(2) == 1;
                self.builder.constant(value)
            }
            1..=3 => {
                let bit = self.static_atom(scope);
                if self.random.below(2) == 0 {
                    bit
                } else {
                    self.builder.not(bit)
                }
            }
            _ => self.application(scope, positive),
        }
    }

    /// An application that the flavour allows here; a bit if there is none.
    fn application(&mut self, scope: &[VariableId], positive: bool) -> FormulaId {
        let count = self.builder.system.relations.len();
        let chosen = self.random.below(count);
        let is_definition =
            |at: usize| self.builder.system.relations[at].kind == RelationKind::Definition;
        // Abbreviations may not depend on themselves.
        let may_cycle =
            is_definition(chosen) && is_definition(self.current) && chosen >= self.current;
        if may_cycle || (!positive && self.flavour != Flavour::Arbitrary) {
            return self.static_atom(scope);
        }
        let parameters = self.builder.system.relations[chosen].parameters.clone();
        let width: u32 = parameters
            .iter()
            .map(|&p| self.builder.system.variable(p).bits)
            .sum();
        let arguments = (0..width)
            .map(|_| {
                if self.random.below(8) == 0 {
                    return ArgumentBit::Constant(self.random.below(2) == 1);
                }
                let variable = scope[self.random.below(scope.len())];
                let bits = self.builder.system.variable(variable).bits;
                ArgumentBit::Bit(variable, self.random.below(bits as usize) as u32)
            })
            .collect();
        self.builder
            .formula(Formula::Apply(RelationId(chosen as u32), arguments))
    }
}
