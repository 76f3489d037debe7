//! Expressions as text that parses again to the same expression.

use super::names::{Names, choice};
use hardbop_machine::{Expr, ExprId, Machine, ProcId, Type, UnaryOp};

/// A piece of text that is still to be written.
enum Piece {
    Expr(ExprId),
    Text(&'static str),
}

/// Writes an expression of a procedure, in parentheses wherever it has operands. Choices are the
/// locals that stand for them.
pub fn expression(machine: &Machine, names: &Names, procedure: ProcId, root: ExprId) -> String {
    let mut text = String::new();
    let mut pending = vec![Piece::Expr(root)];
    while let Some(piece) = pending.pop() {
        let id = match piece {
            Piece::Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Piece::Expr(id) => id,
        };
        match *machine.exprs.get(id) {
            Expr::Const(value, Type::Bool) => text.push_str(&value.to_string()),
            // With its type, which the context need not give.
            Expr::Const(value, ty) => text.extend([ty.to_string(), format!("({value})")]),
            Expr::Var(variable, _) => text.push_str(&names.variable(machine, procedure, variable)),
            Expr::Next(variable, _) => {
                text.push('\'');
                text.push_str(&names.variable(machine, procedure, variable));
            }
            Expr::Input(input, ty) => text.push_str(&choice(input.index(), ty)),
            Expr::Unary(UnaryOp::Not, a) => {
                text.push_str("!(");
                pending.extend([Piece::Text(")"), Piece::Expr(a)]);
            }
            Expr::Unary(UnaryOp::Resize(ty), a) => {
                text.extend([ty.to_string(), "(".to_owned()]);
                pending.extend([Piece::Text(")"), Piece::Expr(a)]);
            }
            Expr::Binary(operator, a, b, _) => {
                let (is_signed, is_right_signed) = operator.signed_operands();
                let opening = |is_signed| Piece::Text(if is_signed { "signed(" } else { "" });
                let closing = |is_signed| Piece::Text(if is_signed { ")" } else { "" });
                text.push('(');
                pending.extend([
                    Piece::Text(")"),
                    closing(is_right_signed),
                    Piece::Expr(b),
                    opening(is_right_signed),
                    Piece::Text(" "),
                    Piece::Text(operator.symbol()),
                    Piece::Text(" "),
                    closing(is_signed),
                    Piece::Expr(a),
                    opening(is_signed),
                ]);
            }
            Expr::Ite(c, a, b, _) => {
                text.push('(');
                pending.extend([
                    Piece::Text(")"),
                    Piece::Expr(b),
                    Piece::Text(" : "),
                    Piece::Expr(a),
                    Piece::Text(" ? "),
                    Piece::Expr(c),
                ]);
            }
        }
    }
    text
}
