//! Text to tokens, on demand.
//!
//! Mucke reads the longest run of operator characters as one operator, so that `a=!b` is an error
//! there; here an operator is the longest one that the language has. The lexer never stops at an
//! error: it reports it, skips what it cannot read as one piece and goes on.

use crate::token::{Token, TokenKind};
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span};

/// After this many errors the rest of the file is not read.
const MAX_ERRORS: usize = 100;

/// Reads tokens off a text.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    /// Address of the first byte of the text, see [`crate::sources`].
    base: u32,
    position: usize,
    errors: usize,
    /// Errors met so far, the parser's included, in the order they were found.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str, base: u32) -> Self {
        // A byte order mark is not part of the text.
        let position = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self {
            text,
            base,
            position,
            errors: 0,
            diagnostics: Vec::new(),
        }
    }

    /// The text of a span of this file.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// Where the way to a component ends that starts at an address, as in `exists bool s.a[1]. f`.
    /// The `.` before a body stands before a blank, the others do not; without that `s.t.x = 1`
    /// after `exists S` would be ambiguous.
    pub(crate) fn component_end(&self, start: u32) -> Option<u32> {
        let text = &self.text[(start - self.base) as usize..];
        let is_way = |byte: u8| is_name_byte(byte) || matches!(byte, b'.' | b'[' | b']');
        let length = text.bytes().position(|byte| !is_way(byte))?;
        let way = match text.as_bytes()[length] {
            b':' | b',' => &text[..length],
            byte if byte.is_ascii_whitespace() => text[..length].strip_suffix('.')?,
            _ => return None,
        };
        let mut names = way.strip_prefix('.')?.split('.');
        let starts_name = |name: &str| name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        names.all(starts_name).then_some(start + way.len() as u32)
    }

    /// Reports an error. One error too many ends the file: every later token is `End`.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.errors > MAX_ERRORS {
            return;
        }
        let span = diagnostic.primary.span;
        self.errors += usize::from(diagnostic.is_error());
        if self.errors > MAX_ERRORS {
            self.position = self.text.len();
            let message =
                format!("more than {MAX_ERRORS} errors; the rest of the file is not read");
            self.diagnostics
                .push(Diagnostic::new(codes::TOO_MANY_ERRORS, span, message));
        } else {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The next token; `End` at the end, again and again.
    pub(crate) fn next_token(&mut self) -> Token {
        loop {
            self.skip_blanks_and_comments();
            let start = self.position;
            let Some(byte) = self.peek(0) else {
                return self.token(TokenKind::End, start);
            };
            let kind = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    self.take_while(is_name_byte);
                    TokenKind::word(&self.text[start..self.position]).unwrap_or(TokenKind::Name)
                }
                b'0'..=b'9' => {
                    self.take_while(|b| b.is_ascii_digit());
                    TokenKind::Number
                }
                b'#' if self.peek(1).is_some_and(|b| b.is_ascii_alphabetic()) => {
                    self.position += 1;
                    self.take_while(is_name_byte);
                    TokenKind::Command
                }
                b'"' => self.quoted(),
                _ => match self.symbol(byte) {
                    Some((kind, length)) => {
                        self.position += length;
                        kind
                    }
                    None => {
                        self.skip_unreadable();
                        continue;
                    }
                },
            };
            return self.token(kind, start);
        }
    }

    fn token(&self, kind: TokenKind, start: usize) -> Token {
        let span = self.span_from(start);
        Token { kind, span }
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.base + start as u32, self.base + self.position as u32)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.position + ahead).copied()
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&accept) {
            self.position += 1;
        }
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            self.take_while(|b| b.is_ascii_whitespace());
            let start = self.position;
            match (self.peek(0), self.peek(1)) {
                (Some(b'/'), Some(b'/')) => self.take_while(|b| b != b'\n'),
                (Some(b'/'), Some(b'*')) => match self.text[start + 2..].find("*/") {
                    Some(length) => self.position = start + 2 + length + 2,
                    None => self.unterminated(start, 2, "this comment is never closed", "*/"),
                },
                _ => return,
            }
        }
    }

    fn quoted(&mut self) -> TokenKind {
        let start = self.position;
        match self.text[start + 1..].find('"') {
            Some(length) => self.position = start + 1 + length + 1,
            None => self.unterminated(start, 1, "this text is never closed", "\""),
        }
        TokenKind::Text
    }

    fn unterminated(&mut self, start: usize, length: u32, message: &str, end: &str) {
        self.position = self.text.len();
        let first = self.base + start as u32;
        let opening = Span::new(first, first + length);
        let diagnostic = Diagnostic::new(codes::UNTERMINATED, opening, message);
        self.report(diagnostic.help(format!("end it with `{end}`")));
    }

    fn symbol(&self, first: u8) -> Option<(TokenKind, usize)> {
        use TokenKind as K;
        let second = self.peek(1);
        let long = |next: u8, kind: K| (second == Some(next)).then_some((kind, 2));
        let one = |kind: K| Some((kind, 1));
        let is_three = |next: u8| second == Some(next) && self.peek(2) == Some(b'>');
        match first {
            b'(' => one(K::LeftParen),
            b')' => one(K::RightParen),
            b'{' => one(K::LeftBrace),
            b'}' => one(K::RightBrace),
            b'[' => one(K::LeftBracket),
            b']' => one(K::RightBracket),
            b',' => one(K::Comma),
            b';' => one(K::Semicolon),
            b'.' => one(K::Dot),
            b':' => one(K::Colon),
            b'&' => one(K::And),
            b'|' => one(K::Or),
            b'=' => one(K::Equal),
            b'>' => one(K::Greater),
            b'!' => long(b'=', K::NotEqual).or(one(K::Bang)),
            b'-' => long(b'>', K::Implies),
            b'~' => long(b'+', K::Interleaved).or(long(b'-', K::Backwards)),
            b'<' if is_three(b'-') => Some((K::Iff, 3)),
            b'<' if is_three(b'+') => Some((K::Xor, 3)),
            b'<' => long(b'-', K::ImpliedBy).or(one(K::Less)),
            _ => None,
        }
    }

    /// Reports a run of characters that start no token, as one error.
    fn skip_unreadable(&mut self) {
        let start = self.position;
        while let Some(next) = self.text[self.position..].chars().next() {
            let starts_token = next.is_ascii_whitespace()
                || next.is_ascii_alphanumeric()
                || matches!(next, '_' | '"' | '/')
                || u8::try_from(next).is_ok_and(|byte| self.symbol(byte).is_some());
            if starts_token && self.position > start {
                break;
            }
            self.position += next.len_utf8();
        }
        let span = self.span_from(start);
        let shown: String = self.slice(span).chars().take(12).collect();
        let message = format!("`{}` does not belong to the language", shown.escape_debug());
        self.report(Diagnostic::new(codes::UNEXPECTED_CHARACTER, span, message));
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut lexer = Lexer::new(text, 0);
        let tokens = std::iter::from_fn(|| Some(lexer.next_token().kind));
        tokens.take_while(|&kind| kind != TokenKind::End).collect()
    }

    #[test]
    fn operators_need_no_blanks_between_them() {
        use TokenKind::{Bang, Equal, Iff, ImpliedBy, Name, NotEqual, Xor};
        assert_eq!(kinds("a=!b"), [Name, Equal, Bang, Name]);
        assert_eq!(kinds("a!=!b"), [Name, NotEqual, Bang, Name]);
        assert_eq!(
            kinds("a<->b<-c<+>d"),
            [Name, Iff, Name, ImpliedBy, Name, Xor, Name]
        );
    }

    #[test]
    fn names_have_primes_and_ranges_are_not_fractions() {
        use TokenKind::{Dot, Equal, Name, Number};
        assert_eq!(kinds("r'=0..12"), [Name, Equal, Number, Dot, Dot, Number]);
    }

    #[test]
    fn a_dot_before_a_blank_ends_the_way_to_a_component() {
        let length = |text: &str| Lexer::new(text, 7).component_end(7).map(|end| end - 7);
        assert_eq!(length(".a[1].b. f"), Some(7));
        assert_eq!(length(".a, bool t.b. f"), Some(2));
        assert_eq!(length(". a.b = c"), None);
        assert_eq!(length(".a.b = c"), None);
        assert_eq!(length(".P(s)"), None);
    }

    #[test]
    fn unreadable_text_is_one_error_and_reading_goes_on() {
        let mut lexer = Lexer::new("a @@€ b", 0);
        let kinds: Vec<TokenKind> = (0..3).map(|_| lexer.next_token().kind).collect();
        assert_eq!(kinds, [TokenKind::Name, TokenKind::Name, TokenKind::End]);
        assert_eq!(lexer.diagnostics.len(), 1);
    }
}
