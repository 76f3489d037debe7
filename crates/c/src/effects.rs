//! What evaluating an expression changes, found out before it is evaluated.
//!
//! C leaves the order of evaluation open in most expressions; here it is from left to right. So a
//! value that was read before something else changes it is kept in a temporary, and only then.

use crate::library::{self, Known};
use crate::terms::Term;
use crate::types::Type;
use crate::unit::{Entity, Unit};
use crate::variables::{ObjectId, VarId};
use lang_c::ast as c;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::BTreeSet;

/// What an expression does besides having a value.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is found by itself")]
pub struct Effects {
    /// It takes statements of its own.
    pub any: bool,
    /// Something may have to be asserted or kept before it.
    pub may_check: bool,
    has_choice: bool,
    has_logic: bool,
    /// How often it uses variables that other threads may use, or more.
    pub accesses: u32,
    /// It may change every global.
    calls: bool,
    /// It may change anything.
    everything: bool,
    /// It assigns these.
    objects: BTreeSet<ObjectId>,
}

struct Finder<'u, 'a> {
    unit: &'u Unit<'a>,
    found: Effects,
}

impl Finder<'_, '_> {
    /// Something is assigned.
    fn assigned(&mut self, mut target: &c::Expression) {
        self.found.any = true;

        let mut is_part = false;
        loop {
            match target {
                c::Expression::Identifier(name) => {
                    match self.unit.lookup(&name.node.name) {
                        Some(&Entity::Object(id)) => {
                            let ty = &self.unit.object(id).ty;
                            self.found.everything |= is_part && self.unit.has_pointer(ty);
                            self.found.objects.insert(id);
                        }
                        _ => self.found.everything = true,
                    }
                    return;
                }
                c::Expression::Member(member)
                    if member.node.operator.node == c::MemberOperator::Direct =>
                {
                    target = &member.node.expression.node;
                }
                c::Expression::BinaryOperator(binary)
                    if binary.node.operator.node == c::BinaryOperator::Index =>
                {
                    is_part = true;
                    target = &binary.node.lhs.node;
                }
                _ => {
                    self.found.everything = true;
                    return;
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_, '_> {
    fn visit_call_expression(&mut self, call: &'ast c::CallExpression, span: &'ast Span) {
        visit::visit_call_expression(self, call, span);
        let name = match &call.callee.node {
            c::Expression::Identifier(name) => name.node.name.as_str(),
            _ => "",
        };
        let function = match self.unit.lookup(name) {
            Some(&Entity::Function(index)) => Some(&self.unit.functions[index]),
            _ => None,
        };
        let has_body = function.is_some_and(|function| function.definition.is_some());
        // What is read for them is read before, and not together with what they do.
        let is_step = self.unit.threads.is_atomic(name) || library::is_for_threads(name);
        self.found.accesses += u32::from(is_step);
        self.found.calls |= has_body;
        let known = library::known(name).filter(|_| !has_body);
        match known {
            Some(Known::Choice) if function.is_some() || library::needs_no_declaration(name) => {
                self.found.has_choice = true;
            }
            Some(Known::Expect | Known::IsConstant) => {}
            Some(Known::Absolute(_) | Known::Bits(..) | Known::Swap(_)) => {
                self.found.may_check = true;
            }
            _ => self.found.any = true,
        }
    }

    fn visit_unary_operator_expression(
        &mut self,
        unary: &'ast c::UnaryOperatorExpression,
        span: &'ast Span,
    ) {
        visit::visit_unary_operator_expression(self, unary, span);
        if matches!(
            unary.operator.node,
            c::UnaryOperator::PostIncrement
                | c::UnaryOperator::PostDecrement
                | c::UnaryOperator::PreIncrement
                | c::UnaryOperator::PreDecrement
        ) {
            self.assigned(&unary.operand.node);
            self.found.accesses += 1;
        }
        if unary.operator.node == c::UnaryOperator::Indirection {
            self.found.accesses += 1;
        }
        self.found.may_check |= match unary.operator.node {
            c::UnaryOperator::Indirection => true,
            c::UnaryOperator::Minus => self.unit.reading.overflow_checks,
            _ => false,
        };
    }

    fn visit_member_expression(&mut self, member: &'ast c::MemberExpression, span: &'ast Span) {
        visit::visit_member_expression(self, member, span);
        let is_indirect = member.operator.node == c::MemberOperator::Indirect;
        self.found.may_check |= is_indirect;
        self.found.accesses += u32::from(is_indirect);
        let name = &member.identifier.node.name;
        let structs = self.unit.structs.iter();
        let mut fields = structs.flat_map(|of| of.fields.iter().flatten());
        self.found.has_choice |= fields.any(|f| f.name == *name && f.ty.is_volatile());
    }

    fn visit_identifier(&mut self, name: &'ast c::Identifier, _: &'ast Span) {
        if let Some(&Entity::Object(id)) = self.unit.lookup(&name.name) {
            let ty = &self.unit.object(id).ty;
            self.found.has_choice |= ty.is_volatile();
            if self.unit.is_shared_object(id) {
                self.found.accesses += if matches!(ty, Type::Struct(_)) { 2 } else { 1 };
            }
        }
    }

    fn visit_cast_expression(&mut self, cast: &'ast c::CastExpression, span: &'ast Span) {
        visit::visit_cast_expression(self, cast, span);
        // A pointer to `void` has to point to something of the right type.
        self.found.may_check |= cast.type_name.node.declarator.is_some();
    }

    fn visit_conditional_expression(
        &mut self,
        conditional: &'ast c::ConditionalExpression,
        span: &'ast Span,
    ) {
        visit::visit_conditional_expression(self, conditional, span);
        self.found.has_logic = true;
    }

    fn visit_binary_operator_expression(
        &mut self,
        binary: &'ast c::BinaryOperatorExpression,
        span: &'ast Span,
    ) {
        visit::visit_binary_operator_expression(self, binary, span);
        let operator = &binary.operator.node;
        if is_assignment(operator) {
            self.assigned(&binary.lhs.node);
            self.found.accesses += u32::from(*operator != c::BinaryOperator::Assign);
        }
        self.found.accesses += u32::from(*operator == c::BinaryOperator::Index);
        match operator {
            c::BinaryOperator::Index
            | c::BinaryOperator::Divide
            | c::BinaryOperator::Modulo
            | c::BinaryOperator::ShiftLeft
            | c::BinaryOperator::ShiftRight => self.found.may_check = true,
            c::BinaryOperator::Plus | c::BinaryOperator::Minus | c::BinaryOperator::Multiply => {
                self.found.may_check |= self.unit.reading.overflow_checks
                    || self.unit.may_be_address(&binary.lhs.node)
                    || self.unit.may_be_address(&binary.rhs.node);
            }
            c::BinaryOperator::LogicalAnd | c::BinaryOperator::LogicalOr => {
                self.found.has_logic = true;
            }
            _ => {}
        }
    }

    fn visit_statement(&mut self, _: &'ast c::Statement, _: &'ast Span) {
        self.found.any = true;
        self.found.everything = true;
        self.found.accesses += 2;
    }

    fn visit_sizeofval(&mut self, _: &'ast c::SizeOfVal, _: &'ast Span) {}
}

/// Whether an operator assigns.
pub fn is_assignment(operator: &c::BinaryOperator) -> bool {
    use c::BinaryOperator as Op;
    matches!(
        operator,
        Op::Assign
            | Op::AssignMultiply
            | Op::AssignDivide
            | Op::AssignModulo
            | Op::AssignPlus
            | Op::AssignMinus
            | Op::AssignShiftLeft
            | Op::AssignShiftRight
            | Op::AssignBitwiseAnd
            | Op::AssignBitwiseXor
            | Op::AssignBitwiseOr
    )
}

impl Unit<'_> {
    /// What an expression changes.
    pub fn effects_of(&self, expression: &Node<c::Expression>) -> Effects {
        let mut finder = Finder {
            unit: self,
            found: Effects::default(),
        };
        finder.visit_expression(&expression.node, &expression.span);
        finder.found.may_check |= finder.found.has_choice && finder.found.has_logic;
        finder.found
    }

    /// Whether there is a pointer in a type.
    fn has_pointer(&self, ty: &Type) -> bool {
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            match ty {
                Type::Pointer(_) => return true,
                Type::Array(element, _) | Type::Open(element) => open.push(element),
                Type::Struct(id) => {
                    let fields = self.structs[*id].fields.iter().flatten();
                    open.extend(fields.map(|field| &field.ty));
                }
                _ => {}
            }
        }
        false
    }

    /// Whether an operand of a sum may be an address, so that the sum is checked. Sums in it, and
    /// what is read through pointers and indexes, are checked anyway.
    fn may_be_address(&self, expression: &c::Expression) -> bool {
        let is_address = |ty: &Type| matches!(ty.decayed(), Type::Pointer(_));
        let mut open = vec![expression];
        while let Some(expression) = open.pop() {
            let is_found = match expression {
                c::Expression::Identifier(name) => match self.lookup(&name.node.name) {
                    Some(&Entity::Object(id)) => is_address(&self.object(id).ty),
                    _ => false,
                },
                c::Expression::Member(member) => {
                    let name = &member.node.identifier.node.name;
                    let structs = self.structs.iter();
                    let mut fields = structs.flat_map(|of| of.fields.iter().flatten());
                    fields.any(|field| field.name == *name && is_address(&field.ty))
                }
                c::Expression::Call(call) => match &call.node.callee.node {
                    c::Expression::Identifier(name) => match self.lookup(&name.node.name) {
                        Some(&Entity::Function(index)) => {
                            is_address(&self.functions[index].signature.result)
                        }
                        _ => false,
                    },
                    _ => true,
                },
                c::Expression::UnaryOperator(unary) => {
                    unary.node.operator.node == c::UnaryOperator::Address
                }
                c::Expression::Cast(cast) => {
                    open.push(&cast.node.expression.node);
                    cast.node.type_name.node.declarator.is_some()
                }
                c::Expression::Conditional(conditional) => {
                    open.push(&conditional.node.then_expression.node);
                    open.push(&conditional.node.else_expression.node);
                    false
                }
                c::Expression::Comma(expressions) => {
                    open.extend(expressions.last().map(|last| &last.node));
                    false
                }
                _ => false,
            };
            if is_found {
                return true;
            }
        }
        false
    }

    fn may_change(&self, effects: &Effects, id: VarId) -> bool {
        let variable = self.variable(id);
        let object = variable.order.0;
        let is_temporary = object == u32::MAX;
        !is_temporary
            && (effects.everything
                || (effects.calls && variable.owner.is_none())
                || effects.objects.contains(&ObjectId(object)))
    }

    /// A term that keeps its value when something changes variables: itself, or a temporary.
    pub fn kept(&mut self, term: &Term, effects: &Effects) -> Term {
        let is_changed = effects.any && term.reads(&|id| self.may_change(effects, id));
        // A choice stays where it is made, before what comes next.
        if is_changed || (effects.any && term.has_choice()) {
            self.spill(term)
        } else {
            Term::clone(term)
        }
    }
}
