//! One edge of the abstract machine while it is written.
//!
//! A value over variables that are kept stays as it is. A comparison of words, wherever it stands
//! (in a guard, in what is assigned to a Boolean, in what a step makes of a predicate), is a
//! predicate, or else a choice of the edge; the guard says by clauses ([`super::clauses`]) what
//! choices and predicates have to do with each other.

use super::abstraction::Making;
use super::clauses::{Statement, Stopped};
use super::formulas::with_operands;
use super::steps::Returned;
use hardbop_machine::{
    BinaryOp, Expr, ExprArena, ExprId, InputId, ProcId, Type, UnaryOp, Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// When formulas are read.
#[derive(Clone, Copy)]
pub(super) enum Moment<'m> {
    /// Before a step.
    Step,
    /// After a call came back: the caller's locals, the callee's globals and results.
    Behind(&'m Returned<'m>),
}

/// An edge that is being written.
pub(super) struct Writing<'w, 'a> {
    making: &'w mut Making<'a>,
    exprs: &'w mut ExprArena,
    owner: ProcId,
    moment: Moment<'w>,
    /// The variables of predicates, by what these say now.
    scope: BTreeMap<ExprId, Variable>,
    inputs: Vec<Type>,
    /// The choices that stand for formulas.
    choices: BTreeMap<ExprId, InputId>,
}

impl<'w, 'a> Writing<'w, 'a> {
    pub(super) fn new(
        making: &'w mut Making<'a>,
        exprs: &'w mut ExprArena,
        owner: ProcId,
        moment: Moment<'w>,
        scope: Vec<(ExprId, Variable)>,
    ) -> Self {
        let mut variables = BTreeMap::new();
        for (formula, variable) in scope {
            // What became constant says nothing.
            if making.formulas.constant(formula).is_none() {
                variables.entry(formula).or_insert(variable);
            }
        }
        Self {
            making,
            exprs,
            owner,
            moment,
            scope: variables,
            inputs: Vec::new(),
            choices: BTreeMap::new(),
        }
    }

    /// New values of variables.
    pub(super) fn values(&mut self, values: &[(Variable, ExprId)]) -> Vec<(Variable, ExprId)> {
        let values = values.iter();
        values
            .map(|&(variable, value)| (variable, self.rewrite(value)))
            .collect()
    }

    /// The guard, and the choices of the edge.
    pub(super) fn finish(
        mut self,
        conditions: &[ExprId],
    ) -> Result<(Option<ExprId>, Vec<Type>), Stopped> {
        let mut guards = Vec::new();
        // Behind a call its guard has held; it is not asked for again.
        if matches!(self.moment, Moment::Step) {
            for &condition in conditions {
                guards.push(self.rewrite(condition));
            }
        }
        let mut statement = Statement {
            premise: conditions.to_vec(),
            before: self.scope.keys().copied().collect(),
            linked: Vec::new(),
            kept: BTreeSet::new(),
        };
        for &formula in self.choices.keys() {
            let formulas = &self.making.formulas;
            if formulas.leaves(formula)[..] == [formula] {
                statement.kept.insert(formula);
            } else if formulas.ty(formula) == Type::Bool {
                statement.linked.push(formula);
            }
        }
        let mentioned = statement.before.iter().chain(&statement.linked);
        let mentioned: BTreeSet<ExprId> = mentioned
            .flat_map(|&formula| self.making.formulas.leaves(formula).iter().copied())
            .collect();
        for leaf in mentioned {
            if self.kept(self.making.formulas.get(leaf)).is_some() {
                statement.kept.insert(leaf);
            }
        }
        let making = &mut *self.making;
        let (formulas, interrupt) = (&mut *making.formulas, making.interrupt);
        let clauses = making.clauses.of(formulas, &statement, interrupt)?;
        for clause in clauses {
            let mut either: Option<ExprId> = None;
            for (formula, is_true) in clause {
                let mut literal = self.rewrite(formula);
                if !is_true {
                    literal = self.exprs.add(Expr::Unary(UnaryOp::Not, literal));
                }
                either = Some(match either {
                    Some(either) => self.connected(BinaryOp::Or, either, literal),
                    None => literal,
                });
            }
            guards.push(match either {
                Some(either) => either,
                None => self.exprs.add(Expr::Const(0, Type::Bool)),
            });
        }
        let guard = guards.into_iter();
        let guard = guard.reduce(|a, b| self.connected(BinaryOp::And, a, b));
        Ok((guard, self.inputs))
    }

