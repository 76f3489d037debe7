//! How the values of a program are written: with a sign, by the names of an enumeration, or by the
//! object that a pointer points to.

use crate::terms::{Kind, Sort, Term};
use crate::types::{Integer, Type};
use crate::unit::Unit;
use hardbop_syntax::ast::ExprId;
use hardbop_syntax::{Notation, Span, ValueNames};
use lang_c::ast as c;
use lang_c::span::Node;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Addresses of more objects and elements than this are numbers.
const MAX_ADDRESSES: usize = 512;

/// The tables of names of a unit.
#[derive(Default)]
pub struct ValueTables {
    tables: Vec<ValueNames>,
    /// The tables of enumerations by the place of their definition. They keep their numbers over
    /// the passes, since objects keep their types.
    enumerations: BTreeMap<usize, u32>,
    /// The tables of pointers, with the type that they point to; filled in at the end of a pass.
    pointers: Vec<(Type, u32)>,
    /// How choices are written, by their place.
    choices: BTreeMap<Span, Notation>,
}

impl ValueTables {
    /// Forgets what the last pass said of choices.
    pub fn restart(&mut self) {
        self.choices.clear();
    }

    fn add(&mut self, names: ValueNames) -> u32 {
        self.tables.push(names);
        self.tables.len() as u32 - 1
    }

    /// The table of pointers to a type.
    fn of_pointer(&mut self, pointee: &Type) -> u32 {
        if let Some((_, index)) = self.pointers.iter().find(|(ty, _)| ty == pointee) {
            return *index;
        }
        let index = self.add(ValueNames::default());
        self.pointers.push((pointee.clone(), index));
        index
    }
}

impl Unit<'_> {
    /// An integer type whose values have the names of an enumeration.
    pub fn enumerated(
        &mut self,
        enumeration: &Node<c::EnumType>,
        ty: Integer,
        values: &[(&String, i128)],
    ) -> Type {
        let offset = enumeration.span.start;
        let known = self.names.enumerations.get(&offset).copied();
        let index = known.unwrap_or_else(|| {
            let mut names = ValueNames {
                names: BTreeMap::new(),
                is_signed: ty.signed,
            };
            for &(name, value) in values {
                let word = ty.sort().wrap(value.cast_unsigned() as u64);
                // The first of two names for one value.
                names.names.entry(word).or_insert_with(|| name.clone());
            }
            let index = self.names.add(names);
            self.names.enumerations.insert(offset, index);
            index
        });
        Type::Integer(Integer {
            enumeration: Some(index),
            ..ty
        })
    }

    /// How values of a type are written.
    pub fn notation_of_type(&mut self, ty: &Type) -> Notation {
        match ty {
            Type::Integer(integer) => match integer.enumeration {
                Some(index) => Notation::Named(index),
                None if integer.signed => Notation::Signed,
                None => Notation::Unsigned,
            },
            Type::Pointer(pointee) => Notation::Named(self.names.of_pointer(pointee)),
            _ => Notation::Unsigned,
        }
    }

    /// How the result of a function is written.
    pub fn notation_of_result(&mut self, function: usize) -> Notation {
        let result = self.functions[function].signature.result.clone();
        self.notation_of_type(&result)
    }

    /// Records the type of a choice at a place.
    pub fn declare_choice(&mut self, ty: &Type, span: Span) {
        let notation = self.notation_of_type(ty);
        self.names.choices.insert(span, notation);
    }

    /// An expression of the tree is a choice.
    pub fn note_choice(&mut self, choice: ExprId, term: &Term) {
        let notation = of_term(self, term);
        if notation != Notation::Unsigned {
            self.ast.choice_notations.insert(choice, notation);
        }
    }

    /// Gives the tree all tables. What pointers can point to is known now.
    pub fn finish_names(&mut self) {
        for (pointee, index) in self.names.pointers.clone() {
            let names = self.address_names(&pointee, MAX_ADDRESSES);
            self.names.tables[index as usize].names = names;
        }
        self.ast.value_names = Arc::new(self.names.tables.clone());
    }
}

/// The notation of a term: that of what it is made of.
pub fn of_term(unit: &Unit<'_>, term: &Term) -> Notation {
    match &term.kind {
        _ if term.sort == Sort::Bool => Notation::Unsigned,
        Kind::Variable(id) | Kind::Element(id, _) => unit.variable(*id).notation,
        Kind::Choice => unit
            .names
            .choices
            .get(&term.span)
            .copied()
            .unwrap_or_default(),
        Kind::Conditional(_, a, b) => match of_term(unit, a) {
            Notation::Unsigned => of_term(unit, b),
            notation => notation,
        },
        Kind::Binary(_, _, a, b) => {
            let is_signed = |term| of_term(unit, term) == Notation::Signed;
            if is_signed(a) || is_signed(b) {
                Notation::Signed
            } else {
                Notation::Unsigned
            }
        }
        Kind::Resize(_, true) => Notation::Signed,
        _ => Notation::Unsigned,
    }
}
