//! Functions as procedures, and the whole unit as a tree.

use crate::body::Body;
use crate::declarations::{name_of, parameters_of};
use crate::library;
use crate::terms::{self, Sort};
use crate::threads::Threads;
use crate::types::{Signature, Type};
use crate::unit::{Entity, Function, Unit};
use crate::variables::{Object, ObjectId, VarId, Variable};
use hardbop_syntax::ast::{
    Declaration, Declarator, ExprId, ExprKind, Ident, Item, Parameter, Procedure, ResultType, Stmt,
    StmtId, StmtKind, Target, TypeName,
};
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{List, Span, codes};
use lang_c::ast as c;
use lang_c::span::Node;
use lang_c::visit::Visit;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The most functions without a body that one warning names.
const LISTED: usize = 12;

/// Where the program starts.
const MAIN: &str = "main";

impl<'a> Unit<'a> {
    /// Translates a whole unit, as often as pointers need it.
    pub fn translate(&mut self, unit: &'a c::TranslationUnit) {
        self.threads = Threads::of(unit);
        loop {
            self.restart();
            self.pass(unit);
            if !self.pointers.has_changed {
                return;
            }
        }
    }

    fn pass(&mut self, unit: &'a c::TranslationUnit) {
        for declaration in &unit.0 {
            match &declaration.node {
                c::ExternalDeclaration::Declaration(declaration) => {
                    self.external_declaration(declaration);
                }
                c::ExternalDeclaration::StaticAssert(assertion) => self.static_assertion(assertion),
                c::ExternalDeclaration::FunctionDefinition(definition) => self.define(definition),
            }
        }
        self.find_calls();
        self.find_accesses();
        self.asks_label = !self.has_questions();
        self.make_records();
        // `main` is the last: only then it is known which arrays it has to initialise.
        let mut order: Vec<usize> = (0..self.functions.len()).collect();
        order.sort_by_key(|&index| self.functions[index].name == MAIN);
        for index in order {
            let function = &self.functions[index];
            if let Some(definition) = function.definition
                && function.is_reachable
            {
                self.procedure(index, definition);
            }
        }
        self.wrappers();
        for index in 0..self.functions.len() {
            let function = &self.functions[index];
            if function.definition.is_none() && function.is_called {
                self.procedure_without_body(index);
            }
        }
        self.list_missing();
        self.globals();
        self.finish_names();
        self.tell_apart();
        let has_main = self
            .functions
            .iter()
            .any(|f| f.name == MAIN && f.definition.is_some());
        if !has_main && !has_errors(&self.diagnostics) {
            let span = Span::default();
            self.wrong(
                span,
                "there is no function `main`, where the program would start",
            );
        }
    }

    pub fn declare_function(
        &mut self,
        name: &str,
        signature: &Rc<Signature>,
        definition: Option<&'a Node<c::FunctionDefinition>>,
        is_noreturn: bool,
        span: Span,
    ) {
        let known = match self.scopes[0].get(name) {
            Some(&Entity::Function(index)) => Some(index),
            _ => None,
        };
        let index = known.unwrap_or_else(|| {
            self.functions.push(Function {
                name: name.to_owned(),
                signature: Rc::clone(signature),
                definition: None,
                span,
                is_declared: true,
                is_noreturn: false,
                is_reachable: false,
                is_recursive: false,
                is_called: false,
            });
            let index = self.functions.len() - 1;
            self.scopes[0].insert(name.to_owned(), Entity::Function(index));
            index
        });
        self.functions[index].is_noreturn |= is_noreturn;
        if self.scopes.len() > 1 {
            self.declare(name, Entity::Function(index));
        }
        if definition.is_some() {
            if self.functions[index].definition.is_some() {
                self.wrong(span, format!("`{name}` is defined twice"));
            }
            let function = &mut self.functions[index];
            function.definition = definition;
            function.signature = Rc::clone(signature);
            function.span = span;
        }
    }

    fn define(&mut self, definition: &'a Node<c::FunctionDefinition>) {
        let specified = self.specified(&definition.node.specifiers);
        let ty = self.declared(specified.ty, &definition.node.declarator);
        let Some((name, place)) = name_of(&definition.node.declarator) else {
            return;
        };
        let span = self.span(place);
        let Type::Function(signature) = ty else {
            self.refuse(span, "this definition of a function is not supported");
            return;
        };
        self.declare_function(name, &signature, Some(definition), false, span);
    }

