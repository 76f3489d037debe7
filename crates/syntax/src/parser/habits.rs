//! Habits from C and slips of the pen: what was probably meant where the text cannot be read.
//!
//! A guess only becomes the help of an error that is reported anyway. Recovery follows the guess, so
//! that one habit is one error: a body in braces is skipped as a whole (it reads as one long name,
//! up to its first `}`), `bool g;` declares `g`, and a block whose first word is misspelt is a block.

use super::Parser;
use crate::ast::{Declaration, Declarator, Ident, TypeName};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::notation::Notation;
use crate::source::Span;
use crate::suggest::{did_you_mean, nearest};
use crate::token::{KEYWORDS, Token, TokenKind};

impl Parser<'_> {
    /// What was probably meant where a token should stand (if it is one kind only) and another one
    /// was found.
    pub(super) fn habit(&self, wanted: Option<TokenKind>, found: Token) -> Option<String> {
        use TokenKind as K;
        let braces = |open: &str, close: &str| {
            format!("write `{open}` in place of `{{`, and `{close}` in place of `}}`")
        };
        match (wanted, found.kind) {
            (Some(K::Assign), K::Equal) => Some("`:=` assigns, `=` compares".to_owned()),
            (Some(K::Begin), _) if self.is_braced(found) => Some(braces("begin", "end")),
            (Some(K::Then), _) if self.is_braced(found) => Some(braces("then", "fi")),
            (Some(K::Do), _) if self.is_braced(found) => Some(braces("do", "od")),
            (Some(kind), K::Name) if kind.is_keyword() => {
                let word = kind.describe().trim_matches('`');
                nearest(self.lexer.slice(found.span), [word].into_iter()).map(did_you_mean)
            }
            _ => {
                let start = self.statement.filter(|start| start.span != found.span);
                let words = [Some(found), start].into_iter().flatten();
                words
                    .filter_map(|token| self.nearest_keyword(token))
                    .map(did_you_mean)
                    .next()
            }
        }
    }

    /// The keyword that a name is a slip of the pen away from.
    pub(super) fn nearest_keyword(&self, token: Token) -> Option<&'static str> {
        let is_name = token.kind == TokenKind::Name;
        is_name.then(|| nearest(self.lexer.slice(token.span), KEYWORDS.iter().copied()))?
    }

    pub(super) fn is_braced(&self, token: Token) -> bool {
        token.kind == TokenKind::Name && self.lexer.slice(token.span).starts_with('{')
    }

    /// Skips a block in braces, with all blocks inside, if one begins here.
    pub(super) fn skip_braces(&mut self) -> bool {
        if !self.is_braced(self.current) {
            return false;
        }
        self.last_end = self.lexer.leave_braces(self.current.span.start);
        self.current = self.lexer.next_token();
        self.next = self.lexer.next_token();
        true
    }

    /// Skips `else { … }` and `else if (…) { … }` behind a block in braces.
    pub(super) fn skip_braced_alternatives(&mut self) {
        while self.accept(TokenKind::Else).is_some() {
            if self.accept(TokenKind::If).is_some() {
                self.expression();
            }
            if !self.skip_braces() {
                return;
            }
        }
    }

    /// Whether a variable is declared here as in C, in a place where a procedure cannot begin.
    pub(super) fn declares_like_c(&self) -> bool {
        use TokenKind as K;
        let behind = self.lexer.text_from(self.next.span.end).trim_start();
        matches!(self.current.kind, K::Bool | K::Int)
            && self.next.kind == K::Name
            && !behind.starts_with('(')
    }

    /// The rest of `bool g, h = 0;`, from behind the first name on.
    pub(super) fn c_declaration(&mut self, word: Token, first: Ident) -> Declaration {
        use TokenKind as K;
        let kind = word.kind.describe();
        let name = self.ast.text(first.name);
        let help = match word.kind {
            K::Int => format!("write `decl int<8> {name};` for a variable of 8 bits"),
            _ => format!("write `decl {name};`"),
        };
        let message = format!("expected `decl` before a variable, found {kind}");
        self.lexer
            .report(Diagnostic::new(codes::EXPECTED, word.span, message).help(help));
        let mut known = Some(first);
        let variables = self.comma_list(|p| {
            let name = match known.take() {
                Some(name) => name,
                None => p.name("of a variable")?,
            };
            let is_set = p.accept(K::Assign).or_else(|| p.accept(K::Equal)).is_some();
            let initial = is_set.then(|| p.expression());
            Some(Declarator {
                name,
                length: None,
                initial,
                notation: Notation::default(),
            })
        });
        let span = self.span_since(word.span.start);
        if self.accept(K::Semicolon).is_none() {
            self.expected("`;` after the declaration", None);
        }
        let ty = match word.kind {
            K::Int => TypeName::Int {
                width: 8,
                span: word.span,
            },
            _ => TypeName::Bool,
        };
        Declaration {
            thread_local: false,
            ty,
            variables,
            span,
        }
    }

    /// The same from its first word on.
    pub(super) fn whole_c_declaration(&mut self) -> Declaration {
        let word = self.advance();
        let name = self.advance();
        let first = self.ident(name);
        self.c_declaration(word, first)
    }

    /// The keyword that a statement should have begun with, if it turns out to open a block.
    /// Every statement is asked, so names are compared only where a block does open.
    pub(super) fn misspelt_block(&self, start: Token) -> Option<TokenKind> {
        let word = match self.current.kind {
            TokenKind::Then => TokenKind::If,
            TokenKind::Do => TokenKind::While,
            _ => return None,
        };
        (TokenKind::keyword(self.nearest_keyword(start)?)? == word).then_some(word)
    }

    /// Reports a word that is not the keyword that it should be.
    pub(super) fn report_misspelt(&mut self, span: Span, word: TokenKind) {
        let found = self.lexer.slice(span).to_owned();
        let wanted = word.describe();
        let message = format!("expected {wanted}, found `{found}`");
        self.lexer.report(
            Diagnostic::new(codes::EXPECTED, span, message)
                .help(did_you_mean(wanted.trim_matches('`'))),
        );
    }
}
