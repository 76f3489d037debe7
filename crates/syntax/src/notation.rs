//! How a reader writes the values of a variable.
//!
//! A value is a word of bits wherever it is computed. What a person calls it depends on the
//! declaration: `int` has a sign, the values of an enumeration and of a pointer have names. A
//! [`Notation`] stands beside the type of a declared variable, from the front end to the reports,
//! and no engine looks at it.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// How the values of a variable are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Notation {
    /// As a number from 0 on.
    #[default]
    Unsigned,
    /// As a number in two's complement.
    Signed,
    /// By name: the index of a table of names.
    Named(u32),
}

/// The names of some values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueNames {
    /// Names by value, as a word of bits.
    pub names: BTreeMap<u64, String>,
    /// Values without a name are numbers in two's complement.
    pub is_signed: bool,
}

/// Reads words of bits in the notation of their variable.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// The names, if values have any.
    pub names: Option<&'a ValueNames>,
    /// Whether numbers have a sign.
    pub is_signed: bool,
    /// Bits of a value.
    pub width: u32,
}

impl Notation {
    /// The notation with its table of names.
    pub fn of_width(self, tables: &[ValueNames], width: u32) -> Written<'_> {
        let names = match self {
            Notation::Named(index) => tables.get(index as usize),
            Notation::Unsigned | Notation::Signed => None,
        };
        Written {
            names,
            is_signed: names.map_or(self == Notation::Signed, |names| names.is_signed),
            width,
        }
    }
}

impl<'a> Written<'a> {
    /// The value as a number.
    pub fn number(&self, value: u64) -> i128 {
        if !self.is_signed || self.width == 0 || self.width > 64 {
            return i128::from(value);
        }
        let unused = 64 - self.width;
        i128::from((value << unused).cast_signed() >> unused)
    }

    /// The name of a value, if it has one.
    pub fn name(&self, value: u64) -> Option<&'a str> {
        self.names?.names.get(&value).map(String::as_str)
    }

    /// The value as a reader writes it: its name, or a number.
    pub fn text(&self, value: u64) -> Cow<'a, str> {
        match self.name(value) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(self.number(value).to_string()),
        }
    }

    /// The value that a name or a number stands for.
    pub fn value(&self, text: &str) -> Option<u64> {
        if let Some(names) = self.names
            && let Some((&value, _)) = names.names.iter().find(|(_, name)| *name == text)
        {
            return Some(value);
        }
        let number: i128 = text.parse().ok()?;
        let value = number.rem_euclid(1 << self.width);
        let value = u64::try_from(value).ok()?;
        (self.number(value) == number).then_some(value)
    }

    /// The least and the greatest number.
    pub fn range(&self) -> (i128, i128) {
        let count = 1i128 << self.width;
        if self.is_signed {
            (-count / 2, count / 2 - 1)
        } else {
            (0, count - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_names_or_signs() {
        let names = BTreeMap::from([(0, "IDLE".to_owned()), (255, "LOST".to_owned())]);
        let tables = [ValueNames {
            names,
            is_signed: true,
        }];
        let shown = |notation: Notation, value| notation.of_width(&tables, 8).text(value);
        assert_eq!(shown(Notation::Unsigned, 255), "255");
        assert_eq!(shown(Notation::Signed, 255), "-1");
        assert_eq!(shown(Notation::Named(0), 255), "LOST");
        assert_eq!(shown(Notation::Named(0), 254), "-2");
        let read = |notation: Notation, text: &str| notation.of_width(&tables, 8).value(text);
        assert_eq!(read(Notation::Named(0), "LOST"), Some(255));
        assert_eq!(read(Notation::Signed, "-128"), Some(128));
        assert_eq!(read(Notation::Signed, "128"), None);
        assert_eq!(read(Notation::Unsigned, "-1"), None);
        let wide = Notation::Signed.of_width(&tables, 64);
        assert_eq!(wide.value("-1"), Some(u64::MAX));
        assert_eq!(wide.range(), (i128::from(i64::MIN), i128::from(i64::MAX)));
    }
}