    /// Finds out what `main` can come to, and which functions are recursive.
    fn find_calls(&mut self) {
        let mut names = BTreeMap::new();
        for (index, function) in self.functions.iter().enumerate() {
            names.insert(function.name.as_str(), index);
        }
        let callees: Vec<BTreeSet<usize>> = (self.functions.iter())
            .map(|function| {
                let mut finder = Callees {
                    names: &names,
                    found: BTreeSet::new(),
                };
                if let Some(definition) = function.definition {
                    let statement = &definition.node.statement;
                    finder.visit_statement(&statement.node, &statement.span);
                }
                finder.found
            })
            .collect();
        let reached_from = |starts: &BTreeSet<usize>| {
            let mut reached = BTreeSet::new();
            let mut open: Vec<usize> = starts.iter().copied().collect();
            while let Some(function) = open.pop() {
                if reached.insert(function) {
                    open.extend(callees[function].iter().copied());
                }
            }
            reached
        };
        let main = names.get(MAIN).copied();
        let reachable = reached_from(&main.into_iter().collect());
        let recursive: Vec<bool> = (0..self.functions.len())
            .map(|index| {
                reachable.contains(&index) && reached_from(&callees[index]).contains(&index)
            })
            .collect();
        let is_called = |index: usize| callees.iter().any(|of| of.contains(&index));
        let starts: Vec<bool> = (0..self.functions.len())
            .map(|index| Some(index) == main && is_called(index))
            .collect();
        for (index, function) in self.functions.iter_mut().enumerate() {
            function.is_reachable = reachable.contains(&index);
            function.is_recursive = recursive[index];
            function.is_called = starts[index];
        }
    }

    fn procedure(&mut self, index: usize, definition: &'a Node<c::FunctionDefinition>) {
        let name = self.functions[index].name.clone();
        let span = self.span(definition.span);
        let name_span = self.functions[index].span;
        let signature = Rc::clone(&self.functions[index].signature);
        if self.is_replaced(index) {
            return;
        }
        if signature.open && !signature.parameters.is_empty() {
            let message = format!("`{name}` has a variable number of arguments and a body");
            self.refuse(name_span, message);
        }
        if !definition.node.declarations.is_empty() {
            // Reported with the list of names.
            return;
        }
        let first_stmt = StmtId(self.ast.stmts.len() as u32);
        let first_expr = ExprId(self.ast.exprs.len() as u32);
        self.body = Body::of(index);
        self.enter();
        self.body.is_interrupted = self.threads.exist() && !self.threads.is_always_inside(&name);
        self.body.splits = self.body.is_interrupted;
        let mut parameters = self.parameters(index, definition, name == MAIN);
        parameters.extend(self.thread_parameter(index));
        let result = self.result_type(index);
        let mut body = self.block(span, |unit| {
            unit.enter();
            if unit.is_beginning(index) {
                unit.own_variables(name_span);
            }
            if let c::Statement::Compound(items) = &definition.node.statement.node {
                for item in items {
                    unit.block_item(item);
                }
            }
            unit.end_of_thread(Span::new(span.end.saturating_sub(1), span.end));
            unit.leave();
        });
        self.leave();
        let first = if name == MAIN {
            self.initial_arrays(index)
        } else {
            Vec::new()
        };
        body.stmts.splice(0..0, first);
        let locals = self.locals(index, &parameters);
        let parameters = parameters.iter().map(|&id| self.parameter(id)).collect();
        let symbol = self.ast.names.intern(&name);
        let end = Span::new(span.end.saturating_sub(1).max(span.start), span.end);
        let result_notation = self.notation_of_result(index);
        self.ast.items.push(Item::Procedure(Procedure {
            dfs: false,
            result,
            result_notation,
            name: Ident {
                name: symbol,
                span: name_span,
            },
            parameters,
            locals,
            enforce: None,
            enforce_span: Span::default(),
            body,
            span,
            end_span: end,
            first_stmt,
            first_expr,
        }));
    }

    fn result_type(&mut self, index: usize) -> ResultType {
        if !self.has_result(index) {
            return ResultType::Void;
        }
        let span = self.functions[index].span;
        let result = self.functions[index].signature.result.clone();
        match self.sort_of(&result, span) {
            Sort::Bool => ResultType::Bool,
            Sort::Word(width) => ResultType::Int {
                width: u64::from(width),
                span,
            },
        }
    }

