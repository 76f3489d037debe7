//! Expressions of a program to expressions of a machine, bottom-up with a stack.
//!
//! Parentheses go, `choose[a, b]` becomes `a | (!b & *)`, `>` becomes `<` with exchanged operands,
//! and each `*` becomes the next input of the edge at hand.
//!
//! Most of what words have is said by a few operators: `~a` is `a ^ 1…1`, a signed comparison an
//! unsigned one with the sign bits flipped, which shifts all values by half the range, and widening
//! with the sign is widening with zeros between flipping the sign bit and taking it away again.
//! Elements of arrays are in [`super::arrays`].

use super::arrays::Check;
use crate::analysis::Recent;
use crate::expr::{BinaryOp, Expr, ExprArena, UnaryOp};
use crate::ids::{ExprId, InputId, ProcId};
use crate::types::Type;
use hardbop_program::Program;
use hardbop_syntax::ast::{self, ExprKind};

/// Which values the unprimed variables of an expression stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// Those before the step.
    Before,
    /// Those after the step.
    After,
}

/// The expressions of a machine while it is made. Equal procedures share theirs.
#[derive(Default)]
pub(super) struct SharedExprs {
    exprs: ExprArena,
    recent: Recent,
}

impl SharedExprs {
    /// Calls `visit` for every part of one of them.
    pub(super) fn visit(&self, root: ExprId, visit: impl FnMut(&Expr)) {
        self.exprs.visit(root, visit);
    }

    /// All that has been added.
    pub(super) fn into_arena(self) -> ExprArena {
        self.exprs
    }

    /// One of them.
    pub(super) fn get(&self, id: ExprId) -> &Expr {
        self.exprs.get(id)
    }

    /// An expression with operands that are there, made anew unless it is remembered.
    pub(super) fn add(&mut self, expr: Expr) -> ExprId {
        let next = self.exprs.len() as u32;
        let is_same = |id| *self.exprs.get(ExprId(id)) == expr;
        let id = self.recent.get_or(expr, next, is_same);
        if id == next {
            return self.exprs.add(expr);
        }
        ExprId(id)
    }
}

/// Translates the expressions of a procedure.
pub(super) struct Translator<'a> {
    pub(super) program: &'a Program,
    /// The procedure at hand.
    pub(super) procedure: ProcId,
    pub(super) shared: &'a mut SharedExprs,
    /// The indexes of the statement at hand that may be out of range.
    pub(super) checks: Vec<Check>,
    pending: Vec<Task>,
    values: Vec<Translated>,
}

/// An operand, with the number of the first check that belongs to it.
#[derive(Clone, Copy)]
pub(super) struct Translated {
    pub(super) value: ExprId,
    pub(super) first_check: usize,
}

enum Task {
    Open(ast::ExprId),
    /// With the number of checks when it was opened.
    Close(ast::ExprId, usize),
}

impl<'a> Translator<'a> {
    /// Translates into shared expressions.
    pub fn new(program: &'a Program, procedure: ProcId, shared: &'a mut SharedExprs) -> Self {
        Self {
            program,
            procedure,
            shared,
            checks: Vec::new(),
            pending: Vec::new(),
            values: Vec::new(),
        }
    }

    /// An expression; its choices are added to the inputs.
    pub fn translate(&mut self, root: ast::ExprId, time: Time, inputs: &mut Vec<Type>) -> ExprId {
        self.pending.push(Task::Open(root));
        while let Some(task) = self.pending.pop() {
            match task {
                Task::Open(id) => self.open(id),
                Task::Close(id, first_check) => {
                    let value = self.close(id, time, inputs);
                    self.values.push(Translated { value, first_check });
                }
            }
        }
        self.pop().value
    }

    /// A condition. A lone `*` holds or not as one likes, which needs neither a guard nor an input.
    pub fn condition(&mut self, root: ast::ExprId, inputs: &mut Vec<Type>) -> Option<ExprId> {
        (!self.is_lone_choice(root)).then(|| self.translate(root, Time::Before, inputs))
    }

    /// Whether an expression is nothing but a `*`.
    pub fn is_lone_choice(&self, mut root: ast::ExprId) -> bool {
        while let ExprKind::Paren(operand) = self.program.ast.expr(root).kind {
            root = operand;
        }
        matches!(self.program.ast.expr(root).kind, ExprKind::Choice { .. })
    }

