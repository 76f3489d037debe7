//! Which edits a program offers, in the order in which they are worth trying: large parts first.

use crate::edit::Edit;
use crate::tree::{blocks, expressions, labels_in, statements, with_parts};
use hardbop_syntax::ast::{Ast, Declaration, ExprId, ExprKind, Item, ResultType, StmtKind};

/// All kinds of edits.
pub(super) const ALL: [fn(&Ast) -> Vec<Edit>; 9] = [
    items,
    whole_statements,
    structure,
    variables,
    clauses,
    elements,
    labels,
    whole_expressions,
    parts_of_expressions,
];

fn items(ast: &Ast) -> Vec<Edit> {
    let threads = ast.items.iter().filter_map(|item| match item {
        Item::Thread(thread) => Some(Edit::Item(thread.name.span)),
        _ => None,
    });
    let procedures = ast
        .procedures()
        .map(|procedure| Edit::Item(procedure.name.span));
    threads.chain(procedures).collect()
}

fn whole_statements(ast: &Ast) -> Vec<Edit> {
    statements(ast).into_iter().map(Edit::Statement).collect()
}

fn structure(ast: &Ast) -> Vec<Edit> {
    let mut edits = Vec::new();
    for id in statements(ast) {
        let stmt = ast.stmt(id);
        let parts = blocks(&stmt.kind).len();
        edits.extend((0..parts).map(|index| Edit::Unwrap(id, index)));
        if let StmtKind::If { .. } = stmt.kind {
            edits.extend((0..parts).map(|index| Edit::Arm(id, index)));
        }
        if stmt.kind != StmtKind::Skip {
            edits.push(Edit::Skip(id));
        }
    }
    edits
}

fn declarations(ast: &Ast) -> impl Iterator<Item = &Declaration> {
    let outer = ast.items.iter().flat_map(|item| match item {
        Item::Globals(declaration) => std::slice::from_ref(declaration),
        Item::Thread(thread) => thread.variables.as_slice(),
        Item::Procedure(_) => &[],
    });
    outer.chain(ast.procedures().flat_map(|procedure| &procedure.locals))
}

fn variables(ast: &Ast) -> Vec<Edit> {
    let declared = declarations(ast).flat_map(|declaration| &declaration.variables);
    let declared = declared.map(|variable| Edit::Variable(variable.name.span));
    let parameters = ast.procedures().flat_map(|procedure| &procedure.parameters);
    let parameters = parameters.map(|parameter| Edit::Parameter(parameter.name.span));
    declared.chain(parameters).collect()
}

fn clauses(ast: &Ast) -> Vec<Edit> {
    let mut edits = Vec::new();
    for item in &ast.items {
        match item {
            Item::Globals(declaration) if declaration.thread_local => {
                edits.push(Edit::Decoration(declaration.span));
            }
            Item::Thread(thread) => {
                edits.push(Edit::Hoist(thread.name.span));
                edits.extend(thread.instances.map(|_| Edit::Decoration(thread.name.span)));
            }
            Item::Globals(_) | Item::Procedure(_) => {}
        }
    }
    for procedure in ast.procedures() {
        let name = procedure.name.span;
        edits.extend(procedure.dfs.then_some(Edit::Decoration(name)));
        edits.extend(procedure.enforce.map(|_| Edit::Enforce(name)));
        if !matches!(procedure.result, ResultType::Void | ResultType::Unwritten) {
            edits.push(Edit::Results(name));
        }
    }
    let declared = declarations(ast).flat_map(|declaration| &declaration.variables);
    let initialised = declared.filter(|variable| variable.initial.is_some());
    edits.extend(initialised.map(|variable| Edit::Initial(variable.name.span)));
    for id in statements(ast) {
        match &ast.stmt(id).kind {
            StmtKind::Assign {
                constrain: Some(_), ..
            } => edits.push(Edit::ConstrainClause(id)),
            StmtKind::Call { targets, .. } if !targets.is_empty() => edits.push(Edit::Targets(id)),
            _ => {}
        }
    }
    edits
}

fn elements(ast: &Ast) -> Vec<Edit> {
    let mut edits = Vec::new();
    for id in statements(ast) {
        let count = match &ast.stmt(id).kind {
            StmtKind::Assign { targets, .. } => targets.len(),
            StmtKind::Dead { variables, .. } => variables.len(),
            StmtKind::Goto(labels) => labels.len(),
            StmtKind::Print(values) => values.len(),
            _ => 0,
        };
        edits.extend((0..count).map(|index| Edit::Element(id, index)));
    }
    edits
}

fn labels(ast: &Ast) -> Vec<Edit> {
    let labels = ast
        .procedures()
        .flat_map(|procedure| labels_in(ast, &procedure.body));
    labels.map(|label| Edit::Label(label.span)).collect()
}

/// The outermost expressions of the program.
fn roots(ast: &Ast) -> Vec<ExprId> {
    let declared = declarations(ast).flat_map(|declaration| &declaration.variables);
    let mut roots: Vec<ExprId> = declared.filter_map(|variable| variable.initial).collect();
    roots.extend(ast.procedures().filter_map(|procedure| procedure.enforce));
    for id in statements(ast) {
        roots.extend(expressions(ast, &ast.stmt(id).kind));
    }
    roots
}

fn whole_expressions(ast: &Ast) -> Vec<Edit> {
    replacements(ast, roots(ast))
}

fn parts_of_expressions(ast: &Ast) -> Vec<Edit> {
    replacements(ast, with_parts(ast, roots(ast)))
}

/// Smaller expressions for some expressions.
fn replacements(ast: &Ast, exprs: Vec<ExprId>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for id in exprs {
        let kind = ast.expr(id).kind;
        if !matches!(
            kind,
            ExprKind::Bool { .. } | ExprKind::Number { value: 0 | 1, .. }
        ) {
            edits.extend([Edit::Constant(id, false), Edit::Constant(id, true)]);
        }
        edits.extend(kind.operands().map(|operand| Edit::Operand(id, operand)));
    }
    edits
}
