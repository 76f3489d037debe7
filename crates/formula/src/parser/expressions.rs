//! Expressions: a shunting yard with explicit stacks, so that nesting is limited by memory only.
//!
//! Operators from loose to tight: quantifiers and `if`, which reach as far right as they can; `->`,
//! `<-`, `<->`, `<+>`; `|`; `&`; `!`; `=`, `!=`; `assume`, `cofactor`; attributes in braces. That
//! `!` is looser than `=` is Mucke's grammar, and the only reading of `!s.pc = 3` that makes sense;
//! between Booleans `!a = b` is the same either way.

use super::{GivenUp, Parser, Reading};
use crate::ast::{BinaryOp, Declaration, Expr, ExprId, Ident, Path, Quantifier, ShowItem, Step};
use crate::system::Cofactor;
use crate::token::TokenKind;
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span};

/// Something whose operands are not complete yet.
enum Pending {
    Not(Span),
    Binary(BinaryOp),
    Quantifier(Quantifier, Vec<Declaration>, Span),
    /// After `if (c)`; the condition is an operand.
    Then(Span),
    /// After `else`; condition and first branch are operands.
    Else(Span),
    Paren(Span),
    /// After `R(`; arguments are the operands from an index on.
    Arguments(Ident, usize),
    /// After `if (`.
    Condition(Span),
    /// After `case` or the `;` of a branch.
    CaseCondition(Span, Vec<(ExprId, ExprId)>),
    /// After the `:` of a branch; its condition is an operand.
    CaseValue(Span, Vec<(ExprId, ExprId)>),
    /// After `{assume`; what it is said of is an operand.
    Attribute(Cofactor, Span),
}

#[derive(Default)]
struct Stacks {
    operands: Vec<ExprId>,
    pending: Vec<Pending>,
}

/// What may follow.
#[derive(PartialEq, Eq)]
enum State {
    Operand,
    Operator,
    Done,
}

/// How tight `!` binds, among [`precedence`].
const NOT: u8 = 4;

fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Implies | BinaryOp::ImpliedBy | BinaryOp::Iff | BinaryOp::Xor => 1,
        BinaryOp::Or => 2,
        BinaryOp::And => 3,
        BinaryOp::Equal | BinaryOp::NotEqual => 5,
        BinaryOp::Cofactor(_) => 6,
    }
}

fn chains(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Cofactor(_))
}