    /// The opposite of an expression: what the text negates is taken back instead of negated again,
    /// so that the branches of `if (!x)` read `!x` and `x`.
    pub fn not(&mut self, operand: ExprId) -> ExprId {
        if let Expr::Unary(UnaryOp::Not, positive) = *self.shared.exprs.get(operand) {
            return positive;
        }
        self.shared.add(Expr::Unary(UnaryOp::Not, operand))
    }

    /// Conjunction, where there is something to join.
    pub fn and(&mut self, left: Option<ExprId>, right: Option<ExprId>) -> Option<ExprId> {
        match (left, right) {
            (Some(left), Some(right)) => {
                Some(
                    self.shared
                        .add(Expr::Binary(BinaryOp::And, left, right, Type::Bool)),
                )
            }
            (one, other) => one.or(other),
        }
    }

    /// A fresh choice.
    pub fn choice(&mut self, ty: Type, inputs: &mut Vec<Type>) -> ExprId {
        let input = InputId::new(inputs.len());
        inputs.push(ty);
        self.shared.add(Expr::Input(input, ty))
    }

    pub(super) fn constant(&mut self, value: u64, ty: Type) -> ExprId {
        self.shared.add(Expr::Const(value, ty))
    }

    /// A value with its sign bit flipped.
    fn flip_sign(&mut self, operand: ExprId) -> ExprId {
        let ty = self.shared.get(operand).ty();
        let sign = 1 << (ty.width() - 1);
        if let Expr::Const(value, _) = *self.shared.get(operand) {
            return self.constant(value ^ sign, ty);
        }
        let sign = self.constant(sign, ty);
        self.shared
            .add(Expr::Binary(BinaryOp::Xor, operand, sign, ty))
    }

    /// A value in another type, widened with its sign or with zeros.
    fn convert(&mut self, operand: ExprId, ty: Type, is_signed: bool) -> Expr {
        let from = self.shared.get(operand).ty();
        if let Expr::Const(value, _) = *self.shared.get(operand) {
            let value = if is_signed {
                from.signed(value).cast_unsigned()
            } else {
                value
            };
            return Expr::Const(ty.wrap(value), ty);
        }
        if from == ty {
            return *self.shared.get(operand);
        }
        let resize = Expr::Unary(UnaryOp::Resize(ty), operand);
        if !is_signed || ty.width() <= from.width() {
            return resize;
        }
        let flipped = self.flip_sign(operand);
        let wide = self.shared.add(Expr::Unary(UnaryOp::Resize(ty), flipped));
        let sign = self.constant(1 << (from.width() - 1), ty);
        Expr::Binary(BinaryOp::Subtract, wide, sign, ty)
    }

    pub(super) fn pop(&mut self) -> Translated {
        self.values
            .pop()
            .expect("every operand is closed before its user")
    }

    fn open(&mut self, id: ast::ExprId) {
        let pending = &mut self.pending;
        pending.push(Task::Close(id, self.checks.len()));
        match self.program.ast.expr(id).kind {
            // The array itself is not a value.
            ExprKind::Index { index, .. } => pending.push(Task::Open(index)),
            kind => pending.extend(kind.operands().rev().map(Task::Open)),
        }
    }

