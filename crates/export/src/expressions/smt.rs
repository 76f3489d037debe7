//! Expressions of SMT-LIB: Booleans are `Bool`, `int<n>` is `(_ BitVec n)`.

use super::{Piece, joined, write};
use hardbop_machine::expr::Leaf;
use hardbop_machine::{BinaryOp, Expr, ExprArena, ExprId, Type, UnaryOp};

/// Words that no variable may be called.
pub(crate) const WORDS: &[&str] = &[
    "and", "as", "assert", "bvadd", "bvand", "bvashr", "bvlshr", "bvmul", "bvor", "bvsdiv",
    "bvshl", "bvsrem", "bvsub", "bvudiv", "bvule", "bvult", "bvurem", "bvxor", "concat",
    "distinct", "exists", "extract", "false", "forall", "ite", "let", "match", "not", "or", "par",
    "true", "xor",
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
        Expr::Unary(UnaryOp::Resize(ty), a) => resized(exprs.get(a).ty(), ty, a),
        Expr::Binary(op, a, b, ty) => joined(&format!("({} ", binary(op, ty)), &[a, b], " ", ")"),
        Expr::Ite(c, a, b, _) => joined("(ite ", &[c, a, b], " ", ")"),
    })
}

/// A value in another type, modulo 2^n or widened with zeros.
fn resized(from: Type, to: Type, operand: ExprId) -> Vec<Piece> {
    let around = |before: &str, after: &str| joined(before, &[operand], "", after);
    match (from, to) {
        (Type::Bool, Type::Bool) => around("", ""),
        (Type::Bool, Type::Int(_)) => {
            let (one, zero) = (constant(1, to), constant(0, to));
            around("(ite ", &format!(" {one} {zero})"))
        }
        (Type::Int(_), Type::Bool) => around("(= ((_ extract 0 0) ", ") #b1)"),
        (Type::Int(narrow), Type::Int(wide)) if narrow <= wide => {
            around(&format!("((_ zero_extend {}) ", wide - narrow), ")")
        }
        (Type::Int(_), Type::Int(width)) => around(&format!("((_ extract {} 0) ", width - 1), ")"),
    }
}

/// The corners of division and shifts are those of SMT-LIB.
fn binary(op: BinaryOp, ty: Type) -> &'static str {
    let is_word = ty != Type::Bool;
    match op {
        BinaryOp::And if is_word => "bvand",
        BinaryOp::Or if is_word => "bvor",
        BinaryOp::Xor if is_word => "bvxor",
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
        BinaryOp::Divide => "bvudiv",
        BinaryOp::Remainder => "bvurem",
        BinaryOp::SignedDivide => "bvsdiv",
        BinaryOp::SignedRemainder => "bvsrem",
        BinaryOp::ShiftLeft => "bvshl",
        BinaryOp::ShiftRight => "bvlshr",
        BinaryOp::SignedShiftRight => "bvashr",
    }
}
