//! Walks over a syntax tree that is being taken apart. None of them recurses.

use hardbop_syntax::Span;
use hardbop_syntax::ast::{Ast, Block, ExprId, Ident, Item, Procedure, StmtId, StmtKind, Target};

/// All procedures, those of threads included.
pub(super) fn procedures_mut(ast: &mut Ast) -> impl Iterator<Item = &mut Procedure> {
    ast.items.iter_mut().flat_map(|item| match item {
        Item::Globals(_) => [].as_mut_slice(),
        Item::Procedure(procedure) => std::slice::from_mut(procedure),
        Item::Thread(thread) => thread.procedures.as_mut_slice(),
    })
}

/// The procedure whose name stands at a place.
pub(super) fn procedure_at(ast: &mut Ast, name: Span) -> Option<&mut Procedure> {
    procedures_mut(ast).find(|procedure| procedure.name.span == name)
}

/// The blocks of a statement.
pub(super) fn blocks(kind: &StmtKind) -> Vec<&Block> {
    match kind {
        StmtKind::If { arms, otherwise } => arms
            .iter()
            .map(|(_, block)| block)
            .chain(otherwise.as_deref())
            .collect(),
        StmtKind::While { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// The blocks of a statement, to be changed.
pub(super) fn blocks_mut(kind: &mut StmtKind) -> Vec<&mut Block> {
    match kind {
        StmtKind::If { arms, otherwise } => arms
            .iter_mut()
            .map(|(_, block)| block)
            .chain(otherwise.as_deref_mut())
            .collect(),
        StmtKind::While { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// All blocks of the program, those of statements that are out of use included.
pub(super) fn for_each_block(ast: &mut Ast, mut change: impl FnMut(&mut Block)) {
    for procedure in procedures_mut(ast) {
        change(&mut procedure.body);
    }
    for stmt in &mut ast.stmts {
        blocks_mut(&mut stmt.kind).into_iter().for_each(&mut change);
    }
}

/// The statements of a block and of the blocks inside, in order of the text.
pub(super) fn statements_in(ast: &Ast, body: &Block) -> Vec<StmtId> {
    let mut found = Vec::new();
    let mut pending: Vec<StmtId> = body.stmts.iter().rev().copied().collect();
    while let Some(id) = pending.pop() {
        found.push(id);
        for block in blocks(&ast.stmt(id).kind).into_iter().rev() {
            pending.extend(block.stmts.iter().rev());
        }
    }
    found
}

/// All statements of the program, in order of the text.
pub(super) fn statements(ast: &Ast) -> Vec<StmtId> {
    ast.procedures()
        .flat_map(|procedure| statements_in(ast, &procedure.body))
        .collect()
}

/// The labels of a procedure.
pub(super) fn labels_in(ast: &Ast, body: &Block) -> Vec<Ident> {
    let mut labels = body.end_labels.to_vec();
    for id in statements_in(ast, body) {
        let stmt = ast.stmt(id);
        labels.extend(&stmt.labels);
        for block in blocks(&stmt.kind) {
            labels.extend(&block.end_labels);
        }
    }
    labels
}

/// The expressions that a statement holds directly. Of an element that is assigned to it is the
/// index.
pub(super) fn expressions(ast: &Ast, kind: &StmtKind) -> Vec<ExprId> {
    match kind {
        StmtKind::Print(values) | StmtKind::Return(values) => values.to_vec(),
        StmtKind::Assign {
            targets,
            values,
            constrain,
        } => {
            let indexes = targets.iter().filter_map(|target| match *target {
                Target::Element(element) => ast.expr(element).kind.operands().next_back(),
                _ => None,
            });
            let values = values.iter().copied().chain(*constrain);
            indexes.chain(values).collect()
        }
        StmtKind::Call { arguments, .. } | StmtKind::StartThreadCall { arguments, .. } => {
            arguments.to_vec()
        }
        StmtKind::If { arms, .. } => arms.iter().map(|&(condition, _)| condition).collect(),
        StmtKind::While { condition, .. }
        | StmtKind::Assume { condition, .. }
        | StmtKind::Assert(condition)
        | StmtKind::AbortIf(condition) => vec![*condition],
        _ => Vec::new(),
    }
}

/// Some expressions and all their parts, each before its own parts.
pub(super) fn with_parts(ast: &Ast, roots: Vec<ExprId>) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut pending = roots;
    pending.reverse();
    while let Some(id) = pending.pop() {
        found.push(id);
        pending.extend(ast.expr(id).kind.operands().rev());
    }
    found
}
