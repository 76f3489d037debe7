//! Calls of functions that hardbop knows: what they assert, assume and compute.

use crate::arithmetic::convert_term;
use crate::library::{self, Count, ERRORS, Known};
use crate::terms::{self, Sort, Term};
use crate::types::{Integer, Rank, Type};
use crate::unit::Unit;
use crate::values::Value;
use hardbop_syntax::ast::BinaryOp;
use hardbop_syntax::{Check, Span};
use lang_c::ast as c;
use lang_c::span::Node;
use std::rc::Rc;

impl<'a> Unit<'a> {
    /// What a call of a known function means; `None` for all others. A body overrides the meaning,
    /// except for errors and for the usual body of `__VERIFIER_assert`.
    pub fn builtin(
        &mut self,
        name: &str,
        has_body: bool,
        call: &'a c::CallExpression,
        function: Option<usize>,
        span: Span,
    ) -> Option<Value> {
        if !has_body && let Some(value) = self.thread_call(name, call, span) {
            return Some(value);
        }
        let known = library::known(name)?;
        let is_own_assertion =
            name == "__VERIFIER_assert" && function.is_some_and(|index| self.is_assertion(index));
        if has_body && !is_own_assertion && !ERRORS.contains(&name) {
            return None;
        }
        match known {
            Known::Error | Known::Unreachable => {
                let condition = self.emit(&terms::boolean(false, span));
                let check = match known {
                    Known::Unreachable => Check::Defined,
                    _ if ERRORS.contains(&name) => Check::NoCall {
                        function: name.to_owned(),
                    },
                    _ => Check::Condition,
                };
                self.state(condition, check, name.to_owned(), span);
            }
            Known::Assertion | Known::Assumption => {
                let Some(condition) = self.asserted(name, call, function, span) else {
                    return Some(Value::void(span));
                };
                if known == Known::Assertion {
                    let condition = self.emit(&condition);
                    let error = function.and_then(|index| self.error_of(index));
                    let check = match error {
                        Some(function) => Check::NoCall { function },
                        None => Check::Condition,
                    };
                    let argument = call.arguments.first();
                    let argument = argument.map(|argument| self.expanded(argument.span));
                    let text = format!("{name}({})", argument.unwrap_or_default());
                    self.state(condition, check, text, span);
                } else {
                    self.assume(&condition, span);
                }
            }
            Known::Ending => {
                self.discard_all(&call.arguments);
                self.assume(&terms::boolean(false, span), span);
            }
            Known::Nothing => self.discard_all(&call.arguments),
            Known::Choice => return self.arbitrary(name, function, span),
            _ => return Some(self.computed(known, name, call, span)),
        }
        Some(Value::void(span))
    }

    /// The condition of an assertion or an assumption, converted to the type of the parameter. A
    /// message may follow the condition.
    fn asserted(
        &mut self,
        name: &str,
        call: &'a c::CallExpression,
        function: Option<usize>,
        span: Span,
    ) -> Option<Term> {
        let Some((argument, rest)) = call.arguments.split_first() else {
            self.wrong(span, format!("`{name}` has an argument"));
            return None;
        };
        if rest
            .iter()
            .any(|rest| !matches!(rest.node, c::Expression::StringLiteral(_)))
        {
            self.wrong(span, format!("`{name}` has one condition"));
            return None;
        }
        let value = self.value(argument);
        let signature = function.map(|index| Rc::clone(&self.functions[index].signature));
        let parameter = signature.as_ref().and_then(|of| of.parameters.first());
        let value = match (&value.ty, parameter) {
            (Type::Integer(_), Some(ty @ Type::Integer(_))) => self.converted(&value, ty, span),
            _ => value,
        };
        // Conversion to a narrower type matters, even if the value is only asked for its truth.
        let value = Value {
            term: crate::arithmetic::held(&value),
            ..value
        };
        Some(self.truth_of(&value))
    }

