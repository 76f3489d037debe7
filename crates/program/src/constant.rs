//! The initial values of globals: constant expressions, folded, or a lone `*`.

use crate::checker::Checker;
use crate::infer::Context;
use crate::mismatch::Reason;
use crate::types::Type;
use hardbop_syntax::ast::{BinaryOp, ExprId, ExprKind};
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Diagnostic, Span, codes};
use std::collections::HashMap;

impl Checker<'_> {
    /// Checks and folds the initial values of all globals.
    pub fn fold_initial_values(&mut self) {
        self.leave_thread();
        let context = Context {
            procedure: None,
            primes: false,
            fixed_indexes: false,
        };
        for (global, expr) in std::mem::take(&mut self.initials) {
            let reported = self.diagnostics.len();
            self.check_expr(expr, context, Reason::Initial(global));
            if has_errors(&self.diagnostics[reported..]) || self.is_lone_choice(expr) {
                continue;
            }
            match self.constant(expr) {
                Ok(value) => {
                    let first = global.index();
                    let length = self.globals[first].element.map_or(1, |e| e.length as usize);
                    for element in &mut self.globals[first..first + length] {
                        element.initial = Some(value);
                    }
                }
                Err(span) => {
                    let name = self.text(self.globals[global.index()].name);
                    let message = format!("the initial value of `{name}` is not a constant");
                    self.report(
                        Diagnostic::new(codes::INITIAL_NOT_CONSTANT, span, message)
                            .at("its value is not known before the program runs")
                            .help("use constants only, or `*` alone, or assign it in the first procedure"),
                    );
                }
            }
        }
    }

    fn is_lone_choice(&self, mut expr: ExprId) -> bool {
        while let ExprKind::Paren(operand) = self.ast.expr(expr).kind {
            expr = operand;
        }
        matches!(self.ast.expr(expr).kind, ExprKind::Choice { .. })
    }

    /// The value of the expression that was typed last, or the first place that has none.
    fn constant(&self, root: ExprId) -> Result<u64, Span> {
        let mut values: HashMap<ExprId, u64> = HashMap::new();
        for &(id, _) in self.infer.order.iter().rev() {
            let ty = self.tables.types[id.0 as usize];
            let kind = self.ast.expr(id).kind;
            let is_signed = self.ast.is_signed(kind);
            let type_of = |operand: ExprId| self.tables.types[operand.0 as usize];
            let value = match kind {
                ExprKind::Bool { value, .. } => u64::from(value),
                ExprKind::Number { value, .. } => value,
                ExprKind::Paren(operand) | ExprKind::Signed(operand) => values[&operand],
                ExprKind::Not { operand, .. } => ty.wrap(!values[&operand]),
                ExprKind::Negate(operand) => ty.wrap(values[&operand].wrapping_neg()),
                ExprKind::ToBool(operand) => u64::from(values[&operand] != 0),
                ExprKind::ToInt { operand, .. } if is_signed => {
                    let value = type_of(operand).signed(values[&operand]);
                    ty.wrap(value.cast_unsigned())
                }
                ExprKind::ToInt { operand, .. } => ty.wrap(values[&operand]),
                ExprKind::Binary {
                    op, left, right, ..
                } if is_signed => {
                    apply_signed(op, values[&left], values[&right], ty, type_of(left))
                }
                ExprKind::Binary {
                    op, left, right, ..
                } => apply(op, values[&left], values[&right], ty),
                ExprKind::Conditional {
                    condition,
                    then,
                    otherwise,
                } => {
                    values[if values[&condition] == 1 {
                        &then
                    } else {
                        &otherwise
                    }]
                }
                ExprKind::Choose { yes, no, .. } if values[&yes] == 1 || values[&no] == 1 => {
                    values[&yes]
                }
                ExprKind::Choose { .. }
                | ExprKind::Name(_)
                | ExprKind::Primed(_)
                | ExprKind::Index { .. }
                | ExprKind::Choice { .. }
                | ExprKind::Error => return Err(self.ast.expr(id).span),
            };
            values.insert(id, value);
        }
        Ok(values[&root])
    }
}

/// The value of an operation on constants; `ty` is the type of the result.
fn apply(op: BinaryOp, a: u64, b: u64, ty: Type) -> u64 {
    match op {
        BinaryOp::Iff | BinaryOp::Equal => u64::from(a == b),
        BinaryOp::NotEqual => u64::from(a != b),
        BinaryOp::Xor => a ^ b,
        BinaryOp::Implies => (1 - a) | b,
        BinaryOp::Or => a | b,
        BinaryOp::And => a & b,
        BinaryOp::Less => u64::from(a < b),
        BinaryOp::LessEqual => u64::from(a <= b),
        BinaryOp::Greater => u64::from(a > b),
        BinaryOp::GreaterEqual => u64::from(a >= b),
        BinaryOp::Add => ty.wrap(a.wrapping_add(b)),
        BinaryOp::Subtract => ty.wrap(a.wrapping_sub(b)),
        BinaryOp::Multiply => ty.wrap(a.wrapping_mul(b)),
        BinaryOp::Divide => ty.divide(a, b),
        BinaryOp::Remainder => ty.remainder(a, b),
        BinaryOp::ShiftLeft => ty.shift_left(a, b),
        BinaryOp::ShiftRight => ty.shift_right(a, b),
    }
}

/// The same where the operands, of type `operands`, are read in two's complement.
fn apply_signed(op: BinaryOp, a: u64, b: u64, ty: Type, operands: Type) -> u64 {
    let order = operands.signed(a).cmp(&operands.signed(b));
    match op {
        BinaryOp::Less => u64::from(order.is_lt()),
        BinaryOp::LessEqual => u64::from(order.is_le()),
        BinaryOp::Greater => u64::from(order.is_gt()),
        BinaryOp::GreaterEqual => u64::from(order.is_ge()),
        BinaryOp::Divide => ty.signed_divide(a, b),
        BinaryOp::Remainder => ty.signed_remainder(a, b),
        BinaryOp::ShiftRight => ty.signed_shift_right(a, b),
        _ => unreachable!("`signed` has no meaning for the other operators"),
    }
}
