//! Formulas over words, each made once: predicates, what steps make of them, and their bits.
//!
//! Making a formula folds what is obvious and puts the rest in one form (`x + 1 = y + 3` is
//! `x = y + 2`, `a >= b` is `!(a < b)`), so that a weakest precondition that says what a predicate
//! says is that predicate. A condition inside a word is pulled out of the comparison around it, so
//! that comparisons are between sums and products of variables.

use hardbop_machine::bits::{BitGraph, BitId, translate};
use hardbop_machine::{BinaryOp, Expr, ExprArena, ExprId, Type, UnaryOp, Variable};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// A condition is pulled out of operands of at most this many nodes.
const MOST_LIFTED: u32 = 40;
/// A formula of more nodes is not translated into bits.
const MOST_TRANSLATED: u32 = 1 << 14;

/// All formulas of one machine.
pub(super) struct Formulas {
    arena: ExprArena,
    known: HashMap<Expr, ExprId>,
    /// Nodes of the formula written as a tree.
    sizes: Vec<u32>,
    /// The variables and choices that occur, in order.
    leaves: Vec<Rc<[ExprId]>>,
    /// Variables and choices of more bits are words.
    widest: u32,
    words: Vec<bool>,
    graph: BitGraph,
    bits: HashMap<ExprId, Option<BitId>>,
}

impl Formulas {
    /// No formula yet; variables of more than this many bits are words.
    pub(super) fn new(widest: u32) -> Self {
        Self {
            arena: ExprArena::default(),
            known: HashMap::new(),
            sizes: Vec::new(),
            leaves: Vec::new(),
            widest,
            words: Vec::new(),
            graph: BitGraph::default(),
            bits: HashMap::new(),
        }
    }

    pub(super) fn get(&self, id: ExprId) -> Expr {
        *self.arena.get(id)
    }

    pub(super) fn ty(&self, id: ExprId) -> Type {
        self.arena.get(id).ty()
    }

    /// How many nodes the formula has, written as a tree.
    pub(super) fn size(&self, id: ExprId) -> u32 {
        self.sizes[id.index()]
    }

    /// The variables and choices that occur in it.
    pub(super) fn leaves(&self, id: ExprId) -> &Rc<[ExprId]> {
        &self.leaves[id.index()]
    }

    /// Whether a word occurs in it.
    pub(super) fn has_words(&self, id: ExprId) -> bool {
        self.words[id.index()]
    }

    /// The value of a constant.
    pub(super) fn constant(&self, id: ExprId) -> Option<u64> {
        match *self.arena.get(id) {
            Expr::Const(value, _) => Some(value),
            _ => None,
        }
    }

    pub(super) fn truth(&mut self, value: bool) -> ExprId {
        self.intern(Expr::Const(value.into(), Type::Bool))
    }

    pub(super) fn not(&mut self, a: ExprId) -> ExprId {
        self.make(Expr::Unary(UnaryOp::Not, a))
    }

    fn intern(&mut self, expr: Expr) -> ExprId {
        if let Some(&id) = self.known.get(&expr) {
            return id;
        }
        let id = self.arena.add(expr);
        self.known.insert(expr, id);
        let operands: Vec<ExprId> = expr.operands().collect();
        let sizes = operands.iter().map(|operand| self.size(*operand));
        let size = sizes.fold(1u32, u32::saturating_add);
        let is_leaf = matches!(expr, Expr::Var(..) | Expr::Next(..) | Expr::Input(..));
        let leaves: Rc<[ExprId]> = match operands[..] {
            [] if is_leaf => [id].into(),
            [] => [].into(),
            [only] => Rc::clone(self.leaves(only)),
            _ => {
                let all = operands.iter().flat_map(|&o| self.leaves(o).iter());
                let all: BTreeSet<ExprId> = all.copied().collect();
                all.into_iter().collect()
            }
        };
        let is_word = leaves.iter().any(|&leaf| self.is_word(self.ty(leaf)));
        self.words.push(is_word);
        self.sizes.push(size);
        self.leaves.push(leaves);
        id
    }