    fn discard_all(&mut self, expressions: &'a [Node<c::Expression>]) {
        for expression in expressions {
            self.discard(expression);
        }
    }

    /// Any value of the declared type, or of the one in the name.
    fn arbitrary(&mut self, name: &str, function: Option<usize>, span: Span) -> Option<Value> {
        let declared = function.map(|index| self.functions[index].signature.result.clone());
        if declared.is_none() && !library::needs_no_declaration(name) {
            return None;
        }
        let ty = declared.unwrap_or_else(|| self.type_of_choice(library::type_in_name(name)));
        match &ty {
            Type::Integer(integer) => {
                let sort = integer.sort();
                self.declare_choice(&ty, span);
                Some(Value {
                    term: terms::choice(sort, span),
                    ty,
                })
            }
            Type::Void => Some(Value::void(span)),
            other => {
                let message = format!("an arbitrary {} is not supported", other.text());
                self.refuse(span, message);
                Some(Value::broken(span))
            }
        }
    }

    fn type_of_choice(&self, kind: &str) -> Type {
        let (rank, signed) = match kind {
            "bool" | "_Bool" => (Rank::Bool, false),
            "char" => (Rank::Char, true),
            "uchar" | "u8" => (Rank::Char, false),
            "short" => (Rank::Short, true),
            "ushort" | "u16" => (Rank::Short, false),
            "uint" | "unsigned" | "unsigned_int" | "u32" => (Rank::Int, false),
            "long" => (Rank::Long, true),
            "ulong" | "size_t" => (Rank::Long, false),
            "longlong" => (Rank::LongLong, true),
            "ulonglong" | "u64" => (Rank::LongLong, false),
            "float" | "double" => return Type::Refused("a floating-point type"),
            "pointer" => return Type::Pointer(Rc::new(Type::Void)),
            _ => (Rank::Int, true),
        };
        Type::Integer(Integer::new(rank, signed, self.reading.data_model))
    }

    /// The type of a call of a function that is not declared.
    pub fn result_of_builtin(&self, name: &str) -> Type {
        let integer =
            |rank, signed| Type::Integer(Integer::new(rank, signed, self.reading.data_model));
        match library::known(name) {
            Some(Known::Choice) => self.type_of_choice(library::type_in_name(name)),
            Some(Known::Expect) => integer(Rank::Long, true),
            Some(Known::Absolute(rank)) => integer(rank, true),
            Some(Known::Swap(rank)) => integer(rank, false),
            Some(Known::Bits(..) | Known::IsConstant) | None => Type::int(),
            Some(_) => Type::Void,
        }
    }

    fn computed(
        &mut self,
        known: Known,
        name: &str,
        call: &'a c::CallExpression,
        span: Span,
    ) -> Value {
        let Some((argument, hints)) = call.arguments.split_first() else {
            self.wrong(span, format!("`{name}` has an argument"));
            return Value::broken(span);
        };
        let ty = self.result_of_builtin(name);
        let result = |term: Term| Value {
            term,
            ty: ty.clone(),
        };
        if known == Known::IsConstant {
            let is_constant = self.constant_of(argument).is_some();
            return result(terms::boolean(is_constant, span));
        }
        let value = self.value(argument);
        self.discard_all(hints);
        let (Type::Integer(own), Type::Integer(result_type)) = (&value.ty, &ty) else {
            return self.no_number(&value, span);
        };
        let model = self.reading.data_model;
        let (own, result_type) = (*own, *result_type);
        let as_rank = |rank, signed| {
            let value = Value {
                ty: Type::Integer(own),
                ..value.clone()
            };
            convert_term(&value, Integer::new(rank, signed, model))
        };
        let term = match known {
            Known::Absolute(rank) => {
                let number = self.once(&as_rank(rank, true));
                self.absolute(&number, result_type, span)
            }
            Known::Swap(rank) => {
                let number = self.once(&as_rank(rank, false));
                swapped(&number, span)
            }
            Known::Bits(count, rank) => {
                let number = self.once(&as_rank(rank, true));
                if matches!(count, Count::Leading | Count::Trailing) {
                    // Of 0 the result is undefined.
                    let claim = self.claim_about(Check::Defined, number.span, "is not zero", span);
                    self.check(&terms::truth(&number), claim, span);
                }
                counted(count, &number, span)
            }
            _ => as_rank(Rank::Long, true),
        };
        result(term)
    }

