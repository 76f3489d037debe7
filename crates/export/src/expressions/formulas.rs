//! Formulas over bits as expressions of Moped, which has `!` (but not `!!`), `&`,
//! `|`, `!=` and no words.
//!
//! The formulas of [`hardbop_machine::bits`] share their parts, and a text cannot: what is shared is
//! written again, up to a limit on the length.

use hardbop_machine::bits::{BitGraph, BitId, BitNode};

/// The longest text of a formula.
const MAX_LENGTH: usize = 100_000;

enum Piece {
    Text(&'static str),
    Formula(BitId),
}

/// A formula as text, or nothing if it is too long; `leaf` has the terms of variables and choices,
/// or the formula that a leaf stands for.
pub(crate) fn formula(
    graph: &BitGraph,
    root: BitId,
    mut leaf: impl FnMut(BitNode) -> Result<String, BitId>,
) -> Option<String> {
    use Piece::{Formula, Text};
    let mut text = String::new();
    let mut pending = vec![Formula(root)];
    while let Some(piece) = pending.pop() {
        if text.len() + pending.len() > MAX_LENGTH {
            return None;
        }
        let id = match piece {
            Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Formula(id) => id,
        };
        let pieces = match graph.get(id) {
            BitNode::Const(value) => vec![Text(if value { "1" } else { "0" })],
            node @ (BitNode::Var(..) | BitNode::Next(..) | BitNode::Input(..)) => {
                match leaf(node) {
                    Ok(term) => {
                        text.push_str(&term);
                        Vec::new()
                    }
                    Err(formula) => vec![Formula(formula)],
                }
            }
            BitNode::Not(a) => vec![Text("(!"), Formula(a), Text(")")],
            BitNode::And(a, b) => vec![Text("("), Formula(a), Text(" & "), Formula(b), Text(")")],
            BitNode::Or(a, b) => vec![Text("("), Formula(a), Text(" | "), Formula(b), Text(")")],
            BitNode::Xor(a, b) => vec![Text("("), Formula(a), Text(" != "), Formula(b), Text(")")],
            BitNode::Ite(c, a, b) => vec![
                Text("(("),
                Formula(c),
                Text(" & "),
                Formula(a),
                Text(") | ((!"),
                Formula(c),
                Text(") & "),
                Formula(b),
                Text("))"),
            ],
        };
        pending.extend(pieces.into_iter().rev());
    }
    Some(text)
}