    /// Declares the parameters of a function; those of `main` are locals without a value.
    fn parameters(
        &mut self,
        index: usize,
        definition: &'a Node<c::FunctionDefinition>,
        is_main: bool,
    ) -> Vec<VarId> {
        let mut variables = Vec::new();
        let signature = Rc::clone(&self.functions[index].signature);
        let declared = parameters_of(&definition.node.declarator);
        for (parameter, ty) in declared.iter().zip(&signature.parameters) {
            let declarator = parameter.node.declarator.as_ref();
            let named = declarator.and_then(name_of);
            let (name, place) = named.unwrap_or(("_", parameter.span));
            let shown = self.local_name(name);
            let span = self.span(place);
            let is_parameter = !is_main || self.functions[index].is_called;
            let id = self.object_at(place.start, || Object {
                name: shown,
                ty: ty.clone(),
                owner: Some(index),
                lifted: false,
                is_thread_local: false,
                is_foreign: false,
                span,
                initial: BTreeMap::new(),
                leaves: BTreeMap::new(),
            });
            if named.is_some() {
                self.declare(name, Entity::Object(id));
            }
            if !is_parameter {
                continue;
            }
            if self.object(id).lifted {
                let message = "the address of a parameter is not supported; copy it into a \
                               variable first";
                self.refuse(span, message);
            }
            let place = self.whole(id, span);
            for scalar in self.scalars(&place).unwrap_or_default() {
                if let Some(variable) = self.lone_variable(&scalar) {
                    variables.push(variable);
                } else {
                    self.refuse(span, "a struct with an array in it is not supported here");
                }
            }
        }
        variables
    }

    fn type_name_of(variable: &Variable) -> TypeName {
        match variable.sort {
            Sort::Bool => TypeName::Bool,
            Sort::Word(width) => TypeName::Int {
                width: u64::from(width),
                span: variable.span,
            },
        }
    }

    pub fn parameter(&mut self, id: VarId) -> Parameter {
        let span = self.variable(id).span;
        Parameter {
            name: self.ident(id, span),
            ty: Self::type_name_of(self.variable(id)),
            notation: self.variable(id).notation,
        }
    }

    fn declaration(&mut self, id: VarId, initial: Option<ExprId>) -> Declaration {
        let variable = self.variable(id);
        let (span, length, notation) = (variable.span, variable.length, variable.notation);
        let ty = Self::type_name_of(variable);
        let object = (variable.order.0 != u32::MAX).then_some(ObjectId(variable.order.0));
        let thread_local =
            variable.owner.is_none() && object.is_some_and(|object| self.is_per_thread(object));
        Declaration {
            thread_local,
            ty,
            variables: vec![Declarator {
                name: self.ident(id, span),
                length: length.map(|length| (u64::from(length), span)),
                initial,
                notation,
            }],
            span,
        }
    }

    /// The variables of an owner, in order of their declaration.
    fn variables_of(&self, owner: Option<usize>) -> Vec<VarId> {
        let ids = (0..self.variables.len() as u32).map(VarId);
        let mut own: Vec<VarId> = ids.filter(|&id| self.variable(id).owner == owner).collect();
        own.sort_by_key(|&id| self.variable(id).order);
        own
    }

    fn locals(&mut self, function: usize, parameters: &[VarId]) -> Vec<Declaration> {
        let own = self.variables_of(Some(function));
        let locals = own.into_iter().filter(|id| !parameters.contains(id));
        locals.map(|id| self.declaration(id, None)).collect()
    }

    /// The globals, before all procedures.
    fn globals(&mut self) {
        let mut items = Vec::new();
        for id in self.variables_of(None) {
            let variable = self.variable(id);
            let (sort, span) = (variable.sort, variable.span);
            let initial = variable.initial.first().copied();
            let initial = initial.filter(|_| is_uniform(variable));
            let initial = initial.map(|value| self.emit(&terms::constant(value, sort, span)));
            items.push(Item::Globals(self.declaration(id, initial)));
        }
        items.append(&mut self.ast.items);
        self.ast.items = items;
    }

