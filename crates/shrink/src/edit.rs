//! One way to make a program smaller, and how it changes the tree.
//!
//! Edits name parts of the tree by arena ids and by the places of names, both of which stay right
//! while other edits of the same chunk are applied. What an edit leaves dangling is the repair's
//! business, or makes the candidate invalid.

use crate::tree::{
    blocks, for_each_block, procedure_at, procedures_mut, statements_in, with_parts,
};
use hardbop_syntax::Span;
use hardbop_syntax::ast::{
    Ast, Declaration, Expr, ExprId, ExprKind, Ident, Item, Procedure, ResultType, StmtId, StmtKind,
    Symbol, Target,
};
use hardbop_syntax::chunks::Chunks;

/// A change that makes a program smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Removes the thread block, or the procedure and all calls of it, whose name stands there.
    Item(Span),
    /// Puts what is in the thread block whose name stands there at the top level.
    Hoist(Span),
    /// Removes a statement with its labels.
    Statement(StmtId),
    /// Makes a statement a `skip` and keeps its labels.
    Skip(StmtId),
    /// Puts one of a statement's blocks in its place.
    Unwrap(StmtId, usize),
    /// Removes an arm of an `if`; the one after the last is `else`.
    Arm(StmtId, usize),
    /// Puts a constant in place of an expression.
    Constant(ExprId, bool),
    /// Puts an operand in place of an expression.
    Operand(ExprId, ExprId),
    /// Removes one target with its value, one variable of `dead`, one printed value or one label of
    /// `goto`.
    Element(StmtId, usize),
    /// Removes the `constrain` clause of an assignment.
    ConstrainClause(StmtId),
    /// Removes the targets of a call.
    Targets(StmtId),
    /// Removes a label.
    Label(Span),
    /// Removes the variable whose name stands there; what reads it reads 0 instead.
    Variable(Span),
    /// Removes a parameter and the arguments for it.
    Parameter(Span),
    /// Makes the procedure whose name stands there `void`.
    Results(Span),
    /// Removes the `enforce` clause of the procedure whose name stands there.
    Enforce(Span),
    /// Removes the initial value of the variable whose name stands there.
    Initial(Span),
    /// Removes `thread_local`, `dfs`, or the number of instances, at the name or declaration that
    /// stands there.
    Decoration(Span),
}

impl Edit {
    /// Changes the tree. Does nothing if the part is gone.
    pub fn apply(self, ast: &mut Ast) {
        match self {
            Edit::Item(name) => remove_item(ast, name),
            Edit::Hoist(name) => hoist(ast, name),
            Edit::Statement(id) => for_each_block(ast, |block| block.stmts.retain(|&s| s != id)),
            Edit::Skip(id) => ast.stmts[id.0 as usize].kind = StmtKind::Skip,
            Edit::Unwrap(id, index) => unwrap(ast, id, index),
            Edit::Arm(id, index) => remove_arm(ast, id, index),
            Edit::Constant(id, value) => ast.exprs[id.0 as usize].kind = constant(value),
            Edit::Operand(id, operand) => {
                ast.exprs[id.0 as usize].kind = ast.expr(operand).kind;
            }
            Edit::Element(id, index) => remove_element(&mut ast.stmts[id.0 as usize].kind, index),
            Edit::ConstrainClause(id) => {
                if let StmtKind::Assign { constrain, .. } = &mut ast.stmts[id.0 as usize].kind {
                    *constrain = None;
                }
            }
            Edit::Targets(id) => {
                if let StmtKind::Call { targets, .. } = &mut ast.stmts[id.0 as usize].kind {
                    targets.clear();
                }
            }
            Edit::Label(place) => {
                for stmt in &mut ast.stmts {
                    stmt.labels.retain(|label| label.span != place);
                }
                for_each_block(ast, |block| {
                    block.end_labels.retain(|label| label.span != place);
                });
            }
            Edit::Variable(name) => remove_variable(ast, name),
            Edit::Parameter(name) => remove_parameter(ast, name),
            Edit::Results(name) => remove_results(ast, name),
            Edit::Enforce(name) => {
                if let Some(procedure) = procedure_at(ast, name) {
                    procedure.enforce = None;
                }
            }
            Edit::Initial(name) => for_each_declaration(ast, |declaration| {
                for variable in &mut declaration.variables {
                    if variable.name.span == name {
                        variable.initial = None;
                    }
                }
            }),
            Edit::Decoration(place) => remove_decoration(ast, place),
        }
    }
}

