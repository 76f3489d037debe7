//! Types: their names, their layout in bits, and the values of their leaves.
//!
//! A type is a number of bits with a structure; [`super::declared`] makes them from the text.
//! Arrays are made when they are first needed. What is computed here is computed once for each
//! type, not for each variable.

use crate::ast::Ident;
use crate::builder::FormulaBuilder;
use crate::system::{FormulaId, HintKind, Leaf, Values, VariableId};
use hardbop_syntax::ast::{Names, Symbol};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

/// Larger variables are refused: each bit of them is a variable of a decision diagram.
pub(super) const MAX_SIZE: u64 = 1 << 16;
/// More order hints of one type are dropped: they do not help.
pub(super) const MAX_HINTS: usize = 10_000;

/// Index into the table of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TypeId(pub u32);

/// `bool`.
pub(super) const BOOL: TypeId = TypeId(0);
/// A type whose error has been reported.
pub(super) const WRONG: TypeId = TypeId(1);

/// A type.
pub(super) struct Type {
    pub name: String,
    pub kind: Kind,
    pub bits: u32,
    /// Leaves and inner nodes, so that an empty structure counts too.
    pub size: u64,
    /// Wishes for the order of its bits.
    pub hints: Vec<(Range<u32>, HintKind, Range<u32>)>,
}

pub(super) enum Kind {
    Wrong,
    Bool,
    Enum {
        values: Values,
        codes: HashMap<Symbol, u64>,
    },
    Class {
        fields: Vec<Field>,
        by_name: HashMap<Symbol, usize>,
    },
    Array {
        element: TypeId,
        length: u64,
    },
}

/// A field of a structure.
pub(super) struct Field {
    pub name: Symbol,
    pub ty: TypeId,
    /// Its first bit.
    pub offset: u32,
}

pub(super) struct Types {
    pub all: Vec<Type>,
    /// Types with a name, and where it is given.
    pub by_name: HashMap<Symbol, (TypeId, Ident)>,
    arrays: HashMap<(TypeId, u64), TypeId>,
    numbers: HashMap<u32, TypeId>,
    /// Leaves of types that variables have had so far.
    leaves: HashMap<TypeId, Vec<Leaf>>,
}

impl Default for Types {
    fn default() -> Self {
        let basic = |name: &str, kind, bits| Type {
            name: name.to_owned(),
            kind,
            bits,
            size: 1,
            hints: Vec::new(),
        };
        Self {
            all: vec![
                basic("bool", Kind::Bool, 1),
                basic("a type with an error", Kind::Wrong, 0),
            ],
            by_name: HashMap::new(),
            arrays: HashMap::new(),
            numbers: HashMap::new(),
            leaves: HashMap::new(),
        }
    }
}

/// How many bits a number of values takes.
pub(super) fn bits_for(count: u64) -> u32 {
    u64::BITS - count.saturating_sub(1).leading_zeros()
}

impl Types {
    pub(super) fn get(&self, id: TypeId) -> &Type {
        &self.all[id.0 as usize]
    }

    pub(crate) fn add(&mut self, ty: Type) -> TypeId {
        self.all.push(ty);
        TypeId(self.all.len() as u32 - 1)
    }

    /// The type of arrays, none if they would be too large.
    pub(crate) fn array(&mut self, element: TypeId, length: u64) -> Option<TypeId> {
        if element == WRONG {
            return Some(WRONG);
        }
        if let Some(&known) = self.arrays.get(&(element, length)) {
            return Some(known);
        }
        let of = self.get(element);
        let size = of.size.checked_mul(length).filter(|&s| s <= MAX_SIZE)?;
        let bits = of.bits * length as u32;
        let mut hints = Vec::new();
        for index in 0..length as u32 {
            hints.extend(shifted(&of.hints, index * of.bits));
            if hints.len() > MAX_HINTS {
                break;
            }
        }
        let name = format!("{}[{length}]", of.name);
        let kind = Kind::Array { element, length };
        let array = self.add(Type {
            name,
            kind,
            bits,
            size,
            hints,
        });
        self.arrays.insert((element, length), array);
        Some(array)
    }

