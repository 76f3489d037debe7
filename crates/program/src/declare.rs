//! Collects what a program declares: globals, thread blocks, procedures with their parameters,
//! locals and results.
//!
//! All of it comes before any body, because a body may use what is declared after it. The variables
//! and procedures of thread blocks and the locals of procedures come into scope when their bodies
//! are checked; see [`Checker::enter_thread`].

use crate::checker::Checker;
use crate::ids::{GlobalId, LocalId, ProcId};
use crate::program::{Element, Global, Local, Place, Procedure};
use crate::types::{MAX_WIDTH, Type};
use hardbop_syntax::ast::{
    self, Declaration, Declarator, Ident, Item, MAX_LENGTH, ResultType, ThreadBlock, TypeName,
};
use hardbop_syntax::{Diagnostic, Span, codes};

/// The largest number of Boolean results.
const MAX_RESULTS: u64 = 4096;

impl Checker<'_> {
    /// Fills the tables of globals and procedures.
    pub fn declare_all(&mut self) {
        for (index, item) in self.ast.items.iter().enumerate() {
            match item {
                Item::Globals(declaration) => self.declare_globals(declaration, false),
                Item::Procedure(procedure) => {
                    let place = Place {
                        item: index as u32,
                        nested: 0,
                    };
                    self.declare_procedure(procedure, None, place);
                }
                Item::Thread(thread) => self.declare_thread(index, thread),
            }
        }
        self.is_called = vec![false; self.procedures.len()];
    }

    fn declare_globals(&mut self, declaration: &Declaration, in_thread: bool) {
        let ty = self.value_type(declaration.ty);
        for variable in &declaration.variables {
            let id = GlobalId::new(self.globals.len());
            let Ident { name, span } = variable.name;
            self.check_length(variable);
            self.globals
                .extend(Element::all(variable).map(|element| Global {
                    name,
                    ty,
                    per_thread: in_thread || declaration.thread_local,
                    element,
                    initial: None,
                    notation: variable.notation,
                    span,
                }));
            self.initials.extend(variable.initial.map(|e| (id, e)));
            let scope = if in_thread {
                &mut self.scopes.thread_variables
            } else {
                &mut self.scopes.globals
            };
            if let Some(first) = scope.declare(name, id) {
                let first = self.globals[first.index()].span;
                self.report_duplicate_variable(variable.name, first);
            }
        }
    }

    fn declare_thread(&mut self, item: usize, thread: &ThreadBlock) {
        self.scopes.thread_variables.renew();
        for declaration in &thread.variables {
            self.declare_globals(declaration, true);
        }
        self.scopes.thread_procedures.renew();
        for (nested, procedure) in thread.procedures.iter().enumerate() {
            let place = Place {
                item: item as u32,
                nested: nested as u32,
            };
            self.declare_procedure(procedure, Some(thread.name), place);
        }
    }

    fn declare_procedure(
        &mut self,
        procedure: &ast::Procedure,
        thread: Option<Ident>,
        place: Place,
    ) {
        let mut locals = Vec::new();
        for parameter in &procedure.parameters {
            locals.push(Local {
                name: Some(parameter.name.name),
                ty: self.value_type(parameter.ty),
                element: None,
                notation: parameter.notation,
                span: parameter.name.span,
            });
        }
        for declaration in &procedure.locals {
            let ty = self.value_type(declaration.ty);
            for variable in &declaration.variables {
                self.check_length(variable);
                locals.extend(Element::all(variable).map(|element| Local {
                    name: Some(variable.name.name),
                    ty,
                    element,
                    notation: variable.notation,
                    span: variable.name.span,
                }));
            }
        }
        let (result_count, result_type) = self.results(procedure.result);
        let result = Local {
            name: None,
            ty: result_type,
            element: None,
            notation: procedure.result_notation,
            span: procedure.name.span,
        };
        locals.extend(std::iter::repeat_n(result, result_count as usize));

        let id = ProcId::new(self.procedures.len());
        self.procedures.push(Procedure {
            thread: thread.map(|thread| thread.name),
            locals,
            parameter_count: procedure.parameters.len() as u32,
            result_count,
            place,
        });
        let name = procedure.name;
        let earlier = if thread.is_some() {
            self.scopes.all_thread_procedures.declare(name.name, id);
            self.scopes.thread_procedures.declare(name.name, id)
        } else {
            self.scopes.procedures.declare(name.name, id)
        };
        if let Some(first) = earlier {
            let text = self.text(name.name);
            let message = format!("the procedure `{text}` is defined twice");
            let first = self.syntax(first).name.span;
            self.report(
                Diagnostic::new(codes::DUPLICATE_PROCEDURE, name.span, message)
                    .at("defined again here")
                    .also(first, "first defined here"),
            );
        }
    }

    fn value_type(&mut self, written: TypeName) -> Type {
        match written {
            TypeName::Bool => Type::Bool,
            TypeName::Int { width, span } => self.integer_type(width, span),
        }
    }

    fn check_length(&mut self, variable: &Declarator) {
        let bad = |&(length, _): &(u64, Span)| !(1..=MAX_LENGTH).contains(&length);
        if let Some((length, span)) = variable.length.filter(bad) {
            let message = format!("an array cannot have {length} elements");
            self.report(
                Diagnostic::new(codes::BAD_LENGTH, span, message)
                    .at(format!("a length from 1 to {MAX_LENGTH} is possible")),
            );
        }
    }

    pub(crate) fn integer_type(&mut self, width: u64, span: Span) -> Type {
        if !(1..=u64::from(MAX_WIDTH)).contains(&width) {
            let message = format!("an integer cannot have {width} bits");
            self.report(
                Diagnostic::new(codes::BAD_WIDTH, span, message)
                    .at(format!("a width from 1 to {MAX_WIDTH} is possible")),
            );
        }
        Type::Int(width.clamp(1, u64::from(MAX_WIDTH)) as u8)
    }

    fn results(&mut self, written: ResultType) -> (u32, Type) {
        match written {
            ResultType::Unwritten | ResultType::Void => (0, Type::Bool),
            ResultType::Bool => (1, Type::Bool),
            ResultType::Int { width, span } => (1, self.integer_type(width, span)),
            ResultType::Bools { count, span } => {
                if !(1..=MAX_RESULTS).contains(&count) {
                    let message =
                        format!("a procedure cannot have {count} results by `bool<{count}>`");
                    let mut diagnostic = Diagnostic::new(codes::BAD_RESULT_COUNT, span, message)
                        .at(format!("a count from 1 to {MAX_RESULTS} is possible"));
                    if count == 0 {
                        diagnostic = diagnostic.help("a procedure without results is `void`");
                    }
                    self.report(diagnostic);
                }
                (count.clamp(1, MAX_RESULTS) as u32, Type::Bool)
            }
        }
    }

    fn report_duplicate_variable(&mut self, again: Ident, first: Span) {
        let message = format!("the variable `{}` is declared twice", self.text(again.name));
        self.report(
            Diagnostic::new(codes::DUPLICATE_VARIABLE, again.span, message)
                .at("declared again here")
                .also(first, "first declared here"),
        );
    }

    /// Brings the variables and procedures of a thread block into scope. `first_global` is the id
    /// of its first variable and `first_procedure` that of its first procedure.
    pub fn enter_thread(
        &mut self,
        thread: &ThreadBlock,
        first_global: GlobalId,
        first_procedure: ProcId,
    ) {
        self.scopes.thread_variables.renew();
        self.scopes.thread_procedures.renew();
        let variables = thread.variables.iter().flat_map(|d| &d.variables);
        let mut next = first_global.0;
        for variable in variables {
            let id = next;
            next += variable.variable_count();
            let name = variable.name;
            self.scopes
                .thread_variables
                .declare(name.name, GlobalId(id));
            if let Some(outer) = self.scopes.globals.get(name.name) {
                self.report_shadowing(name, outer);
            }
        }
        for (procedure, id) in thread.procedures.iter().zip(first_procedure.0..) {
            let name = procedure.name;
            self.scopes.thread_procedures.declare(name.name, ProcId(id));
            // Every thread has a `main` of its own, and nobody expects another one.
            let outer = self.scopes.procedures.get(name.name);
            if let Some(outer) = outer.filter(|_| self.text(name.name) != "main") {
                self.report_hidden_procedure(name, outer);
            }
        }
    }

    /// Leaves a thread block.
    pub fn leave_thread(&mut self) {
        self.scopes.thread_variables.renew();
        self.scopes.thread_procedures.renew();
    }

    /// Brings the parameters and locals of a procedure into scope.
    pub fn enter_procedure(&mut self, id: ProcId) {
        self.scopes.locals.renew();
        self.scopes.labels.renew();
        self.scopes.repeated_labels.renew();
        for index in 0..self.procedures[id.index()].locals.len() {
            let Local {
                name,
                span,
                element,
                ..
            } = self.procedures[id.index()].locals[index];
            let Some(name) = name else { break };
            if element.is_some_and(|element| element.index > 0) {
                continue;
            }
            let ident = Ident { name, span };
            if let Some(first) = self.scopes.locals.declare(name, LocalId::new(index)) {
                let first = self.procedures[id.index()].locals[first.index()].span;
                self.report_duplicate_variable(ident, first);
                continue;
            }
            let scopes = &self.scopes;
            let of_thread = scopes.thread_variables.get(name);
            if let Some(outer) = of_thread.or_else(|| scopes.globals.get(name)) {
                self.report_shadowing(ident, outer);
            }
        }
    }

    fn report_hidden_procedure(&mut self, inner: Ident, outer: ProcId) {
        let text = self.text(inner.name);
        let message =
            format!("`{text}` hides the procedure of the same name outside of the thread");
        let outer = self.syntax(outer).name.span;
        self.report(
            Diagnostic::new(codes::SHADOWED_PROCEDURE, inner.span, message)
                .at(format!("calls of `{text}` in this thread mean this one"))
                .also(outer, "the procedure that is hidden"),
        );
    }

    fn report_shadowing(&mut self, inner: Ident, outer: GlobalId) {
        let text = self.text(inner.name);
        let message = format!("`{text}` hides the global variable of the same name");
        let outer = self.globals[outer.index()].span;
        self.report(
            Diagnostic::new(codes::SHADOWED_VARIABLE, inner.span, message)
                .at(format!("from here on `{text}` means this variable"))
                .also(outer, "the variable that is hidden"),
        );
    }
}
