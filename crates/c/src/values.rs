//! Expressions: their values as terms, and their side effects as statements before the one at hand.

use crate::arithmetic::{convert_term, held};
use crate::body::Exit;
use crate::calls::Wanted;
use crate::effects::{Effects, is_assignment};
use crate::places::Bound;
use crate::terms::{self, Sort, Term};
use crate::types::{Integer, Type};
use crate::unit::{Entity, Unit};
use hardbop_syntax::Span;
use hardbop_syntax::ast::{BinaryOp, StmtKind};
use lang_c::ast as c;
use lang_c::span::Node;
use std::rc::Rc;

/// How often something is translated only for its type or its value, one in the other.
const MAX_UNEVALUATED: u32 = 6;

/// The value of an expression. Its term may be Boolean although its type is `int`: what a
/// comparison gives becomes a number only where one is needed.
#[derive(Clone, Debug)]
pub struct Value {
    pub term: Term,
    pub ty: Type,
}

impl Value {
    pub fn broken(span: Span) -> Self {
        Self {
            term: terms::constant(0, Sort::Word(32), span),
            ty: Type::Broken,
        }
    }

    pub fn void(span: Span) -> Self {
        Self {
            ty: Type::Void,
            ..Self::broken(span)
        }
    }

    /// A Boolean as an `int`.
    pub fn truth(term: Term) -> Self {
        Self {
            term,
            ty: Type::int(),
        }
    }
}

