//! Expressions of C99: Booleans are `bool`, `int<n>` is `uint32_t` or `uint64_t`, never narrower.
//! So nothing is promoted to `int`, where `65535 * 65535` of 16 bits would overflow; what may leave
//! the width is masked.

use super::{Piece, joined, write};
use hardbop_machine::expr::Leaf;
use hardbop_machine::{BinaryOp, Expr, ExprArena, ExprId, Type, UnaryOp};

/// The type of a variable.
pub(crate) fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::Int(0..=32) => "uint32_t",
        Type::Int(_) => "uint64_t",
    }
}

/// A constant.
pub(crate) fn constant(value: u64, ty: Type) -> String {
    match ty {
        Type::Bool => (value == 1).to_string(),
        Type::Int(0..=32) => format!("{value}u"),
        Type::Int(_) => format!("{value}ull"),
    }
}

/// What keeps a value within the width of its type, to stand behind it; empty where the type of C
/// does so.
pub(crate) fn mask(ty: Type) -> String {
    match ty {
        Type::Bool | Type::Int(32 | 64) => String::new(),
        Type::Int(_) => format!(" & {}", constant(ty.max_value(), ty)),
    }
}

/// An expression; `leaf` has the terms of variables and choices.
pub(crate) fn expression(
    exprs: &ExprArena,
    root: ExprId,
    leaf: &mut dyn FnMut(Leaf, Type) -> String,
) -> String {
    write(exprs, root, |expr| match *expr {
        Expr::Const(value, ty) => vec![Piece::Text(constant(value, ty))],
        Expr::Var(variable, ty) => vec![Piece::Text(leaf(Leaf::Var(variable), ty))],
        Expr::Next(variable, ty) => vec![Piece::Text(leaf(Leaf::Next(variable), ty))],
        Expr::Input(input, ty) => vec![Piece::Text(leaf(Leaf::Input(input), ty))],
        Expr::Unary(UnaryOp::Not, a) => joined("!", &[a], "", ""),
        Expr::Binary(op, a, b, ty) => binary(op, a, b, ty),
        Expr::Ite(c, a, b, _) => vec![
            Piece::Text("(".to_owned()),
            Piece::Operand(c),
            Piece::Text(" ? ".to_owned()),
            Piece::Operand(a),
            Piece::Text(" : ".to_owned()),
            Piece::Operand(b),
            Piece::Text(")".to_owned()),
        ],
    })
}

fn binary(op: BinaryOp, a: ExprId, b: ExprId, ty: Type) -> Vec<Piece> {
    let infix = |operator: &str| joined("(", &[a, b], operator, ")");
    let wrapped = |operator: &str| match mask(ty).as_str() {
        "" => joined("(", &[a, b], operator, ")"),
        mask => joined("((", &[a, b], operator, &format!("){mask})")),
    };
    match op {
        BinaryOp::And => infix(" && "),
        BinaryOp::Or => infix(" || "),
        BinaryOp::Xor | BinaryOp::NotEqual => infix(" != "),
        BinaryOp::Implies => joined("(!", &[a, b], " || ", ")"),
        BinaryOp::Equal => infix(" == "),
        BinaryOp::Less => infix(" < "),
        BinaryOp::LessEqual => infix(" <= "),
        BinaryOp::Add => wrapped(" + "),
        BinaryOp::Subtract => wrapped(" - "),
        BinaryOp::Multiply => wrapped(" * "),
    }
}
