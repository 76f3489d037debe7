//! Results that depend on the order of evaluation, which C leaves open for most operators and for
//! arguments.
//!
//! Two operands conflict if one of them writes a variable that the other one reads or writes. What
//! calls read and write is collected over whole functions, and those that they call, by the names in
//! them; what is written through pointers is not looked at. So a warning says that the order may
//! matter, and no warning does not say that it never does.

use crate::effects::is_assignment;
use crate::unit::{Entity, Unit};
use crate::variables::ObjectId;
use hardbop_syntax::{Span, codes};
use lang_c::ast as c;
use lang_c::span::Node;
use lang_c::visit::{self, Visit};
use std::collections::{BTreeMap, BTreeSet};

/// The variables that something reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Access {
    reads: BTreeSet<ObjectId>,
    writes: BTreeSet<ObjectId>,
    /// The functions that it calls.
    calls: BTreeSet<usize>,
}

impl Access {
    fn add(&mut self, other: &Access) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
    }

    /// A variable that makes the order of the two matter.
    fn conflict(&self, other: &Access) -> Option<ObjectId> {
        let mut written = self.writes.iter();
        let first = written.find(|id| other.reads.contains(id) || other.writes.contains(id));
        let first = first.or_else(|| other.writes.iter().find(|id| self.reads.contains(id)));
        first.copied()
    }
}

/// Collects the names that an expression or a body reads and writes.
struct Collector<'u> {
    scopes: &'u [BTreeMap<String, Entity>],
    found: Access,
}

impl Collector<'_> {
    fn object(&self, name: &str) -> Option<ObjectId> {
        let entity = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        match entity {
            Some(&Entity::Object(id)) => Some(id),
            _ => None,
        }
    }

    /// The variable that an assignment changes, if it is not found by a pointer.
    fn assigned(&self, target: &c::Expression) -> Option<ObjectId> {
        let mut target = target;
        loop {
            target = match target {
                c::Expression::Identifier(name) => return self.object(&name.node.name),
                c::Expression::Member(member)
                    if member.node.operator.node == c::MemberOperator::Direct =>
                {
                    &member.node.expression.node
                }
                c::Expression::BinaryOperator(binary)
                    if binary.node.operator.node == c::BinaryOperator::Index =>
                {
                    &binary.node.lhs.node
                }
                _ => return None,
            };
        }
    }

    /// Visits what is evaluated to find the target of an assignment, not the target itself.
    fn visit_target(&mut self, target: &Node<c::Expression>) {
        let mut target = target;
        loop {
            target = match &target.node {
                c::Expression::Identifier(_) => return,
                c::Expression::Member(member)
                    if member.node.operator.node == c::MemberOperator::Direct =>
                {
                    &member.node.expression
                }
                c::Expression::BinaryOperator(binary)
                    if binary.node.operator.node == c::BinaryOperator::Index =>
                {
                    self.visit_expression(&binary.node.rhs.node, &binary.node.rhs.span);
                    &binary.node.lhs
                }
                other => return self.visit_expression(other, &target.span),
            };
        }
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_identifier(&mut self, name: &'ast c::Identifier, _: &'ast lang_c::span::Span) {
        let read = self.object(&name.name);
        self.found.reads.extend(read);
    }

    fn visit_member_expression(
        &mut self,
        member: &'ast c::MemberExpression,
        _: &'ast lang_c::span::Span,
    ) {
        self.visit_expression(&member.expression.node, &member.expression.span);
    }

    fn visit_call_expression(
        &mut self,
        call: &'ast c::CallExpression,
        _: &'ast lang_c::span::Span,
    ) {
        for argument in &call.arguments {
            self.visit_expression(&argument.node, &argument.span);
        }
        if let c::Expression::Identifier(name) = &call.callee.node {
            let mut scopes = self.scopes.iter().rev();
            let entity = scopes.find_map(|scope| scope.get(&name.node.name));
            if let Some(&Entity::Function(index)) = entity {
                self.found.calls.insert(index);
            }
        }
    }

    fn visit_unary_operator_expression(
        &mut self,
        unary: &'ast c::UnaryOperatorExpression,
        span: &'ast lang_c::span::Span,
    ) {
        match unary.operator.node {
            c::UnaryOperator::Address => self.visit_target(&unary.operand),
            c::UnaryOperator::PostIncrement
            | c::UnaryOperator::PostDecrement
            | c::UnaryOperator::PreIncrement
            | c::UnaryOperator::PreDecrement => {
                let written = self.assigned(&unary.operand.node);
                self.found.writes.extend(written);
                visit::visit_unary_operator_expression(self, unary, span);
            }
            _ => visit::visit_unary_operator_expression(self, unary, span),
        }
    }

    fn visit_binary_operator_expression(
        &mut self,
        binary: &'ast c::BinaryOperatorExpression,
        span: &'ast lang_c::span::Span,
    ) {
        if !is_assignment(&binary.operator.node) {
            return visit::visit_binary_operator_expression(self, binary, span);
        }
        let written = self.assigned(&binary.lhs.node);
        self.found.writes.extend(written);
        if binary.operator.node == c::BinaryOperator::Assign {
            self.visit_target(&binary.lhs);
        } else {
            self.visit_expression(&binary.lhs.node, &binary.lhs.span);
        }
        self.visit_expression(&binary.rhs.node, &binary.rhs.span);
    }

    fn visit_sizeofval(&mut self, _: &'ast c::SizeOfVal, _: &'ast lang_c::span::Span) {}
}

