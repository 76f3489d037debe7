//! Expressions, by operator precedence with two explicit stacks (Dijkstra's shunting yard).
//!
//! The parser is either before an operand or behind one. `*` and `?` are choices before and
//! operators behind; that is all it takes to tell a product and a conditional from nondeterminism.
//! A conditional `c ? a : b` binds loosest and to the right. An index `a[i]` waits on the stack with
//! its array as an operand.

use super::{Parser, hexadecimal_digits};
use crate::ast::{BinaryOp, ExprId, ExprKind, Ident};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Token, TokenKind};

/// What is open on the operator stack.
#[derive(Clone, Copy)]
enum Open {
    Prefix {
        sign: Prefix,
        start: u32,
    },
    Binary {
        op: BinaryOp,
        alternative: bool,
    },
    /// After `c ?`.
    Question,
    /// After `c ? a :`.
    Alternative,
    /// After `(`, `signed(`, `bool(` or `int<n>(`.
    Paren {
        around: Around,
        opening: Span,
    },
    /// After `a[`.
    Index {
        opening: Span,
    },
    /// After `choose[`, then after its comma.
    Choose {
        strict: bool,
        opening: Span,
        comma: bool,
    },
}

/// What stands before an operand.
#[derive(Clone, Copy)]
enum Prefix {
    Not { tilde: bool },
    Minus,
}

/// What parentheses around an operand make of it.
#[derive(Clone, Copy)]
enum Around {
    Nothing,
    Signed,
    Bool,
    Int(u32),
}

impl Around {
    fn kind(self, operand: ExprId) -> ExprKind {
        match self {
            Around::Nothing => ExprKind::Paren(operand),
            Around::Signed => ExprKind::Signed(operand),
            Around::Bool => ExprKind::ToBool(operand),
            Around::Int(width) => ExprKind::ToInt { width, operand },
        }
    }
}

impl Open {
    fn is_bracket(self) -> bool {
        matches!(
            self,
            Open::Paren { .. } | Open::Index { .. } | Open::Choose { .. }
        )
    }
}

/// The open operators and the operands that wait for them.
#[derive(Default)]
pub(super) struct Stacks {
    operands: Vec<ExprId>,
    open: Vec<Open>,
    /// Where brackets and unanswered `?` stand on `open`, so that none has to be searched for.
    landmarks: Vec<usize>,
}

impl Stacks {
    fn push(&mut self, open: Open) {
        if open.is_bracket() || matches!(open, Open::Question) {
            self.landmarks.push(self.open.len());
        }
        self.open.push(open);
    }

    fn clear(&mut self) {
        self.operands.clear();
        self.open.clear();
        self.landmarks.clear();
    }

    fn pop(&mut self) -> Option<Open> {
        let open = self.open.pop();
        if self.landmarks.last() == Some(&self.open.len()) {
            self.landmarks.pop();
        }
        open
    }

    /// The innermost bracket or unanswered `?`.
    fn innermost(&self) -> Option<Open> {
        self.landmarks.last().map(|&at| self.open[at])
    }
}

