//! The text before it is parsed: comments, directives, and how deeply it is nested.
//!
//! Comments and directives become blanks of the same length, so that places stay what they are.
//! The parser is recursive, and so is everything that walks its tree; the nesting of a text is
//! measured first and a text that is nested too deeply is refused, so that the stack of the one
//! thread that does all this is large enough.

use std::collections::BTreeSet;

/// The largest number of brackets that are open at once, as in other compilers.
pub const MAX_BRACKETS: usize = 256;

/// The largest number of tokens of statements and expressions that are open at once. Without
/// brackets it takes a token at least to go one level deeper.
pub const MAX_OPEN_TOKENS: usize = 6_000;

/// The largest number of `++` and `--` in one expression. Where the text is wrong behind them, the
/// parser tries each as two signs too, and so all that follows once more.
pub const MAX_STEPS: usize = 12;

/// A text without comments and directives.
pub struct Stripped {
    pub text: String,
    /// Where the first directive stands that only a preprocessor understands.
    pub directive: Option<(usize, usize)>,
    /// Where a comment begins that does not end.
    pub open_comment: Option<usize>,
}

/// Blanks comments, line markers and `#pragma`; other directives are blanked and reported.
pub fn strip(text: &str) -> Stripped {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let blank = |out: &mut Vec<u8>, from: usize, to: usize| {
        for byte in &mut out[from..to] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    let mut directive = None;
    let mut open_comment = None;
    let mut line_is_empty = true;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = match bytes[at] {
            b'/' if rest.starts_with(b"//") => {
                let end = end_of_line(bytes, at);
                blank(&mut out, at, end);
                end
            }
            b'/' if rest.starts_with(b"/*") => {
                let end = find(&rest[2..], b"*/").map(|found| at + 2 + found + 2);
                if end.is_none() {
                    open_comment = open_comment.or(Some(at));
                }
                let end = end.unwrap_or(bytes.len());
                blank(&mut out, at, end);
                end
            }
            quote @ (b'"' | b'\'') => {
                line_is_empty = false;
                end_of_literal(bytes, at, quote)
            }
            b'#' if line_is_empty => {
                let end = end_of_line(bytes, at);
                if !is_marker(&bytes[at + 1..end]) {
                    directive = directive.or(Some((at, end)));
                }
                blank(&mut out, at, end);
                end
            }
            byte => {
                line_is_empty = byte == b'\n' || (line_is_empty && byte.is_ascii_whitespace());
                at + 1
            }
        };
        at = end;
    }
    Stripped {
        // Whole comments and directives were replaced by ASCII.
        text: String::from_utf8(out).unwrap_or_default(),
        directive,
        open_comment,
    }
}

/// The text with `register` for each `__thread`, a word of GNU C that the parser does not know, and
/// the places of these words. Both words have the same length.
pub fn readable(mut text: String) -> (String, BTreeSet<usize>) {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let bytes = text.as_bytes();
    let mut places = BTreeSet::new();
    let mut at = 0;
    while at < bytes.len() {
        at = match bytes[at] {
            quote @ (b'"' | b'\'') => end_of_literal(bytes, at, quote),
            byte if is_part(Some(&byte)) => {
                let rest = bytes[at..].iter().position(|byte| !is_part(Some(byte)));
                let end = rest.map_or(bytes.len(), |length| at + length);
                if &bytes[at..end] == b"__thread" {
                    places.insert(at);
                }
                end
            }
            _ => at + 1,
        };
    }
    for &place in &places {
        text.replace_range(place..place + THREAD.len(), "register");
    }
    (text, places)
}

/// The word of GNU C for `_Thread_local`.
const THREAD: &str = "__thread";

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// The end of a line, which `\` continues.
fn end_of_line(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        match bytes[at..].iter().position(|&byte| byte == b'\n') {
            None => return bytes.len(),
            Some(found) if bytes[at..at + found].ends_with(b"\\") => at += found + 1,
            Some(found) => return at + found,
        }
    }
}

/// Behind the quote that ends a literal, or at the end of its line.
fn end_of_literal(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// `# 12 "file"`, `#line 12`, `#pragma …`, `#ident …` or nothing: no preprocessor is needed for it.
fn is_marker(directive: &[u8]) -> bool {
    let directive = directive.trim_ascii();
    let word = directive.split(|byte| !byte.is_ascii_alphanumeric()).next();
    match word {
        None | Some(b"") => directive.is_empty(),
        Some(b"line" | b"pragma" | b"ident") => true,
        Some(word) => word.iter().all(u8::is_ascii_digit),
    }
}

/// What is open at one level of brackets.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Tokens of the statement or expression so far.
    tokens: usize,
    /// How many of them are `?`, whose branches can have commas.
    questions: usize,
    /// `++` and `--` since the expression began.
    steps: usize,
    /// The statement may go on with `else`.
    ended: bool,
}