    fn absolute(&mut self, number: &Term, ty: Integer, span: Span) -> Term {
        let zero = terms::constant(0, number.sort, span);
        let is_negative = terms::compare(BinaryOp::Less, true, number, &zero);
        self.body.guards.push(Rc::clone(&is_negative));
        let opposite = self.arithmetic(BinaryOp::Subtract, ty, &zero, number, span);
        self.body.guards.pop();
        terms::conditional(&is_negative, &opposite, number)
    }
}

/// Bit `position` of a number as a Boolean.
fn bit(number: &Term, position: u8, span: Span) -> Term {
    let mask = terms::constant(1 << position, number.sort, span);
    terms::truth(&terms::binary(BinaryOp::And, false, number, &mask))
}

/// An `int` that says something about the bits of a number.
fn counted(count: Count, number: &Term, span: Span) -> Term {
    let int = Sort::Word(32);
    let width = number.sort.width();
    let small = |value: u8| terms::constant(u64::from(value), int, span);
    // The distance to the first position at which a bit is 1, or `none`.
    let first_of = |positions: &mut dyn Iterator<Item = (u8, Term)>, none: u8| {
        let all: Vec<(u8, Term)> = positions.collect();
        let chain = all.iter().rev();
        chain.fold(small(none), |rest, (distance, is_one)| {
            terms::conditional(is_one, &small(*distance), &rest)
        })
    };
    match count {
        Count::Ones => (0..width).fold(small(0), |sum, position| {
            let one = terms::from_bool(&bit(number, position, span), 32);
            terms::binary(BinaryOp::Add, false, &sum, &one)
        }),
        Count::Parity => {
            let odd = (0..width).fold(terms::boolean(false, span), |odd, position| {
                terms::compare(
                    BinaryOp::NotEqual,
                    false,
                    &bit(number, position, span),
                    &odd,
                )
            });
            terms::from_bool(&odd, 32)
        }
        Count::Leading => first_of(
            &mut (0..width).map(|zeros| (zeros, bit(number, width - 1 - zeros, span))),
            width,
        ),
        Count::Trailing => first_of(
            &mut (0..width).map(|zeros| (zeros, bit(number, zeros, span))),
            width,
        ),
        Count::First => first_of(
            &mut (0..width).map(|zeros| (zeros + 1, bit(number, zeros, span))),
            0,
        ),
        Count::Sign => {
            let sign = bit(number, width - 1, span);
            let differs = |position| {
                terms::compare(
                    BinaryOp::NotEqual,
                    false,
                    &bit(number, position, span),
                    &sign,
                )
            };
            first_of(
                &mut (0..width - 1).map(|same| (same, differs(width - 2 - same))),
                width - 1,
            )
        }
    }
}

/// The bytes of a number in the other order.
fn swapped(number: &Term, span: Span) -> Term {
    let width = number.sort.width();
    let at = |value: u8| terms::constant(u64::from(value), number.sort, span);
    let mask = terms::constant(0xFF, number.sort, span);
    let bytes = (0..width / 8).map(|byte| {
        let moved = terms::binary(BinaryOp::ShiftRight, false, number, &at(8 * byte));
        let alone = terms::binary(BinaryOp::And, false, &moved, &mask);
        terms::binary(
            BinaryOp::ShiftLeft,
            false,
            &alone,
            &at(width - 8 - 8 * byte),
        )
    });
    let zero = terms::constant(0, number.sort, span);
    bytes.fold(zero, |all, byte| {
        terms::binary(BinaryOp::Or, false, &all, &byte)
    })
}
