//! Facts as a person would write them.

use hardbop_machine::{
    BinaryOp, Expr, ExprArena, ExprId, Machine, ProcId, Type, UnaryOp, Variable,
};

/// Operators that get parentheses wherever they are operands.
const LOOSEST: u8 = 4;

/// A part of a fact in the making.
struct Part {
    text: String,
    /// How loosely its operator binds: an operand that binds more loosely gets parentheses.
    looseness: u8,
    ty: Type,
    /// The same read as a signed number, if it is a word with its highest bit flipped.
    signed: Option<String>,
}

impl Part {
    fn operand(&self, looseness: u8) -> String {
        if self.looseness < looseness || self.looseness == 0 {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }
}

/// A fact as text, with `old(x)` for the value of `x` at the entry, and `signed(x)` in signed
/// comparisons.
pub(crate) fn fact_text(
    machine: &Machine,
    exprs: &ExprArena,
    procedure: ProcId,
    fact: ExprId,
) -> String {
    let name = |variable: Variable| machine.name_of(procedure, variable);
    let part = exprs.fold(fact, |expr, operands: &mut Vec<Part>| {
        let ty = expr.ty();
        let simple = |text: String| Part {
            text,
            looseness: 0,
            ty,
            signed: None,
        };
        match *expr {
            Expr::Const(value, Type::Bool) => simple(if value == 1 { "T" } else { "F" }.to_owned()),
            Expr::Const(value, ty) => Part {
                signed: Some(ty.signed(value ^ sign(ty)).to_string()),
                ..simple(value.to_string())
            },
            Expr::Var(variable, _) => simple(name(variable).to_owned()),
            Expr::Next(variable, _) => simple(format!("old({})", name(variable))),
            Expr::Input(..) => simple("*".to_owned()),
            Expr::Unary(UnaryOp::Not, _) => simple(format!("!{}", operands[0].operand(1))),
            Expr::Unary(UnaryOp::Resize(to), _) => simple(format!("{to}({})", operands[0].text)),
            Expr::Ite(..) => Part {
                looseness: LOOSEST,
                ..simple(format!(
                    "if {} then {} else {}",
                    operands[0].text,
                    operands[1].operand(1),
                    operands[2].operand(1)
                ))
            },
            Expr::Binary(op, ..) => binary(op, ty, &operands[0], &operands[1]),
        }
    });
    part.text
}

fn sign(ty: Type) -> u64 {
    1 << (ty.width() - 1)
}

fn binary(op: BinaryOp, ty: Type, a: &Part, b: &Part) -> Part {
    let looseness = match op {
        BinaryOp::Multiply => 1,
        BinaryOp::Add => 2,
        BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual => 3,
        _ => LOOSEST,
    };
    let is_order = matches!(op, BinaryOp::Less | BinaryOp::LessEqual);
    let text = match (&a.signed, &b.signed) {
        (Some(first), Some(second)) if is_order && (is_flipped(a) || is_flipped(b)) => {
            format!("{first} {} {second}", op.symbol())
        }
        _ => {
            // A sum of sums needs no parentheses on the left.
            let left = a.operand(looseness + u8::from(op == BinaryOp::Add));
            format!("{left} {} {}", op.symbol(), b.operand(looseness))
        }
    };
    let is_flip = op == BinaryOp::Xor && b.text == sign(a.ty).to_string();
    Part {
        text,
        looseness,
        ty,
        signed: is_flip.then(|| format!("signed({})", a.text)),
    }
}

/// Whether a part is a flipped word, and no constant.
fn is_flipped(part: &Part) -> bool {
    part.signed.is_some() && part.looseness > 0
}
