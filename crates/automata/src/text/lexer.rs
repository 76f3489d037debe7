//! Text of a property to tokens, on demand. Words are all names; which of them are operators is the
//! parser's business.

use hardbop_syntax::{Diagnostic, Source, Span, codes};

/// A token: its kind and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<Kind = TokenKind> {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// The end of the text.
    End,
    /// A word, with dots inside if it is the name of a thread's procedure, or any text in braces.
    Word,
    /// A decimal number.
    Number,
    /// A sign, spelled in one of the ways that it has.
    Sign(Sign),
}

/// Signs. Those with several spellings are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "signs are named after what they mean")]
pub(crate) enum Sign {
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    Comma,
    Semicolon,
    Colon,
    Not,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Always,
    Eventually,
}

/// Spellings, longer ones first where one begins with another.
const SIGNS: &[(&str, Sign)] = &[
    ("<->", Sign::Iff),
    ("<=>", Sign::Iff),
    ("<>", Sign::Eventually),
    ("[]", Sign::Always),
    ("->", Sign::Implies),
    ("=>", Sign::Implies),
    ("&&", Sign::And),
    ("||", Sign::Or),
    ("==", Sign::Equal),
    ("!=", Sign::NotEqual),
    ("<=", Sign::LessEqual),
    (">=", Sign::GreaterEqual),
    ("(", Sign::LeftParen),
    (")", Sign::RightParen),
    ("[", Sign::LeftBracket),
    ("]", Sign::RightBracket),
    (",", Sign::Comma),
    (";", Sign::Semicolon),
    (":", Sign::Colon),
    ("!", Sign::Not),
    ("~", Sign::Not),
    ("&", Sign::And),
    ("|", Sign::Or),
    ("^", Sign::Xor),
    ("=", Sign::Equal),
    ("<", Sign::Less),
    (">", Sign::Greater),
    ("+", Sign::Plus),
    ("-", Sign::Minus),
    ("*", Sign::Times),
];

/// Reads tokens off a part of a source text.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
    end: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer of the part of a source that a span names.
    pub(crate) fn new(source: &'a Source, part: Span) -> Self {
        Self {
            text: source.text(),
            position: part.start as usize,
            end: part.end as usize,
        }
    }

    /// The text of a span.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// What is left to read, behind the token that was read last.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.position..self.end]
    }

    /// The next token; `End` at the end, again and again.
    pub(crate) fn next_token(&mut self, diagnostics: &mut Vec<Diagnostic>) -> Token {
        loop {
            self.skip_blanks_and_comments();
            let start = self.position;
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                return self.token(TokenKind::End, start);
            };
            if first.is_ascii_digit() {
                self.position += prefix(rest, |c| c.is_ascii_digit());
                return self.token(TokenKind::Number, start);
            }
            if is_name_character(first) {
                self.take_word();
                self.take_index();
                return self.token(TokenKind::Word, start);
            }
            if first == '{'
                && let Some(length) = rest.find('}')
            {
                self.position += length + 1;
                self.take_index();
                return self.token(TokenKind::Word, start);
            }
            if let Some((text, sign)) = SIGNS.iter().find(|(text, _)| rest.starts_with(text)) {
                self.position += text.len();
                return self.token(TokenKind::Sign(*sign), start);
            }
            self.position += prefix(rest, |c| {
                c == first || !(c.is_ascii_graphic() || c.is_whitespace())
            });
            let span = self.token(TokenKind::End, start).span;
            let shown: String = self.slice(span).chars().take(12).collect();
            let message = format!("`{}` is not part of a property", shown.escape_debug());
            diagnostics.push(Diagnostic::new(codes::PROPERTY_SYNTAX, span, message));
        }
    }

    /// A word; a dot between two name characters belongs to it.
    fn take_word(&mut self) {
        loop {
            self.position += prefix(self.rest(), is_name_character);
            let mut following = self.rest().chars();
            let goes_on =
                following.next() == Some('.') && following.next().is_some_and(is_name_character);
            if !goes_on {
                return;
            }
            self.position += 1;
        }
    }

    /// The index of an element, `[3]`: it is part of the variable's name.
    fn take_index(&mut self) {
        if let Some(inside) = self.rest().strip_prefix('[') {
            let digits = prefix(inside, |c| c.is_ascii_digit());
            if digits > 0 && inside[digits..].starts_with(']') {
                self.position += digits + 2;
            }
        }
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            self.position += prefix(self.rest(), char::is_whitespace);
            let rest = self.rest();
            self.position += if rest.starts_with("//") {
                prefix(rest, |c| c != '\n')
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |length| length + 2)
            } else {
                return;
            };
        }
    }

    fn token(&self, kind: TokenKind, start: usize) -> Token {
        Token {
            kind,
            span: Span::new(start as u32, self.position as u32),
        }
    }
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The length of the longest beginning whose characters are all accepted.
fn prefix(text: &str, accept: impl Fn(char) -> bool) -> usize {
    text.find(|c| !accept(c)).unwrap_or(text.len())
}
