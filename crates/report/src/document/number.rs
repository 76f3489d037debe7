//! A value as a number of the program: with a sign where its variable has one.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A number of at most 64 bits, with or without a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "i64")]
pub struct Number(pub i128);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(i128::from(value))
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (u64::try_from(self.0), i64::try_from(self.0)) {
            (Ok(value), _) => serializer.serialize_u64(value),
            (_, Ok(value)) => serializer.serialize_i64(value),
            _ => serializer.serialize_i128(self.0),
        }
    }
}
