//! The types of expressions, without evaluating them.

use crate::types::{Integer, Type};
use crate::unit::{Entity, Unit};
use lang_c::ast as c;
use lang_c::span::Node;
use std::rc::Rc;

impl<'a> Unit<'a> {
    /// The type of an expression that is not evaluated; arrays stay arrays. Errors are reported by
    /// whoever evaluates it.
    pub fn type_of_expression(&mut self, expression: &'a Node<c::Expression>) -> Type {
        match &expression.node {
            c::Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(&Entity::Object(id)) => self.object(id).ty.clone(),
                Some(&Entity::Function(index)) => {
                    Type::Function(Rc::clone(&self.functions[index].signature))
                }
                Some(&Entity::Enumerator(_, ty)) => Type::Integer(ty),
                _ => Type::Broken,
            },
            c::Expression::Member(member) => {
                let base = self.type_of_expression(&member.node.expression);
                let base = match member.node.operator.node {
                    c::MemberOperator::Direct => base,
                    c::MemberOperator::Indirect => pointee(&base.decayed()),
                };
                let Type::Struct(id) = base else {
                    return Type::Broken;
                };
                let fields = self.structs[id].fields.iter().flatten();
                let mut named = fields.filter(|f| f.name == member.node.identifier.node.name);
                named.next().map_or(Type::Broken, |field| field.ty.clone())
            }
            c::Expression::UnaryOperator(unary) => self.type_of_unary(&unary.node),
            c::Expression::BinaryOperator(binary) => self.type_of_binary(&binary.node),
            c::Expression::Conditional(conditional) => {
                let then = self.type_of_expression(&conditional.node.then_expression);
                let otherwise = self.type_of_expression(&conditional.node.else_expression);
                match (then.decayed(), otherwise.decayed()) {
                    (Type::Integer(a), Type::Integer(b)) => Type::Integer(a.common(b)),
                    (Type::Void, _) | (_, Type::Void) => Type::Void,
                    (Type::Integer(_), other) | (other, _) => other,
                }
            }
            c::Expression::Cast(cast) => self.type_name(&cast.node.type_name),
            c::Expression::Comma(expressions) => {
                let last = expressions.last().map(|last| self.type_of_expression(last));
                last.map_or(Type::Broken, |ty| ty.decayed())
            }
            c::Expression::Call(call) => match &call.node.callee.node {
                c::Expression::Identifier(name) => match self.lookup(&name.node.name) {
                    Some(&Entity::Function(index)) => {
                        self.functions[index].signature.result.clone()
                    }
                    _ => self.result_of_builtin(&name.node.name),
                },
                _ => Type::Broken,
            },
            c::Expression::SizeOfTy(_) | c::Expression::SizeOfVal(_) => {
                Type::Integer(Integer::size(self.reading.data_model))
            }
            c::Expression::Constant(constant) => {
                let span = self.span(expression.span);
                self.literal(&constant.node, span).ty
            }
            c::Expression::Statement(_) => {
                let value = self.unevaluated(|unit| unit.value(expression).ty);
                value.unwrap_or_else(|| {
                    let span = self.span(expression.span);
                    self.refuse(
                        span,
                        "statements nested so deeply in expressions are not supported",
                    );
                    Type::Broken
                })
            }
            c::Expression::StringLiteral(_) => Type::Refused("a string"),
            _ => Type::Broken,
        }
    }

    fn type_of_unary(&mut self, unary: &'a c::UnaryOperatorExpression) -> Type {
        let operand = self.type_of_expression(&unary.operand);
        match unary.operator.node {
            c::UnaryOperator::Negate => Type::int(),
            c::UnaryOperator::Address => Type::Pointer(Rc::new(operand)),
            c::UnaryOperator::Indirection => pointee(&operand.decayed()),
            c::UnaryOperator::Plus | c::UnaryOperator::Minus | c::UnaryOperator::Complement => {
                match operand {
                    Type::Integer(ty) => Type::Integer(ty.promoted()),
                    other => other,
                }
            }
            _ => operand,
        }
    }

    fn type_of_binary(&mut self, binary: &'a c::BinaryOperatorExpression) -> Type {
        use c::BinaryOperator as Op;
        let left = self.type_of_expression(&binary.lhs);
        match binary.operator.node {
            Op::Index => match left.decayed() {
                Type::Pointer(element) => (*element).clone(),
                _ => {
                    let right = self.type_of_expression(&binary.rhs);
                    pointee(&right.decayed())
                }
            },
            Op::Less
            | Op::Greater
            | Op::LessOrEqual
            | Op::GreaterOrEqual
            | Op::Equals
            | Op::NotEquals
            | Op::LogicalAnd
            | Op::LogicalOr => Type::int(),
            Op::ShiftLeft | Op::ShiftRight => match left {
                Type::Integer(ty) => Type::Integer(ty.promoted()),
                other => other,
            },
            Op::Multiply
            | Op::Divide
            | Op::Modulo
            | Op::Plus
            | Op::Minus
            | Op::BitwiseAnd
            | Op::BitwiseXor
            | Op::BitwiseOr => {
                let right = self.type_of_expression(&binary.rhs);
                match (left.decayed(), right.decayed()) {
                    (Type::Integer(a), Type::Integer(b)) => Type::Integer(a.common(b)),
                    (Type::Integer(_), other) | (other, _) => other,
                }
            }
            _ => left,
        }
    }
}

fn pointee(pointer: &Type) -> Type {
    match pointer {
        Type::Pointer(target) => (**target).clone(),
        _ => Type::Broken,
    }
}
