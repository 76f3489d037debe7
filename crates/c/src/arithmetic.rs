//! Conversions and operators of integers and pointers, with the assertions that C leaves to the
//! programmer: no division by zero, no shift by as many bits as there are, and no signed overflow
//! where that is asked for.

use crate::terms::{self, Sort, Term};
use crate::types::{Integer, Type};
use crate::unit::Unit;
use crate::values::{Value, same_sort};
use hardbop_syntax::ast::BinaryOp;
use hardbop_syntax::{Check, Span};
use std::rc::Rc;

/// An integer value as a term of an integer type.
pub fn convert_term(value: &Value, ty: Integer) -> Term {
    if ty.sort() == Sort::Bool {
        return terms::truth(&value.term);
    }
    let signed = matches!(value.ty, Type::Integer(own) if own.signed);
    terms::resize(&value.term, ty.width, signed)
}

/// A value as it is held by a variable of its type.
pub fn held(value: &Value) -> Term {
    match &value.ty {
        Type::Integer(ty) => convert_term(value, *ty),
        _ => Rc::clone(&value.term),
    }
}

impl Unit<'_> {
    /// An integer value as a word; `None` if it is not one, which is reported.
    pub fn integer_term(&mut self, value: &Value, span: Span) -> Option<Term> {
        let Type::Integer(ty) = value.ty else {
            self.no_number(value, span);
            return None;
        };
        Some(convert_term(value, ty.promoted()))
    }

    /// A value converted to a type. A comparison stays Boolean until its bits matter.
    pub fn converted(&mut self, value: &Value, ty: &Type, span: Span) -> Value {
        let with = |term: Term| Value {
            term,
            ty: ty.clone(),
        };
        match (&value.ty, ty) {
            (Type::Broken, _) | (_, Type::Broken) => {
                let sort = match ty {
                    Type::Integer(_) | Type::Pointer(_) => self.sort_of(ty, span),
                    _ => Sort::Word(32),
                };
                with(terms::constant(0, sort, span))
            }
            (Type::Integer(from), Type::Integer(to)) => {
                let is_truth = value.term.sort == Sort::Bool && from.width >= 1;
                if is_truth || from == to {
                    return with(if to.sort() == Sort::Bool {
                        terms::truth(&value.term)
                    } else {
                        Rc::clone(&value.term)
                    });
                }
                let term = convert_term(value, *to);
                with(term)
            }
            (Type::Pointer(from), Type::Pointer(to)) => {
                let is_null = value.term.constant() == Some(0);
                let is_same = from.unqualified() == to.unqualified();
                if !is_same && !is_null && (**from == Type::Void || **to == Type::Void) {
                    let term = self.with_other_type(&value.term, from, to, span);
                    return with(term);
                }
                if !is_same && !is_null {
                    let message = format!(
                        "the conversion of a pointer to {} into a pointer to {} is not supported",
                        from.text(),
                        to.text()
                    );
                    self.refuse(span, message);
                }
                let sort = self.pointers.sort(to);
                with(if is_same {
                    Rc::clone(&value.term)
                } else {
                    terms::constant(0, sort, span)
                })
            }
            (Type::Integer(_), Type::Pointer(to)) => {
                if value.term.constant() != Some(0) {
                    self.refuse(
                        span,
                        "the conversion of a number into a pointer is not supported",
                    );
                }
                let sort = self.pointers.sort(to);
                with(terms::constant(0, sort, span))
            }
            (Type::Pointer(_), Type::Integer(to)) if to.sort() == Sort::Bool => {
                with(terms::truth(&value.term))
            }
            // Of a type that nothing has the address of, a pointer is null or not initialised.
            (Type::Pointer(from), Type::Integer(to)) if !self.pointers.has_targets(from) => {
                let any = terms::choice(to.sort(), span);
                let null = terms::constant(0, to.sort(), span);
                with(terms::conditional(&terms::truth(&value.term), &any, &null))
            }
            (Type::Pointer(_), Type::Integer(to)) => {
                self.refuse(
                    span,
                    "the conversion of a pointer into a number is not supported",
                );
                with(terms::constant(0, to.sort(), span))
            }
            (_, Type::Void) => with(terms::constant(0, Sort::Word(32), span)),
            (Type::Refused(what), _) | (_, Type::Refused(what)) => {
                self.refuse(span, format!("{what} is not supported"));
                Value::broken(span)
            }
            (from, to) => {
                self.wrong(span, format!("{} cannot become {}", from.text(), to.text()));
                Value::broken(span)
            }
        }
    }

    /// `a op b`
    pub fn operate(&mut self, op: BinaryOp, a: &Value, b: &Value, span: Span) -> Value {
        let is_comparison = matches!(
            op,
            BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
        );
        let (Type::Integer(x), Type::Integer(y)) = (&a.ty, &b.ty) else {
            return self.operate_on_pointers(op, a, b, span);
        };
        let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        let ty = if is_shift { x.promoted() } else { x.common(*y) };
        // Truth values can be compared as they are.
        let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        if is_equality && a.term.sort == Sort::Bool && b.term.sort == Sort::Bool {
            return Value::truth(terms::compare(op, false, &a.term, &b.term));
        }
        let left = convert_term(a, ty);
        if is_shift {
            let term = self.shift(op, ty, &left, b, *y, span);
            return Value {
                term,
                ty: Type::Integer(ty),
            };
        }
        let right = convert_term(b, ty);
        if is_comparison {
            return Value::truth(terms::compare(op, ty.signed, &left, &right));
        }
        Value {
            term: self.arithmetic(op, ty, &left, &right, span),
            ty: Type::Integer(ty),
        }
    }

    fn operate_on_pointers(&mut self, op: BinaryOp, a: &Value, b: &Value, span: Span) -> Value {
        let void = Type::Pointer(Rc::new(Type::Void));
        let pointer = match (&a.ty, &b.ty) {
            (Type::Pointer(_), Type::Pointer(_)) if a.ty == void || b.ty == void => void,
            (Type::Pointer(_), _) => a.ty.clone(),
            (_, Type::Pointer(_)) => b.ty.clone(),
            (Type::Integer(_), _) => return self.no_number(b, span),
            _ => return self.no_number(a, span),
        };
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let left = self.converted(a, &pointer, span);
                let right = self.converted(b, &pointer, span);
                let (x, y) = same_sort(&left.term, &right.term);
                Value::truth(terms::compare(op, false, &x, &y))
            }
            BinaryOp::Add | BinaryOp::Subtract
                if matches!(
                    (&a.ty, &b.ty),
                    (Type::Integer(_), _) | (_, Type::Integer(_))
                ) =>
            {
                self.pointer_sum(a, b, op, span)
            }
            _ => {
                let broken = Value {
                    ty: pointer,
                    ..Value::broken(span)
                };
                self.no_number(&broken, span)
            }
        }
    }

    fn shift(
        &mut self,
        op: BinaryOp,
        ty: Integer,
        left: &Term,
        count: &Value,
        count_type: Integer,
        span: Span,
    ) -> Term {
        let count = convert_term(count, count_type.promoted());
        let count = self.once(&count);
        let width = terms::constant(u64::from(ty.width), count.sort, span);
        let in_range = terms::compare(BinaryOp::Less, false, &count, &width);
        let claim = self.claim_about(Check::Defined, count.span, &shift_claim(ty), span);
        self.check(&in_range, claim, span);
        let count = terms::resize(&count, ty.width, false);
        let is_checked = self.reading.overflow_checks && ty.signed && op == BinaryOp::ShiftLeft;
        if !is_checked {
            return terms::binary(op, ty.signed, left, &count);
        }
        let left = self.once(left);
        let shifted = terms::binary(op, ty.signed, &left, &count);
        let back = terms::binary(BinaryOp::ShiftRight, true, &shifted, &count);
        let zero = terms::constant(0, left.sort, span);
        let is_positive = terms::compare(BinaryOp::GreaterEqual, true, &left, &zero);
        let is_same = terms::compare(BinaryOp::Equal, false, &back, &left);
        let claim = self.claim_about(Check::Overflow, span, "does not overflow", span);
        self.check(&terms::and(&is_positive, &is_same), claim, span);
        shifted
    }

    /// An operation on two words of a promoted type, with its assertions.
    pub fn arithmetic(
        &mut self,
        op: BinaryOp,
        ty: Integer,
        left: &Term,
        right: &Term,
        span: Span,
    ) -> Term {
        let is_division = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
        let is_checked = self.reading.overflow_checks && ty.signed;
        let right = if is_division {
            let right = self.once(right);
            let zero = terms::constant(0, right.sort, span);
            let claim = self.claim_about(Check::Defined, right.span, "is not zero", span);
            let differs = terms::compare(BinaryOp::NotEqual, false, &right, &zero);
            self.check(&differs, claim, span);
            right
        } else {
            Rc::clone(right)
        };
        if !is_checked {
            return terms::binary(op, ty.signed, left, &right);
        }
        let (left, right) = (self.once(left), self.once(&right));
        if let Some(fits) = fits(op, &left, &right, span) {
            let claim = self.claim_about(Check::Overflow, span, "does not overflow", span);
            self.check(&fits, claim, span);
        }
        terms::binary(op, true, &left, &right)
    }
}

