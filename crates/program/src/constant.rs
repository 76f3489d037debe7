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
        };
        for (global, expr) in std::mem::take(&mut self.initials) {
            let reported = self.diagnostics.len();
            self.check_expr(expr, context, Reason::Initial(global));
            if has_errors(&self.diagnostics[reported..]) || self.is_lone_choice(expr) {
                continue;
            }
            match self.constant(expr) {
                Ok(value) => self.globals[global.index()].initial = Some(value),
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
            let value = match self.ast.expr(id).kind {
                ExprKind::Bool { value, .. } => u64::from(value),
                ExprKind::Number(value) => value,
                ExprKind::Paren(operand) => values[&operand],
                ExprKind::Not { operand, .. } => 1 - values[&operand],
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
        BinaryOp::NotEqual | BinaryOp::Xor => u64::from(a != b),
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
    }
}
