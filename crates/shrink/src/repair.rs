//! Repairs what edits leave behind: jumps to labels and calls of procedures that are gone,
//! statements that are empty, and the one word of atomic blocks where the program has the other
//! nowhere.

use crate::tree::{for_each_block, labels_in, statements_in};
use hardbop_syntax::Ast;
use hardbop_syntax::ast::{StmtId, StmtKind, Symbol, Target};
use std::collections::BTreeSet;

/// Drops what refers to nothing.
pub(super) fn repair(ast: &mut Ast) {
    let defined: BTreeSet<Symbol> = ast
        .procedures()
        .map(|procedure| procedure.name.name)
        .collect();
    let bodies: Vec<(Vec<StmtId>, BTreeSet<Symbol>)> = ast
        .procedures()
        .map(|procedure| {
            let labels = labels_in(ast, &procedure.body);
            let labels = labels.into_iter().map(|label| label.name).collect();
            (statements_in(ast, &procedure.body), labels)
        })
        .collect();
    let used = bodies.iter().flat_map(|(stmts, _)| stmts);
    let kinds: Vec<&StmtKind> = used.map(|&id| &ast.stmt(id).kind).collect();
    let has_atomic_blocks =
        kinds.contains(&&StmtKind::AtomicBegin) && kinds.contains(&&StmtKind::AtomicEnd);
    let mut emptied = BTreeSet::new();
    for (stmts, labels) in bodies {
        for id in stmts {
            let stmt = &mut ast.stmts[id.0 as usize];
            let is_empty = match &mut stmt.kind {
                StmtKind::Goto(destinations) => {
                    destinations.retain(|label| labels.contains(&label.name));
                    destinations.is_empty()
                }
                StmtKind::StartThreadAt(label) => !labels.contains(&label.name),
                StmtKind::Call { callee, .. } | StmtKind::StartThreadCall { callee, .. } => {
                    !defined.contains(&callee.name)
                }
                StmtKind::Assign { targets, .. } => targets
                    .iter()
                    .all(|target| matches!(target, Target::Discard(_))),
                StmtKind::Dead { variables, .. } => variables.is_empty(),
                StmtKind::Print(values) => values.is_empty(),
                StmtKind::AtomicBegin | StmtKind::AtomicEnd => !has_atomic_blocks,
                _ => false,
            };
            if is_empty {
                stmt.kind = StmtKind::Skip;
                if stmt.labels.is_empty() {
                    emptied.insert(id);
                }
            }
        }
    }
    for_each_block(ast, |block| block.stmts.retain(|id| !emptied.contains(id)));
    drop_empty_declarations(ast);
}

fn drop_empty_declarations(ast: &mut Ast) {
    use hardbop_syntax::ast::Item;
    ast.items
        .retain(|item| !matches!(item, Item::Globals(d) if d.variables.is_empty()));
    for item in &mut ast.items {
        if let Item::Thread(thread) = item {
            thread
                .variables
                .retain(|declaration| !declaration.variables.is_empty());
        }
    }
    for procedure in super::tree::procedures_mut(ast) {
        procedure
            .locals
            .retain(|declaration| !declaration.variables.is_empty());
    }
}
