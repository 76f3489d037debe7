//! Formulae of edges and formulas of certificates as circuits; what their leaves are is the
//! caller's to say.

use crate::memo::Memo;
use hardbop_evidence::certificate::Formula;
use hardbop_machine::bits::{BitGraph, BitId, BitNode};
use hardbop_sat::{Lit, ProvingCircuit};

/// Where literals come from.
pub(crate) trait Leaves<'i> {
    /// Where the gates are made.
    fn circuit(&mut self) -> &mut ProvingCircuit<'i>;

    /// A leaf of an edge's formula that is not a constant.
    fn of_edge(&mut self, leaf: BitNode) -> Lit;

    /// A leaf of a certificate's formula that is not a constant.
    fn of_certificate(&mut self, leaf: &Formula) -> Lit;
}

/// A formula of an edge. The memo must be cleared when leaves have changed.
pub(crate) fn edge_formula<'i>(
    memo: &mut Memo,
    graph: &BitGraph,
    root: BitId,
    leaves: &mut impl Leaves<'i>,
) -> Lit {
    let operands = |node, pending: &mut Vec<u32>| {
        pending.extend(graph.get(BitId(node)).operands().map(|id| id.0));
    };
    let combine = |node, memo: &Memo| match graph.get(BitId(node)) {
        BitNode::Const(value) => leaves.circuit().constant(value),
        leaf @ (BitNode::Var(..) | BitNode::Next(..) | BitNode::Input(..)) => leaves.of_edge(leaf),
        BitNode::Not(a) => !memo.literal(a.0),
        BitNode::And(a, b) => leaves.circuit().and(memo.literal(a.0), memo.literal(b.0)),
        BitNode::Or(a, b) => leaves.circuit().or(memo.literal(a.0), memo.literal(b.0)),
        BitNode::Xor(a, b) => leaves.circuit().xor(memo.literal(a.0), memo.literal(b.0)),
        BitNode::Ite(c, a, b) => {
            let [c, a, b] = [c, a, b].map(|id| memo.literal(id.0));
            leaves.circuit().ite(c, a, b)
        }
    };
    memo.evaluate(root.0, operands, combine)
}

/// A formula of a certificate. The memo must be cleared when leaves have changed.
pub(crate) fn certificate_formula<'i>(
    memo: &mut Memo,
    formulas: &[Formula],
    root: u32,
    leaves: &mut impl Leaves<'i>,
) -> Lit {
    let operands = |node: u32, pending: &mut Vec<u32>| match &formulas[node as usize] {
        Formula::Constant(_)
        | Formula::Entry(_)
        | Formula::Now(_)
        | Formula::Exit(_)
        | Formula::Thread(_) => {}
        Formula::Not(a) => pending.push(*a),
        Formula::And(operands) | Formula::Or(operands) => pending.extend(operands),
        Formula::Ite(c, a, b) => pending.extend([c, a, b]),
    };
    let combine = |node: u32, memo: &Memo| match &formulas[node as usize] {
        Formula::Constant(value) => leaves.circuit().constant(*value),
        leaf @ (Formula::Entry(_) | Formula::Now(_) | Formula::Exit(_) | Formula::Thread(_)) => {
            leaves.of_certificate(leaf)
        }
        Formula::Not(a) => !memo.literal(*a),
        Formula::And(operands) => {
            let operands = operands.iter().map(|&id| memo.literal(id));
            leaves.circuit().all(operands)
        }
        Formula::Or(operands) => {
            let operands = operands.iter().map(|&id| memo.literal(id));
            leaves.circuit().any(operands)
        }
        Formula::Ite(c, a, b) => {
            let [c, a, b] = [c, a, b].map(|&id| memo.literal(id));
            leaves.circuit().ite(c, a, b)
        }
    };
    memo.evaluate(root, operands, combine)
}
