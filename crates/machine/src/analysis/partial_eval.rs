//! What an expression says when only some variables are known, and what its truth says about
//! variables.

use crate::expr::{BinaryOp, Expr, ExprArena, Leaf, UnaryOp};
use crate::ids::ExprId;

/// The value of an expression some of whose leaves are unknown.
pub(crate) fn evaluate(
    exprs: &ExprArena,
    root: ExprId,
    leaf: impl Fn(Leaf) -> Option<u64>,
) -> Option<u64> {
    exprs.fold(root, |expr, operands: &mut Vec<Option<u64>>| match *expr {
        Expr::Const(value, _) => Some(value),
        Expr::Var(variable, _) => leaf(Leaf::Var(variable)),
        Expr::Next(variable, _) => leaf(Leaf::Next(variable)),
        Expr::Input(input, _) => leaf(Leaf::Input(input)),
        Expr::Unary(op, _) => operands[0].map(|value| op.apply(value)),
        Expr::Binary(op, _, _, ty) => match (op, operands[0], operands[1]) {
            (BinaryOp::And | BinaryOp::Multiply, Some(0), _)
            | (BinaryOp::And | BinaryOp::Multiply, _, Some(0)) => Some(0),
            (BinaryOp::Or, Some(ones), _) | (BinaryOp::Or, _, Some(ones))
                if ones == ty.max_value() =>
            {
                Some(ones)
            }
            (BinaryOp::Implies, _, Some(1)) | (BinaryOp::Implies, Some(0), _) => Some(1),
            (_, a, b) => Some(op.apply(a?, b?, ty)),
        },
        Expr::Ite(..) => match operands[0] {
            Some(condition) => operands[if condition == 1 { 1 } else { 2 }],
            None if operands[1] == operands[2] => operands[1],
            None => None,
        },
    })
}

/// Calls `learn` for each variable whose value follows from the truth of an expression.
pub(crate) fn consequences(exprs: &ExprArena, root: ExprId, mut learn: impl FnMut(Leaf, u64)) {
    let as_leaf = |expr: &Expr| match *expr {
        Expr::Var(variable, _) => Some(Leaf::Var(variable)),
        Expr::Next(variable, _) => Some(Leaf::Next(variable)),
        _ => None,
    };
    let mut pending = vec![(root, true)];
    while let Some((id, holds)) = pending.pop() {
        let expr = exprs.get(id);
        match *expr {
            Expr::Unary(UnaryOp::Not, a) => pending.push((a, !holds)),
            Expr::Binary(BinaryOp::And, a, b, _) if holds => pending.extend([(a, true), (b, true)]),
            Expr::Binary(BinaryOp::Or, a, b, _) if !holds => {
                pending.extend([(a, false), (b, false)]);
            }
            Expr::Binary(BinaryOp::Implies, a, b, _) if !holds => {
                pending.extend([(a, true), (b, false)]);
            }
            Expr::Binary(BinaryOp::Equal, a, b, _) if holds => {
                for (leaf, constant) in [(a, b), (b, a)] {
                    let leaf = as_leaf(exprs.get(leaf));
                    if let (Some(leaf), Expr::Const(value, _)) = (leaf, exprs.get(constant)) {
                        learn(leaf, *value);
                    }
                }
            }
            _ => {
                if let Some(leaf) = as_leaf(expr) {
                    learn(leaf, u64::from(holds));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GlobalId, Type, Variable};

    const X: Variable = Variable::Global(GlobalId(0));
    const Y: Variable = Variable::Global(GlobalId(1));

    #[test]
    fn one_operand_can_decide_and_the_other_stay_unknown() {
        let mut exprs = ExprArena::default();
        let x = exprs.add(Expr::Var(X, Type::Bool));
        let zero = exprs.add(Expr::Const(0, Type::Bool));
        let one = exprs.add(Expr::Const(1, Type::Bool));
        let mut check = |op, a, b, expected| {
            let root = exprs.add(Expr::Binary(op, a, b, Type::Bool));
            assert_eq!(evaluate(&exprs, root, |_| None), expected, "{op:?}");
        };
        check(BinaryOp::And, x, zero, Some(0));
        check(BinaryOp::And, x, one, None);
        check(BinaryOp::Or, one, x, Some(1));
        check(BinaryOp::Or, zero, x, None);
        check(BinaryOp::Implies, zero, x, Some(1));
        check(BinaryOp::Implies, x, one, Some(1));
        check(BinaryOp::Implies, one, x, None);
        check(BinaryOp::Xor, one, x, None);
        let ite = exprs.add(Expr::Ite(x, one, one, Type::Bool));
        assert_eq!(evaluate(&exprs, ite, |_| None), Some(1));
    }

    #[test]
    fn a_conjunction_teaches_each_of_its_literals_and_a_disjunction_nothing() {
        let mut exprs = ExprArena::default();
        let x = exprs.add(Expr::Var(X, Type::Bool));
        let y = exprs.add(Expr::Var(Y, Type::Int(4)));
        let seven = exprs.add(Expr::Const(7, Type::Int(4)));
        let equal = exprs.add(Expr::Binary(BinaryOp::Equal, seven, y, Type::Bool));
        let not_x = exprs.add(Expr::Unary(UnaryOp::Not, x));
        let both = exprs.add(Expr::Binary(BinaryOp::And, not_x, equal, Type::Bool));
        let mut learned = Vec::new();
        consequences(&exprs, both, |leaf, value| learned.push((leaf, value)));
        assert_eq!(learned, [(Leaf::Var(Y), 7), (Leaf::Var(X), 0)]);
        let either = exprs.add(Expr::Binary(BinaryOp::Or, not_x, equal, Type::Bool));
        consequences(&exprs, either, |_, _| unreachable!("either may hold"));
    }
}
