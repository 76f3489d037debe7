//! Statements without blocks: everything but `if` and `while`.

use super::Parser;
use crate::ast::{AssumeWord, DeadWord, ExprId, Ident, StmtKind, Target};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::list::List;
use crate::token::TokenKind;

impl Parser<'_> {
    /// A statement that holds no others, without its `;`.
    pub(super) fn simple_kind(&mut self) -> StmtKind {
        use TokenKind as K;
        let token = self.current;
        match token.kind {
            K::Name | K::Underscore => self.assignment_or_call(),
            kind if kind.is_keyword() && self.next.kind == K::Assign => self.assignment_or_call(),
            K::Skip => self.word(StmtKind::Skip),
            K::EndThread => self.word(StmtKind::EndThread),
            K::AtomicBegin => self.word(StmtKind::AtomicBegin),
            K::AtomicEnd => self.word(StmtKind::AtomicEnd),
            K::Print => {
                self.advance();
                self.arguments().map_or(StmtKind::Error, StmtKind::Print)
            }
            K::Return => {
                self.advance();
                let nothing = matches!(
                    self.current.kind,
                    K::Semicolon | K::EndWord | K::Fi | K::Od | K::Else | K::Elsif | K::End
                );
                StmtKind::Return(if nothing {
                    List::default()
                } else {
                    self.comma_list(|p| Some(p.expression())).into()
                })
            }
            K::Goto => {
                self.advance();
                let labels = self.comma_list(Self::label_name);
                if labels.is_empty() {
                    StmtKind::Error
                } else {
                    StmtKind::Goto(labels.into())
                }
            }
            K::Assert => {
                self.advance();
                StmtKind::Assert(self.expression())
            }
            K::Assume | K::Constrain => {
                self.advance();
                let word = if token.kind == K::Assume {
                    AssumeWord::Assume
                } else {
                    AssumeWord::Constrain
                };
                let condition = self.expression();
                StmtKind::Assume { condition, word }
            }
            K::Abortif => {
                self.advance();
                StmtKind::AbortIf(self.expression())
            }
            K::Dead | K::Havoc => {
                self.advance();
                let word = if token.kind == K::Dead {
                    DeadWord::Dead
                } else {
                    DeadWord::Havoc
                };
                let variables: List<Ident> = self.comma_list(|p| p.name("of a variable")).into();
                if variables.is_empty() {
                    StmtKind::Error
                } else {
                    StmtKind::Dead { variables, word }
                }
            }
            K::Call => {
                self.advance();
                let Some(callee) = self.name("of a procedure") else {
                    return StmtKind::Error;
                };
                self.call(List::default(), callee, true)
            }
            K::StartThread => self.start_thread(),
            kind if kind.is_keyword()
                && matches!(self.next.kind, K::Assign | K::Comma | K::LeftParen) =>
            {
                self.assignment_or_call()
            }
            _ => {
                self.expected("a statement", None);
                StmtKind::Error
            }
        }
    }

    fn word(&mut self, kind: StmtKind) -> StmtKind {
        self.advance();
        kind
    }

    fn label_name(&mut self) -> Option<Ident> {
        if self.at(TokenKind::Number) {
            let token = self.advance();
            return Some(self.ident(token));
        }
        self.name("of a label")
    }

    fn start_thread(&mut self) -> StmtKind {
        self.advance();
        if self.accept(TokenKind::Goto).is_some() {
            return self
                .label_name()
                .map_or(StmtKind::Error, StmtKind::StartThreadAt);
        }
        let Some(callee) = self.name("of a procedure, or `goto`,") else {
            return StmtKind::Error;
        };
        match self.arguments() {
            Some(arguments) => StmtKind::StartThreadCall { callee, arguments },
            None => StmtKind::Error,
        }
    }

    /// `x, _ := …`, `f(…)`.
    fn assignment_or_call(&mut self) -> StmtKind {
        use TokenKind as K;
        let first = self.current;
        if first.kind == K::Name && self.next.kind == K::LeftParen {
            let token = self.advance();
            let callee = self.ident(token);
            return self.call(List::default(), callee, false);
        }
        if first.kind == K::Name
            && self.lexer.slice(first.span) == "sync"
            && !matches!(self.next.kind, K::Assign | K::Comma)
        {
            self.lexer.report(
                Diagnostic::new(
                    codes::BOOM_ONLY,
                    first.span,
                    "`sync` is a statement that only BOOM has",
                )
                .help("hardbop does not read BOOM's passive variables and `sync`"),
            );
            return StmtKind::Error;
        }
        let targets = List::from(self.comma_list(|p| {
            if let Some(token) = p.accept(K::Underscore) {
                return Some(Target::Discard(token.span));
            }
            let name = p.name("of a variable")?;
            Some(match p.current.kind {
                K::LeftBracket => Target::Element(p.element(name)),
                _ => Target::Variable(name),
            })
        }));
        if targets.is_empty() || self.expect(K::Assign, "of an assignment").is_none() {
            return StmtKind::Error;
        }
        if self.at(K::Name) && self.next.kind == K::LeftParen {
            let token = self.advance();
            let callee = self.ident(token);
            return self.call(targets, callee, false);
        }
        if self.accept(K::Call).is_some() {
            let Some(callee) = self.name("of a procedure") else {
                return StmtKind::Error;
            };
            return self.call(targets, callee, true);
        }
        let values = self.comma_list(|p| Some(p.expression())).into();
        let constrain = self
            .accept(K::Constrain)
            .is_some()
            .then(|| self.expression());
        StmtKind::Assign {
            targets,
            values,
            constrain,
        }
    }

    fn call(&mut self, targets: List<Target>, callee: Ident, keyword: bool) -> StmtKind {
        match self.arguments() {
            Some(arguments) => StmtKind::Call {
                targets,
                callee,
                arguments,
                keyword,
            },
            None => StmtKind::Error,
        }
    }

    /// `(e, …)`, possibly empty.
    fn arguments(&mut self) -> Option<List<ExprId>> {
        self.expect(TokenKind::LeftParen, "before the arguments")?;
        let arguments = if self.at(TokenKind::RightParen) {
            List::default()
        } else {
            self.comma_list(|p| Some(p.expression())).into()
        };
        self.expect(TokenKind::RightParen, "after the arguments")?;
        Some(arguments)
    }
}
