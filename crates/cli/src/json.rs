//! Reads JSON in which every key of an object occurs once.
//!
//! JSON leaves open what an object with a key twice means, and readers differ: some take the first
//! value, some the last. Evidence that says one thing to hardbop and another to the next reader is
//! worth nothing, so it is refused.

use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Reads a text as any JSON value.
pub fn read(text: &str) -> Result<Value, serde_json::Error> {
    let Unambiguous(value) = serde_json::from_str(text)?;
    Ok(value)
}

/// A value without repeated keys.
struct Unambiguous(Value);

impl<'de> serde::Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Unambiguous)
    }
}

/// The depth of nesting is limited by the parser of `serde_json`.
struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unambiguous(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` occurs twice")));
            }
            let Unambiguous(value) = members.next_value()?;
            map.insert(key, value);
        }
        Ok(map.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_what_serde_json_reads() {
        let text =
            r#"{"a": [1, -2, 0.5, true, null, "x\n", 18446744073709551615], "b": {"a": {}}}"#;
        let expected: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(read(text).expect("JSON"), expected);
        assert!(read("{} x").is_err());
    }

    #[test]
    fn a_key_that_occurs_twice_is_refused_wherever_it_is() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"[{"b": {"a": 1, "x": 2, "a": 2}}]"#,
            r#"{"a": 1, "\u0061": 2}"#,
        ] {
            let why = read(text).expect_err("refused").to_string();
            assert!(why.starts_with("the key `a` occurs twice"), "{why}");
        }
    }
}
