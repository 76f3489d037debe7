//! Integer types of C and constants of all forms: decimal, hexadecimal, octal, characters, with every
//! suffix, many of them at the ends of a type's range.

use super::choices::Choices;

/// The integer types that objects have. `enum low@` and `enum signs@` are declared by every program.
pub(super) const TYPES: [&str; 15] = [
    "int",
    "unsigned",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
    "_Bool",
    "char",
    "long long",
    "unsigned long long",
    "enum low@",
    "enum signs@",
    "const int",
];

/// A type, `int` and `unsigned` more often than others: what goes wrong when numbers of different
/// signs meet shows there.
pub(super) fn some_type(choices: &mut Choices, count: usize) -> &'static str {
    match choices.below(4) {
        0 => TYPES[choices.below(2)],
        _ => TYPES[choices.below(count)],
    }
}

/// How many of the types can be assigned to.
pub(super) const ASSIGNABLE: usize = TYPES.len() - 1;

/// The enumerations, each with its names.
pub(super) const ENUMERATIONS: [(&str, [&str; 5]); 2] = [
    (
        "enum low@ { NONE@, ONE@, SIX@ = 6, SEVEN@ };",
        ["low@", "NONE@", "ONE@", "SIX@", "SEVEN@"],
    ),
    (
        "enum signs@ { MINUS@ = -3, ZERO@ = 0, PLUS@, MANY@ = 300 };",
        ["signs@", "MINUS@", "ZERO@", "PLUS@", "MANY@"],
    ),
];

const ENUMERATORS: [&str; 8] = [
    "NONE@", "ONE@", "SIX@", "SEVEN@", "MINUS@", "ZERO@", "PLUS@", "MANY@",
];

const CHARACTERS: [&str; 10] = [
    "'0'", "'a'", "'Z'", "' '", "'\\n'", "'\\0'", "'\\x7f'", "'\\xff'", "'\\377'", "'\\\\'",
];

/// Numbers near the ends of the types.
const CORNERS: [&str; 30] = [
    "0",
    "1",
    "-1",
    "2",
    "-2",
    "127",
    "128",
    "255",
    "256",
    "-128",
    "-129",
    "32767",
    "32768",
    "65535",
    "65536",
    "-32768",
    "2147483647",
    "(-2147483647 - 1)",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "0x7FFFFFFF",
    "0x80000000",
    "0xFFFFFFFF",
    "0x100000000",
    "9223372036854775807",
    "(-9223372036854775807 - 1)",
    "0x7FFFFFFFFFFFFFFF",
    "0xFFFFFFFFFFFFFFFF",
];

const SUFFIXES: [&str; 8] = ["", "u", "l", "ul", "ll", "ull", "UL", "LLU"];

/// A constant.
pub(super) fn literal(choices: &mut Choices) -> String {
    match choices.below(12) {
        0 | 1 => choices.below(10).to_string(),
        2 => format!("-{}", 1 + choices.below(9)),
        3..5 | 10 => choices.pick(&CORNERS).to_owned(),
        5 => {
            let number = choices.below(1 << 16);
            let suffix = choices.pick(&SUFFIXES);
            format!("{number}{suffix}")
        }
        6 => {
            let number = choices.below(1 << 31);
            let suffix = choices.pick(&SUFFIXES);
            match choices.below(2) {
                0 => format!("0x{number:X}{suffix}"),
                _ => format!("0{number:o}{suffix}"),
            }
        }
        7 => choices.pick(&CHARACTERS).to_owned(),
        8 => choices.pick(&ENUMERATORS).to_owned(),
        _ => format!("-{}{}", choices.below(300), choices.pick(&SUFFIXES)),
    }
}

/// A constant that is small: inputs must leave few values.
pub(super) fn small_literal(choices: &mut Choices) -> String {
    match choices.below(8) {
        0..4 => choices.below(9).to_string(),
        4 => choices.pick(&ENUMERATORS).to_owned(),
        5 => choices
            .pick(&["'a'", "'\\377'", "7u", "3l", "1ul"])
            .to_owned(),
        6 => choices
            .pick(&["255", "256", "-1", "-128", "127", "128"])
            .to_owned(),
        _ => format!("-{}", choices.below(9)),
    }
}
