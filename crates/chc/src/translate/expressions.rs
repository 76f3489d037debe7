//! Terms as expressions of the machine.

use super::paths::{InputSource, all};
use super::type_of;
use crate::terms::{Op, Sort, Term, TermId, Terms, VarId};
use hardbop_machine::{BinaryOp, Expr, ExprArena, ExprId, LocalId, Type, UnaryOp, Variable};
use rustc_hash::FxHashMap;

/// Expressions of the terms so far, and of the variables that have a value.
#[derive(Default)]
pub struct Compiler {
    variables: FxHashMap<VarId, ExprId>,
    known: FxHashMap<TermId, ExprId>,
}

impl Compiler {
    /// A variable has this value from now on.
    pub fn know(&mut self, variable: VarId, value: ExprId) {
        self.variables.insert(variable, value);
    }

    /// Whether a variable has a value.
    pub fn knows(&self, variable: VarId) -> bool {
        self.variables.contains_key(&variable)
    }

    /// A term has this value from now on.
    pub fn replace(&mut self, term: TermId, value: ExprId) {
        self.known.insert(term, value);
    }

    /// The slot of a body predicate is in a local.
    pub fn bind(
        &mut self,
        terms: &Terms,
        slot: TermId,
        local: LocalId,
        exprs: &mut ExprArena,
        sources: &mut Vec<(VarId, InputSource)>,
    ) {
        if let Term::Variable(variable) = terms.get(slot) {
            let ty = type_of(terms.sort(slot));
            self.know(*variable, exprs.add(Expr::Var(Variable::Local(local), ty)));
            sources.push((*variable, InputSource::Local(local)));
        }
    }

    /// The conjunction of some terms; nothing if there are none.
    pub fn conjunction(
        &mut self,
        terms: &Terms,
        parts: &[TermId],
        exprs: &mut ExprArena,
    ) -> Option<ExprId> {
        let parts: Vec<ExprId> = parts
            .iter()
            .map(|&part| self.compile(terms, part, exprs))
            .collect();
        all(exprs, &parts)
    }

    /// The expression of a term. All its variables have values.
    pub fn compile(&mut self, terms: &Terms, root: TermId, exprs: &mut ExprArena) -> ExprId {
        let mut pending = vec![root];
        while let Some(&id) = pending.last() {
            if self.known.contains_key(&id) {
                pending.pop();
                continue;
            }
            let open: Vec<TermId> = terms
                .operands(id)
                .iter()
                .copied()
                .filter(|operand| !self.known.contains_key(operand))
                .collect();
            if !open.is_empty() {
                pending.extend(open);
                continue;
            }
            pending.pop();
            let ty = type_of(terms.sort(id));
            let expr = match terms.get(id) {
                Term::Constant(value) => exprs.add(Expr::Const(*value, ty)),
                Term::Variable(variable) => self.variables[variable],
                Term::Apply(op, operands) => {
                    let inner = terms.sort(operands[0]);
                    let last = terms.sort(operands[operands.len() - 1]);
                    let operands: Vec<ExprId> = operands.iter().map(|id| self.known[id]).collect();
                    apply(exprs, *op, &operands, (inner, last), ty)
                }
            };
            self.known.insert(id, expr);
        }
        self.known[&root]
    }
}