    /// The type of numbers of a width; one bit is a Boolean.
    pub(crate) fn number(&mut self, bits: u32) -> TypeId {
        if bits == 1 {
            return BOOL;
        }
        if let Some(&known) = self.numbers.get(&bits) {
            return known;
        }
        let count = 1_u64.checked_shl(bits).unwrap_or(u64::MAX);
        let values = Values::Numbers { first: 0, count };
        let number = self.add(Type {
            name: format!("int<{bits}>"),
            kind: Kind::Enum {
                values,
                codes: HashMap::new(),
            },
            bits,
            size: u64::from(bits),
            hints: Vec::new(),
        });
        self.numbers.insert(bits, number);
        number
    }

    /// The code of a number as a value of a type.
    pub(crate) fn code_of_number(&self, ty: TypeId, number: u64) -> Option<u64> {
        let (first, count) = match &self.get(ty).kind {
            Kind::Bool => (0, 2),
            Kind::Enum {
                values: Values::Numbers { first, count },
                ..
            } => (*first, *count),
            Kind::Enum { codes, .. } => (0, codes.len() as u64),
            _ => return None,
        };
        number.checked_sub(first).filter(|&code| code < count)
    }

    /// The code of a name as a value of a type.
    pub(crate) fn code_of_name(&self, ty: TypeId, name: Symbol) -> Option<u64> {
        match &self.get(ty).kind {
            Kind::Enum { codes, .. } => codes.get(&name).copied(),
            _ => None,
        }
    }

    /// The leaves of a variable of a type, and how many bits it has.
    pub(crate) fn leaves(&mut self, ty: TypeId, names: &Names) -> (Vec<Leaf>, u32) {
        let bits = self.get(ty).bits;
        if let Some(known) = self.leaves.get(&ty) {
            return (known.clone(), bits);
        }
        let mut leaves = Vec::new();
        let mut stack = vec![(ty, 0, String::new())];
        while let Some((ty, offset, path)) = stack.pop() {
            let of = self.get(ty);
            let enumeration = match of.kind {
                Kind::Enum { .. } => Some(Arc::from(of.name.as_str())),
                _ => None,
            };
            let mut leaf = |values| {
                leaves.push(Leaf {
                    path: path.clone(),
                    bits: offset..offset + of.bits,
                    values,
                    enumeration: enumeration.clone(),
                });
            };
            match &of.kind {
                Kind::Wrong => {}
                Kind::Bool => leaf(Values::Boolean),
                Kind::Enum { values, .. } => leaf(values.clone()),
                Kind::Class { fields, .. } => {
                    for field in fields.iter().rev() {
                        let path = format!("{path}.{}", names.text(field.name));
                        stack.push((field.ty, offset + field.offset, path));
                    }
                }
                Kind::Array { element, length } => {
                    let step = self.get(*element).bits;
                    for index in (0..*length as u32).rev() {
                        let mut path = path.clone();
                        let _ = write!(path, "[{index}]");
                        stack.push((*element, offset + index * step, path));
                    }
                }
            }
        }
        self.leaves.insert(ty, leaves.clone());
        (leaves, bits)
    }

    pub(super) fn named(&self, name: Symbol) -> Option<TypeId> {
        self.by_name.get(&name).map(|&(id, _)| id)
    }
}

/// That all codes of a variable have a meaning; none if every code has.
pub(super) fn domain(
    leaves: &[Leaf],
    variable: VariableId,
    builder: &mut FormulaBuilder,
) -> Option<FormulaId> {
    let mut parts = Vec::new();
    for leaf in leaves {
        let count = match &leaf.values {
            Values::Boolean => continue,
            Values::Numbers { count, .. } => *count,
            Values::Names(names) => names.len() as u64,
        };
        if !count.is_power_of_two() {
            parts.push(builder.at_most(variable, leaf.bits.clone(), count - 1));
        }
    }
    (!parts.is_empty()).then(|| builder.and(parts))
}

pub(super) fn shifted(
    hints: &[(Range<u32>, HintKind, Range<u32>)],
    by: u32,
) -> impl Iterator<Item = (Range<u32>, HintKind, Range<u32>)> {
    let shift = move |range: &Range<u32>| range.start + by..range.end + by;
    hints
        .iter()
        .map(move |(left, kind, right)| (shift(left), *kind, shift(right)))
}
