//! The stable codes of all errors and warnings, with what `hardbop explain` says about each.
//!
//! One table per group: [`grammar`] (HB001 to HB019), [`naming`] (HB020 to HB039), [`word`]
//! (HB040 to HB049), [`threading`] (HB050 to HB069), [`warning`] (HB070 to HB089), [`c`] (HB090 to
//! HB099) for C programs, [`calculus`] (HB100 to HB149) for the `.mu` language, [`property`] (HB150 to HB169) for properties. A code, once given, keeps its number and
//! its meaning. Every entry carries a program that shows the problem and one without it; a test
//! holds the checker to both.

pub mod c;
pub mod calculus;
pub mod grammar;
pub mod naming;
pub mod property;
pub mod threading;
pub mod warning;
pub mod word;

use crate::diagnostic::Severity;

pub use c::*;
pub use grammar::*;
pub use naming::*;
pub use property::*;
pub use threading::*;
pub use warning::*;
pub use word::*;

/// A code, `HB0xx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub u16);

/// What there is to know about a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// A few words.
    pub title: &'static str,
    /// Some sentences: what is wrong, why it matters, what to do.
    pub text: &'static str,
    /// A small program that gets this code.
    pub bad: &'static str,
    /// The same program as it should be: without errors and without this code.
    pub fixed: &'static str,
}

/// Declares the codes of one group: a constant for each and the table of their explanations.
macro_rules! codes {
    ($($name:ident = $number:literal, $severity:ident, $title:literal, $text:literal,
        bad: $bad:literal, fixed: $fixed:literal;)*) => {
        use super::{Code, Explanation};
        use crate::diagnostic::Severity;

        $(#[doc = concat!("The code for: ", $title, ".")] pub const $name: Code = Code($number);)*

        /// The explanations of this group, in order of the codes.
        pub(super) const EXPLANATIONS: &[Explanation] = &[$(Explanation {
            code: $name,
            severity: Severity::$severity,
            title: $title,
            text: $text,
            bad: $bad,
            fixed: $fixed,
        },)*];
    };
}
use codes;

/// The explanations of all codes, in order of the codes.
pub fn all() -> impl Iterator<Item = &'static Explanation> {
    of_programs()
        .chain(of_c())
        .chain(of_formulas())
        .chain(of_properties())
}

/// The explanations of the codes of programs, in order of the codes.
pub fn of_programs() -> impl Iterator<Item = &'static Explanation> {
    let groups = [
        grammar::EXPLANATIONS,
        naming::EXPLANATIONS,
        word::EXPLANATIONS,
        threading::EXPLANATIONS,
        warning::EXPLANATIONS,
    ];
    groups.into_iter().flatten()
}

/// The explanations of the codes of C programs, in order of the codes.
pub fn of_c() -> impl Iterator<Item = &'static Explanation> {
    c::EXPLANATIONS.iter()
}

/// The explanations of the codes of the `.mu` language, in order of the codes.
pub fn of_formulas() -> impl Iterator<Item = &'static Explanation> {
    calculus::EXPLANATIONS.iter()
}

/// The explanations of the codes of properties, in order of the codes.
pub fn of_properties() -> impl Iterator<Item = &'static Explanation> {
    property::EXPLANATIONS.iter()
}

impl Explanation {
    /// Whether its examples are properties of [`property::EXAMPLE_PROGRAM`] instead of programs.
    pub fn is_about_properties(&self) -> bool {
        property::EXPLANATIONS.contains(self)
    }

    /// Whether its examples are C programs.
    pub fn is_about_c(&self) -> bool {
        c::EXPLANATIONS.contains(self)
    }

    /// Whether its examples are files of the `.mu` language instead of programs.
    pub fn is_about_formulas(&self) -> bool {
        calculus::EXPLANATIONS.contains(self)
    }
}

impl Code {
    /// The code that a text such as `HB012` names, if there is one. Case does not matter; `12` and
    /// `HB12` will do.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = match text.get(..2) {
            Some(prefix) if prefix.eq_ignore_ascii_case("hb") => &text[2..],
            _ => text,
        };
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let number = is_number.then(|| digits.parse().ok()).flatten()?;
        all().map(|e| e.code).find(|code| code.0 == number)
    }

    /// What there is to know about it.
    ///
    /// # Panics
    /// If it is not one of the constants of this module.
    pub fn explanation(self) -> &'static Explanation {
        all()
            .find(|explanation| explanation.code == self)
            .expect("codes are made in this module only, each with its explanation")
    }

    /// Error or warning.
    pub fn severity(self) -> Severity {
        self.explanation().severity
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HB{:03}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_read_back() {
        let codes: Vec<Code> = all().map(|e| e.code).collect();
        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]));
        for code in codes {
            assert_eq!(Code::parse(&code.to_string()), Some(code));
        }
    }

    #[test]
    fn only_known_codes_are_read() {
        assert_eq!(Code::parse("hb5"), Some(EXPECTED));
        assert_eq!(Code::parse("HB019"), None);
        assert_eq!(Code::parse("HB"), None);
        assert_eq!(Code::parse("HB+05"), None);
        assert_eq!(Code::parse("ä"), None);
    }
}
