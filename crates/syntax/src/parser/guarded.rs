//! Leino's guarded blocks (`.gp`): `var x, y;`, then blocks `L: S; …; goto M or N;`.
//!
//! The tree is that of a program with one procedure `main`, so that everything behind the parser
//! needs to know one form only: the first block comes first, a block without `goto` ends in a
//! `return` that has no text.

use super::Parser;
use crate::ast::{
    Block, Declaration, Declarator, ExprId, Ident, Item, Procedure, ResultType, Stmt, StmtId,
    StmtKind, TypeName,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::list::List;
use crate::notation::Notation;
use crate::source::Span;
use crate::token::TokenKind;

impl Parser<'_> {
    /// The whole file.
    pub(super) fn guarded_blocks(&mut self) {
        while self.at_word("var") || self.at(TokenKind::Semicolon) {
            if self.accept(TokenKind::Semicolon).is_none() {
                self.var_declaration();
            }
        }
        let start = self.current.span.start;
        let mut stmts = Vec::new();
        while !self.at(TokenKind::End) {
            self.guarded_block(&mut stmts);
        }
        if stmts.is_empty() && self.ast.items.is_empty() {
            // Semicolons only: that is not a program.
            return;
        }
        let name = Ident {
            name: self.ast.names.intern("main"),
            span: Span::new(start, start),
        };
        let span = self.span_since(start);
        self.ast.items.push(Item::Procedure(Procedure {
            dfs: false,
            result: ResultType::Void,
            result_notation: Notation::default(),
            name,
            parameters: Vec::new(),
            locals: Vec::new(),
            enforce: None,
            enforce_span: Span::default(),
            body: Block {
                opening: Span::new(start, start),
                closing: span.after(),
                stmts: stmts.into(),
                end_labels: List::default(),
            },
            span,
            end_span: span.after(),
            first_stmt: StmtId(0),
            first_expr: ExprId(0),
        }));
    }

    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Name) && self.lexer.slice(self.current.span) == word
    }

    fn var_declaration(&mut self) {
        let start = self.advance().span.start;
        let variables = self.comma_list(|p| {
            let name = p.name("of a variable")?;
            Some(Declarator {
                name,
                length: p.array_length(),
                initial: None,
                notation: Notation::default(),
            })
        });
        let span = self.span_since(start);
        self.end_of_statement();
        if !variables.is_empty() {
            self.ast.items.push(Item::Globals(Declaration {
                thread_local: false,
                ty: TypeName::Bool,
                variables,
                span,
            }));
        }
    }

    fn at_label(&self) -> bool {
        matches!(self.current.kind, TokenKind::Name | TokenKind::Number)
            && self.next.kind == TokenKind::Colon
    }

    /// `L: S; …; goto M or N;`
    fn guarded_block(&mut self, stmts: &mut Vec<StmtId>) {
        let mut labels = Vec::new();
        while self.at_label() {
            let token = self.advance();
            labels.push(self.ident(token));
            self.advance();
        }
        if labels.is_empty() {
            self.expected("the label of a block", None);
        }
        let mut jumped: Option<Span> = None;
        while !self.at(TokenKind::End) && !self.at_label() {
            if self.accept(TokenKind::Semicolon).is_some() {
                continue;
            }
            let begin = self.current;
            if let Some(jump) = jumped {
                self.lexer.report(
                    Diagnostic::new(
                        codes::EXPECTED,
                        begin.span,
                        "expected the label of a block after `goto`",
                    )
                    .also(jump, "the block ends with this `goto`"),
                );
                jumped = None;
            }
            let kind = if self.at(TokenKind::Goto) {
                self.advance();
                jumped = Some(begin.span);
                StmtKind::Goto(self.jump_targets().into())
            } else {
                self.simple_kind()
            };
            let failed = matches!(kind, StmtKind::Error);
            let span = self.span_since(begin.span.start);
            stmts.push(self.ast.add_stmt(Stmt {
                labels: std::mem::take(&mut labels).into(),
                kind,
                span,
            }));
            if failed {
                self.skip_guarded_statement(begin.span);
            } else if !self.at(TokenKind::End) && !self.at_label() {
                self.end_of_statement();
            }
        }
        if jumped.is_none() {
            let span = Span::new(self.last_end, self.last_end);
            stmts.push(self.ast.add_stmt(Stmt {
                labels: labels.into(),
                kind: StmtKind::Return(List::default()),
                span,
            }));
        }
    }

    fn jump_targets(&mut self) -> Vec<Ident> {
        let mut targets = Vec::new();
        loop {
            if self.at(TokenKind::Number) {
                let token = self.advance();
                targets.push(self.ident(token));
            } else if let Some(name) = self.name("of a block") {
                targets.push(name);
            }
            if self.at_word("or") {
                self.advance();
            } else if self.accept(TokenKind::Comma).is_none() {
                return targets;
            }
        }
    }

    fn skip_guarded_statement(&mut self, began: Span) {
        if self.current.span == began {
            self.advance();
        }
        while !self.at(TokenKind::End) && !self.at_label() {
            if self.advance().kind == TokenKind::Semicolon {
                return;
            }
        }
    }
}