    /// Arrays whose elements differ get their initial values at the start of `main`. Which arrays
    /// are used is known at the end of `main`, which is the last function to be translated.
    fn initial_arrays(&mut self, main: usize) -> Vec<StmtId> {
        let mut first = Vec::new();
        for id in self.variables_of(None) {
            let variable = self.variable(id);
            let (Some(length), false) = (variable.length, is_uniform(variable)) else {
                continue;
            };
            let (sort, span) = (variable.sort, variable.span);
            let initial = variable.initial.clone();
            let name = self.ident(id, span).name;
            let (mut targets, mut values) = (Vec::new(), Vec::new());
            for number in 0..length {
                let array = self.ast.add_expr(ExprKind::Name(name), span);
                let kind = ExprKind::Number {
                    value: u64::from(number),
                    hexadecimal: false,
                };
                let index = self.ast.add_expr(kind, span);
                let element = ExprKind::Index { array, index };
                targets.push(Target::Element(self.ast.add_expr(element, span)));
                let value = initial.get(number as usize).copied().unwrap_or(0);
                values.push(self.emit(&terms::constant(value, sort, span)));
            }
            let kind = StmtKind::Assign {
                targets: targets.into(),
                values: values.into(),
                constrain: None,
            };
            let labels = List::default();
            first.push(self.ast.add_stmt(Stmt { labels, kind, span }));
        }
        if !first.is_empty() && self.functions[main].is_called {
            let span = self.functions[main].span;
            self.refuse(
                span,
                "calls of `main` beside initialised arrays are not supported",
            );
        }
        first
    }

    /// Names the functions without a body that are called and that nothing is known about.
    fn list_missing(&mut self) {
        if has_errors(&self.diagnostics) {
            return;
        }
        let missing: Vec<&Function> = (self.functions.iter())
            .filter(|function| function.definition.is_none() && function.is_called)
            .filter(|function| !function.is_noreturn && !library::is_harmless(&function.name))
            .collect();
        let Some(first) = missing.first() else {
            return;
        };
        let span = first.span;
        let mut names: Vec<String> = (missing.iter().take(LISTED))
            .map(|function| {
                let note = if function.is_declared {
                    ""
                } else {
                    " (not declared)"
                };
                format!("`{}`{note}", function.name)
            })
            .collect();
        if missing.len() > LISTED {
            names.push(format!("{} more", missing.len() - LISTED));
        }
        let last = names.pop().unwrap_or_default();
        let message = if names.is_empty() {
            format!("{last} has no body; its calls return any value and change nothing")
        } else {
            let names = names.join(", ");
            format!(
                "{names} and {last} have no body; their calls return any value and change nothing"
            )
        };
        let help = "if that is not what they do, give them bodies";
        self.report_with_help(codes::C_MISSING, span, message, help);
    }

    /// A function without a body, which may do anything except change variables.
    fn procedure_without_body(&mut self, index: usize) {
        let first_stmt = StmtId(self.ast.stmts.len() as u32);
        let first_expr = ExprId(self.ast.exprs.len() as u32);
        let span = self.functions[index].span;
        let result = match self.functions[index].signature.result {
            Type::Void | Type::Pointer(_) | Type::Refused(_) => ResultType::Void,
            _ => self.result_type(index),
        };
        self.body = Body::default();
        let body = self.block(span, |unit| {
            let values = match result {
                ResultType::Void => Vec::new(),
                _ => {
                    let kind = ExprKind::Choice { question: false };
                    let choice = unit.ast.add_expr(kind, span);
                    let notation = unit.notation_of_result(index);
                    unit.ast.choice_notations.insert(choice, notation);
                    vec![choice]
                }
            };
            unit.push(StmtKind::Return(values.into()), span);
        });
        let name = self.functions[index].name.clone();
        let name = Ident {
            name: self.ast.names.intern(&name),
            span,
        };
        let result_notation = self.notation_of_result(index);
        self.ast.items.push(Item::Procedure(Procedure {
            dfs: false,
            result,
            result_notation,
            name,
            parameters: Vec::new(),
            locals: Vec::new(),
            enforce: None,
            enforce_span: Span::default(),
            body,
            span,
            end_span: span.after(),
            first_stmt,
            first_expr,
        }));
    }
}

/// Whether all elements of a variable have the same initial value, given or not.
fn is_uniform(variable: &Variable) -> bool {
    let is_same = variable.initial.windows(2).all(|pair| pair[0] == pair[1]);
    let given = variable.initial.len() as u32;
    let is_zero = variable.initial.first() == Some(&0);
    is_same && (is_zero || given == 0 || variable.length.is_none_or(|length| length == given))
}

/// Finds the functions that a body names.
struct Callees<'u> {
    names: &'u BTreeMap<&'u str, usize>,
    found: BTreeSet<usize>,
}

impl<'ast> Visit<'ast> for Callees<'_> {
    fn visit_identifier(&mut self, name: &'ast c::Identifier, _: &'ast lang_c::span::Span) {
        self.found.extend(self.names.get(name.name.as_str()));
    }
}
