//! Calls: of functions with a body, of those without, and of those that speak to the checker.

use crate::arithmetic::held;
use crate::body::Spot;
use crate::terms::{self, Sort};
use crate::types::{Integer, Rank, Signature, Type};
use crate::unit::{Entity, Function, Unit};
use crate::values::Value;
use crate::variables::VarId;
use hardbop_syntax::{Check, Notation, Span};
use hardbop_syntax::ast::{ExprId, Ident, StmtKind, Target};
use lang_c::ast as c;
use lang_c::span::Node;
use std::rc::Rc;

/// Where the result of a call goes.
#[derive(Clone, Copy)]
pub enum Wanted {
    Nothing,
    Value,
    /// To this variable if it has the same type.
    In(VarId, Integer),
}

/// Functions that end the run without an error.
const ENDINGS: [&str; 4] = ["abort", "exit", "_exit", "_Exit"];
/// Functions that are an error to call, whether they have a body or not.
const ERRORS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

impl<'a> Unit<'a> {
    /// A call and its value.
    pub fn call(&mut self, call: &'a c::CallExpression, span: Span, wanted: Wanted) -> Value {
        let c::Expression::Identifier(name) = &call.callee.node else {
            self.refuse(span, "calls of functions by pointers are not supported");
            return Value::broken(span);
        };
        let name = name.node.name.as_str();
        if name == "asm" {
            self.refuse(span, "assembler is not supported");
            return Value::broken(span);
        }
        let index = match self.lookup(name) {
            Some(&Entity::Function(index)) => Some(index),
            Some(_) => {
                self.refuse(span, "calls of functions by pointers are not supported");
                return Value::broken(span);
            }
            None => None,
        };
        let has_body = index.is_some_and(|index| self.functions[index].definition.is_some());
        if let Some(value) = self.builtin(name, has_body, call, index, span) {
            return value;
        }
        let index = index.unwrap_or_else(|| self.implicit(name, span));
        self.functions[index].is_called = true;
        let signature = Rc::clone(&self.functions[index].signature);
        let arguments: Vec<&'a Node<c::Expression>> = call.arguments.iter().collect();
        let mut values = Vec::new();
        if has_body {
            let given = arguments.len();
            let declared = signature.parameters.len();
            if signature.open && declared > 0 {
                // Its definition is refused.
            } else if given != declared && !(signature.open && given == 0) {
                let message =
                    format!("`{name}` has {declared} parameters but is called with {given}");
                self.wrong(span, message);
                return Value::broken(span);
            }
            values = self.arguments(&arguments, &signature, span);
        } else {
            for argument in arguments {
                self.give_away(argument);
            }
        }
        let arguments: Vec<ExprId> = values.iter().map(|term| self.emit_value(term)).collect();
        let symbol = self.ast.names.intern(name);
        let callee = Ident { name: symbol, span };
        let statement = move |unit: &mut Self, target: Option<VarId>| {
            let targets = target.map(|id| Target::Variable(unit.ident(id, span)));
            let kind = StmtKind::Call {
                targets: targets.into_iter().collect(),
                callee,
                arguments: arguments.into(),
                keyword: false,
            };
            unit.push(kind, span);
        };
        let result = signature.result.clone();
        match (&result, wanted) {
            (Type::Void, _) => {
                statement(self, None);
                Value {
                    ty: Type::Void,
                    ..Value::broken(span)
                }
            }
            (_, Wanted::Nothing) => {
                statement(self, None);
                Value::broken(span)
            }
            (Type::Integer(own), Wanted::In(id, ty)) if *own == ty => {
                statement(self, Some(id));
                Value {
                    term: terms::variable(id, ty.sort(), span),
                    ty: result,
                }
            }
            (Type::Pointer(_), _) if !has_body => {
                let message =
                    format!("`{name}` has no body and returns a pointer, which is not supported");
                self.refuse(span, message);
                Value::broken(span)
            }
            _ => {
                let sort = self.sort_of(&result, span);
                let notation = self.notation_of_type(&result);
                let id = self.temporary(&format!("{name}()"), sort, notation, span);
                statement(self, Some(id));
                Value {
                    term: terms::variable(id, sort, span),
                    ty: result,
                }
            }
        }
    }

