//! Where the tokens of a line stood before the preprocessor expanded macros in it.
//!
//! A name of the source line that its expansion does not have is a macro, with its arguments if a
//! bracket follows. What stands between macros is in the expansion as it was, in the same order and
//! as deep in brackets, so it is looked for there; the tokens in between are those of the macros.
//! Where that fails the caller has only the line.

use hardbop_syntax::Span;
use std::collections::BTreeSet;

/// A token: where it is, and how many brackets are open before it.
#[derive(Clone, Copy, Debug)]
pub struct Token<'t> {
    pub start: usize,
    pub text: &'t str,
    depth: i32,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn is_name(&self) -> bool {
        self.text
            .starts_with(|c: char| c == '_' || c == '$' || c.is_alphabetic())
    }

    fn is_like(&self, other: &Token<'_>) -> bool {
        self.text == other.text && self.depth == other.depth
    }
}

/// The tokens of some pieces of text: each with where it starts.
pub fn tokens<'t>(pieces: impl IntoIterator<Item = (usize, &'t str)>) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut depth = 0;
    for (offset, piece) in pieces {
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            let start = offset + (piece.len() - rest.len());
            let length = length(rest, first);
            if !first.is_whitespace() {
                if matches!(first, ')' | ']' | '}') {
                    depth -= 1;
                }
                let text = &rest[..length];
                tokens.push(Token { start, text, depth });
                if matches!(first, '(' | '[' | '{') {
                    depth += 1;
                }
            }
            rest = &rest[length..];
        }
    }
    tokens
}

/// The length of the token at the beginning of a text. Operators are taken sign by sign.
fn length(text: &str, first: char) -> usize {
    let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    if is_word(first) {
        return text.find(|c| !is_word(c)).unwrap_or(text.len());
    }
    if first != '"' && first != '\'' {
        return first.len_utf8();
    }
    let mut is_escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        if c == first && !is_escaped {
            return index + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// The place in the source of every token of an expansion, or nothing where that cannot be told.
pub fn align(source: &[Token<'_>], expanded: &[Token<'_>]) -> Option<Vec<Span>> {
    let parts = parts(source, expanded);
    let mut places: Vec<Span> = Vec::with_capacity(expanded.len());
    let mut pending: Option<Span> = None;
    for (index, part) in parts.iter().enumerate() {
        match *part {
            Part::Macro(place) => pending = Some(place),
            Part::Kept(kept) => {
                let from = places.len();
                let is_last = index + 1 == parts.len();
                let at = find(kept, &expanded[from..], pending.is_none(), is_last)?;
                places.extend(std::iter::repeat_n(pending.take().unwrap_or_default(), at));
                places.extend(kept.iter().map(span));
            }
        }
    }
    let left = expanded.len() - places.len();
    match pending {
        Some(place) => places.extend(std::iter::repeat_n(place, left)),
        None if left > 0 => return None,
        None => {}
    }
    Some(places)
}

fn span(token: &Token<'_>) -> Span {
    Span::new(token.start as u32, token.end() as u32)
}

/// A stretch of a source line.
enum Part<'a, 't> {
    /// Tokens that the preprocessor leaves as they are.
    Kept(&'a [Token<'t>]),
    /// Macros with nothing in between.
    Macro(Span),
}

fn parts<'a, 't>(source: &'a [Token<'t>], expanded: &[Token<'_>]) -> Vec<Part<'a, 't>> {
    let names: BTreeSet<&str> = expanded.iter().map(|token| token.text).collect();
    let mut parts = Vec::new();
    let (mut kept, mut index) = (0, 0);
    while index < source.len() {
        let token = &source[index];
        if !token.is_name() || names.contains(token.text) {
            index += 1;
            continue;
        }
        let mut next = index + 1;
        if source.get(next).is_some_and(|token| token.text == "(") {
            let closes = |t: &Token<'_>| t.text == ")" && t.depth == token.depth;
            let length = source[next..].iter().position(closes);
            next = length.map_or(source.len(), |length| next + length + 1);
        }
        let place = span(token).to(span(&source[next - 1]));
        match parts.last_mut() {
            Some(Part::Macro(before)) if kept == index => *before = before.to(place),
            _ => {
                if kept < index {
                    parts.push(Part::Kept(&source[kept..index]));
                }
                parts.push(Part::Macro(place));
            }
        }
        (kept, index) = (next, next);
    }
    if kept < source.len() {
        parts.push(Part::Kept(&source[kept..]));
    }
    parts
}

/// Where tokens stand in an expansion: at its beginning if no macro comes before them, at its end
/// if they are the last ones, else as early as they can.
fn find(
    kept: &[Token<'_>],
    expanded: &[Token<'_>],
    is_first: bool,
    is_last: bool,
) -> Option<usize> {
    let last = expanded.len().checked_sub(kept.len())?;
    let mut starts = match (is_first, is_last) {
        (true, _) => 0..=0,
        (false, true) => last..=last,
        (false, false) => 0..=last,
    };
    starts.find(|&at| {
        let there = expanded[at..].iter().zip(kept);
        expanded.len() >= at + kept.len() && there.clone().all(|(one, other)| one.is_like(other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The piece of the source line that each of some pieces of the expansion comes from.
    fn origins(source: &str, expanded: &str, pieces: &[&str]) -> Option<Vec<String>> {
        let (of_source, of_expanded) = (tokens([(0, source)]), tokens([(0, expanded)]));
        let places = align(&of_source, &of_expanded)?;
        let origin = |piece: &&str| {
            let start = expanded.find(piece).expect("it is there");
            let end = start + piece.len();
            let inside =
                |token: &&(&Token<'_>, &Span)| start <= token.0.start && token.0.end() <= end;
            let spans = of_expanded.iter().zip(&places);
            let inside: Vec<Span> = spans
                .filter(|t| inside(&t))
                .map(|(_, span)| *span)
                .collect();
            source[inside[0].to(inside[inside.len() - 1]).range()].to_owned()
        };
        Some(pieces.iter().map(origin).collect())
    }

    #[test]
    fn what_macros_make_stands_where_they_stand() {
        let shown = origins(
            "bool push(int v) { if (top >= N) return false; stack[top++] = v; return true; }",
            "_Bool push(int v) { if (top >= 4) return 0; stack[top++] = v; return 1; }",
            &["_Bool", "top >= 4", "return 0", "stack[top++]", "return 1"],
        );
        let shown = shown.expect("they can be told");
        assert_eq!(
            shown,
            [
                "bool",
                "top >= N",
                "return false",
                "stack[top++]",
                "return true"
            ]
        );
    }

    #[test]
    fn two_macros_of_one_line_are_told_apart() {
        let shown = origins(
            "{ assert(x > 0); assert(y); z = 1; }",
            "{ ((void)({ if (x > 0) ; else fail(\"x > 0\"); })); \
             ((void)({ if (y) ; else fail(\"y\"); })); z = 1; }",
            &["if (x > 0) ; else fail(\"x > 0\")", "if (y) ;", "z = 1"],
        );
        let shown = shown.expect("they can be told");
        assert_eq!(shown, ["assert(x > 0)", "assert(y)", "z = 1"]);
    }

    #[test]
    fn what_cannot_be_told_is_not_guessed() {
        assert_eq!(origins("a = 1;", "b + 1;", &[]), None);
        assert_eq!(origins("a; b;", "a; b; c;", &[]), None);
        let open = origins("check(a,", "((a) && (b));", &["(b)"]);
        assert_eq!(open.expect("the rest is the macro's"), ["check(a,"]);
    }
}