fn apply(
    exprs: &mut ExprArena,
    op: Op,
    v: &[ExprId],
    (inner, last): (Sort, Sort),
    ty: Type,
) -> ExprId {
    let inner_ty = type_of(inner);
    let sign = 1u64 << (inner.width() - 1);
    let mut binary =
        |op: BinaryOp, a: ExprId, b: ExprId, ty: Type| exprs.add(Expr::Binary(op, a, b, ty));
    let plain = match op {
        Op::Equal => Some((BinaryOp::Equal, Type::Bool)),
        Op::Xor | Op::WordXor => Some((BinaryOp::Xor, ty)),
        Op::WordAnd => Some((BinaryOp::And, ty)),
        Op::WordOr => Some((BinaryOp::Or, ty)),
        Op::Add => Some((BinaryOp::Add, ty)),
        Op::Subtract => Some((BinaryOp::Subtract, ty)),
        Op::Multiply => Some((BinaryOp::Multiply, ty)),
        Op::Divide => Some((BinaryOp::Divide, ty)),
        Op::Remainder => Some((BinaryOp::Remainder, ty)),
        Op::SignedDivide => Some((BinaryOp::SignedDivide, ty)),
        Op::SignedRemainder => Some((BinaryOp::SignedRemainder, ty)),
        Op::ShiftLeft => Some((BinaryOp::ShiftLeft, ty)),
        Op::ShiftRight => Some((BinaryOp::ShiftRight, ty)),
        Op::SignedShiftRight => Some((BinaryOp::SignedShiftRight, ty)),
        Op::Less => Some((BinaryOp::Less, Type::Bool)),
        Op::LessEqual => Some((BinaryOp::LessEqual, Type::Bool)),
        _ => None,
    };
    if let Some((op, ty)) = plain {
        return binary(op, v[0], v[1], ty);
    }
    let constant =
        |exprs: &mut ExprArena, value: u64, ty: Type| exprs.add(Expr::Const(ty.wrap(value), ty));
    match op {
        Op::Not => exprs.add(Expr::Unary(UnaryOp::Not, v[0])),
        Op::And | Op::Or => {
            let op = if op == Op::And {
                BinaryOp::And
            } else {
                BinaryOp::Or
            };
            let mut value = v[0];
            for &operand in &v[1..] {
                value = binary(op, value, operand, Type::Bool);
            }
            value
        }
        Op::Ite => exprs.add(Expr::Ite(v[0], v[1], v[2], ty)),
        Op::WordNot => {
            let ones = constant(exprs, u64::MAX, ty);
            exprs.add(Expr::Binary(BinaryOp::Xor, v[0], ones, ty))
        }
        Op::Negate => {
            let zero = constant(exprs, 0, ty);
            exprs.add(Expr::Binary(BinaryOp::Subtract, zero, v[0], ty))
        }
        Op::SignedLess | Op::SignedLessEqual => {
            let flip = constant(exprs, sign, inner_ty);
            let a = exprs.add(Expr::Binary(BinaryOp::Xor, v[0], flip, inner_ty));
            let b = exprs.add(Expr::Binary(BinaryOp::Xor, v[1], flip, inner_ty));
            let op = if op == Op::SignedLess {
                BinaryOp::Less
            } else {
                BinaryOp::LessEqual
            };
            exprs.add(Expr::Binary(op, a, b, Type::Bool))
        }
        Op::SignedModulo => {
            let rest = exprs.add(Expr::Binary(BinaryOp::SignedRemainder, v[0], v[1], ty));
            let zero = constant(exprs, 0, ty);
            let flip = constant(exprs, sign, ty);
            let is_some = exprs.add(Expr::Binary(BinaryOp::NotEqual, rest, zero, Type::Bool));
            let signs = exprs.add(Expr::Binary(BinaryOp::Xor, rest, v[1], ty));
            let differs = exprs.add(Expr::Binary(BinaryOp::LessEqual, flip, signs, Type::Bool));
            let corrects = exprs.add(Expr::Binary(BinaryOp::And, is_some, differs, Type::Bool));
            let corrected = exprs.add(Expr::Binary(BinaryOp::Add, rest, v[1], ty));
            exprs.add(Expr::Ite(corrects, corrected, rest, ty))
        }
        Op::Concat => {
            let high = exprs.add(Expr::Unary(UnaryOp::Resize(ty), v[0]));
            let low = exprs.add(Expr::Unary(UnaryOp::Resize(ty), v[1]));
            let by = constant(exprs, u64::from(last.width()), ty);
            let moved = exprs.add(Expr::Binary(BinaryOp::ShiftLeft, high, by, ty));
            exprs.add(Expr::Binary(BinaryOp::Or, moved, low, ty))
        }
        Op::Extract(_, low) => {
            let mut value = v[0];
            if low > 0 {
                let by = constant(exprs, u64::from(low), inner_ty);
                value = exprs.add(Expr::Binary(BinaryOp::ShiftRight, value, by, inner_ty));
            }
            exprs.add(Expr::Unary(UnaryOp::Resize(ty), value))
        }
        Op::ZeroExtend => exprs.add(Expr::Unary(UnaryOp::Resize(ty), v[0])),
        Op::SignExtend => {
            let wide = exprs.add(Expr::Unary(UnaryOp::Resize(ty), v[0]));
            let flip = constant(exprs, sign, ty);
            let moved = exprs.add(Expr::Binary(BinaryOp::Xor, wide, flip, ty));
            exprs.add(Expr::Binary(BinaryOp::Subtract, moved, flip, ty))
        }
        _ => constant(exprs, 0, ty),
    }
}