    /// The arguments of a function with a body, converted.
    fn arguments(
        &mut self,
        arguments: &[&'a Node<c::Expression>],
        signature: &Signature,
        span: Span,
    ) -> Vec<terms::Term> {
        let has_structs = signature
            .parameters
            .iter()
            .any(|ty| matches!(ty, Type::Struct(_)));
        if !has_structs {
            let values = self.sequence(arguments);
            let pairs = values.iter().zip(&signature.parameters);
            let terms = pairs.map(|(value, ty)| {
                let value = self.converted(value, ty, value.term.span);
                held(&value)
            });
            return terms.collect();
        }
        let mut terms = Vec::new();
        for (argument, ty) in arguments.iter().zip(&signature.parameters) {
            if self.effects_of(argument).any {
                self.refuse(
                    span,
                    "side effects beside a struct as argument are not supported",
                );
            }
            if let Type::Struct(_) = ty {
                let place = self.place(argument);
                for scalar in self.scalars(&place).unwrap_or_default() {
                    let term = self.read(&scalar);
                    terms.push(term);
                }
            } else {
                let value = self.value(argument);
                let value = self.converted(&value, ty, span);
                terms.push(held(&value));
            }
        }
        terms
    }

    /// Evaluates an argument of a function without a body, which may not get an address.
    fn give_away(&mut self, argument: &'a Node<c::Expression>) {
        if let c::Expression::StringLiteral(_) = argument.node {
            return;
        }
        let span = self.span(argument.span);
        let ty = self.type_of_expression(argument).decayed();
        match ty {
            Type::Pointer(_) => {
                let value = self.value(argument);
                if value.term.constant() != Some(0) {
                    let message = "an address that is passed to a function without a body is not \
                                   supported, since that function could change anything there";
                    self.refuse(span, message);
                }
            }
            Type::Struct(_) => {}
            _ => self.discard(argument),
        }
    }

    /// A function that is called without a declaration.
    fn implicit(&mut self, name: &str, span: Span) -> usize {
        self.functions.push(Function {
            name: name.to_owned(),
            signature: Rc::new(Signature {
                result: Type::int(),
                parameters: Vec::new(),
                open: true,
            }),
            definition: None,
            span,
            is_reachable: true,
            is_recursive: false,
            is_called: true,
        });
        let index = self.functions.len() - 1;
        let outermost = &mut self.scopes[0];
        outermost.insert(name.to_owned(), Entity::Function(index));
        index
    }

    /// What the functions mean that speak to the checker.
    fn builtin(
        &mut self,
        name: &str,
        has_body: bool,
        call: &'a c::CallExpression,
        function: Option<usize>,
        span: Span,
    ) -> Option<Value> {
        let void = Value {
            ty: Type::Void,
            ..Value::broken(span)
        };
        let is_assertion = match function {
            Some(index) if has_body && name == "__VERIFIER_assert" => self.is_assertion(index),
            _ => matches!(name, "assert" | "__VERIFIER_assert") && !has_body,
        };
        if ERRORS.contains(&name) || (name == "__assert_fail" && !has_body) {
            let condition = self.emit(&terms::boolean(false, span));
            let check = match name {
                "__assert_fail" => Check::Condition,
                _ => Check::NoCall {
                    function: name.to_owned(),
                },
            };
            self.state(condition, check, name.to_owned(), span);
            return Some(void);
        }
        if is_assertion || (name == "__VERIFIER_assume" && !has_body) {
            let [argument] = call.arguments.as_slice() else {
                self.wrong(span, format!("`{name}` has one argument"));
                return Some(void);
            };
            let condition = self.condition(argument);
            if is_assertion {
                let condition = self.emit(&condition);
                let error = function.and_then(|index| self.error_of(index));
                let check = match error {
                    Some(function) => Check::NoCall { function },
                    None => Check::Condition,
                };
                let text = format!("{name}({})", self.expanded(argument.span));
                self.state(condition, check, text, span);
            } else {
                self.assume(&condition, span);
            }
            return Some(void);
        }
        if has_body {
            return None;
        }
        if ENDINGS.contains(&name) {
            for argument in &call.arguments {
                self.discard(argument);
            }
            self.assume(&terms::boolean(false, span), span);
            return Some(void);
        }
        if name == "__builtin_expect" {
            return call.arguments.first().map(|argument| self.value(argument));
        }
        let kind = name.strip_prefix("__VERIFIER_nondet_")?;
        let declared = function.map(|index| self.functions[index].signature.result.clone());
        let ty = declared.unwrap_or_else(|| self.type_of_choice(kind));
        match &ty {
            Type::Integer(integer) => {
                let sort = integer.sort();
                self.declare_choice(&ty, span);
                Some(Value {
                    term: terms::choice(sort, span),
                    ty,
                })
            }
            Type::Void => Some(void),
            other => {
                let message = format!("an arbitrary {} is not supported", other.text());
                self.refuse(span, message);
                Some(Value::broken(span))
            }
        }
    }

    fn type_of_choice(&self, kind: &str) -> Type {
        let (rank, signed) = match kind {
            "bool" | "_Bool" => (Rank::Bool, false),
            "char" => (Rank::Char, true),
            "uchar" | "u8" => (Rank::Char, false),
            "short" => (Rank::Short, true),
            "ushort" | "u16" => (Rank::Short, false),
            "uint" | "unsigned" | "u32" => (Rank::Int, false),
            "long" => (Rank::Long, true),
            "ulong" | "size_t" => (Rank::Long, false),
            "longlong" => (Rank::LongLong, true),
            "ulonglong" | "u64" => (Rank::LongLong, false),
            "float" | "double" => return Type::Refused("a floating-point type"),
            "pointer" => return Type::Pointer(Rc::new(Type::Void)),
            _ => (Rank::Int, true),
        };
        Type::Integer(Integer::new(rank, signed, self.reading.data_model))
    }

    /// The error that a function calls which is an assertion: see [`Self::is_assertion`].
    fn error_of(&self, function: usize) -> Option<String> {
        let definition = self.functions[function].definition?;
        let c::Statement::Compound(items) = &definition.node.statement.node else {
            return None;
        };
        let c::BlockItem::Statement(first) = &items.first()?.node else {
            return None;
        };
        let c::Statement::If(branch) = &first.node else {
            return None;
        };
        first_error(&branch.node.then_statement.node).map(str::to_owned)
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

    /// Keeps a value in a temporary that is going to be assigned again.
    pub fn spill_always(&mut self, term: &terms::Term, span: Span) -> (terms::Term, Spot) {
        let id = self.temporary("&&", Sort::Bool, Notation::default(), span);
        let spot = Spot::Variable(id);
        self.assign(&spot, term, term.span);
        (terms::variable(id, Sort::Bool, span), spot)
    }
}

/// The function that is an error to call, if a statement begins with a call of it.
fn first_error(statement: &c::Statement) -> Option<&str> {
    let mut statement = statement;
    loop {
        statement = match statement {
            c::Statement::Compound(items) => match &items.first()?.node {
                c::BlockItem::Statement(first) => &first.node,
                _ => return None,
            },
            c::Statement::Labeled(labelled) => &labelled.node.statement.node,
            c::Statement::Expression(Some(expression)) => {
                let c::Expression::Call(call) = &expression.node else {
                    return None;
                };
                let c::Expression::Identifier(name) = &call.node.callee.node else {
                    return None;
                };
                let name = name.node.name.as_str();
                return ERRORS.contains(&name).then_some(name);
            }
            _ => return None,
        };
    }
}

/// Whether the first thing that a statement does is an error.
fn begins_with_error(statement: &c::Statement) -> bool {
    let mut statement = statement;
    loop {
        statement = match statement {
            c::Statement::Compound(items) => match items.first().map(|item| &item.node) {
                Some(c::BlockItem::Statement(first)) => &first.node,
                _ => return false,
            },
            c::Statement::Labeled(labelled) => match &labelled.node.label.node {
                c::Label::Identifier(label) if label.node.name == "ERROR" => return true,
                _ => &labelled.node.statement.node,
            },
            c::Statement::Expression(Some(expression)) => {
                return matches!(&expression.node, c::Expression::Call(call)
                    if matches!(&call.node.callee.node, c::Expression::Identifier(name)
                        if ERRORS.contains(&name.node.name.as_str())));
            }
            _ => return false,
        };
    }
}
