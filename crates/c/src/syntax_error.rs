//! What the parser expected, as one sentence.

use crate::lines::Lines;
use hardbop_syntax::{Diagnostic, codes};
use lang_c::driver::SyntaxError;
use std::collections::BTreeSet;

/// More alternatives than this do not help.
const MAX_ALTERNATIVES: usize = 4;

/// A syntax error.
pub fn diagnostic(error: &SyntaxError, text: &str, lines: &Lines) -> Diagnostic {
    let rest = text.get(error.offset..).unwrap_or("");
    let blanks = rest.len() - rest.trim_start().len();
    let start = error.offset + blanks;
    let rest = &rest[blanks..];
    let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let length = match word.unwrap_or(rest.len()) {
        0 => rest.chars().next().map_or(0, char::len_utf8),
        length => length.min(40),
    };
    let length = rest.ceil_char_boundary(length);
    let found = &rest[..length];
    let message = if found.is_empty() {
        "the text ends in the middle of something".to_owned()
    } else {
        format!("unexpected `{found}`")
    };
    let mut span = lines.span(start, start + length);
    if span.end == span.start && found == ";" {
        span.end += 1;
    }
    let diagnostic = Diagnostic::new(codes::C_SYNTAX, span, message);
    let expected: BTreeSet<&str> = error.expected.iter().copied().collect();
    let words = expected.iter().filter(|word| is_readable(word));
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    let semicolon = words.iter().any(|word| word == "`;`");
    match words.as_slice() {
        [] => diagnostic,
        words if words.len() <= MAX_ALTERNATIVES => {
            diagnostic.at(format!("expected {}", words.join(" or ")))
        }
        _ if semicolon => diagnostic.at("expected `;` here or an operator before"),
        _ => diagnostic,
    }
}

/// Whether it is a token and not the name of a rule or a set of characters.
fn is_readable(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('<') && !word.starts_with('[') && !word.contains('\n')
}
