//! The state of one check: scopes, tables that fill up, findings. The steps are in the other
//! modules: [`crate::declare`] collects what is declared, [`crate::body`] walks the statements,
//! [`crate::infer`] types the expressions, [`crate::threads`] decides what runs.

use crate::dialect::Dialect;
use crate::ids::{GlobalId, LocalId, ProcId, Variable};
use crate::infer::Shape;
use crate::program::{Global, Procedure, Tables, Thread, syntax_at};
use crate::scope::Scope;
use crate::suggest;
use crate::types::Type;
use hardbop_syntax::ast::{self, Ast, ExprId, Form, Ident, Symbol};
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Diagnostic, Source, Span, codes};

/// Looking for a similar name compares all names. So many comparisons are made for one file, which
/// is help enough.
const MAX_COMPARISONS: usize = 1_000_000;

/// What is known while a program is checked.
pub(crate) struct Checker<'a> {
    pub ast: &'a Ast,
    pub source: &'a Source,
    pub dialect: Dialect,
    pub diagnostics: Vec<Diagnostic>,
    /// The tree has parts that the parser could not read; it has reported them.
    pub has_syntax_errors: bool,
    /// Targets of the statement at hand that get another value too.
    pub repeated_targets: Vec<usize>,
    pub globals: Vec<Global>,
    pub procedures: Vec<Procedure>,
    pub threads: Vec<Thread>,
    pub init: Option<ProcId>,
    pub atomic_flag: Option<GlobalId>,
    pub tables: Tables,
    /// By procedure: whether another one calls it or starts it as a thread.
    pub is_called: Vec<bool>,
    pub scopes: Scopes,
    /// Globals with initial values that are still to be folded, in order of the text.
    pub initials: Vec<(GlobalId, ExprId)>,
    pub infer: Inference,
    comparisons_left: usize,
}

/// A checked program without its tree; see [`crate::Program`].
pub(crate) struct Parts {
    pub dialect: Dialect,
    pub globals: Vec<Global>,
    pub procedures: Vec<Procedure>,
    pub threads: Vec<Thread>,
    pub init: Option<ProcId>,
    pub atomic_flag: Option<GlobalId>,
    pub tables: Tables,
}

/// The scopes, from outside to inside.
pub(crate) struct Scopes {
    pub globals: Scope<GlobalId>,
    pub thread_variables: Scope<GlobalId>,
    pub locals: Scope<LocalId>,
    pub procedures: Scope<ProcId>,
    pub thread_procedures: Scope<ProcId>,
    /// Labels of the procedure and where they stand.
    pub labels: Scope<Span>,
    /// Those of its labels that stand at several places.
    pub repeated_labels: Scope<Span>,
    /// For each label of any procedure the first place.
    pub all_labels: Scope<(ProcId, Span)>,
    /// For each procedure of any thread block the first one of that name.
    pub all_thread_procedures: Scope<ProcId>,
}

/// Buffers of the type inference, kept so that each expression need not allocate.
#[derive(Default)]
pub(crate) struct Inference {
    /// The expressions of the tree at hand, each after its user.
    pub order: Vec<(ExprId, Option<ExprId>)>,
    /// The smallest of them.
    first: u32,
    /// By expression, from the smallest on: a tree takes a range of numbers.
    shapes: Vec<Shape>,
}

impl Inference {
    /// Makes room for the tree that `order` lists.
    pub fn begin(&mut self, root: ExprId) {
        let smallest = self.order.iter().map(|(id, _)| id.0).min();
        self.first = smallest.unwrap_or(root.0);
        let count = (root.0 - self.first) as usize + 1;
        if count > self.shapes.len() {
            self.shapes.resize(count, Shape::Broken);
        }
    }

    /// The shape of an expression of the tree at hand.
    pub fn shape(&self, id: ExprId) -> Shape {
        self.shapes[(id.0 - self.first) as usize]
    }

    /// Says which shape an expression of the tree at hand has.
    pub fn set_shape(&mut self, id: ExprId, shape: Shape) {
        self.shapes[(id.0 - self.first) as usize] = shape;
    }
}

