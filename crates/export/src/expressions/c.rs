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

/// The functions of division and shifts, by name, each after those that it calls. A program has
/// those that it needs.
pub(crate) const FUNCTIONS: [(&str, &str); 9] = [
    (
        "hardbop_mask",
        "static uint64_t hardbop_mask(unsigned w) { return ~(uint64_t)0 >> (64 - w); }",
    ),
    (
        "hardbop_divide",
        "static uint64_t hardbop_divide(uint64_t a, uint64_t b, unsigned w) \
         { return b ? a / b : hardbop_mask(w); }",
    ),
    (
        "hardbop_remainder",
        "static uint64_t hardbop_remainder(uint64_t a, uint64_t b, unsigned w) \
         { (void)w; return b ? a % b : a; }",
    ),
    (
        "hardbop_size",
        "static uint64_t hardbop_size(uint64_t a, unsigned w) \
         { return a >> (w - 1) & 1 ? -a & hardbop_mask(w) : a; }",
    ),
    (
        "hardbop_signed_divide",
        "static uint64_t hardbop_signed_divide(uint64_t a, uint64_t b, unsigned w) \
         { uint64_t q = b ? hardbop_size(a, w) / hardbop_size(b, w) : hardbop_mask(w); \
         return ((a ^ b) >> (w - 1) & 1 ? -q : q) & hardbop_mask(w); }",
    ),
    (
        "hardbop_signed_remainder",
        "static uint64_t hardbop_signed_remainder(uint64_t a, uint64_t b, unsigned w) \
         { uint64_t r = b ? hardbop_size(a, w) % hardbop_size(b, w) : hardbop_size(a, w); \
         return (a >> (w - 1) & 1 ? -r : r) & hardbop_mask(w); }",
    ),
    (
        "hardbop_shift_left",
        "static uint64_t hardbop_shift_left(uint64_t a, uint64_t b, unsigned w) \
         { return b < w ? a << b & hardbop_mask(w) : 0; }",
    ),
    (
        "hardbop_shift_right",
        "static uint64_t hardbop_shift_right(uint64_t a, uint64_t b, unsigned w) \
         { return b < w ? a >> b : 0; }",
    ),
    (
        "hardbop_signed_shift_right",
        "static uint64_t hardbop_signed_shift_right(uint64_t a, uint64_t b, unsigned w) \
         { uint64_t s = a >> (w - 1) & 1 ? hardbop_mask(w) : 0; \
         return b < w ? (a >> b | (s & ~(hardbop_mask(w) >> b))) : s; }",
    ),
];

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
        Expr::Unary(UnaryOp::Resize(Type::Bool), a) if exprs.get(a).ty() != Type::Bool => {
            joined("((", &[a], "", " & 1u) != 0)")
        }
        Expr::Unary(UnaryOp::Resize(ty), a) => joined(
            &format!("((({})", type_name(ty)),
            &[a],
            "",
            &format!("){})", mask(ty)),
        ),
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
    // The functions are for 64 bits and are told the width.
    let called = |name: &str| {
        let before = format!("({})hardbop_{name}(", type_name(ty));
        joined(&before, &[a, b], ", ", &format!(", {})", ty.width()))
    };
    let is_word = ty != Type::Bool;
    match op {
        BinaryOp::And if is_word => infix(" & "),
        BinaryOp::Or if is_word => infix(" | "),
        BinaryOp::Xor if is_word => infix(" ^ "),
        BinaryOp::Divide => called("divide"),
        BinaryOp::Remainder => called("remainder"),
        BinaryOp::SignedDivide => called("signed_divide"),
        BinaryOp::SignedRemainder => called("signed_remainder"),
        BinaryOp::ShiftLeft => called("shift_left"),
        BinaryOp::ShiftRight => called("shift_right"),
        BinaryOp::SignedShiftRight => called("signed_shift_right"),
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
