//! A rule as a path of edges: calls, then stored parts if the rule is large, then the arrival at
//! the head.

use super::expressions::Compiler;
use super::{Draft, DraftAction, DraftEdge, tree_sizes, type_of};
use crate::normal::Rule;
use crate::system::System;
use crate::terms::{PredicateId, Sort, Term, TermId, Terms, VarId};
use hardbop_machine::{BinaryOp, Expr, ExprArena, ExprId, InputId, LocalId, Type, Variable};
use hardbop_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Expressions of an edge are read as trees. A rule that is larger as a tree keeps shared parts in
/// temporaries.
const LARGE_TREE: u64 = 2_000;
/// Shared parts that are smaller are repeated.
const SMALL_TREE: u64 = 6;

/// What an edge stands for.
#[derive(Clone, Debug)]
pub enum EdgeRole {
    /// The last step of a rule.
    Arrival {
        /// The rule.
        rule: usize,
        /// Which body predicate is the place that the path started from.
        spine: Option<usize>,
        /// Where the variables of the rule are.
        values: Vec<(VarId, InputSource)>,
    },
    /// A call for a body predicate.
    Call {
        /// Which one.
        atom: usize,
    },
    /// Anything else.
    Between,
}

/// Where the value of a variable is when a rule is applied.
#[derive(Clone, Copy, Debug)]
pub enum InputSource {
    /// In a local, before the step.
    Local(LocalId),
    /// In an input of the step.
    Input(u32),
}

/// A path in the making.
struct Path {
    at: u32,
    span: Span,
    /// How many temporaries of each sort are taken.
    taken: FxHashMap<Sort, usize>,
}

impl Draft {
    fn temporary(&mut self, path: &mut Path, sort: Sort) -> LocalId {
        let count = path.taken.entry(sort).or_default();
        let key = (sort, *count);
        *count += 1;
        if let Some(&local) = self.temporaries.get(&key) {
            return local;
        }
        let local = self.local(sort);
        self.temporaries.insert(key, local);
        local
    }

    /// Adds the path of a rule. Returns the predicates that it calls.
    pub fn path(
        &mut self,
        system: &System,
        (index, rule): (usize, &Rule),
        spine: Option<usize>,
        span: Span,
        exprs: &mut ExprArena,
    ) -> Vec<PredicateId> {
        let terms = &system.terms;
        let mut path = Path {
            at: 0,
            span,
            taken: FxHashMap::default(),
        };
        let mut compiler = Compiler::default();
        let mut sources: Vec<(VarId, InputSource)> = Vec::new();
        if let Some(spine) = spine {
            let atom = &rule.body[spine];
            path.at = self.place(atom.predicate, span);
            let registers = self.registers(&system.predicates[atom.predicate.index()].sorts);
            for (&slot, register) in atom.arguments.iter().zip(registers) {
                compiler.bind(terms, slot, register, exprs, &mut sources);
            }
        }
        let mut guards: Vec<(TermId, Vec<VarId>)> = Vec::new();
        for &guard in &rule.guards {
            guards.push((guard, terms.variables_below(&[guard])));
        }
        let roots = rule.roots();
        let sizes = tree_sizes(terms, &roots);
        let total = roots
            .iter()
            .fold(0u64, |sum, root| sum.saturating_add(sizes[root]));
        let is_large = total > LARGE_TREE;
        let mut called = Vec::new();
        for (number, atom) in rule.body.iter().enumerate() {
            if Some(number) == spine {
                continue;
            }
            // What is known already is checked before the call.
            let (ready, later): (Vec<_>, Vec<_>) =
                guards.into_iter().partition(|(_, variables)| {
                    !is_large && variables.iter().all(|variable| compiler.knows(*variable))
                });
            guards = later;
            let ready: Vec<TermId> = ready.into_iter().map(|(guard, _)| guard).collect();
            let guard = compiler.conjunction(terms, &ready, exprs);
            let mut targets = Vec::new();
            for &slot in &atom.arguments {
                targets.push(self.temporary(&mut path, terms.sort(slot)));
            }
            let to = self.node(span);
            let role = EdgeRole::Call { atom: number };
            self.step(
                &mut path,
                to,
                guard,
                DraftAction::Call(atom.predicate, targets.clone()),
                Vec::new(),
                role,
            );
            for (&slot, &target) in atom.arguments.iter().zip(&targets) {
                compiler.bind(terms, slot, target, exprs, &mut sources);
            }
            called.push(atom.predicate);
        }
        let mut inputs = Vec::new();
        let mut chosen = Vec::new();
        for variable in terms.variables_below(&roots) {
            if !compiler.knows(variable) {
                let sort = terms.variables[variable.0 as usize].sort;
                chosen.push((variable, sort));
                inputs.push(type_of(sort));
            }
        }
        if is_large {
            self.store_inputs(&mut path, &mut compiler, &chosen, &mut sources, exprs);
            inputs.clear();
            self.store_shared(&mut path, &mut compiler, terms, &roots, exprs);
        } else {
            for (number, &(variable, sort)) in chosen.iter().enumerate() {
                let input = Expr::Input(InputId(number as u32), type_of(sort));
                compiler.know(variable, exprs.add(input));
                sources.push((variable, InputSource::Input(number as u32)));
            }
        }
        let left: Vec<TermId> = guards.into_iter().map(|(guard, _)| guard).collect();
        let guard = compiler.conjunction(terms, &left, exprs);
        let (to, action) = match &rule.head {
            None => (self.failure.unwrap_or(0), DraftAction::Skip),
            Some(head) => {
                let registers = self.registers(&system.predicates[head.predicate.index()].sorts);
                let mut values = Vec::new();
                for (&argument, register) in head.arguments.iter().zip(registers) {
                    values.push((register, compiler.compile(terms, argument, exprs)));
                }
                (
                    self.place(head.predicate, span),
                    DraftAction::Arrive(values),
                )
            }
        };
        let role = EdgeRole::Arrival {
            rule: index,
            spine,
            values: sources,
        };
        self.step(&mut path, to, guard, action, inputs, role);
        called
    }