impl<'a> Checker<'a> {
    /// A check of a program that is about to begin.
    pub fn new(ast: &'a Ast, source: &'a Source, dialect: Option<Dialect>) -> Self {
        let tables = Tables::new(ast);
        Self {
            ast,
            source,
            dialect: dialect.unwrap_or_else(|| Dialect::detect(ast)),
            diagnostics: Vec::new(),
            has_syntax_errors: false,
            repeated_targets: Vec::new(),
            globals: Vec::new(),
            procedures: Vec::new(),
            threads: Vec::new(),
            init: None,
            atomic_flag: None,
            tables,
            is_called: Vec::new(),
            scopes: Scopes {
                globals: Scope::new(),
                thread_variables: Scope::new(),
                locals: Scope::new(),
                procedures: Scope::new(),
                thread_procedures: Scope::new(),
                labels: Scope::new(),
                repeated_labels: Scope::new(),
                all_labels: Scope::new(),
                all_thread_procedures: Scope::new(),
            },
            initials: Vec::new(),
            infer: Inference::default(),
            comparisons_left: MAX_COMPARISONS,
        }
    }

    /// Checks everything. Gives the errors and warnings in order of the text, and what a program
    /// consists of besides its tree if there are no errors.
    pub fn run(mut self) -> (Vec<Diagnostic>, Option<Parts>) {
        self.declare_all();
        self.fold_initial_values();
        self.check_bodies();
        self.find_threads();
        let mut diagnostics = self.diagnostics;
        if self.ast.form == Form::C {
            // Warnings are about what a person has written.
            diagnostics.retain(Diagnostic::is_error);
        }
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
        let is_valid = !self.has_syntax_errors && !has_errors(&diagnostics);
        let parts = is_valid.then_some(Parts {
            dialect: self.dialect,
            globals: self.globals,
            procedures: self.procedures,
            threads: self.threads,
            init: self.init,
            atomic_flag: self.atomic_flag,
            tables: self.tables,
        });
        (diagnostics, parts)
    }

    /// Reports an error or a warning.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The text of a name.
    pub fn text(&self, name: Symbol) -> &'a str {
        self.ast.text(name)
    }

    /// The syntax of a procedure.
    pub fn syntax(&self, procedure: ProcId) -> &'a ast::Procedure {
        syntax_at(self.ast, self.procedures[procedure.index()].place)
    }

    /// The variable that a name stands for here; an error is reported if there is none.
    pub fn resolve(&mut self, name: Ident) -> Option<Variable> {
        let found = self.lookup(name.name);
        if found.is_none() {
            let text = self.text(name.name);
            let message = format!("the variable `{text}` is not declared");
            let mut diagnostic = Diagnostic::new(codes::UNDECLARED_VARIABLE, name.span, message)
                .at("not declared here or globally");
            let help = if self.lookup_procedure(name.name).is_some() {
                Some(format!(
                    "`{text}` is a procedure; call it with `x := {text}(…);`"
                ))
            } else {
                self.suggest_variable(name.name)
            };
            diagnostic.help = help;
            self.report(diagnostic);
        }
        found
    }

    fn lookup(&self, name: Symbol) -> Option<Variable> {
        let scopes = &self.scopes;
        let global = || {
            scopes
                .thread_variables
                .get(name)
                .or_else(|| scopes.globals.get(name))
        };
        let local = scopes.locals.get(name).map(Variable::Local);
        local.or_else(|| global().map(Variable::Global))
    }

    /// The procedure that a name stands for here.
    pub fn lookup_procedure(&self, name: Symbol) -> Option<ProcId> {
        let scopes = &self.scopes;
        let of_thread = scopes.thread_procedures.get(name);
        of_thread.or_else(|| scopes.procedures.get(name))
    }

    /// Whether there is help left to give, counted down.
    pub fn may_suggest(&mut self) -> bool {
        let may = self.comparisons_left > 0;
        self.comparisons_left = self.comparisons_left.saturating_sub(self.ast.names.len());
        may
    }

    fn suggest_variable(&mut self, name: Symbol) -> Option<String> {
        if !self.may_suggest() {
            return None;
        }
        let scopes = &self.scopes;
        let outer = scopes
            .thread_variables
            .names()
            .chain(scopes.globals.names());
        let candidates = scopes.locals.names().chain(outer);
        suggest::nearest(self.ast, name, candidates).map(suggest::did_you_mean)
    }

    /// The type of a variable as seen from a procedure.
    pub fn variable_type(&self, procedure: Option<ProcId>, variable: Variable) -> Type {
        match (variable, procedure) {
            (Variable::Local(id), Some(procedure)) => {
                self.procedures[procedure.index()].locals[id.index()].ty
            }
            (Variable::Local(_), None) => unreachable!("only procedures have locals"),
            (Variable::Global(id), _) => self.globals[id.index()].ty,
        }
    }
}