/// Collects the names that a function declares, which hide globals.
#[derive(Default)]
struct Locals {
    names: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Locals {
    fn visit_declarator_kind(
        &mut self,
        kind: &'ast c::DeclaratorKind,
        span: &'ast lang_c::span::Span,
    ) {
        if let c::DeclaratorKind::Identifier(name) = kind {
            self.names.insert(name.node.name.clone());
        }
        visit::visit_declarator_kind(self, kind, span);
    }
}

impl<'a> Unit<'a> {
    /// Finds out which globals each function reads and writes.
    pub fn find_accesses(&mut self) {
        let own: Vec<Access> = (self.functions.iter())
            .map(|function| {
                let mut collector = Collector {
                    scopes: &self.scopes[..1],
                    found: Access::default(),
                };
                if let Some(definition) = function.definition {
                    let statement = &definition.node.statement;
                    collector.visit_statement(&statement.node, &statement.span);
                    let mut locals = Locals::default();
                    locals.visit_function_definition(&definition.node, &definition.span);
                    for name in &locals.names {
                        if let Some(hidden) = collector.object(name) {
                            collector.found.reads.remove(&hidden);
                            collector.found.writes.remove(&hidden);
                        }
                    }
                }
                collector.found
            })
            .collect();
        let all = own.iter().enumerate().map(|(index, access)| {
            let mut all = access.clone();
            let mut reached = BTreeSet::from([index]);
            let mut open: Vec<usize> = access.calls.iter().copied().collect();
            while let Some(callee) = open.pop() {
                if reached.insert(callee) {
                    all.add(&own[callee]);
                    open.extend(own[callee].calls.iter().copied());
                }
            }
            all
        });
        self.accesses = all.collect();
    }

    /// What evaluating an expression reads and writes: itself, and with the functions it calls.
    fn access_of(&self, expression: &Node<c::Expression>) -> (Access, Access) {
        let mut collector = Collector {
            scopes: &self.scopes,
            found: Access::default(),
        };
        collector.visit_expression(&expression.node, &expression.span);
        let own = collector.found;
        let mut all = own.clone();
        for callee in &own.calls {
            if let Some(access) = self.accesses.get(*callee) {
                all.add(access);
            }
        }
        (own, all)
    }

    /// Warns if it matters which of some expressions is evaluated first.
    pub fn warn_about_order(&mut self, expressions: &[&'a Node<c::Expression>], span: Span) {
        // Only what changes something can conflict.
        if !expressions
            .iter()
            .any(|expression| self.effects_of(expression).any)
        {
            return;
        }
        let accesses: Vec<Access> = (expressions.iter())
            .map(|expression| self.access_of(expression).1)
            .collect();
        for (index, first) in accesses.iter().enumerate() {
            for second in &accesses[index + 1..] {
                if let Some(variable) = first.conflict(second) {
                    return self.warn_about(variable, span);
                }
            }
        }
    }

    /// The same for the two sides of an assignment. The variable itself is written at the end, after
    /// calls on the right side have returned, but in no certain order with `++` and the like there.
    pub fn warn_about_assignment(&mut self, binary: &'a c::BinaryOperatorExpression, span: Span) {
        if !self.effects_of(&binary.rhs).any && !self.effects_of(&binary.lhs).any {
            return;
        }
        let mut collector = Collector {
            scopes: &self.scopes,
            found: Access::default(),
        };
        let is_plain = binary.operator.node == c::BinaryOperator::Assign;
        let assigned = collector.assigned(&binary.lhs.node);
        if is_plain {
            collector.visit_target(&binary.lhs);
        } else {
            collector.visit_expression(&binary.lhs.node, &binary.lhs.span);
        }
        let left = collector.found;
        let (own, right) = self.access_of(&binary.rhs);
        let twice = assigned.filter(|id| own.writes.contains(id));
        if let Some(variable) = twice.or_else(|| left.conflict(&right)) {
            self.warn_about(variable, span);
        }
    }

    fn warn_about(&mut self, variable: ObjectId, span: Span) {
        let name = &self.object(variable).name;
        let message = format!(
            "the result may depend on the order of evaluation, which C leaves open: one operand \
             writes `{name}` and another one uses it"
        );
        let help = "operands are evaluated from left to right here; write separate statements";
        self.report_with_help(codes::C_ORDER, span, message, help);
    }
}
