//! Simple statements, heads of compound ones and declarations as lines.

use super::expressions;
use super::layout::Line;
use crate::ast::{
    AssumeWord, Ast, DeadWord, Declaration, ExprId, ExprKind, Form, Ident, Procedure, ResultType,
    Stmt, StmtKind, Symbol, Target, TypeName,
};

/// A statement without others inside, with its labels and its `;`.
pub(super) fn simple(ast: &Ast, stmt: &Stmt) -> Line {
    let mut line = Line::default();
    if ast.form != Form::GuardedBlocks {
        labels(ast, &stmt.labels, &mut line);
    }
    match &stmt.kind {
        StmtKind::Skip => line.word("skip"),
        StmtKind::Print(values) => {
            line.word("print(");
            expressions::write_list(ast, values, &mut line);
            line.glue(")");
        }
        StmtKind::Assign {
            targets,
            values,
            constrain,
        } => {
            assignment_head(ast, targets, &mut line);
            line.may_break();
            expressions::write_list(ast, values, &mut line);
            if let Some(condition) = constrain {
                line.space("constrain");
                line.may_break();
                expressions::write(ast, *condition, &mut line);
            }
        }
        StmtKind::Call {
            targets,
            callee,
            arguments,
            keyword,
        } => {
            if !targets.is_empty() {
                assignment_head(ast, targets, &mut line);
                line.may_break();
            }
            if *keyword {
                line.word("call");
            }
            line.word(ast.text(callee.name));
            argument_list(ast, arguments, &mut line);
        }
        StmtKind::Return(values) => {
            line.word("return");
            if !values.is_empty() {
                line.may_break();
                expressions::write_list(ast, values, &mut line);
            }
        }
        StmtKind::Goto(targets) => {
            line.word("goto");
            line.may_break();
            let separator = match ast.form {
                Form::Procedures | Form::C => ",",
                Form::GuardedBlocks => " or",
            };
            names(ast, targets.iter().map(|t| t.name), separator, &mut line);
        }
        StmtKind::Assert(condition) => word_condition(ast, "assert", *condition, &mut line),
        StmtKind::Assume { condition, word } => {
            let word = match word {
                AssumeWord::Assume => "assume",
                AssumeWord::Constrain => "constrain",
            };
            word_condition(ast, word, *condition, &mut line);
        }
        StmtKind::AbortIf(condition) => {
            line.word("abortif");
            line.may_break();
            expressions::write(ast, *condition, &mut line);
        }
        StmtKind::Dead { variables, word } => {
            line.word(match word {
                DeadWord::Dead => "dead",
                DeadWord::Havoc => "havoc",
            });
            line.may_break();
            names(ast, variables.iter().map(|v| v.name), ",", &mut line);
        }
        StmtKind::StartThreadAt(label) => {
            line.word("start_thread goto");
            line.space(ast.text(label.name));
        }
        StmtKind::StartThreadCall { callee, arguments } => {
            line.word("start_thread");
            line.space(ast.text(callee.name));
            argument_list(ast, arguments, &mut line);
        }
        StmtKind::EndThread => line.word("end_thread"),
        StmtKind::AtomicBegin => line.word("atomic_begin"),
        StmtKind::AtomicEnd => line.word("atomic_end"),
        StmtKind::If { .. } | StmtKind::While { .. } | StmtKind::Error => line.word("<error>"),
    }
    line.glue(";");
    line
}

/// `L: if (e) then`, `elsif (e) then`, `L: while (e) do`.
pub(super) fn head(
    ast: &Ast,
    before: &[Ident],
    word: &str,
    condition: ExprId,
    opening: &str,
) -> Line {
    let mut line = Line::default();
    labels(ast, before, &mut line);
    line.word(word);
    line.may_break();
    expressions::write(ast, condition, &mut line);
    line.space(opening);
    line
}

