//! Tokens of the HOA format.

use hardbop_syntax::{Diagnostic, Source, Span, codes};

/// A token of the format and its place.
pub(super) type Token = crate::text::lexer::Token<TokenKind>;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// The end of the text.
    End,
    /// A name with a colon, such as `States:`.
    Header,
    /// A word.
    Word,
    /// `@name`.
    Alias,
    /// A number.
    Number,
    /// A text in quotes; the span has the quotes too.
    Text,
    /// One of the characters `! & | ( ) [ ] { }`.
    Sign(u8),
    /// `--BODY--`, `--END--` or `--ABORT--`.
    Mark,
}

/// All tokens of a text, the last of which is `End`, or the first thing that is none.
pub(super) fn tokens(source: &Source) -> Result<Vec<Token>, Diagnostic> {
    let text = source.text();
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(&first) = bytes.get(position) {
        let start = position;
        let take = |from: usize, accept: fn(u8) -> bool| {
            let rest = bytes[from..].iter();
            from + rest.take_while(|&&byte| accept(byte)).count()
        };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let kind = match first {
            b' ' | b'\t' | b'\r' | b'\n' => {
                position += 1;
                continue;
            }
            b'/' if bytes.get(start + 1) == Some(&b'*') => {
                position = comment_end(bytes, start);
                continue;
            }
            b'-' if bytes.get(start + 1) == Some(&b'-') => {
                position = take(start, |byte| byte.is_ascii_uppercase() || byte == b'-');
                TokenKind::Mark
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                position = take(start, is_word);
                if bytes.get(position) == Some(&b':') {
                    position += 1;
                    TokenKind::Header
                } else {
                    TokenKind::Word
                }
            }
            b'@' => {
                position = take(start + 1, is_word);
                TokenKind::Alias
            }
            b'0'..=b'9' => {
                position = take(start, |byte| byte.is_ascii_digit());
                TokenKind::Number
            }
            b'"' => {
                let Some(end) = text_end(bytes, start) else {
                    let opening = Span::new(start as u32, start as u32 + 1);
                    let message = "this text is never closed";
                    return Err(Diagnostic::new(codes::HOA_SYNTAX, opening, message));
                };
                position = end;
                TokenKind::Text
            }
            b'!' | b'&' | b'|' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => {
                position += 1;
                TokenKind::Sign(first)
            }
            _ => {
                let length = text[start..].chars().next().map_or(1, char::len_utf8);
                let span = Span::new(start as u32, (start + length) as u32);
                let message = format!(
                    "`{}` is not part of the HOA format",
                    source.slice(span).escape_debug()
                );
                return Err(Diagnostic::new(codes::HOA_SYNTAX, span, message));
            }
        };
        let span = Span::new(start as u32, position as u32);
        tokens.push(Token { kind, span });
    }
    let end = text.len() as u32;
    tokens.push(Token {
        kind: TokenKind::End,
        span: Span::new(end, end),
    });
    Ok(tokens)
}

/// Behind a comment, which may have comments inside; an open one goes to the end.
fn comment_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0;
    let mut position = start;
    while position < bytes.len() {
        match bytes[position..] {
            [b'/', b'*', ..] => {
                depth += 1;
                position += 2;
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                position += 2;
                if depth == 0 {
                    return position;
                }
            }
            _ => position += 1,
        }
    }
    position
}

/// Behind the quote that closes a text; a backslash keeps the next character from closing it.
fn text_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut position = start + 1;
    loop {
        match bytes.get(position)? {
            b'"' => return Some(position + 1),
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
}
