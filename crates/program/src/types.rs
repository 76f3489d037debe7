//! The two kinds of values: Booleans and bounded unsigned integers. Both are held in a `u64`.

use serde::{Deserialize, Serialize};

/// The largest width of an integer type.
pub const MAX_WIDTH: u32 = 64;

/// The type of a variable, an expression or a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// 0 or 1.
    Bool,
    /// `int<n>`: 0 to 2^n - 1, arithmetic modulo 2^n; n is 1 to 64.
    Int(u8),
}

impl Type {
    /// How many bits a value has.
    pub fn width(self) -> u32 {
        match self {
            Type::Bool => 1,
            Type::Int(width) => u32::from(width),
        }
    }

    /// The largest value.
    pub fn max_value(self) -> u64 {
        u64::MAX >> (MAX_WIDTH - self.width())
    }

    /// The value modulo 2^width.
    pub fn wrap(self, value: u64) -> u64 {
        value & self.max_value()
    }

    /// The value read in two's complement.
    pub fn signed(self, value: u64) -> i64 {
        let unused = MAX_WIDTH - self.width();
        (value << unused).cast_signed() >> unused
    }

    /// `a / b`; by zero the largest value, as in SMT-LIB.
    pub fn divide(self, a: u64, b: u64) -> u64 {
        a.checked_div(b).unwrap_or(self.max_value())
    }

    /// `a % b`; by zero it is `a`.
    pub fn remainder(self, a: u64, b: u64) -> u64 {
        a.checked_rem(b).unwrap_or(a)
    }

    /// `signed(a) / signed(b)`, rounded towards zero; by zero -1, or 1 where `a` is negative.
    pub fn signed_divide(self, a: u64, b: u64) -> u64 {
        let (a, b) = (self.signed(a), self.signed(b));
        let quotient = match b {
            0 if a < 0 => 1,
            0 => -1,
            _ => a.wrapping_div(b),
        };
        self.wrap(quotient.cast_unsigned())
    }

    /// `signed(a) % signed(b)`, with the sign of `a`; by zero it is `a`.
    pub fn signed_remainder(self, a: u64, b: u64) -> u64 {
        let (dividend, divisor) = (self.signed(a), self.signed(b));
        match divisor {
            0 => a,
            _ => self.wrap(dividend.wrapping_rem(divisor).cast_unsigned()),
        }
    }

    /// `a << b`; 0 where `b` is the width or more.
    pub fn shift_left(self, a: u64, b: u64) -> u64 {
        if b < u64::from(self.width()) {
            self.wrap(a << b)
        } else {
            0
        }
    }

    /// `a >> b`; 0 where `b` is the width or more.
    pub fn shift_right(self, a: u64, b: u64) -> u64 {
        if b < u64::from(self.width()) {
            a >> b
        } else {
            0
        }
    }

    /// `signed(a) >> b`; only copies of the sign where `b` is the width or more.
    pub fn signed_shift_right(self, a: u64, b: u64) -> u64 {
        let last = u64::from(MAX_WIDTH - 1);
        self.wrap((self.signed(a) >> b.min(last)).cast_unsigned())
    }

    /// Whether the value is one of this type.
    pub fn holds(self, value: u64) -> bool {
        value <= self.max_value()
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Bool => write!(f, "bool"),
            Type::Int(width) => write!(f, "int<{width}>"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_wrap_at_the_width() {
        assert_eq!(Type::Bool.max_value(), 1);
        assert_eq!(Type::Int(4).wrap(17), 1);
        assert_eq!(Type::Int(64).max_value(), u64::MAX);
        assert!(Type::Int(3).holds(7) && !Type::Int(3).holds(8));
    }

    #[test]
    fn the_corners_of_words_are_as_documented() {
        let ty = Type::Int(8);
        assert_eq!((ty.signed(0x80), ty.signed(0x7f)), (-128, 127));
        assert_eq!((ty.divide(7, 0), ty.remainder(7, 0)), (255, 7));
        assert_eq!(ty.signed_divide(7, 0), 255);
        assert_eq!(ty.signed_divide(0x80, 0), 1);
        assert_eq!(ty.signed_remainder(0x80, 0), 0x80);
        // -128 / -1 wraps; -7 / 2 is rounded towards zero.
        assert_eq!(ty.signed_divide(0x80, 0xff), 0x80);
        assert_eq!(ty.signed_remainder(0x80, 0xff), 0);
        assert_eq!(ty.signed_divide(0xf9, 2), 0xfd);
        assert_eq!(ty.signed_remainder(0xf9, 2), 0xff);
        assert_eq!((ty.shift_left(0xff, 7), ty.shift_left(1, 8)), (0x80, 0));
        assert_eq!((ty.shift_right(0x80, 7), ty.shift_right(0x80, 8)), (1, 0));
        assert_eq!(ty.signed_shift_right(0x80, 200), 0xff);
        assert_eq!(ty.signed_shift_right(0x40, 6), 1);
        let ty = Type::Int(64);
        assert_eq!(ty.signed_divide(1 << 63, u64::MAX), 1 << 63);
        assert_eq!(ty.signed_remainder(1 << 63, u64::MAX), 0);
    }
}
