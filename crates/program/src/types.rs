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
}
