//! Statements, with a stack of the blocks that are open instead of recursion.
//!
//! Recovery: a statement that cannot be read is skipped to its `;` or to a word that starts or ends
//! a statement. A block that is closed by the wrong word is closed anyway, with an error that shows
//! where it was opened.

use super::{Parser, push_few};
use crate::ast::{Block, Declaration, ExprId, Ident, Stmt, StmtKind};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::TokenKind;

/// A block that is being read.
struct OpenBlock {
    what: Opened,
    /// The statement's labels, for the statement that this block belongs to.
    labels: Vec<Ident>,
    /// The keyword that starts the statement.
    opening: Span,
    /// The word before the current block.
    block_opening: Span,
    stmts: Vec<crate::ast::StmtId>,
}

/// What opened a block.
enum Opened {
    Body,
    /// The arms before the current one, and the condition of the current one (none in `else`).
    If {
        arms: Vec<(ExprId, Block)>,
        condition: Option<ExprId>,
    },
    While {
        condition: ExprId,
    },
}

/// What a body holds besides its statements when declarations stand in the wrong place.
#[derive(Default)]
pub(super) struct Misplaced {
    pub declarations: Vec<Declaration>,
}

impl Parser<'_> {
    /// The statements of a procedure up to its `end`, which is not taken.
    pub(super) fn body(&mut self, opening: Span, misplaced: &mut Misplaced) -> Block {
        let mut open = vec![OpenBlock {
            what: Opened::Body,
            labels: Vec::new(),
            opening,
            block_opening: opening,
            stmts: Vec::new(),
        }];
        let mut labels: Vec<Ident> = Vec::new();
        loop {
            use TokenKind as K;
            match self.current.kind {
                K::Semicolon => {
                    self.advance();
                }
                K::Name | K::Number if self.next.kind == K::Colon => {
                    let token = self.advance();
                    labels.push(self.ident(token));
                    self.advance();
                }
                kind if kind.is_keyword() && self.next.kind == K::Assign => {
                    self.simple_statement(&mut open, &mut labels);
                }
                K::Bool | K::Int if self.declares_like_c() => {
                    misplaced.declarations.push(self.whole_c_declaration());
                }
                K::If => {
                    let opening = self.advance().span;
                    let condition = self.expression();
                    let is_missing = !self.at(K::Then);
                    let block_opening = self.opening_word(K::Then);
                    if is_missing && self.skip_braces() {
                        self.skip_braced_alternatives();
                        self.unread_statement(&mut open, &mut labels, opening);
                        continue;
                    }
                    open.push(OpenBlock {
                        what: Opened::If {
                            arms: Vec::new(),
                            condition: Some(condition),
                        },
                        labels: std::mem::take(&mut labels),
                        opening,
                        block_opening,
                        stmts: Vec::new(),
                    });
                }
                K::While => {
                    let opening = self.advance().span;
                    let condition = self.expression();
                    let is_missing = !self.at(K::Do);
                    let block_opening = self.opening_word(K::Do);
                    if is_missing && self.skip_braces() {
                        self.unread_statement(&mut open, &mut labels, opening);
                        continue;
                    }
                    open.push(OpenBlock {
                        what: Opened::While { condition },
                        labels: std::mem::take(&mut labels),
                        opening,
                        block_opening,
                        stmts: Vec::new(),
                    });
                }
                K::Elsif | K::Else | K::Fi | K::Od => {
                    self.inner_word(&mut open, &mut labels);
                }
                // These only follow the body: whatever is still open was left open.
                K::EndWord | K::End | K::Void | K::Thread | K::Dfs | K::Bool | K::Int => {
                    if self.current.kind != K::EndWord && self.keyword_meant_as_name() {
                        self.simple_statement(&mut open, &mut labels);
                        continue;
                    }
                    if open.len() > 1 {
                        self.left_open(&open);
                    }
                    let closing = self.current.span;
                    while open.len() > 1 {
                        self.close_inner(&mut open, &mut labels, closing);
                    }
                    let body = open.pop().map(|block| block.stmts).unwrap_or_default();
                    return Block {
                        opening,
                        closing,
                        stmts: body.into(),
                        end_labels: labels.into(),
                    };
                }
                K::Decl | K::ThreadLocal => {
                    let span = self.current.span;
                    self.lexer.report(
                        Diagnostic::new(
                            codes::MISPLACED_DECLARATION,
                            span,
                            "a declaration stands between statements",
                        )
                        .help("move it to the head of the procedure, right after `begin`"),
                    );
                    misplaced.declarations.extend(self.declaration());
                }
                K::Enforce => {
                    let span = self.advance().span;
                    self.lexer.report(
                        Diagnostic::new(
                            codes::MISPLACED_ENFORCE,
                            span,
                            "`enforce` stands between statements",
                        )
                        .help("move it before the first statement; it holds for the whole body"),
                    );
                    self.expression();
                    self.accept(K::Semicolon);
                }
                _ => self.simple_statement(&mut open, &mut labels),
            }
        }
    }

    /// Takes `then` or `do`.
    fn opening_word(&mut self, kind: TokenKind) -> Span {
        let token = self.expect(kind, "after the condition");
        token.map_or(self.span_since(self.last_end), |token| token.span)
    }

    /// `elsif`, `else`, `fi` or `od`.
    fn inner_word(&mut self, open: &mut Vec<OpenBlock>, labels: &mut Vec<Ident>) {
        let word = self.current;
        let wants_while = word.kind == TokenKind::Od;
        let fits = |block: &OpenBlock| match block.what {
            Opened::While { .. } => wants_while,
            Opened::If { .. } => !wants_while,
            Opened::Body => false,
        };
        if !open.last().is_some_and(fits) {
            if !open.iter().any(fits) {
                self.lexer.report(Diagnostic::new(
                    codes::STRAY_TEXT,
                    word.span,
                    format!("{} closes nothing here", word.kind.describe()),
                ));
                self.advance();
                return;
            }
            self.left_open(open);
            while !open.last().is_some_and(fits) {
                self.close_inner(open, labels, word.span);
            }
        }
        self.advance();
        if matches!(word.kind, TokenKind::Fi | TokenKind::Od) {
            self.close_inner(open, labels, word.span);
            return;
        }
        let mut block_opening = word.span;
        let next_condition = (word.kind == TokenKind::Elsif).then(|| {
            let condition = self.expression();
            block_opening = self.opening_word(TokenKind::Then);
            condition
        });
        let Some(block) = open.last_mut() else { return };
        if let Opened::If { arms, condition } = &mut block.what {
            let finished = Block {
                opening: block.block_opening,
                closing: word.span,
                stmts: std::mem::take(&mut block.stmts).into(),
                end_labels: std::mem::take(labels).into(),
            };
            if let Some(finished_condition) = condition.take() {
                push_few(arms, (finished_condition, finished));
                *condition = next_condition;
                block.block_opening = block_opening;
            } else {
                let message = format!("{} after `else`", word.kind.describe());
                let opening = block.opening;
                // What stood in `else` is kept as it is; the new part is read into it.
                block.stmts = finished.stmts.into();
                *labels = finished.end_labels.into();
                self.lexer.report(
                    Diagnostic::new(codes::STRAY_TEXT, word.span, message)
                        .also(opening, "this `if` has its `else` already"),
                );
            }
        }
    }

    /// Reports the innermost block as left open.
    fn left_open(&mut self, open: &[OpenBlock]) {
        let Some(block) = open.last() else { return };
        let (opened, closing) = match block.what {
            Opened::While { .. } => ("while", "od"),
            _ => ("if", "fi"),
        };
        let found = self.shown(self.current);
        self.lexer.report(
            Diagnostic::new(
                codes::UNCLOSED_BLOCK,
                block.opening,
                format!("this `{opened}` is not closed by `{closing}`"),
            )
            .also(self.current.span, format!("{found} stands here")),
        );
    }

    /// Makes the statement of the innermost `if` or `while` and adds it to the block around it.
    fn close_inner(&mut self, open: &mut Vec<OpenBlock>, labels: &mut Vec<Ident>, closing: Span) {
        let Some(block) = open.pop() else { return };
        let last = Block {
            opening: block.block_opening,
            closing,
            stmts: block.stmts.into(),
            end_labels: std::mem::take(labels).into(),
        };
        let kind = match block.what {
            Opened::While { condition } => StmtKind::While {
                condition,
                body: Box::new(last),
            },
            Opened::If {
                mut arms,
                condition: Some(condition),
            } => {
                push_few(&mut arms, (condition, last));
                StmtKind::If {
                    arms: arms.into(),
                    otherwise: None,
                }
            }
            Opened::If {
                arms,
                condition: None,
            } => StmtKind::If {
                arms: arms.into(),
                otherwise: Some(Box::new(last)),
            },
            Opened::Body => return,
        };
        let span = self.span_since(block.opening.start);
        let stmt = self.ast.add_stmt(Stmt {
            labels: block.labels.into(),
            kind,
            span,
        });
        if let Some(outer) = open.last_mut() {
            outer.stmts.push(stmt);
        }
    }

    /// A statement that was skipped.
    fn unread_statement(&mut self, open: &mut [OpenBlock], labels: &mut Vec<Ident>, start: Span) {
        let span = self.span_since(start.start);
        let stmt = self.ast.add_stmt(Stmt {
            labels: std::mem::take(labels).into(),
            kind: StmtKind::Error,
            span,
        });
        if let Some(block) = open.last_mut() {
            block.stmts.push(stmt);
        }
    }

    fn simple_statement(&mut self, open: &mut Vec<OpenBlock>, labels: &mut Vec<Ident>) {
        let start = self.current.span.start;
        let before = self.current;
        self.statement = Some(before);
        let kind = self.simple_kind();
        if let Some(word) = self.misspelt_block(before) {
            self.report_misspelt(before.span, word);
            let condition = self.error_expr();
            open.push(OpenBlock {
                what: match word {
                    TokenKind::While => Opened::While { condition },
                    _ => Opened::If {
                        arms: Vec::new(),
                        condition: Some(condition),
                    },
                },
                labels: std::mem::take(labels),
                opening: before.span,
                block_opening: self.advance().span,
                stmts: Vec::new(),
            });
            self.statement = None;
            return;
        }
        let failed = matches!(kind, StmtKind::Error);
        let span = self.span_since(start);
        let stmt = self.ast.add_stmt(Stmt {
            labels: std::mem::take(labels).into(),
            kind,
            span,
        });
        if let Some(block) = open.last_mut() {
            block.stmts.push(stmt);
        }
        if failed {
            self.skip_statement(before.span);
        } else {
            self.end_of_statement();
        }
        self.statement = None;
    }

    /// Takes the `;` after a statement. It may be missing before a word that closes a block.
    pub(super) fn end_of_statement(&mut self) {
        use TokenKind as K;
        if self.accept(K::Semicolon).is_some()
            || matches!(
                self.current.kind,
                K::EndWord | K::Fi | K::Od | K::Else | K::Elsif
            )
        {
            return;
        }
        let found = self.shown(self.current);
        let gap = Span::new(self.last_end, self.last_end);
        let code = if self.at(K::End) {
            codes::UNEXPECTED_END
        } else {
            codes::EXPECTED
        };
        let message = format!("expected `;` after the statement, found {found}");
        let mut diagnostic = Diagnostic::new(code, gap, message);
        diagnostic.help = self.habit(None, self.current);
        self.lexer.report(diagnostic.at("expected `;`"));
        if !self.starts_statement() {
            self.skip_statement(Span::default());
        }
    }

    /// Skips to a place where a statement can start. Takes at least one token if it stands where
    /// the bad statement began.
    fn skip_statement(&mut self, began: Span) {
        use TokenKind as K;
        if self.current.span == began && !self.at(K::End) && !self.starts_statement() {
            self.advance();
        }
        loop {
            if self.accept(K::Semicolon).is_some() {
                return;
            }
            let ends_here = matches!(
                self.current.kind,
                K::End
                    | K::EndWord
                    | K::Fi
                    | K::Od
                    | K::Else
                    | K::Elsif
                    | K::Void
                    | K::Thread
                    | K::Dfs
                    | K::Decl
            );
            let starts_here = self.current.kind.is_keyword() && self.starts_statement();
            if ends_here || (starts_here && self.current.span != began) {
                return;
            }
            self.advance();
        }
    }

    fn starts_statement(&self) -> bool {
        use TokenKind as K;
        matches!(
            self.current.kind,
            K::Name
                | K::Number
                | K::Underscore
                | K::Skip
                | K::Print
                | K::Return
                | K::If
                | K::While
                | K::Goto
                | K::Assert
                | K::Assume
                | K::Constrain
                | K::Abortif
                | K::Dead
                | K::Havoc
                | K::Call
                | K::StartThread
                | K::EndThread
                | K::AtomicBegin
                | K::AtomicEnd
        )
    }
}
