//! Assignments: `=`, `op=`, `++` and `--`, of scalars and of structures.

use crate::arithmetic::held;
use crate::calls::Wanted;
use crate::places::Place;
use crate::terms::{self, Kind, Sort, Term};
use crate::types::Type;
use crate::unit::Unit;
use crate::values::Value;
use crate::variables::VarId;
use hardbop_syntax::Span;
use hardbop_syntax::ast::BinaryOp;
use lang_c::ast as c;
use lang_c::span::Node;
use std::collections::BTreeSet;

impl<'a> Unit<'a> {
    /// `x++` and the like.
    pub fn step(
        &mut self,
        unary: &'a c::UnaryOperatorExpression,
        wanted: bool,
        span: Span,
    ) -> Value {
        let place = self.place(&unary.operand);
        let place = self.fixed_place(place);
        let old = Value {
            term: self.read(&place),
            ty: place.ty.of_value(),
        };
        let (op, is_post) = match unary.operator.node {
            c::UnaryOperator::PostIncrement => (BinaryOp::Add, true),
            c::UnaryOperator::PostDecrement => (BinaryOp::Subtract, true),
            c::UnaryOperator::PreIncrement => (BinaryOp::Add, false),
            _ => (BinaryOp::Subtract, false),
        };
        let old = if is_post && wanted {
            Value {
                term: self.spill(&old.term),
                ..old
            }
        } else {
            old
        };
        let one = Value {
            term: terms::constant(1, Sort::Word(32), span),
            ty: Type::int(),
        };
        let new = self.operate(op, &old, &one, span);
        if is_post || !wanted {
            self.store(&place, &new, false, span);
            return old;
        }
        self.store(&place, &new, true, span)
    }

    /// A place whose indexes and conditions can be evaluated several times.
    pub fn fixed_place(&mut self, mut place: Place) -> Place {
        for (condition, location) in &mut place.cases {
            *condition = self.once(condition);
            location.index = location.index.as_ref().map(|index| self.once(index));
        }
        place
    }

    pub fn assignment(
        &mut self,
        binary: &'a c::BinaryOperatorExpression,
        wanted: bool,
        span: Span,
    ) -> Value {
        self.warn_about_assignment(binary, span);
        let place = self.place(&binary.lhs);
        let is_plain = binary.operator.node == c::BinaryOperator::Assign;
        if matches!(place.ty, Type::Struct(_)) && is_plain {
            self.copy_struct(&place, &binary.rhs, span);
            return Value::void(span);
        }
        if is_plain {
            return self.assign_from(place, &binary.rhs, wanted, span);
        }
        let effects = self.effects_of(&binary.rhs);
        let place = self.kept_place(place, &effects);
        let place = self.fixed_place(place);
        let old = self.read(&place);
        let old = Value {
            term: self.kept(&old, &effects),
            ty: place.ty.of_value(),
        };
        let right = self.value(&binary.rhs);
        let value = self.operate(compound(&binary.operator.node), &old, &right, span);
        self.store(&place, &value, wanted, span)
    }

    /// `place = from`
    pub fn assign_from(
        &mut self,
        place: Place,
        from: &'a Node<c::Expression>,
        wanted: bool,
        span: Span,
    ) -> Value {
        let effects = self.effects_of(from);
        let place = self.kept_place(place, &effects);
        // The result of a call goes where it is wanted, if nothing has to be converted.
        if let c::Expression::Call(call) = &from.node
            && let Type::Integer(ty) = place.ty
            && let Some(id) = self.lone_variable(&place)
            // A return that reads one shared variable and writes another one is no single step.
            && !self.is_shared(id)
        {
            let value = self.call(&call.node, span, Wanted::In(id, ty));
            if value.ty == Type::Void {
                self.wrong(span, "the function has no result");
                return Value::broken(span);
            }
            if matches!(value.term.kind, Kind::Variable(read) if read == id) {
                return value;
            }
            return self.store(&place, &value, wanted, span);
        }
        let value = self.value(from);
        self.store(&place, &value, wanted, span)
    }

    pub fn store(&mut self, place: &Place, value: &Value, wanted: bool, span: Span) -> Value {
        let value = self.converted(value, &place.ty, span);
        let mut term = held(&value);
        let lone = self.lone_variable(place);
        let is_variable = lone.is_some_and(|id| !self.is_shared(id));
        if wanted && !is_variable {
            term = self.spill(&term);
        }
        self.write(place, &term, span);
        Value {
            term: if wanted && is_variable && term.constant().is_none() {
                self.read(place)
            } else {
                term
            },
            ty: value.ty.of_value(),
        }
    }

    /// `s = t` for structs.
    pub fn copy_struct(&mut self, place: &Place, from: &'a Node<c::Expression>, span: Span) {
        let is_place = matches!(
            from.node,
            c::Expression::Identifier(_)
                | c::Expression::Member(_)
                | c::Expression::UnaryOperator(_)
                | c::Expression::BinaryOperator(_)
        );
        if !is_place {
            self.refuse(
                span,
                "a struct that is not a variable is not supported here",
            );
            return;
        }
        let source = self.place(from);
        if source.ty != place.ty {
            if source.ty != Type::Broken {
                self.wrong(span, "the two sides have different types");
            }
            return;
        }
        let Some(written) = self.scalars(place) else {
            self.refuse(span, "a struct of this type cannot be copied");
            return;
        };
        let written = self.variables_in(&written);
        let place = self.settled_place(place, &written);
        let source = self.settled_place(&source, &written);
        let (Some(to), Some(from)) = (self.scalars(&place), self.scalars(&source)) else {
            self.refuse(span, "a struct of this type cannot be copied");
            return;
        };
        // Both sides may overlap only if they are the same.
        for (to, from) in to.iter().zip(&from) {
            let term = self.read(from);
            self.write(to, &term, span);
        }
    }
}

impl Unit<'_> {
    /// The variables that assignments to some scalars change.
    fn variables_in(&mut self, scalars: &[Place]) -> BTreeSet<VarId> {
        let mut ids = BTreeSet::new();
        for scalar in scalars {
            for (_, location) in &scalar.cases {
                ids.insert(self.variable_at(location, scalar.span));
            }
        }
        ids
    }

    /// A place that stays the same while these variables are written, as in `n = *n.next`.
    fn settled_place(&mut self, place: &Place, written: &BTreeSet<VarId>) -> Place {
        let mut place = place.clone();
        for (condition, location) in &mut place.cases {
            *condition = self.settled(condition, written);
            let index = location.index.as_ref();
            location.index = index.map(|index| self.settled(index, written));
        }
        place
    }

    fn settled(&mut self, term: &Term, written: &BTreeSet<VarId>) -> Term {
        if term.reads(&|id| written.contains(&id)) {
            self.spill(term)
        } else {
            Term::clone(term)
        }
    }
}

/// The operation of `op=`.
fn compound(operator: &c::BinaryOperator) -> BinaryOp {
    use c::BinaryOperator as Op;
    match operator {
        Op::AssignMultiply => BinaryOp::Multiply,
        Op::AssignDivide => BinaryOp::Divide,
        Op::AssignModulo => BinaryOp::Remainder,
        Op::AssignMinus => BinaryOp::Subtract,
        Op::AssignShiftLeft => BinaryOp::ShiftLeft,
        Op::AssignShiftRight => BinaryOp::ShiftRight,
        Op::AssignBitwiseAnd => BinaryOp::And,
        Op::AssignBitwiseXor => BinaryOp::Xor,
        Op::AssignBitwiseOr => BinaryOp::Or,
        _ => BinaryOp::Add,
    }
}