impl<'a> Unit<'a> {
    /// The value of an expression; what it does besides is done.
    pub fn value(&mut self, expression: &'a Node<c::Expression>) -> Value {
        let span = self.span(expression.span);
        match &expression.node {
            c::Expression::Constant(constant) => self.literal(&constant.node, span),
            c::Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(&Entity::Enumerator(value, ty)) => Value {
                    term: terms::constant(value.cast_unsigned(), ty.sort(), span),
                    ty: Type::Integer(ty),
                },
                _ => self.value_of_place(expression, span),
            },
            c::Expression::Member(_) => self.value_of_place(expression, span),
            c::Expression::UnaryOperator(unary) => self.unary(expression, &unary.node, span),
            c::Expression::BinaryOperator(binary) => self.binary(expression, &binary.node, span),
            c::Expression::Conditional(conditional) => self.conditional(&conditional.node, span),
            c::Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name);
                if ty == Type::Void {
                    self.discard(&cast.node.expression);
                    return Value::void(span);
                }
                let value = self.value(&cast.node.expression);
                self.converted(&value, &ty, span)
            }
            c::Expression::Comma(expressions) => {
                let Some((last, others)) = expressions.split_last() else {
                    return Value::broken(span);
                };
                for other in others {
                    self.discard(other);
                }
                self.value(last)
            }
            c::Expression::Call(call) => self.call(&call.node, span, Wanted::Value),
            c::Expression::SizeOfTy(of) => {
                let ty = self.type_name(&of.node.0);
                self.size(&ty, span)
            }
            c::Expression::SizeOfVal(of) => {
                let ty = self.type_of_expression(&of.node.0);
                self.size(&ty, span)
            }
            c::Expression::Statement(statement) => self.statement_value(statement, span),
            c::Expression::StringLiteral(_) => {
                self.refuse(span, "the characters of a string are not supported");
                Value::broken(span)
            }
            other => {
                let what = match other {
                    c::Expression::GenericSelection(_) => "`_Generic`",
                    c::Expression::CompoundLiteral(_) => "a compound literal",
                    c::Expression::AlignOf(_) => "`_Alignof`",
                    c::Expression::OffsetOf(_) => "`offsetof`",
                    _ => "`va_arg`",
                };
                self.refuse(span, format!("{what} is not supported"));
                Value::broken(span)
            }
        }
    }

    fn size(&mut self, ty: &Type, span: Span) -> Value {
        let size = Integer::size(self.reading.data_model);
        let Some(bytes) = self.size_of(ty) else {
            if *ty != Type::Broken {
                let message = format!("the size of {} is not supported", ty.text());
                self.refuse(span, message);
            }
            return Value::broken(span);
        };
        Value {
            term: terms::constant(bytes, size.sort(), span),
            ty: Type::Integer(size),
        }
    }

    /// Whether an expression is not 0.
    pub fn condition(&mut self, expression: &'a Node<c::Expression>) -> Term {
        let value = self.value(expression);
        self.truth_of(&value)
    }

    pub fn truth_of(&mut self, value: &Value) -> Term {
        match &value.ty {
            Type::Integer(_) | Type::Pointer(_) | Type::Broken => terms::truth(&value.term),
            other => {
                let message = format!("a value of type {} is neither true nor false", other.text());
                self.wrong(value.term.span, message);
                terms::boolean(false, value.term.span)
            }
        }
    }

    /// Does what an expression does and forgets its value.
    pub fn discard(&mut self, expression: &'a Node<c::Expression>) {
        match &expression.node {
            c::Expression::Comma(expressions) => {
                for expression in expressions.iter() {
                    self.discard(expression);
                }
            }
            c::Expression::UnaryOperator(unary)
                if matches!(
                    unary.node.operator.node,
                    c::UnaryOperator::PostIncrement | c::UnaryOperator::PostDecrement
                ) =>
            {
                let span = self.span(expression.span);
                self.step(&unary.node, false, span);
            }
            c::Expression::BinaryOperator(binary) if is_assignment(&binary.node.operator.node) => {
                let span = self.span(expression.span);
                self.assignment(&binary.node, false, span);
            }
            c::Expression::Call(call) => {
                let span = self.span(expression.span);
                self.call(&call.node, span, Wanted::Nothing);
            }
            _ => {
                let value = self.value(expression);
                // An index is checked by the statement that reads the element, so there must be one.
                if value.term.has_open_index() {
                    self.spill(&value.term);
                }
            }
        }
    }

    /// Values from left to right.
    pub fn sequence(&mut self, expressions: &[&'a Node<c::Expression>]) -> Vec<Value> {
        let effects: Vec<Effects> = expressions.iter().map(|e| self.effects_of(e)).collect();
        let mut values = Vec::with_capacity(expressions.len());
        for (index, expression) in expressions.iter().enumerate() {
            let mut value = self.value(expression);
            for later in &effects[index + 1..] {
                value.term = self.kept(&value.term, later);
            }
            values.push(value);
        }
        values
    }

    fn value_of_place(&mut self, expression: &'a Node<c::Expression>, span: Span) -> Value {
        let place = self.place(expression);
        match &place.ty {
            Type::Array(element, length) => {
                let (element, length) = (Rc::clone(element), *length);
                let index = terms::constant(0, Sort::Word(32), span);
                let first = self.element_of(place, &index, &element, length, Bound::Inside, span);
                self.address_of(&first)
            }
            Type::Integer(_) | Type::Pointer(_) => Value {
                term: self.read(&place),
                ty: place.ty.of_value(),
            },
            Type::Broken => Value::broken(span),
            other => {
                let message = format!("a value of type {} is not supported here", other.text());
                self.refuse(span, message);
                Value::broken(span)
            }
        }
    }

    fn unary(
        &mut self,
        expression: &'a Node<c::Expression>,
        unary: &'a c::UnaryOperatorExpression,
        span: Span,
    ) -> Value {
        match unary.operator.node {
            c::UnaryOperator::PostIncrement
            | c::UnaryOperator::PostDecrement
            | c::UnaryOperator::PreIncrement
            | c::UnaryOperator::PreDecrement => self.step(unary, true, span),
            c::UnaryOperator::Address => {
                if let Some(pointer) = self.address_without_access(&unary.operand, span) {
                    return pointer;
                }
                let place = self.place(&unary.operand);
                if matches!(place.ty, Type::Broken | Type::Array(..)) {
                    if place.ty != Type::Broken {
                        self.refuse(span, "pointers to arrays are not supported");
                    }
                    return Value::broken(span);
                }
                self.address_of(&place)
            }
            c::UnaryOperator::Indirection => self.value_of_place(expression, span),
            c::UnaryOperator::Negate => {
                let condition = self.condition(&unary.operand);
                Value::truth(terms::not(&condition))
            }
            c::UnaryOperator::Plus | c::UnaryOperator::Minus | c::UnaryOperator::Complement => {
                let value = self.value(&unary.operand);
                let Type::Integer(ty) = value.ty else {
                    return self.no_number(&value, span);
                };
                let ty = ty.promoted();
                let term = convert_term(&value, ty);
                let term = match unary.operator.node {
                    c::UnaryOperator::Plus => term,
                    c::UnaryOperator::Minus => {
                        let zero = terms::constant(0, ty.sort(), span);
                        self.arithmetic(BinaryOp::Subtract, ty, &zero, &term, span)
                    }
                    _ => {
                        let all = terms::constant(u64::MAX, ty.sort(), span);
                        terms::binary(BinaryOp::Xor, false, &term, &all)
                    }
                };
                Value {
                    term,
                    ty: Type::Integer(ty),
                }
            }
        }
    }

    pub fn no_number(&mut self, value: &Value, span: Span) -> Value {
        match &value.ty {
            Type::Broken => {}
            Type::Pointer(_) => self.refuse(span, "this operation on pointers is not supported"),
            other => {
                let message = format!("a value of type {} is not a number", other.text());
                self.wrong(span, message);
            }
        }
        Value::broken(span)
    }

    fn binary(
        &mut self,
        expression: &'a Node<c::Expression>,
        binary: &'a c::BinaryOperatorExpression,
        span: Span,
    ) -> Value {
        let operator = &binary.operator.node;
        match operator {
            c::BinaryOperator::Index => return self.value_of_place(expression, span),
            c::BinaryOperator::LogicalAnd => return self.logical(binary, true, span),
            c::BinaryOperator::LogicalOr => return self.logical(binary, false, span),
            _ if is_assignment(operator) => return self.assignment(binary, true, span),
            _ => {}
        }
        self.warn_about_order(&[&binary.lhs, &binary.rhs], span);
        let values = self.sequence(&[&binary.lhs, &binary.rhs]);
        self.operate(plain(operator), &values[0], &values[1], span)
    }

    /// `a && b` or `a || b`
    fn logical(
        &mut self,
        binary: &'a c::BinaryOperatorExpression,
        is_and: bool,
        span: Span,
    ) -> Value {
        let left = self.condition(&binary.lhs);
        let effects = self.effects_of(&binary.rhs);
        // The right side is evaluated where this holds.
        let guard = |left: &Term| {
            if is_and {
                Rc::clone(left)
            } else {
                terms::not(left)
            }
        };
        if guard(&left).constant() == Some(0) {
            return Value::truth(left);
        }
        let is_branch = effects.any || (self.body.splits && effects.may_check);
        if !is_branch {
            let left = self.once(&left);
            self.body.guards.push(guard(&left));
            let right = self.condition(&binary.rhs);
            self.body.guards.pop();
            return Value::truth(if is_and {
                terms::and(&left, &right)
            } else {
                terms::or(&left, &right)
            });
        }
        let left = if left.constant().is_some() {
            return Value::truth(self.condition(&binary.rhs));
        } else {
            self.spill_always(&left, span)
        };
        let (result, spot) = left;
        let condition = guard(&result);
        self.branch(
            &condition,
            span,
            |unit| {
                let right = unit.condition(&binary.rhs);
                unit.assign(&spot, &right, right.span);
            },
            |_| {},
        );
        Value::truth(result)
    }

    fn conditional(&mut self, conditional: &'a c::ConditionalExpression, span: Span) -> Value {
        let condition = self.condition(&conditional.condition);
        let (then, otherwise) = (&conditional.then_expression, &conditional.else_expression);
        match condition.constant() {
            Some(0) => return self.chosen(otherwise, then, span),
            Some(_) => return self.chosen(then, otherwise, span),
            None => {}
        }
        let effects = [self.effects_of(then), self.effects_of(otherwise)];
        let splits = self.body.splits;
        let has_effects = (effects.iter()).any(|of| of.any || (splits && of.may_check));
        if !has_effects {
            let condition = self.once(&condition);
            self.body.guards.push(Rc::clone(&condition));
            let then = self.value(then);
            self.body.guards.pop();
            self.body.guards.push(terms::not(&condition));
            let otherwise = self.value(otherwise);
            self.body.guards.pop();
            let ty = self.common_type(&then, &otherwise, span);
            let then = self.converted(&then, &ty, span);
            let otherwise = self.converted(&otherwise, &ty, span);
            if ty == Type::Void {
                return Value::void(span);
            }
            let (a, b) = same_sort(&then.term, &otherwise.term);
            let term = terms::conditional(&condition, &a, &b);
            return Value { term, ty };
        }
        let (then_type, else_type) = (
            self.type_of_expression(then).decayed(),
            self.type_of_expression(otherwise).decayed(),
        );
        let as_value = |ty: Type| Value {
            ty,
            ..Value::broken(span)
        };
        let ty = self.common_type(&as_value(then_type), &as_value(else_type), span);
        if ty == Type::Void {
            self.branch(
                &condition,
                span,
                |unit| unit.discard(then),
                |unit| unit.discard(otherwise),
            );
            return Value::void(span);
        }
        let sort = self.sort_of(&ty, span);
        let notation = self.notation_of_type(&ty);
        let result = self.temporary("?:", sort, notation, span);
        let spot = crate::body::Spot::Variable(result);
        let fill = |unit: &mut Self, expression: &'a Node<c::Expression>| {
            let value = unit.value(expression);
            let value = unit.converted(&value, &ty, span);
            let term = held(&value);
            unit.assign(&spot, &term, term.span);
        };
        self.branch(
            &condition,
            span,
            |unit| fill(unit, then),
            |unit| fill(unit, otherwise),
        );
        Value {
            term: terms::variable(result, sort, span),
            ty,
        }
    }

    /// The value of a conditional whose condition is known: the other operand is not evaluated, but
    /// its type counts (6.5.15).
    fn chosen(
        &mut self,
        taken: &'a Node<c::Expression>,
        other: &'a Node<c::Expression>,
        span: Span,
    ) -> Value {
        let other_type = self.type_of_expression(other).decayed();
        if other_type == Type::Broken {
            // Its errors are errors of the program all the same.
            self.unevaluated(|unit| unit.value(other));
        }
        if other_type == Type::Void || self.type_of_expression(taken) == Type::Void {
            self.discard(taken);
            return Value::void(span);
        }
        let value = self.value(taken);
        let as_value = Value {
            ty: other_type,
            ..Value::broken(span)
        };
        let ty = self.common_type(&value, &as_value, span);
        self.converted(&value, &ty, span)
    }

    fn common_type(&mut self, a: &Value, b: &Value, span: Span) -> Type {
        match (&a.ty, &b.ty) {
            (Type::Integer(x), Type::Integer(y)) => Type::Integer(x.common(*y)),
            (Type::Void, _) | (_, Type::Void) => Type::Void,
            (Type::Pointer(_), _) => a.ty.clone(),
            (_, Type::Pointer(_)) => b.ty.clone(),
            (Type::Broken, _) | (_, Type::Broken) => Type::Broken,
            (other, _) => {
                let message = format!("a value of type {} is not supported here", other.text());
                self.refuse(span, message);
                Type::Broken
            }
        }
    }

    /// `if (condition) then else otherwise`
    pub fn branch(
        &mut self,
        condition: &Term,
        span: Span,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let labels = self.take_labels();
        let head = self.emit(condition);
        let then = self.block(span, then);
        let otherwise = self.block(span, otherwise);
        let is_empty = otherwise.stmts.is_empty() && otherwise.end_labels.is_empty();
        let kind = StmtKind::If {
            arms: vec![(head, then)].into(),
            otherwise: (!is_empty).then(|| Box::new(otherwise)),
        };
        self.push_labelled(labels, kind, span);
    }

    /// The value of `({ … })`: that of the last expression.
    fn statement_value(&mut self, statement: &'a Node<c::Statement>, span: Span) -> Value {
        let c::Statement::Compound(items) = &statement.node else {
            self.statement(statement);
            return Value::void(span);
        };
        self.enter();
        let mut value = Value::void(span);
        for (index, item) in items.iter().enumerate() {
            match &item.node {
                c::BlockItem::Statement(last) if index + 1 == items.len() => match &last.node {
                    c::Statement::Expression(Some(expression)) => value = self.value(expression),
                    _ => self.statement(last),
                },
                _ => self.block_item(item),
            }
        }
        self.leave();
        value
    }

    /// The value of an expression that must be a constant, if it is one; modulo 2^64.
    pub fn constant_of(&mut self, expression: &'a Node<c::Expression>) -> Option<i64> {
        self.exact_constant(expression).map(|value| value as i64)
    }

    /// The value of an expression that must be a constant, if it is one.
    pub fn exact_constant(&mut self, expression: &'a Node<c::Expression>) -> Option<i128> {
        let value = self.unevaluated(|unit| unit.value(expression))?;
        let number = value.term.constant()?;
        match value.ty {
            Type::Integer(ty) if ty.signed && value.term.sort != Sort::Bool => {
                Some(i128::from(value.term.sort.signed(number)))
            }
            Type::Integer(_) => Some(i128::from(number)),
            _ => None,
        }
    }

    /// Translates something and throws away what it would do. This is done only so often one in
    /// the other, since each time doubles the work.
    pub fn unevaluated<T>(&mut self, translate: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.body.depth == MAX_UNEVALUATED {
            return None;
        }
        self.body.depth += 1;
        let ast = std::mem::take(&mut self.ast);
        let labels = self.take_labels();
        let guards = std::mem::take(&mut self.body.guards);
        let exits: (Vec<Exit>, Vec<Exit>) = (
            std::mem::take(&mut self.body.breaks),
            std::mem::take(&mut self.body.continues),
        );
        let variables = self.variables.len();
        let mut result = None;
        self.block(Span::default(), |unit| result = Some(translate(unit)));
        self.forget_variables(variables);
        self.ast = ast;
        self.body.guards = guards;
        (self.body.breaks, self.body.continues) = exits;
        self.restore_labels(labels);
        self.body.depth -= 1;
        result
    }
}

