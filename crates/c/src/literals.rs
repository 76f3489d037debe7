//! Numbers and characters as they are written.

use crate::terms::{self, Sort};
use crate::types::{Integer, Rank, Type};
use crate::unit::Unit;
use crate::values::Value;
use hardbop_syntax::Span;
use lang_c::ast as c;

impl Unit<'_> {
    pub fn literal(&mut self, constant: &c::Constant, span: Span) -> Value {
        match constant {
            c::Constant::Integer(integer) => self.integer_literal(integer, span),
            c::Constant::Character(text) => match character(text) {
                Some(value) => Value {
                    term: terms::constant(value.cast_unsigned(), Sort::Word(32), span),
                    ty: Type::int(),
                },
                None => {
                    self.refuse(span, "this character constant is not supported");
                    Value::broken(span)
                }
            },
            c::Constant::Float(_) => {
                self.refuse(span, "floating-point numbers are not supported");
                Value::broken(span)
            }
        }
    }

    pub fn integer_literal(&mut self, integer: &c::Integer, span: Span) -> Value {
        let radix = match integer.base {
            c::IntegerBase::Decimal => 10,
            c::IntegerBase::Octal => 8,
            c::IntegerBase::Hexadecimal => 16,
            c::IntegerBase::Binary => 2,
        };
        let parsed = u64::from_str_radix(&integer.number, radix);
        let (Ok(value), false) = (parsed, integer.suffix.imaginary) else {
            self.refuse(span, "this number is not supported");
            return Value::broken(span);
        };
        let model = self.reading.data_model;
        let first = match integer.suffix.size {
            c::IntegerSize::Int => Rank::Int,
            c::IntegerSize::Long => Rank::Long,
            c::IntegerSize::LongLong => Rank::LongLong,
        };
        let ranks = [Rank::Int, Rank::Long, Rank::LongLong];
        let ranks = ranks.into_iter().filter(|rank| *rank >= first);
        let types = ranks.flat_map(|rank| {
            let signed = (!integer.suffix.unsigned).then(|| Integer::new(rank, true, model));
            let may_be_unsigned = integer.suffix.unsigned || radix != 10;
            let unsigned = may_be_unsigned.then(|| Integer::new(rank, false, model));
            signed.into_iter().chain(unsigned)
        });
        let fits = |ty: &Integer| {
            let bits = ty.width - u8::from(ty.signed);
            bits >= 64 || value >> bits == 0
        };
        let last = Integer::new(Rank::LongLong, false, model);
        let ty = types.into_iter().find(fits).unwrap_or(last);
        Value {
            term: terms::constant(value, ty.sort(), span),
            ty: Type::Integer(ty),
        }
    }
}

/// The value of a character constant with its quotes.
fn character(text: &str) -> Option<i64> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let Some(escape) = inner.strip_prefix('\\') else {
        let mut characters = inner.chars();
        let value = characters.next().filter(char::is_ascii)?;
        return characters.next().is_none().then_some(value as i64);
    };
    let value = match escape {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "\\" | "'" | "\"" | "?" => escape.as_bytes()[0],
        _ => {
            let hexadecimal = escape.strip_prefix('x');
            let number = match hexadecimal {
                Some(digits) => u8::from_str_radix(digits, 16),
                None => u8::from_str_radix(escape, 8),
            };
            number.ok()?
        }
    };
    Some(i64::from(value.cast_signed()))
}