    fn step(
        &mut self,
        path: &mut Path,
        to: u32,
        guard: Option<ExprId>,
        action: DraftAction,
        inputs: Vec<Type>,
        role: EdgeRole,
    ) {
        self.edges.push(DraftEdge {
            from: path.at,
            to: Some(to),
            guard,
            action,
            inputs,
            span: path.span,
            role,
        });
        path.at = to;
    }

    /// Chooses the free variables of a large rule before anything else.
    fn store_inputs(
        &mut self,
        path: &mut Path,
        compiler: &mut Compiler,
        chosen: &[(VarId, Sort)],
        sources: &mut Vec<(VarId, InputSource)>,
        exprs: &mut ExprArena,
    ) {
        let mut values = Vec::new();
        let mut inputs = Vec::new();
        for (number, &(variable, sort)) in chosen.iter().enumerate() {
            let ty = type_of(sort);
            let local = self.temporary(path, sort);
            values.push((local, exprs.add(Expr::Input(InputId(number as u32), ty))));
            inputs.push(ty);
            compiler.know(variable, exprs.add(Expr::Var(Variable::Local(local), ty)));
            sources.push((variable, InputSource::Local(local)));
        }
        if !values.is_empty() {
            let to = self.node(path.span);
            self.step(
                path,
                to,
                None,
                DraftAction::Set(values),
                inputs,
                EdgeRole::Between,
            );
        }
    }

    /// Stores the parts of a large rule that are used more than once, one after the other.
    fn store_shared(
        &mut self,
        path: &mut Path,
        compiler: &mut Compiler,
        terms: &Terms,
        roots: &[TermId],
        exprs: &mut ExprArena,
    ) {
        let below = terms.below(roots);
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for &id in &below {
            for &operand in terms.operands(id) {
                *uses.entry(operand).or_default() += 1;
            }
        }
        let mut sizes: FxHashMap<TermId, u64> = FxHashMap::default();
        let mut stored: FxHashSet<TermId> = FxHashSet::default();
        for &id in &below {
            let operands = terms.operands(id).iter();
            let size = operands.fold(1u64, |sum, operand| sum.saturating_add(sizes[operand]));
            let is_leaf = !matches!(terms.get(id), Term::Apply(..));
            let is_shared = uses.get(&id).copied().unwrap_or(0) > 1 && size > SMALL_TREE;
            if !is_leaf && (is_shared || size > LARGE_TREE) && stored.insert(id) {
                let sort = terms.sort(id);
                let value = compiler.compile(terms, id, exprs);
                let local = self.temporary(path, sort);
                let to = self.node(path.span);
                self.step(
                    path,
                    to,
                    None,
                    DraftAction::Set(vec![(local, value)]),
                    Vec::new(),
                    EdgeRole::Between,
                );
                let variable = exprs.add(Expr::Var(Variable::Local(local), type_of(sort)));
                compiler.replace(id, variable);
                sizes.insert(id, 1);
            } else {
                sizes.insert(id, size);
            }
        }
    }
}

/// The conjunction of expressions.
pub fn all(exprs: &mut ExprArena, parts: &[ExprId]) -> Option<ExprId> {
    let mut all: Option<ExprId> = None;
    for &part in parts {
        all = Some(match all {
            None => part,
            Some(before) => exprs.add(Expr::Binary(BinaryOp::And, before, part, Type::Bool)),
        });
    }
    all
}
