//! Tokens to syntax tree, with recovery: every error of a file is found in one run.
//!
//! Written by hand. Statements ([`statements`]) and expressions ([`expressions`]) keep their own
//! stacks of what is open instead of recursing, so nesting is limited by memory only. After an
//! error the parser skips to a place where a statement or an item can start, and goes on; text that
//! could not be read is an `Error` node in the tree.

mod expressions;
mod guarded;
mod habits;
mod items;
mod simple;
mod statements;

use crate::ast::{Ast, ExprId, ExprKind, Form, Ident};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Lexer;
use crate::source::{Source, Span};
use crate::token::{Token, TokenKind};

/// A tree and what is wrong with the text.
#[derive(Debug)]
pub struct Parsed {
    /// The tree; where the text is wrong it has `Error` nodes or leaves things out.
    pub ast: Ast,
    /// Errors in order of discovery. Without errors the tree is the whole text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a source text in the form its name says: guarded blocks if it ends in `.gp`, procedures
/// otherwise.
pub fn parse(source: &Source) -> Parsed {
    let extension = std::path::Path::new(source.name()).extension();
    let form = if extension.is_some_and(|e| e.eq_ignore_ascii_case("gp")) {
        Form::GuardedBlocks
    } else {
        Form::Procedures
    };
    parse_as(source, form)
}

/// Parses a source text in the given form.
pub fn parse_as(source: &Source, form: Form) -> Parsed {
    let mut parser = Parser::new(source.text());
    parser.ast.form = form;
    let is_blank = parser.current.kind == TokenKind::End;
    if !is_blank {
        match form {
            // C has a parser of its own; read here, it is a text full of errors.
            Form::Procedures | Form::C => parser.items(),
            Form::GuardedBlocks => parser.guarded_blocks(),
        }
    }
    if (is_blank || parser.ast.items.is_empty()) && parser.lexer.diagnostics.is_empty() {
        parser.lexer.report(
            Diagnostic::new(
                codes::EMPTY_FILE,
                Span::default(),
                "there is no program in this file",
            )
            .help("a program needs at least `void main() begin skip; end`"),
        );
    }
    let Parser { lexer, mut ast, .. } = parser;
    ast.comments = lexer.comments;
    ast.items.shrink_to_fit();
    Parsed {
        ast,
        diagnostics: lexer.diagnostics,
    }
}

/// The parser's state: two tokens of look-ahead and the tree so far.
struct Parser<'a> {
    lexer: Lexer<'a>,
    ast: Ast,
    current: Token,
    next: Token,
    /// The first token of the statement that is being read.
    statement: Option<Token>,
    /// End of the last token that was taken.
    last_end: u32,
    /// Empty between expressions; kept for its memory.
    stacks: expressions::Stacks,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let current = lexer.next_token();
        let next = lexer.next_token();
        Self {
            lexer,
            ast: Ast::default(),
            current,
            next,
            statement: None,
            last_end: 0,
            stacks: expressions::Stacks::default(),
        }
    }

    /// Takes the current token.
    fn advance(&mut self) -> Token {
        let token = self.current;
        self.last_end = token.span.end;
        self.current = self.next;
        self.next = self.lexer.next_token();
        if self.lexer.gave_up() {
            let end = self.lexer.next_token();
            self.current = end;
            self.next = end;
        }
        token
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.current.kind == kind
    }

    /// Takes the current token if it is of this kind.
    fn accept(&mut self, kind: TokenKind) -> Option<Token> {
        self.at(kind).then(|| self.advance())
    }

    /// Takes a token of this kind, or reports that it is missing and takes nothing.
    fn expect(&mut self, kind: TokenKind, purpose: &str) -> Option<Token> {
        let token = self.accept(kind);
        if token.is_none() {
            self.expected(&format!("{} {purpose}", kind.describe()), Some(kind));
        }
        token
    }

    /// Reports that something else should stand here: a token of one kind, or any of several.
    fn expected(&mut self, what: &str, wanted: Option<TokenKind>) {
        let what = what.trim_end();
        let found = self.current;
        let help = self.habit(wanted, found);
        if found.kind == TokenKind::End {
            let span = Span::new(self.last_end, self.last_end);
            let message = format!("the file ends where {what} should stand");
            let mut diagnostic = Diagnostic::new(codes::UNEXPECTED_END, span, message);
            diagnostic.help = help;
            self.lexer.report(diagnostic.at(format!("expected {what}")));
            return;
        }
        let is_block = matches!(
            wanted,
            Some(TokenKind::Begin | TokenKind::Then | TokenKind::Do)
        );
        let (span, shown) = if is_block && self.is_braced(found) {
            let start = found.span.start;
            (Span::new(start, start + 1), "`{`".to_owned())
        } else {
            (found.span, self.shown(found))
        };
        let message = format!("expected {what}, found {shown}");
        let mut diagnostic = Diagnostic::new(codes::EXPECTED, span, message);
        diagnostic.help = help;
        self.lexer.report(diagnostic.at(format!("expected {what}")));
    }

    /// How a token is quoted in a message.
    fn shown(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Name | TokenKind::Number => {
                let text: String = self.lexer.slice(token.span).chars().take(40).collect();
                format!("`{}`", text.escape_debug())
            }
            kind => kind.describe().to_owned(),
        }
    }

    /// Takes a name. A keyword where it can only be meant as a name is reported as such and taken.
    fn name(&mut self, purpose: &str) -> Option<Ident> {
        if self.at(TokenKind::Name) {
            let token = self.advance();
            return Some(self.ident(token));
        }
        if self.keyword_meant_as_name() {
            return Some(self.keyword_as_name());
        }
        self.expected(&format!("a name {purpose}"), None);
        None
    }

    fn ident(&mut self, token: Token) -> Ident {
        let name = self.ast.names.intern(self.lexer.slice(token.span));
        Ident {
            name,
            span: token.span,
        }
    }

    /// Whether the current token is a keyword followed by something that follows names.
    fn keyword_meant_as_name(&self) -> bool {
        use TokenKind as K;
        self.current.kind.is_keyword()
            && matches!(
                self.next.kind,
                K::Comma | K::Assign | K::RightParen | K::LeftParen | K::Semicolon | K::Colon
            )
    }

    fn keyword_as_name(&mut self) -> Ident {
        let token = self.advance();
        let word = self.lexer.slice(token.span);
        self.lexer.report(
            Diagnostic::new(
                codes::KEYWORD_AS_NAME,
                token.span,
                format!("`{word}` is a keyword and cannot be a name"),
            )
            .help(format!("`{word}_` or `{{{word}}}` would be names")),
        );
        self.ident(token)
    }

    /// The value of a number token; too large a number is reported and read as the largest.
    fn number_value(&mut self, token: Token) -> u64 {
        let text = self.lexer.slice(token.span);
        let value = match hexadecimal_digits(text) {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        value.unwrap_or_else(|_| {
            self.lexer.report(Diagnostic::new(
                codes::NUMBER_TOO_LARGE,
                token.span,
                "this number does not fit 64 bits",
            ));
            u64::MAX
        })
    }

    /// `<n>` after `int` or `bool`.
    fn angle_number(&mut self) -> Option<(u64, Span)> {
        self.expect(TokenKind::Less, "before the number of bits")?;
        let token = self.expect(TokenKind::Number, "between `<` and `>`")?;
        let value = self.number_value(token);
        // `int<4>=` cannot occur, but `bool<2>>` in broken text can; only `>` is right.
        self.expect(TokenKind::Greater, "after the number")?;
        Some((value, token.span))
    }

    fn error_expr(&mut self) -> ExprId {
        let span = Span::new(self.current.span.start, self.current.span.start);
        self.ast.add_expr(ExprKind::Error, span)
    }

    /// The span from a start to the end of the last token taken.
    fn span_since(&self, start: u32) -> Span {
        Span::new(start, self.last_end.max(start))
    }

    /// A comma-separated list.
    fn comma_list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Option<T>) -> Vec<T> {
        let mut list = Vec::new();
        loop {
            match element(self) {
                Some(value) => push_few(&mut list, value),
                None => return list,
            }
            if self.accept(TokenKind::Comma).is_none() {
                return list;
            }
        }
    }
}

/// Adds an item to a list that is probably short: up to four items have no more room than they
/// need, where `Vec` would begin with room for four.
fn push_few<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() && list.len() < 4 {
        list.reserve_exact(1);
    }
    list.push(item);
}

/// The digits of a hexadecimal number, if it is one.
fn hexadecimal_digits(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

#[cfg(test)]
mod tests;
