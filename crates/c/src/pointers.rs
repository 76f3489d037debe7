//! Pointers, by the objects that they can point to.
//!
//! All objects of a type whose address is taken anywhere in the program are numbered, from 1; a
//! pointer to that type is such a number, 0 being the null pointer, and behind it the number of the
//! element if one of the objects is an array. Reading and writing through a pointer is a case split
//! over these objects, after an assertion that it points to one. Pointers to different types never
//! meet, since casts between them are refused.
//!
//! Another function can hold the address of a local variable, so these variables are made globals.
//! That is the same as long as their function is not called again while it runs; otherwise the
//! address is refused.

use crate::places::{Location, Place};
use crate::terms::{self, Sort, Term};
use crate::types::Type;
use crate::unit::Unit;
use crate::values::Value;
use crate::variables::ObjectId;
use hardbop_syntax::ast::BinaryOp;
use hardbop_syntax::{Check, Claim, Span};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What has to hold of a computed address.
const STAYS_INSIDE: &str = "stays inside its array";

/// What pointers of each type can point to.
#[derive(Default)]
pub struct Pointers {
    classes: Vec<Class>,
    /// Something was added since the last pass began.
    pub has_changed: bool,
}

pub struct Class {
    pointee: Type,
    pub targets: Vec<Pointee>,
}

/// Something that a pointer can point to.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointee {
    object: ObjectId,
    path: String,
    /// How many there are with that path, where there are arrays on the way.
    pub length: Option<u32>,
}

fn bits(largest: u64) -> u8 {
    (64 - largest.leading_zeros()) as u8
}

impl Class {
    /// The bits of the number of an element.
    pub fn index_bits(&self) -> u8 {
        let lengths = self.targets.iter().filter_map(|target| target.length);
        lengths
            .map(|length| bits(u64::from(length)))
            .max()
            .unwrap_or(0)
    }

    pub fn sort(&self) -> Sort {
        let number = bits(self.targets.len() as u64).max(1);
        Sort::Word((number + self.index_bits()).min(64))
    }
}

impl Pointers {
    /// How pointers to a type are held.
    pub fn sort(&self, pointee: &Type) -> Sort {
        let pointee = pointee.unqualified();
        let class = self.classes.iter().find(|class| class.pointee == pointee);
        class.map_or(Sort::Word(1), Class::sort)
    }

    /// Whether there is anything that a pointer to a type can point to.
    pub fn has_targets(&self, pointee: &Type) -> bool {
        let pointee = pointee.unqualified();
        let mut classes = self.classes.iter();
        classes.any(|class| class.pointee == pointee && !class.targets.is_empty())
    }

    /// The objects that a pointer to a type can point to.
    pub fn objects(&self, pointee: &Type) -> Vec<ObjectId> {
        let pointee = pointee.unqualified();
        let classes = self.classes.iter().filter(|c| c.pointee == pointee);
        let targets = classes.flat_map(|class| &class.targets);
        targets.map(|target| target.object).collect()
    }

    /// Whether anything can point to an object.
    pub fn points_to(&self, object: ObjectId) -> bool {
        let mut targets = self.classes.iter().flat_map(|class| &class.targets);
        targets.any(|target| target.object == object)
    }

    pub fn class(&mut self, pointee: &Type) -> &mut Class {
        let pointee = pointee.unqualified();
        let found = self.classes.iter().position(|c| c.pointee == pointee);
        let index = found.unwrap_or_else(|| {
            self.classes.push(Class {
                pointee,
                targets: Vec::new(),
            });
            self.classes.len() - 1
        });
        &mut self.classes[index]
    }
}

/// Which object a pointer points to.
pub fn number_of(pointer: &Term, shift: u8) -> Term {
    let shift = terms::constant(u64::from(shift), pointer.sort, pointer.span);
    terms::binary(BinaryOp::ShiftRight, false, pointer, &shift)
}