/// `0` and `1` are constants of every type.
fn constant(value: bool) -> ExprKind {
    ExprKind::Number {
        value: u64::from(value),
        hexadecimal: false,
    }
}

fn remove_item(ast: &mut Ast, name: Span) {
    ast.items.retain_mut(|item| match item {
        Item::Globals(_) => true,
        Item::Procedure(procedure) => procedure.name.span != name,
        Item::Thread(thread) => {
            thread
                .procedures
                .retain(|procedure| procedure.name.span != name);
            thread.name.span != name
        }
    });
}

fn hoist(ast: &mut Ast, name: Span) {
    let items = std::mem::take(&mut ast.items);
    for item in items {
        match item {
            Item::Thread(thread) if thread.name.span == name => {
                ast.items
                    .extend(thread.variables.into_iter().map(Item::Globals));
                ast.items
                    .extend(thread.procedures.into_iter().map(Item::Procedure));
            }
            other => ast.items.push(other),
        }
    }
}

fn unwrap(ast: &mut Ast, id: StmtId, index: usize) {
    let stmt = ast.stmt(id);
    let Some(inner) = blocks(&stmt.kind)
        .get(index)
        .map(|block| block.stmts.clone())
    else {
        return;
    };
    let labels = stmt.labels.clone();
    if let Some(&first) = inner.first() {
        ast.stmts[first.0 as usize].labels.splice(0..0, labels);
    }
    for_each_block(ast, |block| {
        if let Some(at) = block.stmts.iter().position(|&other| other == id) {
            block.stmts.splice(at..=at, inner.iter().copied());
        }
    });
}

fn remove_arm(ast: &mut Ast, id: StmtId, index: usize) {
    let StmtKind::If { arms, otherwise } = &mut ast.stmts[id.0 as usize].kind else {
        return;
    };
    if index == arms.len() {
        *otherwise = None;
    } else if index < arms.len() && arms.len() > 1 {
        arms.remove(index);
    }
}

fn remove_element(kind: &mut StmtKind, index: usize) {
    match kind {
        StmtKind::Assign {
            targets, values, ..
        } if index < targets.len().min(values.len()) => {
            targets.remove(index);
            values.remove(index);
        }
        StmtKind::Dead {
            variables: names, ..
        }
        | StmtKind::Goto(names)
            if index < names.len() =>
        {
            names.remove(index);
        }
        StmtKind::Print(values) if index < values.len() => {
            values.remove(index);
        }
        _ => {}
    }
}

fn for_each_declaration(ast: &mut Ast, mut change: impl FnMut(&mut Declaration)) {
    for item in &mut ast.items {
        match item {
            Item::Globals(declaration) => change(declaration),
            Item::Thread(thread) => thread.variables.iter_mut().for_each(&mut change),
            Item::Procedure(_) => {}
        }
    }
    for procedure in procedures_mut(ast) {
        procedure.locals.iter_mut().for_each(&mut change);
    }
}

/// Removes the declaration at a place and every use of the name; where another variable of the same
/// name is meant, that loses its uses too, which is as good.
fn remove_variable(ast: &mut Ast, place: Span) {
    let mut removed: Option<Symbol> = None;
    for_each_declaration(ast, |declaration| {
        declaration.variables.retain(|variable| {
            if variable.name.span == place {
                removed = Some(variable.name.name);
            }
            variable.name.span != place
        });
    });
    if let Some(name) = removed {
        let is_local = |procedure: &&Procedure| {
            procedure.span.start <= place.start && place.end <= procedure.span.end
        };
        let home = ast
            .procedures()
            .find(is_local)
            .map(|procedure| procedure.name.span);
        forget(ast, name, home);
    }
}

