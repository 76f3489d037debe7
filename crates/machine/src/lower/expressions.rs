//! Expressions of a program to expressions of a machine, bottom-up with a stack.
//!
//! Parentheses go, `choose[a, b]` becomes `a | (!b & *)`, `>` becomes `<` with exchanged operands,
//! and each `*` becomes the next input of the edge at hand.

use crate::analysis::Recent;
use crate::expr::{BinaryOp, Expr, ExprArena, UnaryOp};
use crate::ids::{ExprId, InputId};
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
    /// All that has been added.
    pub(super) fn into_arena(self) -> ExprArena {
        self.exprs
    }

    /// An expression with operands that are there, made anew unless it is remembered.
    fn add(&mut self, expr: Expr) -> ExprId {
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
    program: &'a Program,
    shared: &'a mut SharedExprs,
    pending: Vec<Task>,
    values: Vec<ExprId>,
}

enum Task {
    Open(ast::ExprId),
    Close(ast::ExprId),
}

impl<'a> Translator<'a> {
    /// Translates into shared expressions.
    pub fn new(program: &'a Program, shared: &'a mut SharedExprs) -> Self {
        Self {
            program,
            shared,
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
                Task::Close(id) => {
                    let value = self.close(id, time, inputs);
                    self.values.push(value);
                }
            }
        }
        self.pop()
    }

    /// A condition. A lone `*` holds or not as one likes, which needs neither a guard nor an input.
    pub fn condition(&mut self, mut root: ast::ExprId, inputs: &mut Vec<Type>) -> Option<ExprId> {
        while let ExprKind::Paren(operand) = self.program.ast.expr(root).kind {
            root = operand;
        }
        if let ExprKind::Choice { .. } = self.program.ast.expr(root).kind {
            return None;
        }
        Some(self.translate(root, Time::Before, inputs))
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

    fn pop(&mut self) -> ExprId {
        self.values
            .pop()
            .expect("every operand is closed before its user")
    }

    fn open(&mut self, id: ast::ExprId) {
        let pending = &mut self.pending;
        pending.push(Task::Close(id));
        match self.program.ast.expr(id).kind {
            ExprKind::Paren(operand) | ExprKind::Not { operand, .. } => {
                pending.push(Task::Open(operand));
            }
            ExprKind::Binary { left, right, .. } => {
                pending.extend([Task::Open(right), Task::Open(left)]);
            }
            ExprKind::Choose { yes, no, .. } => {
                pending.extend([Task::Open(no), Task::Open(yes)]);
            }
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => pending.extend([otherwise, then, condition].map(Task::Open)),
            ExprKind::Bool { .. }
            | ExprKind::Number(_)
            | ExprKind::Name(_)
            | ExprKind::Primed(_)
            | ExprKind::Choice { .. }
            | ExprKind::Error => {}
        }
    }

    fn close(&mut self, id: ast::ExprId, time: Time, inputs: &mut Vec<Type>) -> ExprId {
        let ty = self.program.type_of(id);
        let expr = match self.program.ast.expr(id).kind {
            ExprKind::Bool { value, .. } => Expr::Const(u64::from(value), Type::Bool),
            ExprKind::Number(value) => Expr::Const(value, ty),
            ExprKind::Name(_) if time == Time::Before => Expr::Var(self.program.variable(id), ty),
            ExprKind::Name(_) | ExprKind::Primed(_) => Expr::Next(self.program.variable(id), ty),
            ExprKind::Choice { .. } => return self.choice(ty, inputs),
            ExprKind::Paren(_) => return self.pop(),
            ExprKind::Not { .. } => Expr::Unary(UnaryOp::Not, self.pop()),
            ExprKind::Binary { op, .. } => {
                let right = self.pop();
                let left = self.pop();
                binary(op, left, right, ty)
            }
            ExprKind::Conditional { .. } => {
                let otherwise = self.pop();
                let then = self.pop();
                let condition = self.pop();
                Expr::Ite(condition, then, otherwise, ty)
            }
            ExprKind::Choose { .. } => {
                let no = self.pop();
                let yes = self.pop();
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

fn binary(op: ast::BinaryOp, left: ExprId, right: ExprId, ty: Type) -> Expr {
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
    };
    Expr::Binary(op, left, right, ty)
}