impl Unit<'_> {
    /// What the addresses of a type are called: `NULL`, `&x`, `&a[2]`. Without arrays of which there
    /// would be more than `most` names.
    pub fn address_names(&mut self, pointee: &Type, most: usize) -> BTreeMap<u64, String> {
        let mut names = BTreeMap::from([(0, "NULL".to_owned())]);
        let class = self.pointers.class(pointee);
        let shift = class.index_bits();
        let targets = class.targets.clone();
        for (number, target) in targets.iter().enumerate() {
            let base = (number as u64 + 1) << shift;
            let object = self.object(target.object);
            let name = match object.owner {
                Some(function) if object.lifted => {
                    format!("{}::{}", self.functions[function].name, object.name)
                }
                _ => object.name.clone(),
            };
            let path = &target.path;
            match target.length {
                None => drop(names.insert(base, format!("&{name}{path}"))),
                Some(length) if names.len() + length as usize <= most => {
                    let elements = (0..=u64::from(length)).map(|index| {
                        // Where an array of structs is on the way, the index belongs before the path.
                        (base | index, format!("&{name}[{index}]{path}"))
                    });
                    names.extend(elements);
                }
                Some(_) => {}
            }
        }
        names
    }

    /// `&place`
    pub fn address_of(&mut self, place: &Place) -> Value {
        let ty = Type::Pointer(Rc::new(place.ty.clone()));
        let span = place.span;
        let mut value: Option<Term> = None;
        for (condition, location) in place.cases.iter().rev() {
            let own = self.address_of_location(location, &place.ty, span);
            value = Some(match value {
                Some(others) if others.sort == own.sort => {
                    terms::conditional(condition, &own, &others)
                }
                _ => own,
            });
        }
        let sort = self.pointers.sort(&place.ty);
        let term = value.unwrap_or_else(|| terms::constant(0, sort, span));
        Value { term, ty }
    }

    fn address_of_location(&mut self, location: &Location, pointee: &Type, span: Span) -> Term {
        let object = self.object(location.object);
        if let Some(function) = object.owner {
            let is_new = !object.lifted;
            if self.functions[function].is_recursive {
                let message = format!(
                    "the address of `{}` is not supported, since `{}` is recursive",
                    object.name, self.functions[function].name
                );
                self.refuse(span, message);
            }
            self.objects[location.object.0 as usize].lifted = true;
            self.pointers.has_changed |= is_new;
        }
        let target = Pointee {
            object: location.object,
            path: location.path.clone(),
            length: location.index.as_ref().map(|_| location.length),
        };
        let class = self.pointers.class(pointee);
        let found = class.targets.iter().position(|known| *known == target);
        let number = match found {
            Some(number) => number,
            None => {
                class.targets.push(target);
                self.pointers.has_changed = true;
                self.pointers.class(pointee).targets.len() - 1
            }
        };
        let class = self.pointers.class(pointee);
        let (sort, shift) = (class.sort(), class.index_bits());
        let base = terms::constant((number as u64 + 1) << shift, sort, span);
        match &location.index {
            None => base,
            Some(index) => {
                self.check_bound(index, location.length, span);
                let index = terms::resize(index, sort.width(), false);
                terms::binary(BinaryOp::Or, false, &base, &index)
            }
        }
    }

    /// An index may be that of an element, or one behind the last.
    fn check_bound(&mut self, index: &Term, length: u32, span: Span) {
        let largest = terms::constant(u64::from(length), index.sort, span);
        if bits(u64::from(length)) <= index.sort.width() {
            let is_inside = terms::compare(BinaryOp::LessEqual, false, index, &largest);
            let claim = self.claim_about(Check::Memory, span, STAYS_INSIDE, span);
            self.check(&is_inside, claim, span);
        }
    }

    /// `*pointer`
    pub fn pointed_to(&mut self, pointer: &Value, text: &str, span: Span) -> Place {
        let pointee = match &pointer.ty {
            Type::Pointer(pointee) => (**pointee).clone(),
            Type::Broken => Type::Broken,
            other => {
                let message = format!("a value of type {} points to nothing", other.text());
                self.wrong(span, message);
                Type::Broken
            }
        };
        if let Type::Function(_) = pointee {
            self.refuse(span, "pointers to functions are not supported");
        }
        if matches!(pointee, Type::Broken | Type::Function(_)) {
            return Place {
                ty: Type::Broken,
                cases: Vec::new(),
                span,
            };
        }
        let term = self.once(&pointer.term);
        let class = self.pointers.class(&pointee);
        let (shift, sort) = (class.index_bits(), class.sort());
        let targets = class.targets.clone();
        let mut cases = Vec::new();
        let mut is_valid = terms::boolean(false, span);
        if sort == term.sort {
            for (number, target) in targets.into_iter().enumerate() {
                let number = number as u64 + 1;
                let (condition, index) = match target.length {
                    None => {
                        let whole = terms::constant(number << shift, sort, span);
                        (terms::compare(BinaryOp::Equal, false, &term, &whole), None)
                    }
                    Some(_) => {
                        let chosen = number_of(&term, shift);
                        let wanted = terms::constant(number, sort, span);
                        let is_it = terms::compare(BinaryOp::Equal, false, &chosen, &wanted);
                        (is_it, Some(terms::resize(&term, shift, false)))
                    }
                };
                let in_range = match (&index, target.length) {
                    (Some(index), Some(length)) => {
                        let length = terms::constant(u64::from(length), index.sort, span);
                        terms::compare(BinaryOp::Less, false, index, &length)
                    }
                    _ => terms::boolean(true, span),
                };
                is_valid = terms::or(&is_valid, &terms::and(&condition, &in_range));
                if condition.constant() == Some(0) {
                    // A known address points to one object only.
                    continue;
                }
                let location = Location {
                    object: target.object,
                    path: target.path,
                    ty: pointee.clone(),
                    index,
                    length: target.length.unwrap_or(1),
                };
                cases.push((condition, location));
            }
        }
        let claim = Claim {
            check: Check::Memory,
            text: Some(format!("{text} is a valid pointer")),
        };
        self.check(&is_valid, claim, span);
        Place {
            ty: pointee,
            cases,
            span,
        }
    }

    /// `pointer + n` and `pointer - n`: of the same array, or one behind its last element.
    pub fn pointer_sum(&mut self, a: &Value, b: &Value, op: BinaryOp, span: Span) -> Value {
        let (pointer, number) = match (&a.ty, &b.ty) {
            (Type::Pointer(_), _) => (a, b),
            (_, Type::Pointer(_)) if op == BinaryOp::Add => (b, a),
            _ => {
                if !matches!((&a.ty, &b.ty), (Type::Broken, _) | (_, Type::Broken)) {
                    self.wrong(span, "neither is a pointer or an array");
                }
                return Value::broken(span);
            }
        };
        let Type::Pointer(pointee) = pointer.ty.clone() else {
            return Value::broken(span);
        };
        let signed = matches!(number.ty, Type::Integer(integer) if integer.signed);
        let Some(number) = self.integer_term(number, span) else {
            return Value::broken(span);
        };
        let class = self.pointers.class(&pointee);
        let (shift, sort) = (class.index_bits(), class.sort());
        let targets = class.targets.clone();
        let (term, number) = (self.once(&pointer.term), self.once(&number));
        let value = |term| Value {
            term,
            ty: pointer.ty.clone(),
        };
        if number.constant() == Some(0) || term.sort != sort {
            return value(term);
        }
        let wide = Sort::Word(64);
        let index = match shift {
            0 => terms::constant(0, wide, span),
            _ => terms::resize(&terms::resize(&term, shift, false), 64, false),
        };
        let moved = terms::binary(op, false, &index, &terms::resize(&number, 64, signed));
        let mut is_valid = terms::boolean(false, span);
        for (number, target) in targets.iter().enumerate() {
            let chosen = number_of(&term, shift);
            let wanted = terms::constant(number as u64 + 1, sort, span);
            let is_it = terms::compare(BinaryOp::Equal, false, &chosen, &wanted);
            let largest = u64::from(target.length.unwrap_or(0));
            let largest = terms::constant(largest, wide, span);
            let is_inside = terms::compare(BinaryOp::LessEqual, false, &moved, &largest);
            is_valid = terms::or(&is_valid, &terms::and(&is_it, &is_inside));
        }
        let claim = self.claim_about(Check::Memory, span, STAYS_INSIDE, span);
        self.check(&is_valid, claim, span);
        if shift == 0 {
            return value(term);
        }
        let upper = terms::constant(u64::MAX << shift, sort, span);
        let upper = terms::binary(BinaryOp::And, false, &term, &upper);
        let lower = terms::resize(&terms::resize(&moved, shift, false), sort.width(), false);
        value(terms::binary(BinaryOp::Or, false, &upper, &lower))
    }
}