fn remove_parameter(ast: &mut Ast, place: Span) {
    let mut removed: Option<(Ident, Symbol, usize)> = None;
    for procedure in procedures_mut(ast) {
        let index = procedure
            .parameters
            .iter()
            .position(|parameter| parameter.name.span == place);
        if let Some(index) = index {
            let parameter = procedure.parameters.remove(index);
            removed = Some((procedure.name, parameter.name.name, index));
        }
    }
    let Some((procedure, name, index)) = removed else {
        return;
    };
    forget(ast, name, Some(procedure.span));
    for stmt in &mut ast.stmts {
        if let StmtKind::Call {
            callee, arguments, ..
        }
        | StmtKind::StartThreadCall { callee, arguments } = &mut stmt.kind
            && callee.name == procedure.name
            && index < arguments.len()
        {
            arguments.remove(index);
        }
    }
}

/// Removes all uses of a name, in one procedure or everywhere.
fn forget(ast: &mut Ast, name: Symbol, home: Option<Span>) {
    let in_scope = |procedure: &&Procedure| home.is_none_or(|home| procedure.name.span == home);
    let mut roots: Vec<ExprId> = Vec::new();
    let mut stmts: Vec<StmtId> = Vec::new();
    for procedure in ast.procedures().filter(in_scope) {
        roots.extend(procedure.enforce);
        let locals = procedure
            .locals
            .iter()
            .flat_map(|declaration| &declaration.variables);
        roots.extend(locals.filter_map(|variable| variable.initial));
        stmts.extend(statements_in(ast, &procedure.body));
    }
    for id in stmts {
        roots.extend(super::tree::expressions(ast, &ast.stmt(id).kind));
        let exprs = &ast.exprs;
        let is_named = |target: Target| is_named(exprs, target, name);
        match &mut ast.stmts[id.0 as usize].kind {
            StmtKind::Assign {
                targets, values, ..
            } => {
                for index in (0..targets.len().min(values.len())).rev() {
                    if is_named(targets[index]) {
                        targets.remove(index);
                        values.remove(index);
                    }
                }
            }
            StmtKind::Call { targets, .. } => {
                for target in targets.iter_mut() {
                    if is_named(*target) {
                        *target = Target::Discard(Span::default());
                    }
                }
            }
            StmtKind::Dead { variables, .. } => variables.retain(|variable| variable.name != name),
            _ => {}
        }
    }
    for id in with_parts(ast, roots) {
        let named = match ast.expr(id).kind {
            ExprKind::Index { array, .. } => array,
            _ => id,
        };
        if is_name(&ast.exprs, named, name) {
            ast.exprs[id.0 as usize].kind = constant(false);
        }
    }
}

fn is_named(exprs: &Chunks<Expr>, target: Target, name: Symbol) -> bool {
    match target {
        Target::Variable(variable) => variable.name == name,
        Target::Element(element) => exprs[element.0 as usize]
            .kind
            .operands()
            .next()
            .is_some_and(|array| is_name(exprs, array, name)),
        Target::Discard(_) => false,
    }
}

fn is_name(exprs: &Chunks<Expr>, id: ExprId, name: Symbol) -> bool {
    let kind = exprs[id.0 as usize].kind;
    matches!(kind, ExprKind::Name(used) | ExprKind::Primed(used) if used == name)
}

fn remove_results(ast: &mut Ast, place: Span) {
    let Some(procedure) = procedure_at(ast, place) else {
        return;
    };
    procedure.result = ResultType::Void;
    let (name, body) = (procedure.name.name, procedure.body.clone());
    for id in statements_in(ast, &body) {
        if let StmtKind::Return(values) = &mut ast.stmts[id.0 as usize].kind {
            values.clear();
        }
    }
    for stmt in &mut ast.stmts {
        if let StmtKind::Call {
            targets, callee, ..
        } = &mut stmt.kind
            && callee.name == name
        {
            targets.clear();
        }
    }
}

fn remove_decoration(ast: &mut Ast, place: Span) {
    for item in &mut ast.items {
        match item {
            Item::Thread(thread) if thread.name.span == place => thread.instances = None,
            Item::Globals(declaration) if declaration.span == place => {
                declaration.thread_local = false;
            }
            _ => {}
        }
    }
    if let Some(procedure) = procedure_at(ast, place) {
        procedure.dfs = false;
    }
}
