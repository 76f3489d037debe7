//! Text to tokens, on demand.
//!
//! Written by hand rather than generated: `{…}` names, `*` and `?` with two meanings and comments
//! that the formatter wants back make up most of it. The lexer never stops at an error: it reports
//! it, skips what it cannot read as one piece and goes on. Tokens are made as the parser asks for
//! them, so a file of 100 MB needs no token table.

use crate::ast::Comment;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Token, TokenKind};

/// After this many errors the rest of the file is not read.
const MAX_ERRORS: usize = 100;

/// Reads tokens off a text.
pub struct Lexer<'a> {
    text: &'a str,
    position: usize,
    /// No `}` stands at or after this offset: keeps a file full of `{` from being searched again
    /// and again.
    no_brace_from: usize,
    errors: usize,
    /// Comments met so far.
    pub comments: Vec<Comment>,
    /// Errors met so far, the parser's included, in the order they were found.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of a text.
    pub fn new(text: &'a str) -> Self {
        // A byte order mark is not part of the program.
        let position = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self {
            text,
            position,
            no_brace_from: usize::MAX,
            errors: 0,
            comments: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// The text from an offset on.
    pub fn text_from(&self, offset: u32) -> &'a str {
        &self.text[offset as usize..]
    }

    /// Goes on behind the `}` that closes the brace at an offset, or at the end of the text; gives
    /// where that is. What was found inside is forgotten.
    pub fn leave_braces(&mut self, opening: u32) -> u32 {
        let rest = self.text_from(opening);
        let mut depth = 0_usize;
        let closing = rest.bytes().position(|byte| {
            depth += usize::from(byte == b'{');
            depth -= usize::from(byte == b'}');
            depth == 0
        });
        self.position = closing.map_or(self.text.len(), |length| opening as usize + length + 1);
        let is_before = |span: Span| span.start <= opening;
        self.comments.retain(|comment| is_before(comment.span));
        self.diagnostics
            .retain(|diagnostic| is_before(diagnostic.primary.span));
        self.errors = self.diagnostics.iter().filter(|d| d.is_error()).count();
        self.position as u32
    }

    /// Reports an error. One error too many ends the file: every later token is `End`.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.errors > MAX_ERRORS {
            return;
        }
        let span = diagnostic.primary.span;
        self.errors += usize::from(diagnostic.is_error());
        if self.errors > MAX_ERRORS {
            self.position = self.text.len();
            self.diagnostics.push(Diagnostic::new(
                codes::TOO_MANY_ERRORS,
                span,
                format!("more than {MAX_ERRORS} errors; the rest of the file is not read"),
            ));
        } else {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether reading was given up after too many errors.
    pub fn gave_up(&self) -> bool {
        self.errors > MAX_ERRORS
    }

    /// The next token; `End` at the end, again and again.
    pub fn next_token(&mut self) -> Token {
        loop {
            self.skip_blanks_and_comments();
            let start = self.position;
            let Some(byte) = self.peek(0) else {
                return self.token(TokenKind::End, start);
            };
            let kind = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.word(),
                b'0'..=b'9' => {
                    if self.at_hexadecimal() {
                        self.position += 2;
                        self.take_while(|b| b.is_ascii_hexdigit());
                    } else {
                        self.take_while(|b| b.is_ascii_digit());
                    }
                    TokenKind::Number
                }
                b'{' => match self.braced_name() {
                    Some(kind) => kind,
                    None => continue,
                },
                _ => match self.symbol(byte).or_else(|| self.symbol_of_papers()) {
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
        Token {
            kind,
            span: self.span_from(start),
        }
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start as u32, self.position as u32)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.position + ahead).copied()
    }

    fn at_hexadecimal(&self) -> bool {
        self.peek(0) == Some(b'0')
            && matches!(self.peek(1), Some(b'x' | b'X'))
            && self.peek(2).is_some_and(|b| b.is_ascii_hexdigit())
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
                (Some(b'/'), Some(b'/')) => {
                    self.take_while(|b| b != b'\n');
                    let text = self.text[start..self.position].trim_end();
                    let end = (start + text.len()) as u32;
                    self.comments.push(Comment {
                        span: Span::new(start as u32, end),
                    });
                }
                (Some(b'/'), Some(b'*')) => {
                    if let Some(length) = self.text[start + 2..].find("*/") {
                        self.position = start + 2 + length + 2;
                    } else {
                        self.position = self.text.len();
                        let opening = Span::new(start as u32, start as u32 + 2);
                        self.report(
                            Diagnostic::new(
                                codes::UNTERMINATED_COMMENT,
                                opening,
                                "this comment is never closed",
                            )
                            .help("end it with `*/`"),
                        );
                    }
                    self.comments.push(Comment {
                        span: self.span_from(start),
                    });
                }
                _ => return,
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.position;
        self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$');
        let span = self.span_from(start);
        let word = self.slice(span);
        if word.len() > 1 && word.ends_with('$') {
            self.report(
                Diagnostic::new(
                    codes::BOOM_ONLY,
                    span,
                    format!("`{word}` is a passive variable, which only BOOM has"),
                )
                .help("hardbop does not read BOOM's passive variables and `sync`"),
            );
        }
        if word == "_" {
            return TokenKind::Underscore;
        }
        TokenKind::keyword(word).unwrap_or(TokenKind::Name)
    }

    /// `{…}`; without a closing brace an error, and reading goes on after the line.
    fn braced_name(&mut self) -> Option<TokenKind> {
        let start = self.position;
        let closing = if start >= self.no_brace_from {
            None
        } else {
            self.text[start..].find('}')
        };
        if let Some(length) = closing {
            self.position = start + length + 1;
            return Some(TokenKind::Name);
        }
        self.no_brace_from = self.no_brace_from.min(start);
        self.take_while(|b| b != b'\n');
        let opening = Span::new(start as u32, start as u32 + 1);
        self.report(
            Diagnostic::new(
                codes::UNTERMINATED_NAME,
                opening,
                "this name is never closed",
            )
            .help("a name may be any text between `{` and `}`"),
        );
        None
    }

    fn symbol(&self, first: u8) -> Option<(TokenKind, usize)> {
        use TokenKind as K;
        let second = self.peek(1);
        let long = |next: u8, kind: K| (second == Some(next)).then_some((kind, 2));
        let one = |kind: K| Some((kind, 1));
        match first {
            b'\'' => one(K::Prime),
            b'(' => one(K::LeftParen),
            b')' => one(K::RightParen),
            b'[' => one(K::LeftBracket),
            b']' => one(K::RightBracket),
            b',' => one(K::Comma),
            b';' => one(K::Semicolon),
            b'?' => one(K::Question),
            b'*' => one(K::Star),
            b'~' => one(K::Tilde),
            b'^' => one(K::Caret),
            b'+' => one(K::Plus),
            b'/' => one(K::Slash),
            b'%' => one(K::Percent),
            b':' => long(b'=', K::Assign).or(one(K::Colon)),
            b'!' => long(b'=', K::NotEqual).or(one(K::Bang)),
            b'|' => long(b'|', K::BarBar).or(one(K::Bar)),
            b'&' => long(b'&', K::AmpersandAmpersand).or(one(K::Ampersand)),
            b'-' => long(b'>', K::Arrow).or(one(K::Minus)),
            b'>' => long(b'=', K::GreaterEqual)
                .or(long(b'>', K::ShiftRight))
                .or(one(K::Greater)),
            b'=' => long(b'>', K::FatArrow)
                .or(long(b'=', K::EqualEqual))
                .or(one(K::Equal)),
            b'<' if second == Some(b'-') && self.peek(2) == Some(b'>') => Some((K::Iff, 3)),
            b'<' => long(b'=', K::LessEqual)
                .or(long(b'<', K::ShiftLeft))
                .or(one(K::Less)),
            _ => None,
        }
    }

    /// The signs of the papers' grammars that ASCII does not have.
    fn symbol_of_papers(&self) -> Option<(TokenKind, usize)> {
        use TokenKind as K;
        let sign = self.text[self.position..].chars().next()?;
        let kind = match sign {
            '¬' => K::Bang,
            '∧' => K::Ampersand,
            '∨' => K::Bar,
            '→' => K::Arrow,
            '≠' => K::NotEqual,
            '∗' => K::Star,
            _ => return None,
        };
        Some((kind, sign.len_utf8()))
    }

    /// Reports a run of characters that start no token, as one error.
    fn skip_unreadable(&mut self) {
        let start = self.position;
        while let Some(next) = self.text[self.position..].chars().next() {
            let byte = next as u32;
            let starts_token = next.is_ascii_whitespace()
                || next.is_ascii_alphanumeric()
                || matches!(next, '_' | '$' | '{')
                || (byte < 128 && self.symbol(byte as u8).is_some())
                || self.symbol_of_papers().is_some();
            if starts_token && self.position > start {
                break;
            }
            self.position += next.len_utf8();
        }
        let span = self.span_from(start);
        let shown: String = self.slice(span).chars().take(12).collect();
        let shown = shown.escape_debug();
        self.report(Diagnostic::new(
            codes::UNEXPECTED_CHARACTER,
            span,
            format!("`{shown}` is not part of the language"),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> (Vec<TokenKind>, Vec<codes::Code>) {
        let mut lexer = Lexer::new(text);
        let mut kinds = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::End {
                break;
            }
            kinds.push(token.kind);
        }
        (kinds, lexer.diagnostics.iter().map(|d| d.code).collect())
    }

    #[test]
    fn operators_take_the_longest_match() {
        use TokenKind as K;
        let (found, errors) = kinds("a<->b <= < << >>> => == = -> - := : != ! || | && &");
        let expected = [
            K::Name,
            K::Iff,
            K::Name,
            K::LessEqual,
            K::Less,
            K::ShiftLeft,
            K::ShiftRight,
            K::Greater,
            K::FatArrow,
            K::EqualEqual,
            K::Equal,
            K::Arrow,
            K::Minus,
            K::Assign,
            K::Colon,
            K::NotEqual,
            K::Bang,
            K::BarBar,
            K::Bar,
            K::AmpersandAmpersand,
            K::Ampersand,
        ];
        assert_eq!(found, expected);
        assert!(errors.is_empty());
    }

    #[test]
    fn hexadecimal_numbers_are_one_token_and_a_slash_is_not_a_comment() {
        use TokenKind as K;
        let (found, errors) = kinds("0x1F 0XaB 0 x 0xg a/b % // c");
        let expected = [
            K::Number,
            K::Number,
            K::Number,
            K::Name,
            K::Number,
            K::Name,
            K::Name,
            K::Slash,
            K::Name,
            K::Percent,
        ];
        assert_eq!(found, expected);
        assert!(errors.is_empty());
    }

    #[test]
    fn the_signs_of_the_papers_are_operators() {
        use TokenKind as K;
        let (found, errors) = kinds("¬a∧b ∨ ∗ → c≠d");
        let (same, _) = kinds("!a&b | * -> c!=d");
        assert_eq!(found, same);
        assert!(found.contains(&K::Arrow) && errors.is_empty());
        let (found, errors) = kinds("a é¬b");
        assert_eq!(found, [K::Name, K::Bang, K::Name]);
        assert_eq!(errors, [codes::UNEXPECTED_CHARACTER]);
    }

    #[test]
    fn braced_names_keep_any_text_and_an_open_one_is_reported_once() {
        let (found, errors) = kinds("{*p == *q}:=T");
        assert_eq!(found, [TokenKind::Name, TokenKind::Assign, TokenKind::T]);
        assert!(errors.is_empty());
        let (found, errors) = kinds("{oops\nskip");
        assert_eq!(found, [TokenKind::Skip]);
        assert_eq!(errors, [codes::UNTERMINATED_NAME]);
    }

    #[test]
    fn a_run_of_unreadable_characters_is_one_error() {
        let (found, errors) = kinds("a @@@ b \u{e4}\u{f6} c");
        assert_eq!(found, [TokenKind::Name; 3]);
        assert_eq!(errors, [codes::UNEXPECTED_CHARACTER; 2]);
    }

    #[test]
    fn comments_are_kept_and_an_open_one_is_an_error() {
        let mut lexer = Lexer::new("/* a */ x // b  \ny /* c");
        while lexer.next_token().kind != TokenKind::End {}
        let texts: Vec<_> = lexer.comments.iter().map(|c| lexer.slice(c.span)).collect();
        assert_eq!(texts, ["/* a */", "// b", "/* c"]);
        assert_eq!(lexer.diagnostics[0].code, codes::UNTERMINATED_COMMENT);
    }

    #[test]
    fn too_many_errors_end_the_file() {
        let (_, errors) = kinds(&"@ a ".repeat(1000));
        assert_eq!(errors.len(), MAX_ERRORS + 1);
        assert_eq!(errors.last(), Some(&codes::TOO_MANY_ERRORS));
    }

    #[test]
    fn passive_variables_are_named_as_booms() {
        let (_, errors) = kinds("x$ := $y");
        assert_eq!(errors, [codes::BOOM_ONLY]);
    }
}
