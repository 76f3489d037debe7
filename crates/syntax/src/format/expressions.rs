//! Expressions as text, exactly as parsed: parentheses and spellings are in the tree.

use super::layout::Line;
use crate::ast::{Ast, ExprId, ExprKind};

enum Todo {
    Expr(ExprId),
    Glue(&'static str),
    /// An operator with spaces, after which the line may be broken.
    Operator(&'static str),
    /// A comma, after which the line may be broken.
    Comma,
}

/// Appends an expression to a line.
pub(super) fn write(ast: &Ast, root: ExprId, line: &mut Line) {
    let mut todo = vec![Todo::Expr(root)];
    while let Some(next) = todo.pop() {
        match next {
            Todo::Glue(text) => line.glue(text),
            Todo::Operator(text) => {
                line.space(text);
                line.may_break();
            }
            Todo::Comma => {
                line.glue(",");
                line.may_break();
            }
            Todo::Expr(id) => match ast.expr(id).kind {
                ExprKind::Bool { value, word } => line.glue(match (value, word) {
                    (true, false) => "T",
                    (false, false) => "F",
                    (true, true) => "true",
                    (false, true) => "false",
                }),
                ExprKind::Number { value, hexadecimal } => line.glue(if hexadecimal {
                    format!("{value:#x}")
                } else {
                    value.to_string()
                }),
                ExprKind::Name(name) => line.glue(ast.text(name)),
                ExprKind::Primed(name) => line.glue(format!("'{}", ast.text(name))),
                ExprKind::Choice { question } => line.glue(if question { "?" } else { "*" }),
                ExprKind::Paren(inner)
                | ExprKind::Signed(inner)
                | ExprKind::ToBool(inner)
                | ExprKind::ToInt { operand: inner, .. } => {
                    match ast.expr(id).kind {
                        ExprKind::Signed(_) => line.glue("signed"),
                        ExprKind::ToBool(_) => line.glue("bool"),
                        ExprKind::ToInt { width, .. } => line.glue(format!("int<{width}>")),
                        _ => {}
                    }
                    line.glue("(");
                    todo.push(Todo::Glue(")"));
                    todo.push(Todo::Expr(inner));
                }
                ExprKind::Index { array, index } => {
                    todo.push(Todo::Glue("]"));
                    todo.push(Todo::Expr(index));
                    todo.push(Todo::Glue("["));
                    todo.push(Todo::Expr(array));
                }
                ExprKind::Negate(operand) => {
                    line.glue("-");
                    todo.push(Todo::Expr(operand));
                }
                ExprKind::Not { operand, tilde } => {
                    line.glue(if tilde { "~" } else { "!" });
                    todo.push(Todo::Expr(operand));
                }
                ExprKind::Binary {
                    op,
                    alternative,
                    left,
                    right,
                } => {
                    todo.push(Todo::Expr(right));
                    todo.push(Todo::Operator(op.text(alternative)));
                    todo.push(Todo::Expr(left));
                }
                ExprKind::Conditional {
                    condition,
                    then,
                    otherwise,
                } => {
                    todo.push(Todo::Expr(otherwise));
                    todo.push(Todo::Operator(":"));
                    todo.push(Todo::Expr(then));
                    todo.push(Todo::Operator("?"));
                    todo.push(Todo::Expr(condition));
                }
                ExprKind::Choose { strict, yes, no } => {
                    line.glue(if strict { "schoose[" } else { "choose[" });
                    todo.push(Todo::Glue("]"));
                    todo.push(Todo::Expr(no));
                    todo.push(Todo::Comma);
                    todo.push(Todo::Expr(yes));
                }
                ExprKind::Error => line.glue("<error>"),
            },
        }
    }
}

/// Appends expressions with commas between them.
pub(super) fn write_list(ast: &Ast, list: &[ExprId], line: &mut Line) {
    for (index, &expr) in list.iter().enumerate() {
        if index > 0 {
            line.glue(",");
            line.may_break();
        }
        write(ast, expr, line);
    }
}
