//! `.prp` files: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.

use super::read;
use crate::exit::Failure;

/// A property that hardbop checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// A function is never called.
    UnreachCall {
        /// The function.
        function: String,
    },
    /// Signed arithmetic never overflows.
    NoOverflow,
    /// Every execution ends.
    Termination,
}

/// Properties of the competition that are recognised but not supported yet, by their formula.
const OTHERS: [(&str, &str); 7] = [
    ("G valid-free", "valid-memsafety"),
    ("G valid-deref", "valid-memsafety"),
    ("G valid-memtrack", "valid-memsafety"),
    ("G valid-memcleanup", "valid-memcleanup"),
    ("G ! data-race", "no-data-race"),
    ("G def-behavior", "def-behavior"),
    ("G assert", "assert"),
];

impl Property {
    /// Reads a property file.
    pub fn read(file: &str) -> Result<Self, Failure> {
        let text = read(file)?;
        Self::parse(&text).map_err(|why| Failure::BadInput(format!("{file}: {why}")))
    }

    /// The property that a text states.
    fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(str::trim);
        let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
        let line = lines.next().ok_or("the file states no property")?;
        if line.starts_with("COVER") {
            return Err("properties about test coverage are not supported".to_owned());
        }
        let formula = formula_of(line).ok_or_else(|| {
            format!("this is not of the form `CHECK( init(main()), LTL(…) )`: {line}")
        })?;
        let property = Self::of_formula(&formula)?;
        match lines.next() {
            None => Ok(property),
            Some(_) => Err("only files with one property are supported".to_owned()),
        }
    }

    fn of_formula(formula: &str) -> Result<Self, String> {
        if formula == "G ! overflow" {
            return Ok(Property::NoOverflow);
        }
        if formula == "F end" {
            return Ok(Property::Termination);
        }
        let called = formula.strip_prefix("G ! call(");
        let called = called.and_then(|rest| rest.strip_suffix("())"));
        if let Some(function) = called.filter(|name| is_identifier(name)) {
            let function = function.to_owned();
            return Ok(Property::UnreachCall { function });
        }
        let known = OTHERS.iter().find(|(text, _)| *text == formula);
        let name = match known {
            Some((_, name)) => format!("the property {name}"),
            None => format!("the formula `{formula}`"),
        };
        Err(format!(
            "{name} is not supported; supported are unreach-call, no-overflow and termination"
        ))
    }
}

impl std::fmt::Display for Property {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Property::UnreachCall { function } => write!(f, "unreach-call ({function})"),
            Property::NoOverflow => write!(f, "no-overflow"),
            Property::Termination => write!(f, "termination"),
        }
    }
}

/// The formula of a line, with one blank between words.
fn formula_of(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    let rest = line.strip_prefix("CHECK(")?.trim();
    let rest = rest.strip_prefix("init(")?;
    let (start, rest) = rest.split_once("())")?;
    if !is_identifier(start.trim()) {
        return None;
    }
    let rest = rest.trim_start().strip_prefix(',')?.trim_start();
    let rest = rest.strip_prefix("LTL(")?.trim_end();
    let formula = rest.strip_suffix(')')?.trim_end().strip_suffix(')')?;
    // `G !call(f())` and `G ! call( f() )` are the same.
    let formula = formula.trim().replace("! ", "!").replace('!', "! ");
    Some(formula.replace("( ", "(").replace(" )", ")"))
}

fn is_identifier(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_as_the_competition_writes_them() {
        let call = |function: &str| {
            let function = function.to_owned();
            Ok(Property::UnreachCall { function })
        };
        let cases = [
            (
                "CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n",
                call("reach_error"),
            ),
            (
                "CHECK( init(main()), LTL(G !call( __VERIFIER_error() )) )",
                call("__VERIFIER_error"),
            ),
            (
                "CHECK(init(main()),LTL(G ! overflow))",
                Ok(Property::NoOverflow),
            ),
            (
                "CHECK( init(main()), LTL(F end) )",
                Ok(Property::Termination),
            ),
        ];
        for (text, property) in cases {
            assert_eq!(Property::parse(text), property, "{text}");
        }
    }

    #[test]
    fn other_properties_are_refused_by_name() {
        let cases = [
            (
                "CHECK( init(main()), LTL(G ! data-race) )",
                "the property no-data-race",
            ),
            (
                "CHECK( init(main()), LTL(G (a -> F b)) )",
                "the formula `G (a -> F b)`",
            ),
            (
                "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )",
                "properties about test",
            ),
            ("CHECK( init(main()) )", "this is not of the form"),
            ("", "the file states no property"),
        ];
        for (text, start) in cases {
            let why = Property::parse(text).expect_err("it is not supported");
            assert!(why.starts_with(start), "{why}");
        }
    }
}