/// `L: M:`
pub(super) fn labels(ast: &Ast, labels: &[Ident], line: &mut Line) {
    for label in labels {
        line.word(ast.text(label.name));
        line.glue(":");
    }
}

/// `decl int<4> x, y := 0;` or, in guarded form, `var x, y;`.
pub(super) fn declaration(ast: &Ast, declaration: &Declaration) -> Line {
    let mut line = Line::default();
    if declaration.thread_local {
        line.word("thread_local");
    }
    line.word(match ast.form {
        Form::Procedures | Form::C => "decl",
        Form::GuardedBlocks => "var",
    });
    if let Some(ty) = int_type(declaration.ty) {
        line.space(ty);
    }
    for (index, variable) in declaration.variables.iter().enumerate() {
        if index > 0 {
            line.glue(",");
        }
        line.may_break();
        line.glue(ast.text(variable.name.name));
        if let Some((length, _)) = variable.length {
            line.glue(format!("[{length}]"));
        }
        if let Some(initial) = variable.initial {
            line.space(":=");
            line.may_break();
            expressions::write(ast, initial, &mut line);
        }
    }
    line.glue(";");
    line
}

/// `bool<2> f(a, int<4> n) begin`
pub(super) fn procedure_head(ast: &Ast, procedure: &Procedure) -> Line {
    let mut line = Line::default();
    if procedure.dfs {
        line.word("dfs");
    }
    match procedure.result {
        ResultType::Unwritten => {}
        ResultType::Void => line.word("void"),
        ResultType::Bool => line.word("bool"),
        ResultType::Bools { count, .. } => line.word(&format!("bool<{count}>")),
        ResultType::Int { width, .. } => line.word(&format!("int<{width}>")),
    }
    line.word(ast.text(procedure.name.name));
    line.glue("(");
    for (index, parameter) in procedure.parameters.iter().enumerate() {
        if index > 0 {
            line.glue(",");
            line.may_break();
        }
        if let Some(ty) = int_type(parameter.ty) {
            line.glue(ty);
            line.space(ast.text(parameter.name.name));
        } else {
            line.glue(ast.text(parameter.name.name));
        }
    }
    line.glue(")");
    line.space("begin");
    line
}

/// `enforce e;`
pub(super) fn enforce(ast: &Ast, condition: ExprId) -> Line {
    let mut line = Line::default();
    line.word("enforce");
    line.may_break();
    expressions::write(ast, condition, &mut line);
    line.glue(";");
    line
}

fn int_type(ty: TypeName) -> Option<String> {
    match ty {
        TypeName::Bool => None,
        TypeName::Int { width, .. } => Some(format!("int<{width}>")),
    }
}

fn names(ast: &Ast, list: impl Iterator<Item = Symbol>, separator: &str, line: &mut Line) {
    for (index, name) in list.enumerate() {
        if index > 0 {
            line.glue(separator);
            line.may_break();
        }
        line.glue(ast.text(name));
    }
}

/// `x, _ :=`
fn assignment_head(ast: &Ast, targets: &[Target], line: &mut Line) {
    for (index, target) in targets.iter().enumerate() {
        if index > 0 {
            line.glue(",");
            line.may_break();
        }
        if index == 0 {
            line.word("");
        }
        match target {
            Target::Variable(ident) => line.glue(ast.text(ident.name)),
            Target::Element(element) => expressions::write(ast, *element, line),
            Target::Discard(_) => line.glue("_"),
        }
    }
    line.space(":=");
}

fn argument_list(ast: &Ast, arguments: &[ExprId], line: &mut Line) {
    line.glue("(");
    expressions::write_list(ast, arguments, line);
    line.glue(")");
}

/// `assert(e)` where the condition has its parentheses, `assert e` where not.
fn word_condition(ast: &Ast, word: &str, condition: ExprId, line: &mut Line) {
    line.word(word);
    if !matches!(ast.expr(condition).kind, ExprKind::Paren(_)) {
        line.may_break();
    }
    expressions::write(ast, condition, line);
}
