//! A checked program: the syntax tree and, beside it, what each name means and which type each
//! expression has.
//!
//! The tree stays as it was; the tables are indexed by the ids of its expressions and statements.
//! **Only programs without errors become a [`Program`]**, so whoever has one may rely on every
//! lookup here.

use crate::dialect::Dialect;
use crate::ids::{GlobalId, LocalId, ProcId, Variable};
use crate::types::Type;
use hardbop_syntax::ast::{self, Ast, Block, Declarator, ExprId, Item, StmtId, Symbol};
use hardbop_syntax::chunks::Chunks;
use hardbop_syntax::{Notation, Span};

/// A program whose names and types are in order.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its syntax tree.
    pub ast: Ast,
    /// Which of the concurrent dialects it is in.
    pub dialect: Dialect,
    /// Global variables in order of the text, those of thread blocks included.
    pub globals: Vec<Global>,
    /// Procedures in order of the text, those of thread blocks included.
    pub procedures: Vec<Procedure>,
    /// The threads that run from the start; a sequential program has one.
    pub threads: Vec<Thread>,
    /// The procedure that runs alone before the threads start.
    pub init: Option<ProcId>,
    /// The flag that keeps other threads from running, in the form of the Getafix tool.
    pub atomic_flag: Option<GlobalId>,
    pub(crate) tables: Tables,
}

/// A global variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: Type,
    /// Whether each thread has its own copy.
    pub per_thread: bool,
    /// Which element it is, of an array.
    pub element: Option<Element>,
    /// Its initial value; arbitrary if there is none.
    pub initial: Option<u64>,
    /// How its values are written.
    pub notation: Notation,
    /// Its place in the declaration.
    pub span: Span,
}

/// Which element of an array a variable is. The elements of an array are consecutive variables of
/// one name, and the name stands for the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its number, from 0.
    pub index: u32,
    /// How many elements the array has.
    pub length: u32,
}

impl Element {
    /// All elements of what was declared.
    pub(crate) fn all(variable: &Declarator) -> impl Iterator<Item = Option<Element>> + use<> {
        let length = variable.variable_count();
        let is_array = variable.length.is_some();
        (0..length).map(move |index| is_array.then_some(Element { index, length }))
    }
}

/// A procedure's variables and where it stands.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The thread block it belongs to.
    pub thread: Option<Symbol>,
    /// Parameters, then declared locals, then one variable without a name per result.
    pub locals: Vec<Local>,
    /// How many of the locals are parameters.
    pub parameter_count: u32,
    /// How many of the locals, at the end, are results.
    pub result_count: u32,
    pub(crate) place: Place,
}

/// A local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name; results have none.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: Type,
    /// Which element it is, of an array.
    pub element: Option<Element>,
    /// How its values are written.
    pub notation: Notation,
    /// Where it is declared.
    pub span: Span,
}

/// Where the syntax of a procedure is: an item, or a procedure of a thread block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub item: u32,
    pub nested: u32,
}

/// Some threads that run the same code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name.
    pub name: Symbol,
    /// Where it starts.
    pub entry: ProcId,
    /// How many run.
    pub instances: u32,
}

/// What the checker found out about expressions and statements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    /// By expression.
    pub types: Chunks<Type>,
    /// By expression; only names and primed names have one.
    variables: Chunks<Packed>,
    /// By statement: where its targets start in `targets`.
    pub first_target: Chunks<u32>,
    /// The targets of all assignments, calls and `dead` statements; `None` is `_`. An element with
    /// an index stands here as the first element of its array.
    pub targets: Vec<Option<Variable>>,
    /// By statement; only calls and thread starts have one.
    callees: Chunks<Packed>,
}

/// A number, or none: half of what an `Option` takes. A long program has millions.
#[derive(Clone, Copy, Debug)]
struct Packed(u32);

impl Packed {
    const NONE: Self = Self(u32::MAX);

    fn get(self) -> Option<u32> {
        (self.0 != u32::MAX).then_some(self.0)
    }
}

impl Tables {
    /// Tables in which nothing is known yet.
    pub fn new(ast: &Ast) -> Self {
        Self {
            types: Chunks::filled(Type::Bool, ast.exprs.len()),
            variables: Chunks::filled(Packed::NONE, ast.exprs.len()),
            first_target: Chunks::filled(0, ast.stmts.len()),
            targets: Vec::new(),
            callees: Chunks::filled(Packed::NONE, ast.stmts.len()),
        }
    }

    /// The variable that an expression names.
    pub fn variable(&self, expr: ExprId) -> Option<Variable> {
        let packed = self.variables[expr.0 as usize].get()?;
        Some(match packed % 2 {
            0 => Variable::Global(GlobalId(packed / 2)),
            _ => Variable::Local(LocalId(packed / 2)),
        })
    }

    /// Says which variable an expression names.
    pub fn set_variable(&mut self, expr: ExprId, variable: Variable) {
        let packed = match variable {
            Variable::Global(id) => 2 * id.0,
            Variable::Local(id) => 2 * id.0 + 1,
        };
        self.variables[expr.0 as usize] = Packed(packed);
    }

