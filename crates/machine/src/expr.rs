//! Expressions of a machine: typed, free of syntax, in one arena with operands before their users.
//!
//! `choose[a, b]` has become `a | (!b & *)`, and every `*` an input of its own of the edge it
//! stands on. Nothing here recurses: [`ExprArena::fold`] walks an expression bottom-up with a stack
//! of its own, so depth is limited by memory only.

use crate::ids::{ExprId, InputId, Variable};
use crate::types::Type;

/// An expression is evaluated by calls down to this depth, which most expressions do not reach and
/// which saves the stack of [`ExprArena::fold`].
const MAX_CALLS: usize = 16;

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Boolean negation.
    Not,
    /// The value modulo 2^n in another type: cut, or widened with zeros. A Boolean is 0 or 1.
    Resize(Type),
}

/// An operator with two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// And, of Booleans or of each bit of integers.
    And,
    /// Or, of Booleans or of each bit of integers.
    Or,
    /// Exclusive or, of Booleans or of each bit of integers.
    Xor,
    /// Boolean implication.
    Implies,
    /// Equality of Booleans (also `<->`) or integers.
    Equal,
    /// Inequality of Booleans or integers.
    NotEqual,
    /// Unsigned `<` of integers.
    Less,
    /// Unsigned `<=` of integers.
    LessEqual,
    /// Sum modulo 2^n.
    Add,
    /// Difference modulo 2^n.
    Subtract,
    /// Product modulo 2^n.
    Multiply,
    /// Quotient; these and the shifts are defined, corners included, by the methods of [`Type`].
    Divide,
    /// Remainder.
    Remainder,
    /// Quotient in two's complement.
    SignedDivide,
    /// Remainder in two's complement.
    SignedRemainder,
    /// `<<`
    ShiftLeft,
    /// `>>` with zeros from above.
    ShiftRight,
    /// `>>` with copies of the sign from above.
    SignedShiftRight,
}

/// An expression. `>` and `>=` are written as `<` and `<=` with exchanged operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant; Booleans are 0 and 1.
    Const(u64, Type),
    /// The value of a variable before the step.
    Var(Variable, Type),
    /// The value of a variable after the step: only in `constrain`.
    Next(Variable, Type),
    /// A choice of the edge.
    Input(InputId, Type),
    /// An operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands; the type is that of the result.
    Binary(BinaryOp, ExprId, ExprId, Type),
    /// `if c then a else b`; the type is that of the branches.
    Ite(ExprId, ExprId, ExprId, Type),
}

impl Expr {
    /// The type of its value.
    pub fn ty(&self) -> Type {
        match *self {
            Expr::Const(_, ty)
            | Expr::Var(_, ty)
            | Expr::Next(_, ty)
            | Expr::Input(_, ty)
            | Expr::Binary(_, _, _, ty)
            | Expr::Ite(_, _, _, ty)
            | Expr::Unary(UnaryOp::Resize(ty), _) => ty,
            Expr::Unary(UnaryOp::Not, _) => Type::Bool,
        }
    }

    /// Its operands, first to last.
    pub fn operands(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        let (operands, count) = match *self {
            Expr::Const(..) | Expr::Var(..) | Expr::Next(..) | Expr::Input(..) => {
                ([ExprId(0); 3], 0)
            }
            Expr::Unary(_, a) => ([a, a, a], 1),
            Expr::Binary(_, a, b, _) => ([a, b, b], 2),
            Expr::Ite(c, a, b, _) => ([c, a, b], 3),
        };
        operands.into_iter().take(count)
    }

    /// Its value, given those of its operands.
    fn value(&self, operands: &[u64], leaf: &mut impl FnMut(Leaf) -> u64) -> u64 {
        match *self {
            Expr::Const(value, _) => value,
            Expr::Var(variable, _) => leaf(Leaf::Var(variable)),
            Expr::Next(variable, _) => leaf(Leaf::Next(variable)),
            Expr::Input(input, _) => leaf(Leaf::Input(input)),
            Expr::Unary(op, _) => op.apply(operands[0]),
            Expr::Binary(op, _, _, ty) => op.apply(operands[0], operands[1], ty),
            Expr::Ite(..) => operands[if operands[0] == 1 { 1 } else { 2 }],
        }
    }
}

/// The expressions of a machine.
#[derive(Clone, Debug, Default)]
pub struct ExprArena {
    exprs: Vec<Expr>,
}