impl Parser<'_> {
    /// An expression. If there is none, reports it and returns an `Error` expression.
    pub(super) fn expression(&mut self) -> ExprId {
        let mut stacks = std::mem::take(&mut self.stacks);
        loop {
            if !self.operand(&mut stacks) {
                break;
            }
            if !self.after_operand(&mut stacks) {
                break;
            }
        }
        let expression = self.close_all(&mut stacks);
        stacks.clear();
        self.stacks = stacks;
        expression
    }

    /// Takes prefix operators and one operand. False if there is no operand: an `Error` operand
    /// stands in.
    fn operand(&mut self, stacks: &mut Stacks) -> bool {
        use TokenKind as K;
        loop {
            let token = self.current;
            let kind = match token.kind {
                K::Bang | K::Tilde | K::Minus => {
                    self.advance();
                    let sign = match token.kind {
                        K::Minus => Prefix::Minus,
                        kind => Prefix::Not {
                            tilde: kind == K::Tilde,
                        },
                    };
                    stacks.push(Open::Prefix {
                        sign,
                        start: token.span.start,
                    });
                    continue;
                }
                K::LeftParen => {
                    self.advance();
                    stacks.push(Open::Paren {
                        around: Around::Nothing,
                        opening: token.span,
                    });
                    continue;
                }
                K::Int if self.next.kind == K::Less => {
                    self.advance();
                    let width = self.angle_number().map_or(1, |(width, _)| width);
                    self.expect(K::LeftParen, "before what is converted");
                    stacks.push(Open::Paren {
                        around: Around::Int(u32::try_from(width).unwrap_or(u32::MAX)),
                        opening: token.span,
                    });
                    continue;
                }
                K::Signed | K::Bool if self.next.kind == K::LeftParen => {
                    self.advance();
                    self.advance();
                    let around = match token.kind {
                        K::Signed => Around::Signed,
                        _ => Around::Bool,
                    };
                    stacks.push(Open::Paren {
                        around,
                        opening: token.span,
                    });
                    continue;
                }
                K::Choose | K::Schoose => {
                    self.advance();
                    self.expect(K::LeftBracket, "after `choose`");
                    stacks.push(Open::Choose {
                        strict: token.kind == K::Schoose,
                        opening: token.span,
                        comma: false,
                    });
                    continue;
                }
                K::Name => {
                    let ident = self.ident(token);
                    self.advance();
                    if self.at(K::LeftParen) {
                        self.call_in_expression(token)
                    } else {
                        ExprKind::Name(ident.name)
                    }
                }
                K::Number => {
                    self.advance();
                    self.number(token)
                }
                K::T | K::F | K::True | K::False => {
                    self.advance();
                    ExprKind::Bool {
                        value: matches!(token.kind, K::T | K::True),
                        word: matches!(token.kind, K::True | K::False),
                    }
                }
                K::Star | K::Question => {
                    self.advance();
                    ExprKind::Choice {
                        question: token.kind == K::Question,
                    }
                }
                K::Prime => {
                    self.advance();
                    if self.at(K::Name) {
                        let name = self.advance();
                        ExprKind::Primed(self.ident(name).name)
                    } else {
                        self.lexer.report(
                            Diagnostic::new(
                                codes::PRIME_WITHOUT_NAME,
                                token.span,
                                "`'` must stand before the name of a variable",
                            )
                            .help("`'x` is the value of `x` after the assignment"),
                        );
                        ExprKind::Error
                    }
                }
                kind if kind.is_keyword() && self.keyword_in_expression() => {
                    let ident = self.keyword_as_name();
                    ExprKind::Name(ident.name)
                }
                _ => {
                    self.expected("an expression", None);
                    let error = self.error_expr();
                    stacks.operands.push(error);
                    return false;
                }
            };
            let span = self.span_since(token.span.start);
            let operand = self.ast.add_expr(kind, span);
            stacks.operands.push(operand);
            if self.at(K::LeftBracket) && matches!(kind, ExprKind::Name(_) | ExprKind::Primed(_)) {
                let opening = self.advance().span;
                stacks.push(Open::Index { opening });
                continue;
            }
            return true;
        }
    }

    fn number(&mut self, token: Token) -> ExprKind {
        ExprKind::Number {
            value: self.number_value(token),
            hexadecimal: hexadecimal_digits(self.lexer.slice(token.span)).is_some(),
        }
    }

    /// `a[i]` at the left of an assignment, behind the name.
    pub(super) fn element(&mut self, array: Ident) -> ExprId {
        let name = self.ast.add_expr(ExprKind::Name(array.name), array.span);
        self.expect(TokenKind::LeftBracket, "before the index");
        let index = self.expression();
        self.expect(TokenKind::RightBracket, "after the index");
        let span = self.span_since(array.span.start);
        self.ast
            .add_expr(ExprKind::Index { array: name, index }, span)
    }

    /// Whether a keyword before an operand position can only be meant as a variable.
    fn keyword_in_expression(&self) -> bool {
        use TokenKind as K;
        matches!(
            self.next.kind,
            K::RightParen | K::RightBracket | K::Comma | K::Semicolon
        ) || binary_operator(self.next.kind).is_some()
    }

    /// Reports `f(…)` inside an expression and skips its arguments.
    fn call_in_expression(&mut self, name: Token) -> ExprKind {
        let text = self.lexer.slice(name.span);
        self.lexer.report(
            Diagnostic::new(
                codes::CALL_IN_EXPRESSION,
                name.span,
                format!("`{text}` is called inside an expression"),
            )
            .help(format!(
                "call it in a statement of its own, `x := {text}(…);`, and use `x` here"
            )),
        );
        let mut depth = 0_usize;
        while !self.at(TokenKind::End) && !self.at(TokenKind::Semicolon) {
            match self.advance().kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        ExprKind::Error
    }

    /// Takes closing brackets and one infix operator. False if the expression is over.
    fn after_operand(&mut self, stacks: &mut Stacks) -> bool {
        use TokenKind as K;
        loop {
            match (self.current.kind, stacks.innermost()) {
                // `(c ? a)`: the conditional lacks its second half.
                (K::RightParen | K::RightBracket | K::Comma, Some(Open::Question))
                    if stacks.landmarks.len() > 1 =>
                {
                    while matches!(stacks.innermost(), Some(Open::Question)) {
                        self.reduce_top(stacks);
                    }
                }
                (K::RightParen, Some(Open::Paren { around, opening })) => {
                    self.reduce_to_bracket(stacks);
                    stacks.pop();
                    self.advance();
                    let span = self.span_since(opening.start);
                    self.wrap(stacks, span, |operand| around.kind(operand));
                }
                (K::RightBracket, Some(Open::Index { .. })) => {
                    self.reduce_to_bracket(stacks);
                    self.advance();
                    self.close_index(stacks);
                }
                (K::RightBracket, Some(Open::Choose { comma: true, .. })) => {
                    self.reduce_to_bracket(stacks);
                    self.advance();
                    self.close_choose(stacks);
                }
                (K::Comma, Some(Open::Choose { comma: false, .. })) => {
                    self.reduce_to_bracket(stacks);
                    self.advance();
                    if let Some(Open::Choose { comma, .. }) = stacks.open.last_mut() {
                        *comma = true;
                    }
                    return true;
                }
                (K::Question, _) => {
                    self.reduce_stronger(stacks, 0);
                    self.advance();
                    stacks.push(Open::Question);
                    return true;
                }
                (K::Colon, Some(Open::Question)) => {
                    while !matches!(stacks.open.last(), Some(Open::Question)) {
                        self.reduce_top(stacks);
                    }
                    self.advance();
                    stacks.pop();
                    stacks.push(Open::Alternative);
                    return true;
                }
                (kind, _) => {
                    let Some((op, alternative)) = binary_operator(kind) else {
                        return false;
                    };
                    self.advance();
                    let strength = op.strength() + u8::from(op.is_right_associative());
                    self.reduce_stronger(stacks, strength);
                    stacks.push(Open::Binary { op, alternative });
                    return true;
                }
            }
        }
    }

    /// Builds every open operator that binds at least this strongly.
    fn reduce_stronger(&mut self, stacks: &mut Stacks, strength: u8) {
        while let Some(&top) = stacks.open.last() {
            match top {
                Open::Prefix { .. } => {}
                Open::Binary { op, .. } if op.strength() >= strength => {}
                _ => return,
            }
            self.reduce_top(stacks);
        }
    }

    /// Builds everything above the innermost open bracket.
    fn reduce_to_bracket(&mut self, stacks: &mut Stacks) {
        while stacks.open.last().is_some_and(|open| !open.is_bracket()) {
            self.reduce_top(stacks);
        }
    }

    /// Builds the topmost open operator, which is not a bracket.
    fn reduce_top(&mut self, stacks: &mut Stacks) {
        match stacks.pop() {
            Some(Open::Prefix { sign, start }) => {
                let end = stacks.operands.last().map(|&o| self.ast.expr(o).span.end);
                let span = Span::new(start, end.unwrap_or(start));
                self.wrap(stacks, span, |operand| match sign {
                    Prefix::Not { tilde } => ExprKind::Not { operand, tilde },
                    Prefix::Minus => ExprKind::Negate(operand),
                });
            }
            Some(Open::Binary { op, alternative }) => {
                let (left, right) = two(stacks);
                let span = self.ast.expr(left).span.to(self.ast.expr(right).span);
                let kind = ExprKind::Binary {
                    op,
                    alternative,
                    left,
                    right,
                };
                stacks.operands.push(self.ast.add_expr(kind, span));
            }
            Some(Open::Alternative) => {
                let (then, otherwise) = two(stacks);
                let condition = stacks.operands.pop().unwrap_or(then);
                let span = self.ast.expr(condition).span;
                let span = span.to(self.ast.expr(otherwise).span);
                let kind = ExprKind::Conditional {
                    condition,
                    then,
                    otherwise,
                };
                stacks.operands.push(self.ast.add_expr(kind, span));
            }
            Some(Open::Question) => {
                self.expected("`:` of a conditional `c ? a : b`", None);
                stacks.operands.pop();
            }
            Some(Open::Paren { .. } | Open::Index { .. } | Open::Choose { .. }) | None => {}
        }
    }

    fn wrap(&mut self, stacks: &mut Stacks, span: Span, make: impl Fn(ExprId) -> ExprKind) {
        if let Some(operand) = stacks.operands.pop() {
            stacks.operands.push(self.ast.add_expr(make(operand), span));
        }
    }

    fn close_index(&mut self, stacks: &mut Stacks) {
        stacks.pop();
        let (array, index) = two(stacks);
        let span = self.span_since(self.ast.expr(array).span.start);
        let kind = ExprKind::Index { array, index };
        stacks.operands.push(self.ast.add_expr(kind, span));
    }

    fn close_choose(&mut self, stacks: &mut Stacks) {
        let Some(Open::Choose {
            strict, opening, ..
        }) = stacks.pop()
        else {
            return;
        };
        let (yes, no) = two(stacks);
        let span = self.span_since(opening.start);
        let kind = ExprKind::Choose { strict, yes, no };
        stacks.operands.push(self.ast.add_expr(kind, span));
    }

    /// Ends the expression. Brackets that are still open are reported, the innermost only: the
    /// others follow from it.
    fn close_all(&mut self, stacks: &mut Stacks) -> ExprId {
        let mut reported = matches!(
            stacks.operands.last().map(|&o| self.ast.expr(o).kind),
            Some(ExprKind::Error)
        );
        while let Some(&top) = stacks.open.last() {
            match top {
                Open::Paren { opening, .. }
                | Open::Index { opening }
                | Open::Choose { opening, .. }
                    if !reported =>
                {
                    reported = true;
                    self.unclosed_bracket(top, opening);
                }
                _ => {}
            }
            match top {
                Open::Paren { around, opening } => {
                    stacks.pop();
                    let span = self.span_since(opening.start);
                    self.wrap(stacks, span, |operand| around.kind(operand));
                }
                Open::Index { .. } => self.close_index(stacks),
                Open::Choose { comma: true, .. } => self.close_choose(stacks),
                Open::Choose { comma: false, .. } => {
                    stacks.pop();
                }
                Open::Question if reported => {
                    stacks.pop();
                    stacks.operands.pop();
                }
                _ => self.reduce_top(stacks),
            }
        }
        match stacks.operands.pop() {
            Some(root) => root,
            None => self.error_expr(),
        }
    }

    fn unclosed_bracket(&mut self, open: Open, opening: Span) {
        let (wanted, what) = match open {
            Open::Choose { comma: false, .. } => ("`,`", "`choose` with its two parts opens here"),
            Open::Choose { .. } | Open::Index { .. } => ("`]`", "opened here"),
            _ => ("`)`", "opened here"),
        };
        let found = self.shown(self.current);
        self.lexer.report(
            Diagnostic::new(
                codes::EXPECTED,
                self.current.span,
                format!("expected {wanted}, found {found}"),
            )
            .at(format!("expected {wanted} or an operator"))
            .also(opening, what),
        );
    }
}

