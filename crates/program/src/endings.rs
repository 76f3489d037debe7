//! Warns where a procedure with results can reach its `end` without a `return`: its results are
//! arbitrary then.
//!
//! Only the last statement of each block matters, so the walk goes down those. It does not look at
//! conditions other than constants: a warning too many is removed by a `return`.

use crate::checker::Checker;
use crate::ids::ProcId;
use hardbop_syntax::ast::{Ast, Block, ExprId, ExprKind, Procedure, StmtKind};
use hardbop_syntax::{Diagnostic, codes};

impl Checker<'_> {
    /// Warns if a procedure with results can fall off its end.
    pub fn warn_about_ending(&mut self, id: ProcId, procedure: &Procedure) {
        if self.procedures[id.index()].result_count == 0 || !can_complete(self.ast, &procedure.body)
        {
            return;
        }
        let name = self.text(procedure.name.name);
        let message = format!("`{name}` can end without `return`; its results are arbitrary then");
        self.report(
            Diagnostic::new(codes::FALLS_OFF_END, procedure.end_span, message)
                .at("reached without `return`")
                .also(procedure.name.span, "has results"),
        );
    }
}

/// Whether the end of a block can be reached.
fn can_complete(ast: &Ast, body: &Block) -> bool {
    let mut pending = vec![body];
    while let Some(block) = pending.pop() {
        let Some(&last) = block.stmts.last() else {
            return true;
        };
        if !block.end_labels.is_empty() {
            return true;
        }
        match &ast.stmt(last).kind {
            StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::EndThread => {}
            StmtKind::If { arms, otherwise } => {
                let Some(otherwise) = otherwise else {
                    return true;
                };
                pending.push(otherwise);
                pending.extend(arms.iter().map(|(_, block)| block));
            }
            StmtKind::While { condition, .. } if constant(ast, *condition) == Some(true) => {}
            StmtKind::Assume { condition, .. } | StmtKind::Assert(condition)
                if constant(ast, *condition) == Some(false) => {}
            _ => return true,
        }
    }
    false
}

/// The value of a condition that is written as a constant.
pub(crate) fn constant(ast: &Ast, mut condition: ExprId) -> Option<bool> {
    loop {
        match ast.expr(condition).kind {
            ExprKind::Paren(operand) => condition = operand,
            ExprKind::Bool { value, .. } => return Some(value),
            ExprKind::Number {
                value: value @ 0..=1,
                ..
            } => return Some(value == 1),
            _ => return None,
        }
    }
}