/// Two terms of one sort: a Boolean beside a word becomes one.
pub fn same_sort(a: &Term, b: &Term) -> (Term, Term) {
    let widen = |term: &Term, other: &Term| match (term.sort, other.sort) {
        (Sort::Bool, Sort::Word(width)) => terms::from_bool(term, width),
        _ => Rc::clone(term),
    };
    (widen(a, b), widen(b, a))
}

/// The operation of an operator that does not assign.
fn plain(operator: &c::BinaryOperator) -> BinaryOp {
    use c::BinaryOperator as Op;
    match operator {
        Op::Multiply => BinaryOp::Multiply,
        Op::Divide => BinaryOp::Divide,
        Op::Modulo => BinaryOp::Remainder,
        Op::Minus => BinaryOp::Subtract,
        Op::ShiftLeft => BinaryOp::ShiftLeft,
        Op::ShiftRight => BinaryOp::ShiftRight,
        Op::Less => BinaryOp::Less,
        Op::Greater => BinaryOp::Greater,
        Op::LessOrEqual => BinaryOp::LessEqual,
        Op::GreaterOrEqual => BinaryOp::GreaterEqual,
        Op::Equals => BinaryOp::Equal,
        Op::NotEquals => BinaryOp::NotEqual,
        Op::BitwiseAnd => BinaryOp::And,
        Op::BitwiseXor => BinaryOp::Xor,
        Op::BitwiseOr => BinaryOp::Or,
        _ => BinaryOp::Add,
    }
}
