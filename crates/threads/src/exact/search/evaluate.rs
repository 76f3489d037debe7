//! Expressions over variables some of which have no value yet.
//!
//! A value that has not been asked for need not be chosen: uninitialised and dead variables stay
//! undetermined, and `x := *` leaves `x` so. An expression is then known, or *needs* a variable or
//! a choice first. Operators look no further than they must: `a & b` is false if either is,
//! whatever the other.

use hardbop_machine::{BinaryOp, Expr, ExprId, InputId, Machine, Type, Variable};

/// A value, or nothing if any value will do so far.
pub(crate) type Value = Option<u64>;

/// Something whose value must be chosen before a step can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A variable, as the running frame sees it.
    Variable(Variable),
    /// A choice of the edge.
    Input(InputId),
}

/// What the variables and choices of an expression are.
pub(crate) trait Leaves {
    /// The value of a variable before the step.
    fn before(&self, variable: Variable) -> Result<u64, Need>;
    /// The value of a variable after the step.
    fn after(&self, variable: Variable) -> Result<u64, Need>;
    /// The value of a choice.
    fn input(&self, input: InputId) -> Result<u64, Need>;
}

/// The value of an expression, or what it needs first.
pub(crate) fn evaluate(machine: &Machine, root: ExprId, leaves: &impl Leaves) -> Result<u64, Need> {
    machine.exprs.fold(
        root,
        |expr, operands: &mut Vec<Result<u64, Need>>| match *expr {
            Expr::Const(value, _) => Ok(value),
            Expr::Var(variable, _) => leaves.before(variable),
            Expr::Next(variable, _) => leaves.after(variable),
            Expr::Input(input, _) => leaves.input(input),
            Expr::Unary(op, _) => operands[0].map(|value| op.apply(value)),
            Expr::Binary(op, _, _, ty) => match (operands[0], operands[1]) {
                (Ok(left), Ok(right)) => Ok(op.apply(left, right, ty)),
                (left, right) => settled_by_one(op, ty, left, right).map_or(left.and(right), Ok),
            },
            Expr::Ite(..) => match operands[0] {
                Ok(condition) => operands[if condition == 1 { 1 } else { 2 }],
                Err(need) if operands[1].is_ok() && operands[1] == operands[2] => {
                    operands[1].map_err(|_| need)
                }
                Err(need) => Err(need),
            },
        },
    )
}

/// The result where one operand settles it.
fn settled_by_one(
    op: BinaryOp,
    ty: Type,
    left: Result<u64, Need>,
    right: Result<u64, Need>,
) -> Option<u64> {
    let either_is = |value| left == Ok(value) || right == Ok(value);
    match op {
        BinaryOp::And | BinaryOp::Multiply if either_is(0) => Some(0),
        BinaryOp::Or if either_is(ty.max_value()) => Some(ty.max_value()),
        BinaryOp::Implies if left == Ok(0) || right == Ok(1) => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::{Action, from_text};

    /// Nothing but `known` has a value; that is 0.
    struct OnlyOne {
        known: Variable,
    }

    impl Leaves for OnlyOne {
        fn before(&self, variable: Variable) -> Result<u64, Need> {
            if variable == self.known {
                Ok(0)
            } else {
                Err(Need::Variable(variable))
            }
        }
        fn after(&self, variable: Variable) -> Result<u64, Need> {
            self.before(variable)
        }
        fn input(&self, input: InputId) -> Result<u64, Need> {
            Err(Need::Input(input))
        }
    }

    #[test]
    fn operators_ask_for_no_more_than_they_need() {
        use hardbop_machine::GlobalId;
        let text = "decl a, b, r; void main() begin
             r := b & a; r := a & b; r := !a | b; r := a => b; r := a ? b : 1; r := b ? a : a; r := b | a; r := a | *; end";
        let machine = from_text("test.bp", text).expect("the program is valid");
        let leaves = OnlyOne {
            known: Variable::Global(GlobalId(0)),
        };
        let values = machine.edges.iter().filter_map(|edge| match &edge.action {
            Action::Assign { assignments, .. } => Some(assignments[0].1),
            _ => None,
        });
        let values: Vec<_> = values.map(|e| evaluate(&machine, e, &leaves)).collect();
        let needs_b = Err(Need::Variable(Variable::Global(GlobalId(1))));
        let known = [Ok(0), Ok(0), Ok(1), Ok(1), Ok(1), Ok(0)];
        assert_eq!(values[..6], known);
        assert_eq!(values[6], needs_b);
        assert!(matches!(values[7], Err(Need::Input(_))));
    }
}