/// What has to hold of the right operand of a shift.
fn shift_claim(ty: Integer) -> String {
    format!("is a shift by less than {} bits", ty.width)
}

/// That a signed operation does not overflow; `None` if it cannot.
fn fits(op: BinaryOp, a: &Term, b: &Term, span: Span) -> Option<Term> {
    let sort = a.sort;
    let width = sort.width();
    let zero = terms::constant(0, sort, span);
    let least = terms::constant(1 << (width - 1), sort, span);
    let minus_one = terms::constant(u64::MAX, sort, span);
    let result = terms::binary(op, true, a, b);
    let xor = |x: &Term, y: &Term| terms::binary(BinaryOp::Xor, false, x, y);
    // The sign of the result differs from what the signs of the operands say.
    let differ = |x: &Term, y: &Term| {
        let both = terms::binary(BinaryOp::And, false, x, y);
        terms::compare(BinaryOp::GreaterEqual, true, &both, &zero)
    };
    match op {
        BinaryOp::Add => Some(differ(&xor(a, &result), &xor(b, &result))),
        BinaryOp::Subtract if a.constant() == Some(0) => {
            Some(terms::compare(BinaryOp::NotEqual, false, b, &least))
        }
        BinaryOp::Subtract => Some(differ(&xor(a, b), &xor(a, &result))),
        BinaryOp::Multiply if width <= 32 => {
            let wide = |term: &Term| terms::resize(term, 2 * width, true);
            let product = terms::binary(BinaryOp::Multiply, true, &wide(a), &wide(b));
            Some(terms::compare(
                BinaryOp::Equal,
                false,
                &product,
                &wide(&result),
            ))
        }
        BinaryOp::Multiply => {
            let is_zero = terms::compare(BinaryOp::Equal, false, a, &zero);
            let back = terms::binary(BinaryOp::Divide, true, &result, a);
            let is_same = terms::compare(BinaryOp::Equal, false, &back, b);
            let is_corner = terms::and(
                &terms::compare(BinaryOp::Equal, false, a, &minus_one),
                &terms::compare(BinaryOp::Equal, false, b, &least),
            );
            let fits = terms::and(&is_same, &terms::not(&is_corner));
            Some(terms::or(&is_zero, &fits))
        }
        BinaryOp::Divide | BinaryOp::Remainder => {
            let is_corner = terms::and(
                &terms::compare(BinaryOp::Equal, false, a, &least),
                &terms::compare(BinaryOp::Equal, false, b, &minus_one),
            );
            Some(terms::not(&is_corner))
        }
        _ => None,
    }
}
