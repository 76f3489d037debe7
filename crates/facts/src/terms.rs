//! Facts as expressions: those of the machine, and new ones beside them.
//!
//! A fact belongs to a program point. [`Expr::Var`] is a variable now, and [`Expr::Next`], which
//! has no other use in a fact, is the variable when the procedure was entered. So facts are
//! evaluated, printed and translated to bits by the code for expressions.

use crate::affine::Equation;
use hardbop_machine::analysis::QuickMap;
use hardbop_machine::{BinaryOp, Expr, ExprArena, ExprId, Machine, Type, UnaryOp};

/// All expressions in use; equal new ones are one.
pub(crate) struct Terms {
    pub exprs: ExprArena,
    known: QuickMap<Expr, ExprId>,
}

impl Terms {
    /// The expressions of a machine.
    pub fn new(machine: &Machine) -> Self {
        Self {
            exprs: machine.exprs.clone(),
            known: QuickMap::default(),
        }
    }

    pub fn add(&mut self, expr: Expr) -> ExprId {
        let exprs = &mut self.exprs;
        *self.known.entry(expr).or_insert_with(|| exprs.add(expr))
    }

    /// The same expression of the machine, with equal parts shared.
    pub fn interned(&mut self, root: ExprId) -> ExprId {
        let mut parts = Vec::new();
        self.exprs.fold(root, |expr, operands: &mut Vec<usize>| {
            parts.push((*expr, operands.clone()));
            parts.len() - 1
        });
        let mut ids: Vec<ExprId> = Vec::with_capacity(parts.len());
        for (expr, operands) in parts {
            let of = |index: usize| ids[operands[index]];
            let expr = match expr {
                Expr::Unary(op, _) => Expr::Unary(op, of(0)),
                Expr::Binary(op, _, _, ty) => Expr::Binary(op, of(0), of(1), ty),
                Expr::Ite(_, _, _, ty) => Expr::Ite(of(0), of(1), of(2), ty),
                leaf => leaf,
            };
            ids.push(self.add(expr));
        }
        ids[ids.len() - 1]
    }

    pub fn ty(&self, id: ExprId) -> Type {
        self.exprs.get(id).ty()
    }

    pub fn constant(&mut self, value: u64, ty: Type) -> ExprId {
        self.add(Expr::Const(ty.wrap(value), ty))
    }

    pub fn not(&mut self, operand: ExprId) -> ExprId {
        match *self.exprs.get(operand) {
            Expr::Unary(UnaryOp::Not, inner) => inner,
            _ => self.add(Expr::Unary(UnaryOp::Not, operand)),
        }
    }

    pub fn compare(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.add(Expr::Binary(op, a, b, Type::Bool))
    }

    /// The word with its highest bit flipped: signed order is unsigned order of these.
    pub fn flipped(&mut self, word: ExprId) -> ExprId {
        let ty = self.ty(word);
        let sign = 1 << (ty.width() - 1);
        if let Expr::Const(value, _) = *self.exprs.get(word) {
            return self.constant(value ^ sign, ty);
        }
        let sign = self.constant(sign, ty);
        self.add(Expr::Binary(BinaryOp::Xor, word, sign, ty))
    }

    pub fn plus(&mut self, word: ExprId, value: u64) -> ExprId {
        let ty = self.ty(word);
        let value = self.constant(value, ty);
        self.add(Expr::Binary(BinaryOp::Add, word, value, ty))
    }

    /// The equation of some words. Coefficients that are small negative numbers are moved to the
    /// other side, which keeps circuits small.
    pub fn equation(&mut self, words: &[ExprId], equation: &Equation) -> ExprId {
        let ty = self.ty(words[0]);
        let mut sides: [Option<ExprId>; 2] = [None, None];
        for (&word, &coefficient) in words.iter().zip(&equation.coefficients) {
            if coefficient == 0 {
                continue;
            }
            let negated = ty.wrap(coefficient.wrapping_neg());
            let is_negative = negated.count_ones() < coefficient.count_ones();
            let factor = if is_negative { negated } else { coefficient };
            let mut term = word;
            if factor != 1 {
                // The constant is the second operand, whose zero bits cost nothing.
                let factor = self.constant(factor, ty);
                term = self.add(Expr::Binary(BinaryOp::Multiply, word, factor, ty));
            }
            self.add_to(&mut sides[usize::from(is_negative)], term);
        }
        let negated = ty.wrap(equation.constant.wrapping_neg());
        if sides[1].is_none() {
            sides[1] = Some(self.constant(negated, ty));
        } else if equation.constant != 0 {
            let is_negative = negated < equation.constant;
            let value = if is_negative {
                negated
            } else {
                equation.constant
            };
            let value = self.constant(value, ty);
            self.add_to(&mut sides[usize::from(is_negative)], value);
        }
        let [left, right] = sides.map(|side| side.unwrap_or_else(|| self.constant(0, ty)));
        self.compare(BinaryOp::Equal, left, right)
    }

    fn add_to(&mut self, side: &mut Option<ExprId>, term: ExprId) {
        *side = Some(match *side {
            None => term,
            Some(sum) => {
                let ty = self.ty(sum);
                self.add(Expr::Binary(BinaryOp::Add, sum, term, ty))
            }
        });
    }
}