/// The two topmost operands. There are always two: an operator is pushed behind one operand and
/// reduced behind another.
fn two(stacks: &mut Stacks) -> (ExprId, ExprId) {
    let right = stacks.operands.pop().unwrap_or(ExprId(0));
    let left = stacks.operands.pop().unwrap_or(right);
    (left, right)
}

fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, bool)> {
    use BinaryOp as B;
    use TokenKind as K;
    Some(match kind {
        K::Iff => (B::Iff, false),
        K::FatArrow => (B::Implies, false),
        K::Arrow => (B::Implies, true),
        K::Bar => (B::Or, false),
        K::BarBar => (B::Or, true),
        K::Caret => (B::Xor, false),
        K::Ampersand => (B::And, false),
        K::AmpersandAmpersand => (B::And, true),
        K::Equal => (B::Equal, false),
        K::EqualEqual => (B::Equal, true),
        K::NotEqual => (B::NotEqual, false),
        K::Less => (B::Less, false),
        K::LessEqual => (B::LessEqual, false),
        K::Greater => (B::Greater, false),
        K::GreaterEqual => (B::GreaterEqual, false),
        K::Plus => (B::Add, false),
        K::Minus => (B::Subtract, false),
        K::Star => (B::Multiply, false),
        K::Slash => (B::Divide, false),
        K::Percent => (B::Remainder, false),
        K::ShiftLeft => (B::ShiftLeft, false),
        K::ShiftRight => (B::ShiftRight, false),
        _ => return None,
    })
}
