//! Calls of functions, with a body or without. Those that hardbop knows are in [`crate::builtins`].

use crate::arithmetic::held;
use crate::body::Spot;
use crate::library;
use crate::terms::{self, Sort};
use crate::types::{Integer, Signature, Type};
use crate::unit::{Entity, Function, Unit};
use crate::values::Value;
use crate::variables::VarId;
use hardbop_syntax::ast::{ExprId, Ident, StmtKind, Target};
use hardbop_syntax::suggest::did_you_mean;
use hardbop_syntax::{Notation, Span, codes};
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
        if let Some(kind) = library::site(name, has_body) {
            self.meets(span, kind);
        }
        if let Some(value) = self.builtin(name, has_body, call, index, span) {
            return value;
        }
        let index = index.unwrap_or_else(|| self.implicit(name, span));
        let ends = self.functions[index].is_noreturn && !has_body;
        self.functions[index].is_called = true;
        let signature = Rc::clone(&self.functions[index].signature);
        let arguments: Vec<&'a Node<c::Expression>> = call.arguments.iter().collect();
        let mut values = Vec::new();
        self.warn_about_order(&arguments, span);
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
        let is_atomic = has_body && self.makes_atomic(name, span);
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
            if is_atomic {
                unit.push(StmtKind::AtomicBegin, span);
            }
            unit.push(kind, span);
            if is_atomic {
                unit.push(StmtKind::AtomicEnd, span);
            }
            if ends {
                unit.assume(&terms::boolean(false, span), span);
            }
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

    /// A function that is called without a declaration. One whose name is nearly that of another is
    /// probably a typing error.
    fn implicit(&mut self, name: &str, span: Span) -> usize {
        if !library::needs_no_declaration(name) {
            let known: Vec<String> = library::names().collect();
            let declared = self.functions.iter().map(|function| function.name.as_str());
            let candidates = declared.chain(known.iter().map(String::as_str));
            if let Some(near) = library::nearest(name, candidates) {
                let help = did_you_mean(near);
                let message = format!("the function `{name}` is not declared");
                self.report_with_help(codes::C_MEANING, span, message, help);
            }
        }
        self.functions.push(Function {
            name: name.to_owned(),
            signature: Rc::new(Signature {
                result: Type::int(),
                parameters: Vec::new(),
                open: true,
            }),
            definition: None,
            span,
            is_declared: false,
            is_noreturn: false,
            is_reachable: true,
            is_recursive: false,
            is_called: true,
        });
        let index = self.functions.len() - 1;
        let outermost = &mut self.scopes[0];
        outermost.insert(name.to_owned(), Entity::Function(index));
        index
    }

    /// Keeps a value in a temporary that is going to be assigned again.
    pub fn spill_always(&mut self, term: &terms::Term, span: Span) -> (terms::Term, Spot) {
        let id = self.temporary("&&", Sort::Bool, Notation::default(), span);
        let spot = Spot::Variable(id);
        self.assign(&spot, term, term.span);
        (terms::variable(id, Sort::Bool, span), spot)
    }
}
