//! What a C program asks to be checked: its own assertions and errors, and the label `ERROR` where
//! there are none.

use crate::library::{self, ERRORS, Known};
use crate::unit::{Entity, Unit};
use lang_c::ast as c;
use lang_c::span::Span;
use lang_c::visit::{self, Visit};

/// The label that is an error to reach where nothing else is asked.
pub const ERROR: &str = "ERROR";

impl Unit<'_> {
    /// Whether the functions that `main` can reach assert something or call an error.
    pub fn has_questions(&self) -> bool {
        let mut finder = Finder {
            unit: self,
            is_found: false,
        };
        for (index, function) in self.functions.iter().enumerate() {
            if let Some(definition) = function.definition
                && function.is_reachable
                && !self.is_replaced(index)
            {
                let statement = &definition.node.statement;
                finder.visit_statement(&statement.node, &statement.span);
            }
        }
        finder.is_found
    }

    /// Whether calls of a function mean something else than its body.
    pub fn is_replaced(&self, function: usize) -> bool {
        let name = self.functions[function].name.as_str();
        ERRORS.contains(&name) || (name == "__VERIFIER_assert" && self.is_assertion(function))
    }

    /// Whether a function is `{ if (!c) { error… } }` with `c` its only parameter.
    pub fn is_assertion(&self, function: usize) -> bool {
        let Some(definition) = self.functions[function].definition else {
            return false;
        };
        let parameters = crate::declarations::parameters_of(&definition.node.declarator);
        let [parameter] = parameters else {
            return false;
        };
        let declarator = parameter.node.declarator.as_ref();
        let Some((name, _)) = declarator.and_then(crate::declarations::name_of) else {
            return false;
        };
        let c::Statement::Compound(items) = &definition.node.statement.node else {
            return false;
        };
        let Some(c::BlockItem::Statement(first)) = items.first().map(|item| &item.node) else {
            return false;
        };
        let is_end = items[1..].iter().all(|item| {
            matches!(&item.node, c::BlockItem::Statement(s)
                if matches!(s.node, c::Statement::Return(None) | c::Statement::Expression(None)))
        });
        let c::Statement::If(branch) = &first.node else {
            return false;
        };
        let is_negated = match &branch.node.condition.node {
            c::Expression::UnaryOperator(unary)
                if unary.node.operator.node == c::UnaryOperator::Negate =>
            {
                matches!(&unary.node.operand.node, c::Expression::Identifier(read)
                    if read.node.name == name)
            }
            _ => false,
        };
        is_end
            && is_negated
            && branch.node.else_statement.is_none()
            && begins_with_error(&branch.node.then_statement.node)
    }
}

/// Looks for calls that are questions.
struct Finder<'u, 'a> {
    unit: &'u Unit<'a>,
    is_found: bool,
}

impl<'ast> Visit<'ast> for Finder<'_, '_> {
    fn visit_call_expression(&mut self, call: &'ast c::CallExpression, span: &'ast Span) {
        visit::visit_call_expression(self, call, span);
        let c::Expression::Identifier(name) = &call.callee.node else {
            return;
        };
        let name = name.node.name.as_str();
        let is_question = matches!(library::known(name), Some(Known::Error | Known::Assertion));
        let function = match self.unit.scopes[0].get(name) {
            Some(&Entity::Function(index)) => Some(index),
            _ => None,
        };
        let has_other_body = function.is_some_and(|index| {
            self.unit.functions[index].definition.is_some() && !self.unit.is_replaced(index)
        });
        self.is_found |= is_question && !has_other_body;
    }
}

/// Whether the first thing that a statement does is an error.
pub fn begins_with_error(statement: &c::Statement) -> bool {
    let mut statement = statement;
    loop {
        statement = match statement {
            c::Statement::Compound(items) => match items.first().map(|item| &item.node) {
                Some(c::BlockItem::Statement(first)) => &first.node,
                _ => return false,
            },
            c::Statement::Labeled(labelled) => match &labelled.node.label.node {
                c::Label::Identifier(label) if label.node.name == ERROR => return true,
                _ => &labelled.node.statement.node,
            },
            c::Statement::Expression(Some(expression)) => {
                return matches!(&expression.node, c::Expression::Call(call)
                    if matches!(&call.node.callee.node, c::Expression::Identifier(name)
                        if library::known(&name.node.name) == Some(Known::Error)));
            }
            _ => return false,
        };
    }
}