    /// The formula of a node whose operands are formulas here.
    pub(super) fn make(&mut self, expr: Expr) -> ExprId {
        match expr {
            Expr::Unary(op, a) => self.unary(op, a),
            Expr::Binary(op, a, b, ty) => self.binary(op, a, b, ty),
            Expr::Ite(c, a, b, ty) => self.choice(c, a, b, ty),
            leaf => self.intern(leaf),
        }
    }

    fn number(&mut self, value: u64, ty: Type) -> ExprId {
        self.intern(Expr::Const(ty.wrap(value), ty))
    }

    fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        let operand = self.get(a);
        match (op, operand) {
            (_, Expr::Const(value, _)) => {
                let ty = Expr::Unary(op, a).ty();
                self.number(op.apply(value), ty)
            }
            (UnaryOp::Not, Expr::Unary(UnaryOp::Not, b)) => b,
            (UnaryOp::Resize(ty), _) if ty == operand.ty() => a,
            (UnaryOp::Resize(ty), _) if operand.ty() == Type::Bool => {
                let (one, zero) = (self.number(1, ty), self.number(0, ty));
                self.choice(a, one, zero, ty)
            }
            (UnaryOp::Resize(ty), Expr::Ite(c, x, y, _)) if self.size(a) <= MOST_LIFTED => {
                let (x, y) = (self.unary(op, x), self.unary(op, y));
                self.choice(c, x, y, ty)
            }
            _ => self.intern(Expr::Unary(op, a)),
        }
    }

    fn choice(&mut self, c: ExprId, a: ExprId, b: ExprId, ty: Type) -> ExprId {
        if let Some(value) = self.constant(c) {
            return if value == 1 { a } else { b };
        }
        if a == b {
            return a;
        }
        if let Expr::Unary(UnaryOp::Not, c) = self.get(c) {
            return self.choice(c, b, a, ty);
        }
        if ty == Type::Bool {
            let not_c = self.not(c);
            let both = |formulas: &mut Self, x, y| formulas.binary(BinaryOp::And, x, y, ty);
            let either = |formulas: &mut Self, x, y| formulas.binary(BinaryOp::Or, x, y, ty);
            match (self.constant(a), self.constant(b)) {
                (Some(1), _) => return either(self, c, b),
                (Some(_), _) => return both(self, not_c, b),
                (_, Some(1)) => return either(self, not_c, a),
                (_, Some(_)) => return both(self, c, a),
                _ => {}
            }
        }
        self.intern(Expr::Ite(c, a, b, ty))
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, ty: Type) -> ExprId {
        let operand = self.ty(a);
        match op {
            BinaryOp::Implies => {
                let not_a = self.not(a);
                return self.binary(BinaryOp::Or, not_a, b, ty);
            }
            BinaryOp::NotEqual => {
                let equal = self.binary(BinaryOp::Equal, a, b, ty);
                return self.not(equal);
            }
            BinaryOp::LessEqual => {
                let greater = self.binary(BinaryOp::Less, b, a, ty);
                return self.not(greater);
            }
            BinaryOp::Xor if operand == Type::Bool => {
                let equal = self.binary(BinaryOp::Equal, a, b, ty);
                return self.not(equal);
            }
            _ => {}
        }
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            return self.number(op.apply(x, y, ty), ty);
        }
        if operand != Type::Bool
            && let Some(lifted) = self.lifted(op, a, b, ty)
        {
            return lifted;
        }
        match (op, operand) {
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Equal, Type::Bool) => {
                self.connective(op, a, b)
            }
            (BinaryOp::Equal, _) => self.equal(a, b),
            (BinaryOp::Less, _) => self.less(a, b),
            (BinaryOp::Add, _) => self.sum(a, b),
            (BinaryOp::Subtract, _) => match self.constant(b) {
                Some(value) => {
                    let negated = self.number(0u64.wrapping_sub(value), ty);
                    self.sum(a, negated)
                }
                None if a == b => self.number(0, ty),
                None => self.intern(Expr::Binary(op, a, b, ty)),
            },
            _ => self.intern(Expr::Binary(op, a, b, ty)),
        }
    }

    /// The operator on both branches of an operand that is a choice.
    fn lifted(&mut self, op: BinaryOp, a: ExprId, b: ExprId, ty: Type) -> Option<ExprId> {
        if self.size(a).saturating_add(self.size(b)) > MOST_LIFTED {
            return None;
        }
        let (condition, left, right) = match (self.get(a), self.get(b)) {
            (Expr::Ite(c, one, other, _), _) => (c, (one, b), (other, b)),
            (_, Expr::Ite(c, one, other, _)) => (c, (a, one), (a, other)),
            _ => return None,
        };
        let left = self.binary(op, left.0, left.1, ty);
        let right = self.binary(op, right.0, right.1, ty);
        Some(self.choice(condition, left, right, ty))
    }

    fn connective(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (a.min(b), a.max(b));
        let not_a = self.not(a);
        let (falsehood, truth) = (self.truth(false), self.truth(true));
        let one = self.constant(a).map(|value| (value, b));
        let one = one.or(self.constant(b).map(|value| (value, a)));
        match (op, one) {
            (BinaryOp::And, Some((0, _))) => falsehood,
            (BinaryOp::Or, Some((1, _))) => truth,
            (BinaryOp::Equal, Some((0, other))) => self.not(other),
            (_, Some((_, other))) => other,
            (BinaryOp::Equal, None) if a == b => truth,
            (_, None) if a == b => a,
            (BinaryOp::Or, None) if not_a == b => truth,
            (_, None) if not_a == b => falsehood,
            _ => self.intern(Expr::Binary(op, a, b, Type::Bool)),
        }
    }

    /// A word as a word and a constant that is added to it; nothing is added to no word.
    fn offset(&self, id: ExprId) -> (Option<ExprId>, u64) {
        match self.get(id) {
            Expr::Const(value, _) => (None, value),
            Expr::Binary(BinaryOp::Add, x, c, _) => match self.constant(c) {
                Some(value) => (Some(x), value),
                None => (Some(id), 0),
            },
            _ => (Some(id), 0),
        }
    }

    fn sum(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let ty = self.ty(left);
        let ((x, c), (y, d)) = (self.offset(left), self.offset(right));
        let base = match (x, y) {
            (Some(x), Some(y)) => self.intern(Expr::Binary(BinaryOp::Add, x.min(y), x.max(y), ty)),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return self.number(c.wrapping_add(d), ty),
        };
        match ty.wrap(c.wrapping_add(d)) {
            0 => base,
            value => {
                let value = self.number(value, ty);
                self.intern(Expr::Binary(BinaryOp::Add, base, value, ty))
            }
        }
    }

    fn equal(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let ty = self.ty(left);
        let ((x, c), (y, d)) = (self.offset(left), self.offset(right));
        let (x, y, difference) = match (x, y) {
            (Some(x), Some(y)) if x <= y => (x, Some(y), d.wrapping_sub(c)),
            (Some(x), Some(y)) => (y, Some(x), c.wrapping_sub(d)),
            (Some(x), None) => (x, None, d.wrapping_sub(c)),
            (None, Some(y)) => (y, None, c.wrapping_sub(d)),
            (None, None) => return self.truth(c == d),
        };
        let difference = ty.wrap(difference);
        if y == Some(x) {
            return self.truth(difference == 0);
        }
        let number = self.number(difference, ty);
        let right = match y {
            Some(y) => self.sum(y, number),
            None => number,
        };
        self.intern(Expr::Binary(BinaryOp::Equal, x, right, Type::Bool))
    }

    fn less(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.ty(a);
        let most = ty.wrap(u64::MAX);
        match (self.constant(a), self.constant(b)) {
            _ if a == b => self.truth(false),
            (_, Some(0)) => self.truth(false),
            (_, Some(1)) => {
                let zero = self.number(0, ty);
                self.equal(a, zero)
            }
            (Some(value), _) if value == most => self.truth(false),
            (Some(value), _) => {
                let above = self.number(value + 1, ty);
                let below = self.less(b, above);
                self.not(below)
            }
            _ => self.intern(Expr::Binary(BinaryOp::Less, a, b, Type::Bool)),
        }
    }

    /// The formula of an expression of a machine.
    pub(super) fn import(&mut self, exprs: &ExprArena, root: ExprId) -> ExprId {
        exprs.fold(root, |expr, operands: &mut Vec<ExprId>| {
            let expr = with_operands(*expr, operands);
            self.make(expr)
        })
    }

    /// The formulas that a formula is made of, itself included, operands first.
    pub(super) fn parts(&self, root: ExprId) -> BTreeSet<ExprId> {
        let mut parts = BTreeSet::from([root]);
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            for operand in self.get(id).operands() {
                if parts.insert(operand) {
                    pending.push(operand);
                }
            }
        }
        parts
    }

    /// The formula with other formulas in place of variables and choices; nothing if there is none
    /// for one of them.
    pub(super) fn substitute(
        &mut self,
        root: ExprId,
        mut instead: impl FnMut(&mut Self, ExprId) -> Option<ExprId>,
    ) -> Option<ExprId> {
        let mut new: BTreeMap<ExprId, ExprId> = BTreeMap::new();
        for id in self.parts(root) {
            let expr = self.get(id);
            let made = match expr {
                Expr::Var(..) | Expr::Next(..) | Expr::Input(..) => instead(self, id)?,
                _ => {
                    let operands: Vec<ExprId> = expr.operands().map(|o| new[&o]).collect();
                    self.make(with_operands(expr, &operands))
                }
            };
            new.insert(id, made);
        }
        Some(new[&root])
    }

    /// The bit of a formula, in a graph of bits; nothing if it is too large.
    pub(super) fn bit(&mut self, id: ExprId) -> Option<BitId> {
        if let Some(&known) = self.bits.get(&id) {
            return known;
        }
        let is_small = self.size(id) <= MOST_TRANSLATED;
        let bit = is_small.then(|| translate(&mut self.graph, &self.arena, id)[0]);
        self.bits.insert(id, bit);
        bit
    }

    /// The bit of a formula in a graph of the caller's.
    pub(super) fn bit_in(&self, graph: &mut BitGraph, id: ExprId) -> BitId {
        translate(graph, &self.arena, id)[0]
    }

    /// Whether values of a type are words.
    pub(super) fn is_word(&self, ty: Type) -> bool {
        ty.width() > self.widest
    }

    /// A variable's value in terms of a parameter that was given the value or a sum of it and a
    /// constant.
    pub(super) fn solved(
        &mut self,
        argument: ExprId,
        leaf: ExprId,
        parameter: Variable,
    ) -> Option<ExprId> {
        let ty = self.ty(argument);
        let (base, added) = self.offset(argument);
        if base != Some(leaf) {
            return None;
        }
        let parameter = self.intern(Expr::Var(parameter, ty));
        let subtracted = self.number(0u64.wrapping_sub(added), ty);
        if ty == Type::Bool {
            return Some(parameter);
        }
        Some(self.sum(parameter, subtracted))
    }

    /// The graph of [`Self::bit`].
    pub(super) fn graph(&self) -> &BitGraph {
        &self.graph
    }

    /// What a condition is made of by connectives: comparisons and variables, each once, without
    /// negations in front.
    pub(super) fn atoms(&self, root: ExprId) -> Vec<ExprId> {
        let mut atoms = Vec::new();
        let mut seen = BTreeSet::from([root]);
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if self.is_connective(id) {
                let operands = self.get(id).operands().rev();
                pending.extend(operands.filter(|&operand| seen.insert(operand)));
            } else if self.constant(id).is_none() {
                atoms.push(id);
            }
        }
        atoms
    }

    /// Whether a formula is made of others by a connective.
    pub(super) fn is_connective(&self, id: ExprId) -> bool {
        match self.get(id) {
            Expr::Unary(UnaryOp::Not, _) | Expr::Ite(_, _, _, Type::Bool) => true,
            Expr::Binary(_, a, _, Type::Bool) => self.ty(a) == Type::Bool,
            _ => false,
        }
    }
}

/// The same operator on other operands.
pub(super) fn with_operands(expr: Expr, operands: &[ExprId]) -> Expr {
    match (expr, operands) {
        (Expr::Unary(op, _), &[a]) => Expr::Unary(op, a),
        (Expr::Binary(op, _, _, ty), &[a, b]) => Expr::Binary(op, a, b, ty),
        (Expr::Ite(_, _, _, ty), &[c, a, b]) => Expr::Ite(c, a, b, ty),
        (leaf, _) => leaf,
    }
}