    fn connected(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.exprs.add(Expr::Binary(op, a, b, Type::Bool))
    }

    /// The variable that has the value of one of the original.
    fn kept(&self, leaf: Expr) -> Option<Variable> {
        let interface = self.making.interface;
        let own = |variable| interface.kept(self.owner, variable);
        match (self.moment, leaf) {
            (Moment::Step, Expr::Var(variable, _)) => own(variable),
            (Moment::Behind(returned), Expr::Var(variable, _)) => {
                let is_old = returned.targets.contains_key(&variable)
                    || matches!(variable, Variable::Global(id)
                        if self.making.effects.modifies(returned.callee, id));
                if is_old { None } else { own(variable) }
            }
            (Moment::Behind(returned), Expr::Next(Variable::Local(result), _)) => {
                let mut targets = returned.targets.iter();
                let (&target, _) = targets.find(|(_, given)| **given == result)?;
                own(target)
            }
            (Moment::Behind(returned), Expr::Next(variable, _)) => {
                let is_target = returned.targets.contains_key(&variable);
                if is_target { None } else { own(variable) }
            }
            _ => None,
        }
    }

    /// A formula as an expression of the abstract machine.
    fn rewrite(&mut self, root: ExprId) -> ExprId {
        // What is not written out is a predicate, a variable or a choice.
        let mut needed = BTreeSet::from([root]);
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if !self.is_written_out(id) {
                continue;
            }
            let operands = self.making.formulas.get(id).operands();
            pending.extend(operands.filter(|&operand| needed.insert(operand)));
        }
        let mut done: BTreeMap<ExprId, ExprId> = BTreeMap::new();
        for id in needed {
            let expr = self.making.formulas.get(id);
            let new = if self.is_written_out(id) {
                let operands: Vec<ExprId> = expr.operands().map(|o| done[&o]).collect();
                with_operands(expr, &operands)
            } else if let Some(&variable) = self.scope.get(&id) {
                Expr::Var(variable, Type::Bool)
            } else if let Some(variable) = self.kept(expr) {
                Expr::Var(variable, expr.ty())
            } else {
                Expr::Input(self.choice(id), expr.ty())
            };
            let new = self.exprs.add(new);
            done.insert(id, new);
        }
        done[&root]
    }

    /// Whether a formula is written with what its operands become.
    fn is_written_out(&self, id: ExprId) -> bool {
        let formulas = &self.making.formulas;
        let expr = formulas.get(id);
        if self.scope.contains_key(&id)
            || matches!(expr, Expr::Var(..) | Expr::Next(..) | Expr::Input(..))
        {
            return false;
        }
        !formulas.has_words(id) || formulas.is_connective(id) || self.is_narrow_choice(expr)
    }

    /// Whether a value of few bits is one of two others.
    fn is_narrow_choice(&self, expr: Expr) -> bool {
        matches!(expr, Expr::Ite(..)) && !self.making.formulas.is_word(expr.ty())
    }

    fn choice(&mut self, id: ExprId) -> InputId {
        if let Some(&known) = self.choices.get(&id) {
            return known;
        }
        self.inputs.push(self.making.formulas.ty(id));
        let input = InputId::new(self.inputs.len() - 1);
        self.choices.insert(id, input);
        input
    }
}