    /// The procedure that a statement calls.
    pub fn callee(&self, stmt: StmtId) -> Option<ProcId> {
        self.callees[stmt.0 as usize].get().map(ProcId)
    }

    /// Says which procedure a statement calls.
    pub fn set_callee(&mut self, stmt: StmtId, callee: ProcId) {
        self.callees[stmt.0 as usize] = Packed(callee.0);
    }
}

impl Procedure {
    /// The types of the results.
    pub fn result_types(&self) -> impl Iterator<Item = Type> + '_ {
        let first = self.locals.len() - self.result_count as usize;
        self.locals[first..].iter().map(|local| local.ty)
    }

    /// The parameters.
    pub fn parameters(&self) -> &[Local] {
        &self.locals[..self.parameter_count as usize]
    }
}

pub(crate) fn syntax_at(ast: &Ast, place: Place) -> &ast::Procedure {
    match &ast.items[place.item as usize] {
        Item::Procedure(procedure) => procedure,
        Item::Thread(thread) => &thread.procedures[place.nested as usize],
        Item::Globals(_) => unreachable!("a place names the item its procedure was found in"),
    }
}

fn syntax_at_mut(ast: &mut Ast, place: Place) -> &mut ast::Procedure {
    match &mut ast.items[place.item as usize] {
        Item::Procedure(procedure) => procedure,
        Item::Thread(thread) => &mut thread.procedures[place.nested as usize],
        Item::Globals(_) => unreachable!("a place names the item its procedure was found in"),
    }
}

impl Program {
    /// The syntax of a procedure.
    pub fn syntax(&self, procedure: ProcId) -> &ast::Procedure {
        syntax_at(&self.ast, self.procedures[procedure.index()].place)
    }

    /// Gives back the declarations, statements and expressions that stand before a procedure, and
    /// what is known of them. For one procedure after the other.
    pub fn release_before(&mut self, procedure: ProcId) {
        let syntax = self.syntax(procedure);
        let (stmt, expr) = (syntax.first_stmt.0 as usize, syntax.first_expr.0 as usize);
        self.ast.stmts.release_before(stmt);
        self.ast.exprs.release_before(expr);
        self.tables.types.release_before(expr);
        self.tables.variables.release_before(expr);
        self.tables.first_target.release_before(stmt);
        self.tables.callees.release_before(stmt);
        if let Some(last) = procedure.index().checked_sub(1) {
            let syntax = syntax_at_mut(&mut self.ast, self.procedures[last].place);
            (syntax.locals, syntax.body) = (Vec::new(), Block::default());
        }
    }

    /// How many statements stand before the end of a procedure.
    pub fn statements_up_to(&self, procedure: ProcId) -> usize {
        let next = ProcId::new(procedure.index() + 1);
        if next.index() == self.procedures.len() {
            return self.ast.stmts.len();
        }
        self.syntax(next).first_stmt.0 as usize
    }

    /// The name of a procedure; one of a thread block is `thread.name`.
    pub fn procedure_name(&self, procedure: ProcId) -> String {
        let name = self.ast.text(self.syntax(procedure).name.name);
        match self.procedures[procedure.index()].thread {
            Some(thread) => format!("{}.{name}", self.ast.text(thread)),
            None => name.to_owned(),
        }
    }

    /// The type of an expression.
    pub fn type_of(&self, expr: ExprId) -> Type {
        self.tables.types[expr.0 as usize]
    }

    /// The variable that a name or a primed name stands for.
    ///
    /// # Panics
    /// If the expression is something else.
    pub fn variable(&self, expr: ExprId) -> Variable {
        let variable = self.tables.variable(expr);
        variable.expect("every name of a checked program is resolved")
    }

    /// The targets of an assignment or a call, or the variables of `dead`; `None` for `_`. An
    /// element with an index is given as the first element of its array. Empty for other
    /// statements.
    pub fn targets(&self, stmt: StmtId) -> &[Option<Variable>] {
        let count = match &self.ast.stmt(stmt).kind {
            ast::StmtKind::Assign { targets, .. } | ast::StmtKind::Call { targets, .. } => {
                targets.len()
            }
            ast::StmtKind::Dead { variables, .. } => variables.len(),
            _ => 0,
        };
        let first = self.tables.first_target[stmt.0 as usize] as usize;
        &self.tables.targets[first..first + count]
    }

    /// The procedure that a call or a thread start names.
    ///
    /// # Panics
    /// If the statement is something else.
    pub fn callee(&self, stmt: StmtId) -> ProcId {
        let callee = self.tables.callee(stmt);
        callee.expect("every call of a checked program is resolved")
    }

    /// Whether a call starts a thread instead of waiting for the return: it stands under a label
    /// `ASYNC_…`.
    pub fn is_asynchronous(&self, stmt: StmtId) -> bool {
        let stmt = self.ast.stmt(stmt);
        self.dialect.has_asynchronous_calls() && is_async_label(&self.ast, &stmt.labels).is_some()
    }
}

/// The first of some labels that makes the call it stands on asynchronous.
pub(crate) fn is_async_label(ast: &Ast, labels: &[ast::Ident]) -> Option<ast::Ident> {
    let found = labels
        .iter()
        .find(|label| ast.text(label.name).starts_with("ASYNC_"));
    found.copied()
}