impl ExprArena {
    /// Adds an expression; its operands must be in the arena already.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        debug_assert!(expr.operands().all(|id| id.index() < self.exprs.len()));
        let id = ExprId::new(self.exprs.len());
        self.exprs.push(expr);
        id
    }

    /// An expression.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.exprs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.exprs.is_empty()
    }

    /// Computes a value bottom-up: `combine` gets each node of the expression after its operands,
    /// with their values in order. A node that is reached twice is combined twice, as in the text:
    /// equal parts are shared only to save memory.
    pub fn fold<T>(&self, root: ExprId, mut combine: impl FnMut(&Expr, &mut Vec<T>) -> T) -> T {
        enum Visit {
            Open(ExprId),
            Close(ExprId),
        }
        let mut values: Vec<T> = Vec::new();
        let mut operands: Vec<T> = Vec::new();
        let expr = self.get(root);
        if expr.operands().next().is_none() {
            return combine(expr, &mut operands);
        }
        let mut pending = vec![Visit::Open(root)];
        while let Some(visit) = pending.pop() {
            match visit {
                Visit::Open(id) => {
                    pending.push(Visit::Close(id));
                    pending.extend(self.get(id).operands().rev().map(Visit::Open));
                }
                Visit::Close(id) => {
                    let expr = self.get(id);
                    let first = values.len() - expr.operands().count();
                    operands.clear();
                    operands.extend(values.drain(first..));
                    let value = combine(expr, &mut operands);
                    values.push(value);
                }
            }
        }
        values
            .pop()
            .expect("the root pushes exactly one value and every operator pops its own operands")
    }

    /// Calls `visit` for every node of an expression.
    pub fn visit(&self, root: ExprId, mut visit: impl FnMut(&Expr)) {
        let mut pending = Vec::new();
        let mut next = Some(root);
        while let Some(id) = next {
            let expr = self.get(id);
            visit(expr);
            let mut operands = expr.operands();
            next = operands.next_back();
            pending.extend(operands);
            next = next.or_else(|| pending.pop());
        }
    }

    /// The value of an expression, given the values of variables, next values and inputs. All
    /// leaves are asked for, from left to right.
    pub fn eval(&self, root: ExprId, leaf: &mut impl FnMut(Leaf) -> u64) -> u64 {
        self.eval_within(MAX_CALLS, root, leaf)
    }

    /// The same with this many calls inside one another and a stack of its own below them.
    fn eval_within(&self, calls: usize, root: ExprId, leaf: &mut impl FnMut(Leaf) -> u64) -> u64 {
        if calls == 0 {
            return self.fold(root, |expr, operands| expr.value(operands, leaf));
        }
        let expr = self.get(root);
        let mut operands = [0; 3];
        for (value, operand) in operands.iter_mut().zip(expr.operands()) {
            *value = self.eval_within(calls - 1, operand, leaf);
        }
        expr.value(&operands, leaf)
    }
}

/// What [`ExprArena::eval`] asks its caller for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// The value of a variable before the step.
    Var(Variable),
    /// The value of a variable after the step.
    Next(Variable),
    /// The value of a choice.
    Input(InputId),
}

impl UnaryOp {
    /// The value of the operator.
    pub fn apply(self, operand: u64) -> u64 {
        match self {
            UnaryOp::Not => 1 - operand,
            UnaryOp::Resize(ty) => ty.wrap(operand),
        }
    }
}

impl BinaryOp {
    /// The value of `a op b`; `ty` is the type of the result.
    pub fn apply(self, a: u64, b: u64, ty: Type) -> u64 {
        match self {
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::Implies => (1 - a) | b,
            BinaryOp::Equal => u64::from(a == b),
            BinaryOp::NotEqual => u64::from(a != b),
            BinaryOp::Less => u64::from(a < b),
            BinaryOp::LessEqual => u64::from(a <= b),
            BinaryOp::Add => ty.wrap(a.wrapping_add(b)),
            BinaryOp::Subtract => ty.wrap(a.wrapping_sub(b)),
            BinaryOp::Multiply => ty.wrap(a.wrapping_mul(b)),
            BinaryOp::Divide => ty.divide(a, b),
            BinaryOp::Remainder => ty.remainder(a, b),
            BinaryOp::SignedDivide => ty.signed_divide(a, b),
            BinaryOp::SignedRemainder => ty.signed_remainder(a, b),
            BinaryOp::ShiftLeft => ty.shift_left(a, b),
            BinaryOp::ShiftRight => ty.shift_right(a, b),
            BinaryOp::SignedShiftRight => ty.signed_shift_right(a, b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_expression_is_evaluated_without_recursion() {
        let mut arena = ExprArena::default();
        let mut root = arena.add(Expr::Const(1, Type::Bool));
        for _ in 0..1_000_001 {
            root = arena.add(Expr::Unary(UnaryOp::Not, root));
        }
        let value = arena.eval(root, &mut |_| unreachable!("a constant has no leaves"));
        assert_eq!(value, 0);
    }

    #[test]
    fn arithmetic_is_modulo_the_width() {
        let ty = Type::Int(4);
        assert_eq!(BinaryOp::Add.apply(9, 9, ty), 2);
        assert_eq!(BinaryOp::Subtract.apply(0, 1, ty), 15);
        assert_eq!(BinaryOp::Multiply.apply(5, 5, ty), 9);
    }
}
