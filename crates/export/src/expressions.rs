//! Expressions in the languages of other tools: every operator of the machine has one arm in each
//! of the three files of this folder, and none elsewhere in the crate.
//!
//! [`smt`] and [`c`] write words and operators; [`formulas`] writes bits, for Moped, which has only
//! those. An operator that [`hardbop_machine::bits`] knows needs nothing there.

pub(crate) mod c;
pub(crate) mod formulas;
pub(crate) mod smt;

use hardbop_machine::{Expr, ExprArena, ExprId};

/// A piece of the text of an expression.
pub(crate) enum Piece {
    /// Text.
    Text(String),
    /// The text of an operand.
    Operand(ExprId),
}

/// Writes an expression; `pieces` says what one node of it looks like. Linear, without recursion.
pub(crate) fn write(
    exprs: &ExprArena,
    root: ExprId,
    mut pieces: impl FnMut(&Expr) -> Vec<Piece>,
) -> String {
    let mut text = String::new();
    let mut pending = vec![Piece::Operand(root)];
    while let Some(piece) = pending.pop() {
        match piece {
            Piece::Text(piece) => text.push_str(&piece),
            Piece::Operand(id) => pending.extend(pieces(exprs.get(id)).into_iter().rev()),
        }
    }
    text
}

/// Operands with text before, between and after them.
fn joined(before: &str, operands: &[ExprId], between: &str, after: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Text(before.to_owned())];
    for (index, &operand) in operands.iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::Text(between.to_owned()));
        }
        pieces.push(Piece::Operand(operand));
    }
    pieces.push(Piece::Text(after.to_owned()));
    pieces
}
