//! Forgetting where things stand, to compare what two texts say.
//!
//! The formatter promises that its output means the same as its input; comparing trees without
//! places is how that promise is checked each time.

use crate::ast::{
    Ast, Block, Declaration, Ident, Item, Procedure, ResultType, StmtKind, Target, TypeName,
};
use crate::source::Span;

impl Ast {
    /// The same tree with every place and comment forgotten: two texts that differ in layout only
    /// give equal results.
    #[must_use]
    pub fn without_places(&self) -> Ast {
        let mut ast = self.clone();
        ast.comments.clear();
        for expr in &mut ast.exprs {
            expr.span = Span::default();
        }
        for stmt in &mut ast.stmts {
            stmt.span = Span::default();
            forget_idents(&mut stmt.labels);
            forget_stmt(&mut stmt.kind);
        }
        for item in &mut ast.items {
            match item {
                Item::Globals(declaration) => forget_declaration(declaration),
                Item::Procedure(procedure) => forget_procedure(procedure),
                Item::Thread(thread) => {
                    thread.name.span = Span::default();
                    thread.span = Span::default();
                    thread.end_span = Span::default();
                    if let Some((_, span)) = &mut thread.instances {
                        *span = Span::default();
                    }
                    thread.variables.iter_mut().for_each(forget_declaration);
                    thread.procedures.iter_mut().for_each(forget_procedure);
                }
            }
        }
        ast
    }
}

fn forget_idents(idents: &mut [Ident]) {
    for ident in idents {
        ident.span = Span::default();
    }
}

fn forget_type(ty: &mut TypeName) {
    if let TypeName::Int { span, .. } = ty {
        *span = Span::default();
    }
}

fn forget_declaration(declaration: &mut Declaration) {
    declaration.span = Span::default();
    forget_type(&mut declaration.ty);
    for variable in &mut declaration.variables {
        variable.name.span = Span::default();
        if let Some((_, span)) = &mut variable.length {
            *span = Span::default();
        }
    }
}

fn forget_block(block: &mut Block) {
    block.opening = Span::default();
    block.closing = Span::default();
    forget_idents(&mut block.end_labels);
}

fn forget_procedure(procedure: &mut Procedure) {
    procedure.name.span = Span::default();
    procedure.span = Span::default();
    procedure.end_span = Span::default();
    procedure.enforce_span = Span::default();
    if let ResultType::Bools { span, .. } | ResultType::Int { span, .. } = &mut procedure.result {
        *span = Span::default();
    }
    for parameter in &mut procedure.parameters {
        parameter.name.span = Span::default();
        forget_type(&mut parameter.ty);
    }
    procedure.locals.iter_mut().for_each(forget_declaration);
    forget_block(&mut procedure.body);
}

fn forget_stmt(kind: &mut StmtKind) {
    match kind {
        StmtKind::Assign { targets, .. } => forget_targets(targets),
        StmtKind::Call {
            targets, callee, ..
        } => {
            forget_targets(targets);
            callee.span = Span::default();
        }
        StmtKind::If { arms, otherwise } => {
            for (_, block) in arms {
                forget_block(block);
            }
            otherwise.as_deref_mut().into_iter().for_each(forget_block);
        }
        StmtKind::While { body, .. } => forget_block(body),
        StmtKind::Goto(labels) => forget_idents(labels),
        StmtKind::Dead { variables, .. } => forget_idents(variables),
        StmtKind::StartThreadAt(ident) | StmtKind::StartThreadCall { callee: ident, .. } => {
            ident.span = Span::default();
        }
        StmtKind::Skip
        | StmtKind::Print(_)
        | StmtKind::Return(_)
        | StmtKind::Assert(_)
        | StmtKind::Assume { .. }
        | StmtKind::AbortIf(_)
        | StmtKind::EndThread
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd
        | StmtKind::Error => {}
    }
}

fn forget_targets(targets: &mut [Target]) {
    for target in targets {
        match target {
            Target::Variable(ident) => ident.span = Span::default(),
            Target::Element(_) => {}
            Target::Discard(span) => *span = Span::default(),
        }
    }
}
