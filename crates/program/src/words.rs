//! The rules that only words and arrays have: how large a number may be beside a sign, where
//! `signed(e)` may stand, which variables have elements, and which index an element may have.

use crate::checker::Checker;
use crate::ids::{ProcId, Variable};
use crate::infer::{Context, Shape, bits_of};
use crate::mismatch::Reason;
use crate::program::Element;
use crate::types::Type;
use hardbop_syntax::ast::{BinaryOp, ExprId, ExprKind};
use hardbop_syntax::{Diagnostic, Span, codes};

/// Whether an operator tells signed from unsigned operands.
fn has_signed_form(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::ShiftRight
    )
}

impl Checker<'_> {
    /// Reports a number that its place cannot hold. Behind a minus sign and beside `signed(e)` it
    /// is a number in two's complement.
    pub fn settle_number(
        &mut self,
        id: ExprId,
        user: Option<ExprId>,
        value: u64,
        ty: Type,
        reason: Reason,
        context: Context,
    ) {
        let user_kind = user.map(|user| self.ast.expr(user).kind);
        let half = ty.max_value() >> 1;
        let largest = match user_kind {
            Some(ExprKind::Negate(_)) => half + 1,
            Some(kind @ ExprKind::Binary { op, .. })
                if op != BinaryOp::ShiftRight && self.ast.is_signed(kind) =>
            {
                half
            }
            _ => ty.max_value(),
        };
        if value > largest {
            self.report_number(id, user, value, (ty, largest), reason, context);
        }
    }

    /// Reports `signed(e)` that is not the operand of something that has a signed form.
    pub fn check_place_of_sign(&mut self, id: ExprId, user: Option<ExprId>) {
        if !matches!(self.ast.expr(id).kind, ExprKind::Signed(_)) {
            return;
        }
        let has_meaning = match user.map(|user| self.ast.expr(user).kind) {
            Some(ExprKind::Binary { op, left, .. }) => {
                has_signed_form(op) && (op != BinaryOp::ShiftRight || left == id)
            }
            Some(ExprKind::ToInt { .. }) => true,
            _ => false,
        };
        if !has_meaning {
            self.report_sign(self.ast.expr(id).span, "`signed` has no meaning here");
        }
    }

    /// Reports an operation on a signed and an unsigned operand. A number is both.
    pub fn check_signs(&mut self, id: ExprId) {
        let kind = self.ast.expr(id).kind;
        let ExprKind::Binary {
            op, left, right, ..
        } = kind
        else {
            return;
        };
        if op == BinaryOp::ShiftRight || !has_signed_form(op) || !self.ast.is_signed(kind) {
            return;
        }
        for operand in [left, right] {
            let is_signed = matches!(self.ast.expr(operand).kind, ExprKind::Signed(_));
            if !is_signed && self.ast.number(operand).is_none() {
                let message = format!("only one operand of `{}` is signed", op.text(false));
                self.report_sign(self.ast.expr(operand).span, &message);
            }
        }
    }

    fn report_sign(&mut self, span: Span, message: &str) {
        self.report(
            Diagnostic::new(codes::SIGNED_WITHOUT_MEANING, span, message).help(
                "write `signed(a) < signed(b)`, `signed(a) / 2`, `signed(a) >> n` or \
                 `int<16>(signed(a))`",
            ),
        );
    }

    /// Types and checks an index.
    pub fn settle_index(&mut self, array: ExprId, index: ExprId, context: Context) {
        let shape = self.infer.shape(index);
        let Some(variable) = self.tables.variable(array) else {
            self.tables.types[index.0 as usize] = shape.default_type();
            return;
        };
        let (element, declared) = self.element(context.procedure, variable);
        let length = element.map_or(1, |element| element.length);
        let span = self.ast.expr(index).span;
        let number = self.ast.number(index);
        let ty = match shape {
            Shape::Known(Type::Bool) => {
                let message = "an index is an integer, not bool";
                self.report(
                    Diagnostic::new(codes::NEEDS_INTEGERS, span, message)
                        .at("bool")
                        .help("convert it: `int<1>(b)`"),
                );
                Type::Bool
            }
            // A number or a choice: as wide as the largest index at least.
            Shape::Open { bits, .. } => Type::Int(bits.max(bits_of(u64::from(length - 1))).max(1)),
            shape => shape.default_type(),
        };
        self.tables.types[index.0 as usize] = ty;
        match number {
            Some(number) if (0..i128::from(length)).contains(&number) => {}
            Some(number) => {
                let message = format!("there is no element {number}");
                self.report(
                    Diagnostic::new(codes::INDEX_OUT_OF_RANGE, span, message)
                        .at(format!("a number from 0 to {} is possible", length - 1))
                        .also(declared, "declared here"),
                );
            }
            None if context.fixed_indexes => {
                let message = "this index must be a number";
                self.report(
                    Diagnostic::new(codes::INDEX_NOT_CONSTANT, span, message)
                        .at("its value is not known before the program runs"),
                );
            }
            None => {}
        }
    }

    /// Whether a variable is one value; an array without an index is reported.
    pub fn is_scalar(&mut self, procedure: Option<ProcId>, variable: Variable, span: Span) -> bool {
        let (element, declared) = self.element(procedure, variable);
        if element.is_some() {
            let message = format!(
                "`{}` is an array and has no index here",
                self.source.slice(span)
            );
            self.report(
                Diagnostic::new(codes::ARRAY_WITHOUT_INDEX, span, message)
                    .at("which element?")
                    .also(declared, "declared here"),
            );
        }
        element.is_none()
    }

    /// Whether a variable is an array; the index of anything else is reported.
    pub fn is_array(&mut self, procedure: Option<ProcId>, variable: Variable, span: Span) -> bool {
        let (element, declared) = self.element(procedure, variable);
        if element.is_none() {
            let message = format!("`{}` is not an array", self.source.slice(span));
            self.report(
                Diagnostic::new(codes::NOT_AN_ARRAY, span, message)
                    .at("has no elements")
                    .also(declared, "declared here"),
            );
        }
        element.is_some()
    }

    /// The first element of the array that a checked `a[i]` names.
    pub fn array_of(&self, element: ExprId) -> Option<Variable> {
        match self.ast.expr(element).kind {
            ExprKind::Index { array, .. } => self.tables.variable(array),
            _ => None,
        }
    }

    /// Which element a variable is, and where it is declared.
    fn element(&self, procedure: Option<ProcId>, variable: Variable) -> (Option<Element>, Span) {
        match (variable, procedure) {
            (Variable::Global(id), _) => {
                let global = &self.globals[id.index()];
                (global.element, global.span)
            }
            (Variable::Local(id), Some(procedure)) => {
                let local = &self.procedures[procedure.index()].locals[id.index()];
                (local.element, local.span)
            }
            (Variable::Local(_), None) => unreachable!("only procedures have locals"),
        }
    }
}
