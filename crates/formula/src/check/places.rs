//! Variables, their parts, and values: what stands on the two sides of `=` and as an argument.
//!
//! The name of a value has no type of its own: `idle` may belong to several enumerations, and which
//! one is meant follows from what it is compared with or which parameter it is for. Where a name
//! could be a value of the wanted type or a variable, it is the value, as in Mucke.

use super::Checker;
use super::types::{BOOL, Kind, TypeId, WRONG};
use crate::ast::{Expr, ExprId, Ident, Path, Step};
use crate::system::{ArgumentBit, FormulaId, VariableId};
use hardbop_syntax::ast::Symbol;
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span};

/// A variable or a part of one.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub variable: VariableId,
    pub first_bit: u32,
    pub ty: TypeId,
}

/// A side of a comparison, or an argument, before its type is known.
pub(super) enum Operand {
    Place(Place),
    /// A name that is not a variable.
    Name(Ident),
    Number(u64, Span),
    Boolean(bool),
    /// The bits of a number that the host's vocabulary names.
    Bits(Vec<FormulaId>, TypeId),
    /// Something Boolean that has to be evaluated.
    Formula,
    /// Its error has been reported.
    Wrong,
}

/// What a comparison comes to.
pub(super) enum Comparison {
    /// A formula.
    Known(FormulaId),
    /// Two Booleans that have to be evaluated.
    OfFormulas,
}

