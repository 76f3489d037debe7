//! What stands at the top of a file: global declarations, procedures, thread blocks.

use super::Parser;
use super::statements::Misplaced;
use crate::ast::{
    Declaration, Declarator, ExprId, Ident, Item, Parameter, Procedure, ResultType, Stmt, StmtId,
    StmtKind, ThreadBlock, TypeName,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::list::List;
use crate::notation::Notation;
use crate::source::Span;
use crate::token::TokenKind;

/// What begins like a procedure: one, or variables declared as in C.
enum ReadItem {
    Procedure(Procedure),
    Variables(Declaration),
}

/// A number of thread instances with its place.
type Instances = Option<(u64, Span)>;

impl Parser<'_> {
    /// All items up to the end of the file.
    pub(super) fn items(&mut self) {
        use TokenKind as K;
        loop {
            match self.current.kind {
                K::End => return,
                K::Semicolon => {
                    self.advance();
                }
                K::Decl | K::ThreadLocal => {
                    if let Some(declaration) = self.declaration() {
                        self.ast.items.push(Item::Globals(declaration));
                    }
                }
                K::Thread => {
                    if let Some(thread) = self.thread_block() {
                        self.ast.items.push(Item::Thread(thread));
                    }
                }
                _ if self.starts_procedure() => match self.procedure() {
                    Some(ReadItem::Procedure(p)) => self.ast.items.push(Item::Procedure(p)),
                    Some(ReadItem::Variables(v)) => self.ast.items.push(Item::Globals(v)),
                    None => self.skip_to_item(),
                },
                _ => {
                    self.expected("a declaration, a procedure or a thread", None);
                    self.advance();
                    self.skip_to_item();
                }
            }
        }
    }

    fn starts_procedure(&self) -> bool {
        use TokenKind as K;
        match self.current.kind {
            K::Void | K::Bool | K::Int | K::Dfs => true,
            K::Name => self.next.kind == K::LeftParen,
            _ => false,
        }
    }

    fn skip_to_item(&mut self) {
        use TokenKind as K;
        while !matches!(
            self.current.kind,
            K::End | K::Decl | K::ThreadLocal | K::Thread | K::Void | K::Bool | K::Int | K::Dfs
        ) {
            self.advance();
        }
    }

    /// `decl int<4> x, y := 0;`, with `thread_local` before or instead of `decl`.
    pub(super) fn declaration(&mut self) -> Option<Declaration> {
        use TokenKind as K;
        let start = self.current.span.start;
        let mut thread_local = self.accept(K::ThreadLocal).is_some();
        if self.accept(K::Decl).is_some() {
            thread_local |= self.accept(K::ThreadLocal).is_some();
        }
        let ty = self.type_name();
        let variables = self.comma_list(|p| {
            let name = p.name("of a variable")?;
            let length = p.array_length();
            let initial = p.accept(K::Assign).is_some().then(|| p.expression());
            Some(Declarator {
                name,
                length,
                initial,
                notation: Notation::default(),
            })
        });
        let span = self.span_since(start);
        if self.accept(K::Semicolon).is_none() {
            // After a reported error nothing is expected any more: what follows is skipped.
            if !variables.is_empty() {
                let found = self.shown(self.current);
                let gap = Span::new(self.last_end, self.last_end);
                self.lexer.report(
                    Diagnostic::new(
                        codes::EXPECTED,
                        gap,
                        format!("expected `,` or `;` in the declaration, found {found}"),
                    )
                    .at("expected `;`"),
                );
            }
            let ends = |p: &Self| match p.current.kind {
                K::End | K::Semicolon | K::Decl | K::Void | K::Thread | K::Begin => true,
                kind => kind.is_keyword() && !p.keyword_meant_as_name(),
            };
            while !ends(self) {
                self.advance();
            }
            self.accept(K::Semicolon);
        }
        (!variables.is_empty()).then_some(Declaration {
            thread_local,
            ty,
            variables,
            span,
        })
    }

    /// `[n]` behind the name of an array.
    pub(super) fn array_length(&mut self) -> Option<(u64, Span)> {
        self.accept(TokenKind::LeftBracket)?;
        let token = self.expect(TokenKind::Number, "of elements")?;
        let length = self.number_value(token);
        self.expect(TokenKind::RightBracket, "after the number of elements");
        Some((length, token.span))
    }

    /// `bool`, `int<n>`, or nothing, which is `bool`.
    fn type_name(&mut self) -> TypeName {
        if self.keyword_meant_as_name() {
            return TypeName::Bool;
        }
        if self.accept(TokenKind::Int).is_some() {
            return match self.angle_number() {
                Some((width, span)) => TypeName::Int { width, span },
                None => TypeName::Bool,
            };
        }
        self.accept(TokenKind::Bool);
        TypeName::Bool
    }

    fn result_type(&mut self) -> Option<ResultType> {
        use TokenKind as K;
        if self.accept(K::Void).is_some() {
            return Some(ResultType::Void);
        }
        if self.accept(K::Bool).is_some() {
            if !self.at(K::Less) {
                return Some(ResultType::Bool);
            }
            let (count, span) = self.angle_number()?;
            return Some(ResultType::Bools { count, span });
        }
        if self.accept(K::Int).is_some() {
            if self.at(K::Name) && self.next.kind != K::LeftParen {
                // A variable as in C: whoever reads the name will say so.
                return Some(ResultType::Unwritten);
            }
            let (width, span) = self.angle_number()?;
            return Some(ResultType::Int { width, span });
        }
        Some(ResultType::Unwritten)
    }

    fn procedure(&mut self) -> Option<ReadItem> {
        use TokenKind as K;
        let first = self.current;
        let start = first.span.start;
        let first_stmt = StmtId(self.ast.stmts.len() as u32);
        let first_expr = ExprId(self.ast.exprs.len() as u32);
        let dfs = self.accept(K::Dfs).is_some();
        let result = self.result_type()?;
        let name = self.name("of a procedure")?;
        let follows_variable = [K::Semicolon, K::Comma, K::Assign, K::Equal];
        if matches!(first.kind, K::Bool | K::Int) && follows_variable.contains(&self.current.kind) {
            return Some(ReadItem::Variables(self.c_declaration(first, name)));
        }
        self.expect(K::LeftParen, "before the parameters")?;
        let parameters = if self.at(K::RightParen) {
            Vec::new()
        } else {
            self.comma_list(|p| {
                let ty = p.type_name();
                let name = p.name("of a parameter")?;
                Some(Parameter {
                    name,
                    ty,
                    notation: Notation::default(),
                })
            })
        };
        self.expect(K::RightParen, "after the parameters")?;
        let begin = self.expect(K::Begin, "before the body of a procedure");
        let in_braces = begin.is_none() && self.skip_braces();
        if begin.is_none() && !in_braces {
            return None;
        }
        let mut procedure = Procedure {
            dfs,
            result,
            result_notation: Notation::default(),
            name,
            parameters,
            locals: Vec::new(),
            enforce: None,
            enforce_span: Span::default(),
            body: crate::ast::Block::default(),
            span: Span::default(),
            end_span: Span::default(),
            first_stmt,
            first_expr,
        };
        let Some(begin) = begin else {
            let unread = self.ast.add_stmt(Stmt {
                labels: List::default(),
                kind: StmtKind::Error,
                span: Span::default(),
            });
            procedure.body.stmts = vec![unread].into();
            procedure.span = self.span_since(start);
            return Some(ReadItem::Procedure(procedure));
        };
        self.head_of_body(&mut procedure);
        let mut misplaced = Misplaced::default();
        procedure.body = self.body(begin.span, &mut misplaced);
        procedure.locals.extend(misplaced.declarations);
        match self.accept(K::EndWord) {
            Some(end) => procedure.end_span = end.span,
            None => {
                self.missing_end("procedure", name, begin.span);
                procedure.end_span = self.span_since(self.last_end);
            }
        }
        procedure.span = self.span_since(start);
        Some(ReadItem::Procedure(procedure))
    }

    /// Declarations and `enforce`.
    fn head_of_body(&mut self, procedure: &mut Procedure) {
        use TokenKind as K;
        loop {
            match self.current.kind {
                K::Decl | K::ThreadLocal => {
                    procedure.locals.reserve_exact(1);
                    procedure.locals.extend(self.declaration());
                }
                K::Bool | K::Int if self.declares_like_c() => {
                    procedure.locals.push(self.whole_c_declaration());
                }
                K::Enforce if procedure.enforce.is_none() => {
                    let start = self.advance().span.start;
                    procedure.enforce = Some(self.expression());
                    self.end_of_statement();
                    procedure.enforce_span = self.span_since(start);
                }
                K::Semicolon => {
                    self.advance();
                }
                _ => return,
            }
        }
    }

    fn missing_end(&mut self, what: &str, name: Ident, begin: Span) {
        let text = self.ast.text(name.name).to_owned();
        let found = self.shown(self.current);
        let code = if self.at(TokenKind::End) {
            codes::UNEXPECTED_END
        } else {
            codes::UNCLOSED_BLOCK
        };
        self.lexer.report(
            Diagnostic::new(
                code,
                self.current.span,
                format!("expected `end` of {what} `{text}`, found {found}"),
            )
            .also(begin, format!("the body of `{text}` begins here")),
        );
    }

    /// `thread name(count) begin … end`.
    fn thread_block(&mut self) -> Option<ThreadBlock> {
        use TokenKind as K;
        let start = self.advance().span.start;
        let head = self.thread_head();
        let Some((name, instances, begin)) = head else {
            self.skip_to_item();
            return None;
        };
        let mut thread = ThreadBlock {
            name,
            instances,
            variables: Vec::new(),
            procedures: Vec::new(),
            span: Span::default(),
            end_span: Span::default(),
        };
        loop {
            match self.current.kind {
                K::Decl | K::ThreadLocal => thread.variables.extend(self.declaration()),
                K::Semicolon => {
                    self.advance();
                }
                K::EndWord => {
                    thread.end_span = self.advance().span;
                    break;
                }
                _ if self.starts_procedure() => match self.procedure() {
                    Some(ReadItem::Procedure(procedure)) => thread.procedures.push(procedure),
                    Some(ReadItem::Variables(variables)) => thread.variables.push(variables),
                    None => self.skip_to_item(),
                },
                K::End | K::Thread => {
                    self.missing_end("thread", name, begin);
                    thread.end_span = self.span_since(self.last_end);
                    break;
                }
                _ => {
                    self.expected("a declaration, a procedure or `end` of the thread", None);
                    self.advance();
                    self.skip_to_item();
                }
            }
        }
        thread.span = self.span_since(start);
        Some(thread)
    }

    fn thread_head(&mut self) -> Option<(Ident, Instances, Span)> {
        let name = self.name("of a thread")?;
        let mut instances = None;
        if self.accept(TokenKind::LeftParen).is_some() {
            let token = self.expect(TokenKind::Number, "of instances")?;
            instances = Some((self.number_value(token), token.span));
            self.expect(TokenKind::RightParen, "after the number of instances")?;
        }
        let begin = self.expect(TokenKind::Begin, "before the thread's procedures")?;
        Some((name, instances, begin.span))
    }
}