/// Where a stripped text is nested too deeply, if it is.
pub fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut levels = vec![Level::default()];
    let (mut open, mut steps) = (0, 0);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let end = match byte {
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'"' | b'\'' => end_of_literal(bytes, at, byte),
            _ if is_word(byte) => {
                let rest = bytes[at..].iter().position(|&byte| !is_word(byte));
                rest.map_or(bytes.len(), |length| at + length)
            }
            b'+' | b'-' if bytes.get(at + 1) == Some(&byte) => at + 2,
            _ => at + 1,
        };
        let token = &bytes[at..end];
        let depth = levels.len();
        let last = levels.last_mut().expect("the outermost level stays");
        if last.ended {
            last.ended = false;
            if token != b"else" {
                open -= last.tokens;
                (last.tokens, last.questions) = (0, 0);
            }
        }
        last.tokens += 1;
        open += 1;
        match byte {
            b'(' | b'[' | b'{' => levels.push(Level::default()),
            b')' | b']' | b'}' if depth > 1 => {
                let inner = levels.pop().expect("there are two at least");
                open -= inner.tokens;
                steps -= inner.steps;
                let last = levels.last_mut().expect("the outermost level stays");
                last.ended = byte == b'}';
            }
            b';' => {
                last.ended = true;
                steps -= std::mem::take(&mut last.steps);
            }
            b'?' => last.questions += 1,
            b'+' | b'-' if token.len() == 2 => {
                last.steps += 1;
                steps += 1;
            }
            b',' => {
                steps -= std::mem::take(&mut last.steps);
                open -= last.tokens - last.questions;
                last.tokens = last.questions;
            }
            _ => {}
        }
        if levels.len() > MAX_BRACKETS || open > MAX_OPEN_TOKENS || steps > MAX_STEPS {
            return Some(at);
        }
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_where_they_are() {
        let text = "a/*b*/c//d\n# 1 \"x\"\n'//' \"/*\\\"\" e\n";
        let stripped = strip(text);
        assert_eq!(stripped.text, "a     c   \n       \n'//' \"/*\\\"\" e\n");
        assert_eq!(stripped.directive, None);
        let stripped = strip("x\n #define A \\\n 1\ny /* ä");
        assert_eq!(stripped.directive, Some((3, 17)));
        assert_eq!(stripped.open_comment, Some(20));
        assert_eq!(stripped.text.trim_end(), "x\n            \n  \ny");
    }

    #[test]
    fn what_nests_without_brackets_is_counted_too() {
        let deep = |head: &str, part: &str, tail: &str, count: usize| {
            too_deep(&format!("{head}{}{tail}", part.repeat(count))).is_some()
        };
        for (part, tail) in [("!", "x;"), ("1+", "x;"), ("if(x)", ";"), ("case 1:", ";")] {
            assert!(deep("f(){", part, tail, MAX_OPEN_TOKENS), "{part}");
            assert!(!deep("f(){", part, tail, 100), "{part}");
        }
        assert!(deep("f(){", "if(x){y;}else ", ";", MAX_OPEN_TOKENS));
        assert!(deep("f(){", "x ? y, ", ";", MAX_OPEN_TOKENS));
        assert!(deep("f(){", "{", "", MAX_BRACKETS));
        for part in ["--", "++", "--!", "++(", "--(int)", "--x["] {
            assert!(deep("f(){", part, ";", MAX_STEPS + 1), "{part}");
            assert!(!deep("f(){", part, ";", MAX_STEPS), "{part}");
        }
        assert!(!deep("f(){", "g(x++, --y);", "}", 10_000));
        assert!(!deep("f(){", "for(i=0;i<n;i++){x--;}", "}", 10_000));
        // A long program, a long list and a long call are not deep.
        assert!(!deep("f(){", "if(x){y=1;}", "}", 10_000));
        assert!(!deep("f(){", "x = y + 1;", "}", 10_000));
        assert!(!deep("int a[] = {", "1,", "};", 10_000));
        assert!(!deep("", "int f(){}", "", 10_000));
    }
}
