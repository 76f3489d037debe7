//! Expressions as text that parses again to the same expression.

use super::names::{Names, choice};
use hardbop_machine::{Expr, ExprId, Machine, ProcId, UnaryOp};

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
            Expr::Const(value, _) => text.push_str(&value.to_string()),
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
            Expr::Binary(operator, a, b, _) => {
                text.push('(');
                pending.extend([
                    Piece::Text(")"),
                    Piece::Expr(b),
                    Piece::Text(" "),
                    Piece::Text(operator.symbol()),
                    Piece::Text(" "),
                    Piece::Expr(a),
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