impl Checker<'_> {
    pub(super) fn operand(&mut self, id: ExprId) -> Operand {
        let ast = self.ast;
        match ast.expr(id) {
            Expr::Number(number) => Operand::Number(*number, ast.span(id)),
            Expr::Boolean(value) => Operand::Boolean(*value),
            Expr::Path(path) => {
                let is_variable = self.bindings[path.root.name.0 as usize].is_some();
                let may_be_value = path.steps.is_empty() || !self.vocabulary.values.is_empty();
                if may_be_value && !is_variable {
                    return Operand::Name(path.root);
                }
                match self.named_field(path) {
                    // It is evaluated like any other formula.
                    Some(Operand::Bits(_, BOOL)) => return Operand::Formula,
                    Some(named) => return named,
                    None => {}
                }
                self.place(path).map_or(Operand::Wrong, Operand::Place)
            }
            _ => Operand::Formula,
        }
    }

    /// The place that a path leads to; none after an error.
    pub(super) fn place(&mut self, path: &Path) -> Option<Place> {
        let Some(binding) = self.bindings[path.root.name.0 as usize] else {
            self.report_unknown_variable(path.root);
            return None;
        };
        let mut place = Place {
            variable: binding.variable,
            first_bit: 0,
            ty: binding.ty,
        };
        for step in &path.steps {
            place = match *step {
                Step::Field(field) => self.field(place, field)?,
                Step::Index(index, span) => self.element(place, index, span)?,
            };
        }
        (place.ty != WRONG).then_some(place)
    }

    pub(super) fn field(&mut self, place: Place, name: Ident) -> Option<Place> {
        let ty = self.types.get(place.ty);
        let text = self.text(name);
        let type_name = &ty.name;
        match &ty.kind {
            Kind::Wrong => None,
            Kind::Class { fields, by_name } => {
                if let Some(&index) = by_name.get(&name.name) {
                    let field = &fields[index];
                    return Some(Place {
                        variable: place.variable,
                        first_bit: place.first_bit + field.offset,
                        ty: field.ty,
                    });
                }
                let message = format!("`{type_name}` has no field `{text}`");
                let ast = self.ast;
                let mut names: Vec<&str> = Vec::new();
                if self.may_suggest() {
                    names.extend(fields.iter().map(|field| ast.names.text(field.name)));
                }
                let diagnostic = Diagnostic::new(codes::UNKNOWN_FIELD, name.span, message);
                self.report_unknown(diagnostic, name, names.into_iter());
                None
            }
            Kind::Array { .. } => {
                let message = format!("an array has no field `{text}`; its elements may have one");
                self.report(codes::NOT_AN_ARRAY, name.span, message);
                None
            }
            Kind::Bool | Kind::Enum { .. } => {
                let message =
                    format!("there is no field `{text}` in something of type `{type_name}`");
                self.report(codes::UNKNOWN_FIELD, name.span, message);
                None
            }
        }
    }

    fn element(&mut self, place: Place, index: u64, span: Span) -> Option<Place> {
        let ty = self.types.get(place.ty);
        match ty.kind {
            Kind::Wrong => None,
            Kind::Array { element, length } if index < length => Some(Place {
                variable: place.variable,
                first_bit: place.first_bit + index as u32 * self.types.get(element).bits,
                ty: element,
            }),
            // A bit of its code, the least significant first.
            Kind::Enum { .. } if index < u64::from(ty.bits) => Some(Place {
                variable: place.variable,
                first_bit: place.first_bit + ty.bits - 1 - index as u32,
                ty: BOOL,
            }),
            Kind::Enum { .. } => {
                let (name, bits) = (&ty.name, ty.bits);
                let message = format!("there is no bit {index}: `{name}` has {bits} bits");
                self.report(codes::OUT_OF_RANGE, span, message);
                None
            }
            Kind::Array { length, .. } => {
                let message = format!("the index {index} is too large for an array of {length}");
                self.report(codes::OUT_OF_RANGE, span, message);
                None
            }
            _ => {
                let message = format!("something of type `{}` has no index", ty.name);
                self.report(codes::NOT_AN_ARRAY, span, message);
                None
            }
        }
    }

    /// `left = right`.
    pub(super) fn compare(&mut self, left: ExprId, right: ExprId, span: Span) -> Comparison {
        let known = Comparison::Known;
        let first = self.operand(left);
        if let Operand::Place(place) = first
            && let Some(code) = self.value_name(place.ty, right)
        {
            return known(self.is_value(place, code));
        }
        let second = self.operand(right);
        if let Operand::Place(place) = second
            && let Operand::Name(_) = first
            && let Some(code) = self.value_name(place.ty, left)
        {
            return known(self.is_value(place, code));
        }
        match (first, second) {
            (Operand::Wrong, _) | (_, Operand::Wrong) => known(self.builder.constant(false)),
            (Operand::Place(a), Operand::Place(b)) if a.ty == b.ty => known(self.equal(a, b)),
            (Operand::Bits(bits, ty), other) | (other, Operand::Bits(bits, ty)) => {
                let Some(others) = self.bits_of_operand(&other, ty) else {
                    let message = format!(
                        "this compares `{}` with something else",
                        self.types.get(ty).name
                    );
                    self.report(codes::TYPE_MISMATCH, span, message);
                    return known(self.builder.constant(false));
                };
                let pairs = bits.into_iter().zip(others);
                let parts = pairs.map(|(a, b)| self.builder.iff(a, b)).collect();
                known(self.builder.and(parts))
            }
            (Operand::Place(a), Operand::Place(b)) => {
                let message = format!(
                    "this compares `{}` with `{}`",
                    self.types.get(a.ty).name,
                    self.types.get(b.ty).name
                );
                self.report(codes::TYPE_MISMATCH, span, message);
                known(self.builder.constant(false))
            }
            (Operand::Place(place), Operand::Number(number, span))
            | (Operand::Number(number, span), Operand::Place(place)) => {
                let code = self.number_code(place.ty, number, span);
                known(self.is_value(place, code.unwrap_or(0)))
            }
            (Operand::Place(place), Operand::Name(name))
            | (Operand::Name(name), Operand::Place(place))
                if place.ty != BOOL =>
            {
                self.report_unknown_value(name, place.ty);
                known(self.builder.constant(false))
            }
            (Operand::Place(place), Operand::Formula | Operand::Boolean(_))
            | (Operand::Formula | Operand::Boolean(_), Operand::Place(place))
                if place.ty != BOOL =>
            {
                let name = &self.types.get(place.ty).name;
                let message = format!("this compares `{name}` with `bool`");
                self.report(codes::TYPE_MISMATCH, span, message);
                known(self.builder.constant(false))
            }
            _ => Comparison::OfFormulas,
        }
    }

    /// The code of an expression that is the name of a value of a type.
    fn value_name(&mut self, ty: TypeId, id: ExprId) -> Option<u64> {
        if let Some(code) = self.named_value(ty, id) {
            return Some(code);
        }
        match self.ast.expr(id) {
            Expr::Path(path) if path.steps.is_empty() => {
                self.types.code_of_name(ty, path.root.name)
            }
            _ => None,
        }
    }

    pub(super) fn number_code(&mut self, ty: TypeId, number: u64, span: Span) -> Option<u64> {
        let code = self.types.code_of_number(ty, number);
        if code.is_none() {
            let of = self.types.get(ty);
            let (code, message) = match of.kind {
                Kind::Wrong => return None,
                Kind::Bool | Kind::Enum { .. } => {
                    let message = format!("{number} is not a value of `{}`", of.name);
                    (codes::OUT_OF_RANGE, message)
                }
                Kind::Class { .. } | Kind::Array { .. } => {
                    let message = format!("a number is not a value of `{}`", of.name);
                    (codes::TYPE_MISMATCH, message)
                }
            };
            self.report(code, span, message);
        } else {
            self.report_meaningless(ty, number, span);
        }
        code
    }

    /// That a place has the value with a code.
    pub(super) fn is_value(&mut self, place: Place, code: u64) -> FormulaId {
        let bits = self.types.get(place.ty).bits;
        let mut parts = Vec::with_capacity(bits as usize);
        for (bit, value) in code_bits(code, bits).enumerate() {
            let bit = place.first_bit + bit as u32;
            parts.push(self.builder.literal(place.variable, bit, value));
        }
        self.builder.and(parts)
    }

    fn equal(&mut self, a: Place, b: Place) -> FormulaId {
        let mut parts = Vec::new();
        for bit in 0..self.types.get(a.ty).bits {
            let of_a = self.builder.bit(a.variable, a.first_bit + bit);
            let of_b = self.builder.bit(b.variable, b.first_bit + bit);
            parts.push(self.builder.iff(of_a, of_b));
        }
        self.builder.and(parts)
    }

    /// Adds the bits of an argument. False if it is a formula that has to be evaluated first.
    pub(super) fn argument(&mut self, id: ExprId, ty: TypeId, bits: &mut Vec<ArgumentBit>) -> bool {
        let width = self.types.get(ty).bits;
        let constant = |code| code_bits(code, width).map(ArgumentBit::Constant);
        if let Some(code) = self.value_name(ty, id) {
            bits.extend(constant(code));
            return true;
        }
        let span = self.ast.span(id);
        let others = std::mem::take(&mut self.named.fields);
        let operand = self.operand(id);
        let has_names = std::mem::replace(&mut self.named.fields, others);
        self.named.fields |= has_names;
        match operand {
            Operand::Place(place) if place.ty == ty => {
                if has_names && ty == BOOL {
                    let formula = self.builder.bit(place.variable, place.first_bit);
                    self.spelled_out.push((span, formula));
                }
                let all = place.first_bit..place.first_bit + width;
                bits.extend(all.map(|bit| ArgumentBit::Bit(place.variable, bit)));
                return true;
            }
            Operand::Number(number, span) => {
                let code = self.number_code(ty, number, span);
                bits.extend(constant(code.unwrap_or(0)));
                return true;
            }
            Operand::Boolean(value) if ty == BOOL => {
                bits.push(ArgumentBit::Constant(value));
                return true;
            }
            Operand::Formula if ty == BOOL => return false,
            Operand::Name(name) if ty == BOOL && self.heads.named(name.name).is_some() => {
                return false;
            }
            Operand::Name(name) if ty != WRONG => self.report_unknown_value(name, ty),
            Operand::Wrong => {}
            _ if ty == WRONG => {}
            found => {
                let found = match found {
                    Operand::Place(Place { ty, .. }) | Operand::Bits(_, ty) => {
                        self.types.get(ty).name.as_str()
                    }
                    _ => "bool",
                };
                let wanted = &self.types.get(ty).name;
                let message = format!("the argument is `{found}`, but the parameter is `{wanted}`");
                self.report(codes::TYPE_MISMATCH, span, message);
            }
        }
        bits.extend(constant(0));
        true
    }

    /// A name beside something of a type that is neither a variable nor a value of that type.
    fn report_unknown_value(&mut self, name: Ident, ty: TypeId) {
        let of = self.types.get(ty);
        let Kind::Enum { codes: values, .. } = &of.kind else {
            self.report_unknown_variable(name);
            return;
        };
        let message = format!(
            "`{}` is neither a variable nor a value of `{}`",
            self.text(name),
            of.name
        );
        let ast = self.ast;
        let mut known: Vec<Symbol> = Vec::new();
        if self.may_suggest() {
            known.extend(values.keys());
            known.sort_unstable();
            known.extend(self.bound.iter().map(|&(name, _)| name));
        }
        let candidates = known.into_iter().map(|name| ast.names.text(name));
        let diagnostic = Diagnostic::new(codes::UNKNOWN_VARIABLE, name.span, message);
        self.report_unknown(diagnostic, name, candidates);
    }

    pub(super) fn report_unknown_variable(&mut self, name: Ident) {
        let message = format!("there is no variable `{}`", self.text(name));
        let diagnostic = Diagnostic::new(codes::UNKNOWN_VARIABLE, name.span, message);
        let ast = self.ast;
        let mut known: Vec<Symbol> = Vec::new();
        if self.may_suggest() {
            known.extend(self.bound.iter().rev().map(|&(name, _)| name));
        }
        let candidates = known.into_iter().map(|name| ast.names.text(name));
        self.report_unknown(diagnostic, name, candidates);
    }
}

/// The bits of a code, the most significant first.
pub(super) fn code_bits(code: u64, width: u32) -> impl Iterator<Item = bool> {
    (0..width).rev().map(move |place| code >> place & 1 == 1)
}