    fn close(&mut self, id: ast::ExprId, time: Time, inputs: &mut Vec<Type>) -> ExprId {
        let ty = self.program.type_of(id);
        let kind = self.program.ast.expr(id).kind;
        let expr = match kind {
            ExprKind::Bool { value, .. } => Expr::Const(u64::from(value), Type::Bool),
            ExprKind::Number { value, .. } => Expr::Const(value, ty),
            ExprKind::Name(_) if time == Time::Before => Expr::Var(self.program.variable(id), ty),
            ExprKind::Name(_) | ExprKind::Primed(_) => Expr::Next(self.program.variable(id), ty),
            ExprKind::Choice { .. } => return self.choice(ty, inputs),
            ExprKind::Paren(_) | ExprKind::Signed(_) => return self.pop().value,
            ExprKind::Index { array, index } => {
                let span = self.program.ast.expr(id).span;
                return self.element(array, index, span, time);
            }
            ExprKind::Not { .. } if ty == Type::Bool => Expr::Unary(UnaryOp::Not, self.pop().value),
            ExprKind::Not { .. } => {
                let operand = self.pop().value;
                let ones = self.constant(ty.max_value(), ty);
                Expr::Binary(BinaryOp::Xor, operand, ones, ty)
            }
            ExprKind::Negate(_) => {
                let operand = self.pop().value;
                match *self.shared.get(operand) {
                    Expr::Const(value, _) => Expr::Const(ty.wrap(value.wrapping_neg()), ty),
                    _ => {
                        let zero = self.constant(0, ty);
                        Expr::Binary(BinaryOp::Subtract, zero, operand, ty)
                    }
                }
            }
            ExprKind::ToBool(_) => {
                let operand = self.pop().value;
                match self.shared.get(operand).ty() {
                    Type::Bool => return operand,
                    from @ Type::Int(_) => {
                        let zero = self.constant(0, from);
                        Expr::Binary(BinaryOp::NotEqual, operand, zero, Type::Bool)
                    }
                }
            }
            ExprKind::ToInt { .. } => {
                let operand = self.pop().value;
                self.convert(operand, ty, self.program.ast.is_signed(kind))
            }
            ExprKind::Binary {
                op, alternative, ..
            } => {
                let right = self.pop();
                let mut operands = (self.pop().value, right.value);
                if alternative && matches!(op, ast::BinaryOp::And | ast::BinaryOp::Or) {
                    let checks = right.first_check..self.checks.len();
                    self.reached_if(checks, operands.0, op == ast::BinaryOp::And);
                }
                let is_signed = self.program.ast.is_signed(kind);
                if is_signed && is_order(op) {
                    operands = (self.flip_sign(operands.0), self.flip_sign(operands.1));
                }
                binary(op, is_signed, operands, ty)
            }
            ExprKind::Conditional { .. } => {
                let otherwise = self.pop();
                let then = self.pop();
                let condition = self.pop().value;
                let checks = otherwise.first_check..self.checks.len();
                self.reached_if(checks, condition, false);
                self.reached_if(then.first_check..otherwise.first_check, condition, true);
                Expr::Ite(condition, then.value, otherwise.value, ty)
            }
            ExprKind::Choose { .. } => {
                let no = self.pop().value;
                let yes = self.pop().value;
                let allowed = self.not(no);
                let choice = self.choice(Type::Bool, inputs);
                let maybe = Expr::Binary(BinaryOp::And, allowed, choice, Type::Bool);
                let maybe = self.shared.add(maybe);
                Expr::Binary(BinaryOp::Or, yes, maybe, Type::Bool)
            }
            ExprKind::Error => unreachable!("a checked program has no errors"),
        };
        self.shared.add(expr)
    }
}

fn is_order(op: ast::BinaryOp) -> bool {
    use ast::BinaryOp as B;
    matches!(op, B::Less | B::LessEqual | B::Greater | B::GreaterEqual)
}

fn binary(op: ast::BinaryOp, is_signed: bool, (left, right): (ExprId, ExprId), ty: Type) -> Expr {
    let (op, left, right) = match op {
        ast::BinaryOp::Iff | ast::BinaryOp::Equal => (BinaryOp::Equal, left, right),
        ast::BinaryOp::Implies => (BinaryOp::Implies, left, right),
        ast::BinaryOp::Or => (BinaryOp::Or, left, right),
        ast::BinaryOp::Xor => (BinaryOp::Xor, left, right),
        ast::BinaryOp::And => (BinaryOp::And, left, right),
        ast::BinaryOp::NotEqual => (BinaryOp::NotEqual, left, right),
        ast::BinaryOp::Less => (BinaryOp::Less, left, right),
        ast::BinaryOp::LessEqual => (BinaryOp::LessEqual, left, right),
        ast::BinaryOp::Greater => (BinaryOp::Less, right, left),
        ast::BinaryOp::GreaterEqual => (BinaryOp::LessEqual, right, left),
        ast::BinaryOp::Add => (BinaryOp::Add, left, right),
        ast::BinaryOp::Subtract => (BinaryOp::Subtract, left, right),
        ast::BinaryOp::Multiply => (BinaryOp::Multiply, left, right),
        ast::BinaryOp::Divide if is_signed => (BinaryOp::SignedDivide, left, right),
        ast::BinaryOp::Divide => (BinaryOp::Divide, left, right),
        ast::BinaryOp::Remainder if is_signed => (BinaryOp::SignedRemainder, left, right),
        ast::BinaryOp::Remainder => (BinaryOp::Remainder, left, right),
        ast::BinaryOp::ShiftLeft => (BinaryOp::ShiftLeft, left, right),
        ast::BinaryOp::ShiftRight if is_signed => (BinaryOp::SignedShiftRight, left, right),
        ast::BinaryOp::ShiftRight => (BinaryOp::ShiftRight, left, right),
    };
    Expr::Binary(op, left, right, ty)
}
