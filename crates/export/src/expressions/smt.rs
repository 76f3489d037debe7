//! Expressions of SMT-LIB: Booleans are `Bool`, `int<n>` is `(_ BitVec n)`.

use super::{Piece, joined, write};
use hardbop_machine::expr::Leaf;
use hardbop_machine::{BinaryOp, Expr, ExprArena, ExprId, Type, UnaryOp};

/// Words that no variable may be called.
pub(crate) const WORDS: &[&str] = &[
    "and", "as", "assert", "bvadd", "bvmul", "bvsub", "bvule", "bvult", "concat", "distinct",
    "exists", "extract", "false", "forall", "ite", "let", "match", "not", "or", "par", "true",
    "xor",
];

/// The sort of a type.
pub(crate) fn sort(ty: Type) -> String {
    match ty {
        Type::Bool => "Bool".to_owned(),
        Type::Int(width) => format!("(_ BitVec {width})"),
    }
}

/// A constant.
pub(crate) fn constant(value: u64, ty: Type) -> String {
    match ty {
        Type::Bool => (value == 1).to_string(),
        Type::Int(width) => format!("(_ bv{value} {width})"),
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
        Expr::Unary(UnaryOp::Not, a) => joined("(not ", &[a], " ", ")"),
        Expr::Binary(op, a, b, _) => joined(&format!("({} ", binary(op)), &[a, b], " ", ")"),
        Expr::Ite(c, a, b, _) => joined("(ite ", &[c, a, b], " ", ")"),
    })
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
        BinaryOp::Implies => "=>",
        BinaryOp::Equal => "=",
        BinaryOp::NotEqual => "distinct",
        BinaryOp::Less => "bvult",
        BinaryOp::LessEqual => "bvule",
        BinaryOp::Add => "bvadd",
        BinaryOp::Subtract => "bvsub",
        BinaryOp::Multiply => "bvmul",
    }
}
