//! Warns where other tools would read an expression differently.
//!
//! Here `=` binds tighter than `&`, as in C; in boppo it is the other way round. Likewise `^` binds
//! tighter than `|` here. `a = b & c` and `a | b ^ c` therefore get a warning with both readings
//! unless parentheses decide. Comparisons of integers are left alone: their other reading would not
//! even have a type.

use crate::checker::Checker;
use crate::infer::Shape;
use crate::types::Type;
use hardbop_syntax::ast::{BinaryOp, ExprId, ExprKind};
use hardbop_syntax::{Diagnostic, Span, codes};

/// Longer operands are cut in the message.
const MAX_SHOWN: usize = 30;

/// An operator with its operands as text.
struct Operation {
    op: &'static str,
    left: String,
    right: String,
}

impl Checker<'_> {
    /// Warns if a logical operator has an operand that other tools would group otherwise.
    pub fn warn_about_readings(&mut self, id: ExprId) {
        let ExprKind::Binary {
            op,
            alternative,
            left,
            right,
        } = self.ast.expr(id).kind
        else {
            return;
        };
        let code = match op {
            BinaryOp::And => codes::MIXED_EQUALITY,
            BinaryOp::Or => codes::MIXED_XOR,
            _ => return,
        };
        let inner_left = self.rival(op, left);
        let inner_right = self.rival(op, right);
        let outer = op.text(alternative);
        let [left_text, right_text] = [left, right].map(|e| self.excerpt(self.ast.expr(e).span));
        let (ours, theirs) = match (inner_left, inner_right) {
            (None, None) => return,
            (Some(l), None) => (
                format!("({left_text}) {outer} {right_text}"),
                format!("{} {} ({} {outer} {right_text})", l.left, l.op, l.right),
            ),
            (None, Some(r)) => (
                format!("{left_text} {outer} ({right_text})"),
                format!("({left_text} {outer} {}) {} {}", r.left, r.op, r.right),
            ),
            (Some(l), Some(r)) => (
                format!("({left_text}) {outer} ({right_text})"),
                format!(
                    "({} {} ({} {outer} {})) {} {}",
                    l.left, l.op, l.right, r.left, r.op, r.right
                ),
            ),
        };
        let message = format!("this means `{ours}`, but other tools read `{theirs}`");
        let span = self.ast.expr(id).span;
        self.report(
            Diagnostic::new(code, span, message)
                .at("two readings")
                .help(format!("write the parentheses: `{ours}` or `{theirs}`")),
        );
    }

    /// An operand without parentheses whose operator binds looser elsewhere.
    fn rival(&self, outer: BinaryOp, operand: ExprId) -> Option<Operation> {
        let ExprKind::Binary {
            op,
            alternative,
            left,
            right,
        } = self.ast.expr(operand).kind
        else {
            return None;
        };
        let is_rival = match outer {
            BinaryOp::And => matches!(op, BinaryOp::Equal | BinaryOp::NotEqual),
            _ => op == BinaryOp::Xor,
        };
        let is_integer = |e: ExprId| {
            let shape = self.infer.shape(e);
            matches!(
                shape,
                Shape::Known(Type::Int(_)) | Shape::Open { integer: true, .. }
            )
        };
        if !is_rival || is_integer(left) || is_integer(right) {
            return None;
        }
        Some(Operation {
            op: op.text(alternative),
            left: self.excerpt(self.ast.expr(left).span),
            right: self.excerpt(self.ast.expr(right).span),
        })
    }

    /// The text of a span on one line, cut if it is long.
    fn excerpt(&self, span: Span) -> String {
        let text = self.source.slice(span);
        let mut shown = String::new();
        let mut characters = text.chars();
        for c in characters.by_ref().take(MAX_SHOWN) {
            shown.push(if c.is_whitespace() { ' ' } else { c });
        }
        if characters.next().is_some() {
            shown.push('…');
        }
        shown
    }
}
