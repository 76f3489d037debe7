//! Variables and procedures that a place of a generated program knows.

use super::knobs::Knobs;
use crate::random::Random;
use hardbop_program::Type;

/// A variable with its name.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    pub ty: Type,
}

/// The variables in scope. A later one hides an earlier one of the same name.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    variables: Vec<Named>,
    /// Arrays; their elements are variables too.
    arrays: Vec<Named>,
}

impl Scope {
    /// Adds a variable and hides others of its name.
    pub(crate) fn declare(&mut self, variable: Named) {
        self.variables.retain(|other| other.name != variable.name);
        self.variables.push(variable);
    }

    /// Adds an array.
    pub(crate) fn declare_array(&mut self, array: Named, length: u32) {
        for index in 0..length {
            self.declare(Named {
                name: format!("{}[{index}]", array.name),
                ty: array.ty,
            });
        }
        self.arrays.push(array);
    }

    /// The arrays.
    pub(super) fn arrays(&self) -> &[Named] {
        &self.arrays
    }

    /// All variables.
    pub(super) fn variables(&self) -> &[Named] {
        &self.variables
    }

    /// Whether a name is taken.
    pub(super) fn has(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| variable.name == name)
    }

    /// The variables of a type.
    pub(crate) fn names_of_type(&self, ty: Type) -> impl Iterator<Item = &str> {
        let fitting = self
            .variables
            .iter()
            .filter(move |variable| variable.ty == ty);
        fitting.map(|variable| variable.name.as_str())
    }

    /// An integer type, if possible one that some variable has.
    pub(crate) fn some_integer_type(&self, random: &mut Random, knobs: &Knobs) -> Type {
        let types = self.variables.iter().map(|variable| variable.ty);
        let integers: Vec<Type> = types.filter(|&ty| ty != Type::Bool).collect();
        let some = random.pick(&integers).copied();
        some.unwrap_or_else(|| integer_type(random, knobs))
    }

    /// Different variables, at most this many.
    pub(crate) fn several(&self, random: &mut Random, most: usize) -> Vec<Named> {
        let mut rest = self.variables.clone();
        let mut picked = Vec::new();
        while picked.len() < most && !rest.is_empty() {
            picked.push(rest.swap_remove(random.below(rest.len())));
        }
        picked
    }
}

/// The type of a new variable: with integers allowed, an integer in half of all cases.
pub(super) fn any_type(random: &mut Random, knobs: &Knobs) -> Type {
    if knobs.int_width > 0 && random.percent(50) {
        integer_type(random, knobs)
    } else {
        Type::Bool
    }
}

/// Mostly the widest integer type, so that variables meet.
fn integer_type(random: &mut Random, knobs: &Knobs) -> Type {
    let width = if random.percent(75) {
        knobs.int_width
    } else {
        1 + random.up_to(knobs.int_width.saturating_sub(1))
    };
    Type::Int(width.clamp(1, 64) as u8)
}

/// What a caller knows about a procedure.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub name: String,
    pub parameters: Vec<Named>,
    pub results: Vec<Type>,
}
