//! Names that a host gives to parts of its types, so that a system can speak of them.
//!
//! A program becomes enumerations of numbers and classes of bits. Whoever writes formulas about it
//! wants to write `At(u, DONE)`, `u.lock` and `main.before` instead of `At(u, 3)`, `u.CG.g4` and
//! `17`. A [`Vocabulary`] says what such names mean; the text that declares the types stays what
//! Mucke reads. **A variable of the text hides a name of the vocabulary**, unlike the values of an
//! enumeration that the text declares itself: the author of the text cannot know all names of all
//! programs.

use std::collections::BTreeMap;
use std::ops::Range;

/// The names of a host.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Names of values, by the name of their enumeration, which is one of numbers.
    pub values: BTreeMap<String, NamedValues>,
    /// Names that stand behind a variable of a class, as fields do.
    pub fields: BTreeMap<String, NamedField>,
    /// Types that the host cannot give, with the reason.
    pub refused: BTreeMap<String, String>,
    /// Whether names that are not listed may be names of a program that is not known yet.
    pub is_open: bool,
}

/// Names of the values of an enumeration.
#[derive(Clone, Debug, Default)]
pub struct NamedValues {
    /// What such a value is, such as "label".
    pub what: &'static str,
    /// The names with their codes; a name may have dots.
    pub names: BTreeMap<String, u64>,
    /// Other names for the same codes, which are not listed where a name is unknown.
    pub aliases: BTreeMap<String, u64>,
    /// The numbers that mean something, in order; all of them if there is no list.
    pub numbers: Option<Vec<u64>>,
}

impl NamedValues {
    /// The code of a name.
    pub(crate) fn code(&self, name: &str) -> Option<u64> {
        let code = self.names.get(name).or_else(|| self.aliases.get(name));
        code.copied()
    }
}

/// A name that stands behind a variable of a class.
#[derive(Clone, Debug, Default)]
pub struct NamedField {
    /// How many bits it has. One bit is a Boolean, more are a number.
    pub width: u32,
    /// Where it is; the first place whose condition holds counts, and without one it is 0.
    pub places: Vec<NamedPlace>,
    /// Why there is no place, if there is none at all.
    pub missing: Option<String>,
}

/// Where a named field is.
#[derive(Clone, Debug)]
pub struct NamedPlace {
    /// Only where this enumeration in the class has this code.
    pub when: Option<(&'static str, u64)>,
    /// The structure in the class that has it.
    pub field: &'static str,
    /// Its bits in that structure, the most significant first.
    pub bits: Range<u32>,
}
