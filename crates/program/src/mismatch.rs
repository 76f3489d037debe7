//! What to say when types do not fit: both types, and why the wanted one is wanted.

use crate::checker::Checker;
use crate::ids::{GlobalId, LocalId, ProcId, Variable};
use crate::infer::Context;
use crate::types::Type;
use hardbop_syntax::ast::{ExprId, ExprKind};
use hardbop_syntax::{Diagnostic, Span, codes};

/// Why a whole expression should have a type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reason {
    /// Any type will do.
    Free,
    /// It is a condition.
    Condition,
    /// It is assigned to a variable of the procedure at hand.
    Assigned(Variable),
    /// It is the initial value of a global.
    Initial(GlobalId),
    /// It is passed for a parameter.
    Parameter(ProcId, LocalId),
    /// It is returned; the number counts from 0.
    Result(ProcId, u32),
}

impl Checker<'_> {
    /// The type that a reason asks for.
    pub fn wanted_type(&self, reason: Reason, context: Context) -> Option<Type> {
        match reason {
            Reason::Free => None,
            Reason::Condition => Some(Type::Bool),
            Reason::Assigned(variable) => Some(self.variable_type(context.procedure, variable)),
            Reason::Initial(global) => Some(self.globals[global.index()].ty),
            Reason::Parameter(procedure, parameter) => {
                Some(self.variable_type(Some(procedure), Variable::Local(parameter)))
            }
            Reason::Result(procedure, index) => {
                let procedure = &self.procedures[procedure.index()];
                let first = procedure.locals.len() as u32 - procedure.result_count;
                Some(procedure.locals[(first + index) as usize].ty)
            }
        }
    }

    /// Reports an expression of a type that its place does not take.
    pub fn report_mismatch(
        &mut self,
        id: ExprId,
        user: Option<ExprId>,
        wanted: Type,
        found: Type,
        reason: Reason,
        context: Context,
    ) {
        let (place, other) = self.describe_place(user, reason, context);
        let message = format!("{place} must be {wanted}, but this is {found}");
        let span = self.ast.expr(id).span;
        let mut diagnostic = Diagnostic::new(codes::TYPE_MISMATCH, span, message)
            .at(format!("{found}, not {wanted}"));
        diagnostic = add_place(diagnostic, other);
        diagnostic = diagnostic.help(match wanted {
            Type::Bool => "compare it with a number, as in `n != 0`, or write `bool(n)`".to_owned(),
            Type::Int(_) => format!("convert it: `{wanted}(…)`"),
        });
        self.report(diagnostic);
    }

    /// Reports a number that is larger than the largest of its place.
    pub fn report_number(
        &mut self,
        id: ExprId,
        user: Option<ExprId>,
        value: u64,
        (ty, largest): (Type, u64),
        reason: Reason,
        context: Context,
    ) {
        let (place, other) = self.describe_place(user, reason, context);
        let here = if largest < ty.max_value() {
            " here"
        } else {
            ""
        };
        let message = format!("{value} is too large: {place} must be {ty}");
        let span = self.ast.expr(id).span;
        let diagnostic = Diagnostic::new(codes::NUMBER_DOES_NOT_FIT, span, message)
            .at(format!("the largest {ty}{here} is {largest}"));
        self.report(add_place(diagnostic, other));
    }

    /// Reports two expressions that should have one type and have two.
    pub fn report_clash(&mut self, id: ExprId, what: &str, left: ExprId, right: ExprId) {
        let ty = |operand: ExprId| self.infer.shape(operand).default_type();
        let (left_type, right_type) = (ty(left), ty(right));
        let message = format!("{what} differ in type: {left_type} and {right_type}");
        let diagnostic = Diagnostic::new(codes::TYPE_MISMATCH, self.ast.expr(id).span, message)
            .also(self.ast.expr(left).span, left_type.to_string())
            .also(self.ast.expr(right).span, right_type.to_string());
        self.report(diagnostic);
    }

    /// Reports arithmetic or a comparison of order on Booleans.
    pub fn report_needs_integers(&mut self, id: ExprId, operator: &str) {
        let message = format!("`{operator}` works on integers, not on bool");
        let span = self.ast.expr(id).span;
        let diagnostic = Diagnostic::new(codes::NEEDS_INTEGERS, span, message)
            .at("its operands are bool")
            .help("Booleans have `&`, `|`, `^`, `!`, `=>`, `<->`, `=` and `!=`; integers are declared with `decl int<n> x;`");
        self.report(diagnostic);
    }

    fn describe_place(
        &self,
        user: Option<ExprId>,
        reason: Reason,
        context: Context,
    ) -> (String, Option<(Span, String)>) {
        if let Some(user) = user {
            return (self.describe_operand(user), None);
        }
        match reason {
            Reason::Free => ("the value".into(), None),
            Reason::Condition => ("a condition".into(), None),
            Reason::Assigned(Variable::Global(id)) | Reason::Initial(id) => {
                let global = &self.globals[id.index()];
                let place = format!("the value of `{}`", self.text(global.name));
                (place, Some((global.span, "declared here".into())))
            }
            Reason::Assigned(Variable::Local(id)) => {
                let procedure = context.procedure.unwrap_or(ProcId(0));
                self.describe_local(procedure, id, "the value of")
            }
            Reason::Parameter(procedure, id) => {
                self.describe_local(procedure, id, "the argument for")
            }
            Reason::Result(procedure, _) => {
                let name = self.syntax(procedure).name;
                let place = format!("the result of `{}`", self.text(name.name));
                (place, Some((name.span, "its type is given here".into())))
            }
        }
    }

    fn describe_local(
        &self,
        procedure: ProcId,
        id: LocalId,
        what: &str,
    ) -> (String, Option<(Span, String)>) {
        let local = &self.procedures[procedure.index()].locals[id.index()];
        let name = local.name.map_or("", |name| self.text(name));
        let other = (local.span, "declared here".into());
        (format!("{what} `{name}`"), Some(other))
    }

    fn describe_operand(&self, user: ExprId) -> String {
        match self.ast.expr(user).kind {
            ExprKind::Not { tilde, .. } => {
                format!("the operand of `{}`", if tilde { '~' } else { '!' })
            }
            ExprKind::Binary {
                op, alternative, ..
            } => format!("an operand of `{}` here", op.text(alternative)),
            ExprKind::Conditional { .. } => "this part of `? :`".into(),
            ExprKind::Choose { strict, .. } => {
                format!(
                    "an operand of `{}`",
                    if strict { "schoose" } else { "choose" }
                )
            }
            ExprKind::Negate(_) => "the operand of `-`".into(),
            ExprKind::Index { .. } => "the index".into(),
            _ => "the value".into(),
        }
    }
}

fn add_place(diagnostic: Diagnostic, place: Option<(Span, String)>) -> Diagnostic {
    match place {
        Some((span, text)) => diagnostic.also(span, text),
        None => diagnostic,
    }
}