fn binary(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::And => BinaryOp::And,
        TokenKind::Or => BinaryOp::Or,
        TokenKind::Equal => BinaryOp::Equal,
        TokenKind::NotEqual => BinaryOp::NotEqual,
        TokenKind::Implies => BinaryOp::Implies,
        TokenKind::ImpliedBy => BinaryOp::ImpliedBy,
        TokenKind::Iff => BinaryOp::Iff,
        TokenKind::Xor => BinaryOp::Xor,
        TokenKind::Assume => BinaryOp::Cofactor(Cofactor::Restrict),
        TokenKind::Cofactor => BinaryOp::Cofactor(Cofactor::Constrain),
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reads an expression up to a token that cannot belong to it.
    pub(super) fn expression(&mut self) -> Reading<ExprId> {
        let mut stacks = Stacks::default();
        let mut state = State::Operand;
        while state != State::Done {
            state = match state {
                State::Operand => self.operand(&mut stacks)?,
                _ => self.operator(&mut stacks)?,
            };
        }
        Ok(pop(&mut stacks.operands))
    }

    fn operand(&mut self, stacks: &mut Stacks) -> Reading<State> {
        let span = self.current.span;
        let kind = self.current.kind;
        match kind {
            TokenKind::Bang => stacks.pending.push(Pending::Not(span)),
            TokenKind::LeftParen => stacks.pending.push(Pending::Paren(span)),
            TokenKind::Case => {
                let case = Pending::CaseCondition(span, Vec::new());
                stacks.pending.push(case);
                self.open_cases += 1;
            }
            TokenKind::If => {
                self.bump();
                stacks.pending.push(Pending::Condition(span));
                self.expect(TokenKind::LeftParen)?;
                return Ok(State::Operand);
            }
            TokenKind::Exists | TokenKind::Forall => {
                self.bump();
                let variables = self.declarations()?;
                if !self.take(TokenKind::Dot) && !self.take(TokenKind::Colon) {
                    return Err(self.unexpected("`,` or `.`"));
                }
                let quantifier = if kind == TokenKind::Exists {
                    Quantifier::Exists
                } else {
                    Quantifier::Forall
                };
                let pending = Pending::Quantifier(quantifier, variables, span);
                stacks.pending.push(pending);
                return Ok(State::Operand);
            }
            TokenKind::True | TokenKind::False => {
                let value = Expr::Boolean(kind == TokenKind::True);
                stacks.operands.push(self.ast.push(value, span));
                self.bump();
                return Ok(State::Operator);
            }
            TokenKind::Number => {
                let (number, span) = self.number()?;
                stacks
                    .operands
                    .push(self.ast.push(Expr::Number(number), span));
                return Ok(State::Operator);
            }
            TokenKind::Name => return self.name_operand(stacks),
            _ => return Err(self.unexpected("a formula")),
        }
        self.bump();
        Ok(State::Operand)
    }

    /// A relation with arguments, or a path.
    fn name_operand(&mut self, stacks: &mut Stacks) -> Reading<State> {
        let root = self.name("a name")?;
        if self.take(TokenKind::LeftParen) {
            if self.take(TokenKind::RightParen) {
                let span = root.span.to(self.previous);
                let apply = Expr::Apply(root, Vec::new());
                stacks.operands.push(self.ast.push(apply, span));
                return Ok(State::Operator);
            }
            let first = stacks.operands.len();
            stacks.pending.push(Pending::Arguments(root, first));
            return Ok(State::Operand);
        }
        let steps = self.steps(u32::MAX)?;
        let span = root.span.to(self.previous);
        let path = Expr::Path(Path { root, steps });
        stacks.operands.push(self.ast.push(path, span));
        Ok(State::Operator)
    }

    /// The way into a variable, up to an address at the most.
    pub(super) fn steps(&mut self, end: u32) -> Reading<Vec<Step>> {
        let mut steps = Vec::new();
        while self.previous.end < end {
            if self.take(TokenKind::Dot) {
                steps.push(Step::Field(self.name("the name of a field")?));
            } else if self.take(TokenKind::LeftBracket) {
                let (index, span) = self.number()?;
                steps.push(Step::Index(index, span));
                self.expect(TokenKind::RightBracket)?;
            } else {
                break;
            }
        }
        Ok(steps)
    }

    fn operator(&mut self, stacks: &mut Stacks) -> Reading<State> {
        let kind = self.current.kind;
        if let Some(op) = binary(kind) {
            self.binary_operator(stacks, op);
            return Ok(State::Operand);
        }
        match kind {
            TokenKind::LeftBrace => self.attribute(stacks),
            TokenKind::Else => self.otherwise(stacks),
            _ => {
                while stacks.pending.last().is_some_and(|top| !top.is_open()) {
                    self.reduce(stacks);
                }
                self.close(stacks)
            }
        }
    }

    fn binary_operator(&mut self, stacks: &mut Stacks, op: BinaryOp) {
        let tightness = precedence(op);
        loop {
            match stacks.pending.last() {
                Some(Pending::Not(_)) if NOT > tightness => {}
                Some(&Pending::Binary(before)) if precedence(before) >= tightness => {
                    if precedence(before) == tightness && !chains(op) {
                        self.report_chain();
                    }
                }
                _ => break,
            }
            self.reduce(stacks);
        }
        stacks.pending.push(Pending::Binary(op));
        self.bump();
    }

    fn report_chain(&mut self) {
        let message = format!(
            "{} does not chain with the operator before it",
            self.current.kind.describe()
        );
        let diagnostic = Diagnostic::new(codes::CHAINED_OPERATORS, self.current.span, message);
        self.lexer
            .report(diagnostic.help("say with parentheses what is meant"));
    }

    /// `else`: belongs to the nearest `if` that has none.
    fn otherwise(&mut self, stacks: &mut Stacks) -> Reading<State> {
        loop {
            match stacks.pending.last() {
                Some(&Pending::Then(span)) => {
                    stacks.pending.pop();
                    stacks.pending.push(Pending::Else(span));
                    self.bump();
                    return Ok(State::Operand);
                }
                Some(top) if !top.is_open() => self.reduce(stacks),
                _ => return Err(self.unexpected("an operator or `;`")),
            }
        }
    }

    /// A token that is not an operator: it closes what is open, or ends the expression. What can be
    /// reduced is.
    fn close(&mut self, stacks: &mut Stacks) -> Reading<State> {
        let kind = self.current.kind;
        let Some(top) = stacks.pending.pop() else {
            return Ok(State::Done);
        };
        match (top, kind) {
            (Pending::Paren(_), TokenKind::RightParen) => {}
            (Pending::Condition(span), TokenKind::RightParen) => {
                stacks.pending.push(Pending::Then(span));
                self.bump();
                return Ok(State::Operand);
            }
            (Pending::Arguments(name, first), TokenKind::RightParen) => {
                let arguments = stacks.operands.split_off(first);
                let span = name.span.to(self.current.span);
                let apply = Expr::Apply(name, arguments);
                stacks.operands.push(self.ast.push(apply, span));
            }
            (Pending::Arguments(name, first), TokenKind::Comma) => {
                stacks.pending.push(Pending::Arguments(name, first));
                self.bump();
                return Ok(State::Operand);
            }
            (Pending::CaseCondition(span, branches), TokenKind::Colon) => {
                stacks.pending.push(Pending::CaseValue(span, branches));
                self.bump();
                return Ok(State::Operand);
            }
            (Pending::CaseValue(span, mut branches), TokenKind::Semicolon | TokenKind::Esac) => {
                let value = pop(&mut stacks.operands);
                let condition = pop(&mut stacks.operands);
                branches.push((condition, value));
                self.take(TokenKind::Semicolon);
                if self.current.kind != TokenKind::Esac {
                    stacks.pending.push(Pending::CaseCondition(span, branches));
                    return Ok(State::Operand);
                }
                self.open_cases -= 1;
                let span = span.to(self.current.span);
                let case = Expr::Case(branches);
                stacks.operands.push(self.ast.push(case, span));
            }
            (Pending::Attribute(kind, _), TokenKind::RightBrace) => {
                let care = pop(&mut stacks.operands);
                let of = pop(&mut stacks.operands);
                let span = self.ast.span(of).to(self.current.span);
                let cofactor = Expr::Binary(BinaryOp::Cofactor(kind), of, care);
                stacks.operands.push(self.ast.push(cofactor, span));
            }
            (top, _) => return Err(self.unclosed(&top)),
        }
        self.bump();
        Ok(State::Operator)
    }

    fn unclosed(&mut self, top: &Pending) -> GivenUp {
        let (expected, opening, what) = match *top {
            Pending::Paren(span) => ("an operator or `)`", span, "to close this parenthesis"),
            Pending::Condition(span) => ("an operator or `)`", span, "after the condition"),
            Pending::Arguments(name, _) => {
                let what = "to close the arguments of this relation";
                ("an operator, `,` or `)`", name.span, what)
            }
            Pending::CaseCondition(span, _) => ("an operator or `:`", span, "in this `case`"),
            Pending::CaseValue(span, _) => ("an operator or `;`", span, "in this `case`"),
            Pending::Attribute(_, span) => ("an operator or `}`", span, "to close this brace"),
            _ => unreachable!("everything else has been reduced"),
        };
        let diagnostic = self.unexpected_here(expected).also(opening, what);
        self.lexer.report(diagnostic);
        GivenUp
    }

    /// What stands after `{show`: a text, variables, or a text and variables.
    fn shown(&mut self) -> Reading<ShowItem> {
        let mut shown = ShowItem {
            label: None,
            paths: Vec::new(),
        };
        if self.current.kind == TokenKind::Text {
            shown.label = Some(self.quoted());
            if !self.take(TokenKind::Comma) {
                return Ok(shown);
            }
        }
        loop {
            let root = self.name("a variable")?;
            let steps = self.steps(u32::MAX)?;
            shown.paths.push(Path { root, steps });
            if !self.take(TokenKind::Comma) {
                return Ok(shown);
            }
        }
    }

    /// `{assume f}`, `{cofactor f}`, `{alloccs hints}`, `{show variables}`; those that only concern
    /// Mucke are skipped.
    fn attribute(&mut self, stacks: &mut Stacks) -> Reading<State> {
        let brace = self.current.span;
        self.bump();
        if let Some(BinaryOp::Cofactor(kind)) = binary(self.current.kind) {
            self.bump();
            stacks.pending.push(Pending::Attribute(kind, brace));
            return Ok(State::Operand);
        }
        let name = self.name("an attribute such as `assume`")?;
        match self.ast.text(name) {
            "alloccs" | "allocationConstraint" | "AllocationConstraint" => {
                let hints = self.hints()?;
                let of = pop(&mut stacks.operands);
                let span = self.ast.span(of);
                let hinted = self.ast.push(Expr::Hinted(of, hints), span);
                stacks.operands.push(hinted);
            }
            "show" => {
                let shown = self.shown()?;
                let of = pop(&mut stacks.operands);
                let span = self.ast.span(of);
                let shown = self.ast.push(Expr::Shown(of, shown), span);
                stacks.operands.push(shown);
            }
            "witcs" | "witnessconstraint" | "WitnessConstraint" => {
                self.ast.ignored_attributes.push(name);
                while !matches!(
                    self.current.kind,
                    TokenKind::RightBrace | TokenKind::Semicolon | TokenKind::End
                ) {
                    self.bump();
                }
            }
            _ => {
                let message = format!("there is no attribute `{}`", self.ast.text(name));
                let diagnostic = Diagnostic::new(codes::EXPECTED, name.span, message);
                self.lexer.report(diagnostic);
                return Err(GivenUp);
            }
        }
        self.expect(TokenKind::RightBrace)?;
        Ok(State::Operator)
    }

    /// Makes an expression of what is topmost among the pending; it needs no closing.
    fn reduce(&mut self, stacks: &mut Stacks) {
        let Stacks { operands, pending } = stacks;
        let Some(top) = pending.pop() else { return };
        let last = pop(operands);
        let end = self.ast.span(last);
        let (expr, span) = match top {
            Pending::Not(span) => (Expr::Not(last), span.to(end)),
            Pending::Binary(op) => {
                let left = pop(operands);
                let span = self.ast.span(left).to(end);
                (Expr::Binary(op, left, last), span)
            }
            Pending::Quantifier(quantifier, variables, span) => {
                (Expr::Quantifier(quantifier, variables, last), span.to(end))
            }
            Pending::Then(span) => (Expr::If(pop(operands), last, None), span.to(end)),
            Pending::Else(span) => {
                let then = pop(operands);
                (Expr::If(pop(operands), then, Some(last)), span.to(end))
            }
            _ => unreachable!("only what needs no closing is reduced"),
        };
        operands.push(self.ast.push(expr, span));
    }
}

impl Pending {
    /// Whether a token of its own has to close it.
    fn is_open(&self) -> bool {
        !matches!(
            self,
            Pending::Not(_)
                | Pending::Binary(_)
                | Pending::Quantifier(..)
                | Pending::Then(_)
                | Pending::Else(_)
        )
    }
}

/// The last operand. Each pending entry is pushed together with the operands it needs, so there is
/// one.
fn pop(operands: &mut Vec<ExprId>) -> ExprId {
    operands
        .pop()
        .expect("an operator is read after its operand")
}
