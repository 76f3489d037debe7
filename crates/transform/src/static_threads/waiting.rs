//! When a thread at a node has to wait: no edge can be taken, whatever is chosen for its inputs.
//!
//! As an expression over the variables before the step. Inputs are tried one value after the other;
//! what `constrain` says about the state after the step is said about the values that are assigned.

use super::NotStatic;
use crate::draft::{Draft, DraftEdge, Place};
use hardbop_machine::Action;
use hardbop_machine::Type;
use hardbop_machine::{Expr, ExprArena};
use hardbop_machine::{ExprId, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// More bits of choices than this are not tried.
const MAX_CHOICE_BITS: u32 = 8;
/// Conditions over more bits than this are not tried out.
const MAX_TRIED_BITS: u32 = 10;

/// A condition under which a thread waits.
#[derive(Clone)]
pub struct Waiting {
    /// The condition.
    pub condition: ExprId,
    /// What it is about.
    pub variables: BTreeSet<Variable>,
}

/// The condition at a place; nothing if it never holds.
pub fn waiting(
    draft: &mut Draft<'_>,
    procedure: usize,
    place: Place,
) -> Result<Option<Waiting>, NotStatic> {
    let edges = draft.procedures[procedure].edges.iter();
    let edges: Vec<DraftEdge> = edges.filter(|edge| edge.from == place).cloned().collect();
    let mut some = draft.constant(0, Type::Bool);
    for edge in &edges {
        let can_be_taken = taken(draft, edge)?;
        some = draft.or(some, can_be_taken);
    }
    let condition = draft.not(some);
    let mut types: BTreeMap<Variable, Type> = BTreeMap::new();
    draft.exprs.visit(condition, |expr| {
        if let Expr::Var(variable, ty) = *expr {
            types.insert(variable, ty);
        }
    });
    let is_possible = can_hold(&draft.exprs, condition, &types);
    let variables = types.into_keys().collect();
    Ok(is_possible.then_some(Waiting {
        condition,
        variables,
    }))
}

/// With some inputs the edge can be taken.
fn taken(draft: &mut Draft<'_>, edge: &DraftEdge) -> Result<ExprId, NotStatic> {
    let constrain = match &edge.action {
        Action::Assign { constrain, .. } => *constrain,
        _ => None,
    };
    if edge.guard.is_none() && constrain.is_none() {
        return Ok(draft.constant(1, Type::Bool));
    }
    let bits: u32 = edge.inputs.iter().map(|ty| ty.width()).sum();
    if bits > MAX_CHOICE_BITS {
        return Err(NotStatic::TooManyChoices);
    }
    let mut some = draft.constant(0, Type::Bool);
    for choice in 0..1_u64 << bits {
        let inputs = values(choice, edge.inputs.iter().copied());
        let mut all = draft.constant(1, Type::Bool);
        for condition in [edge.guard, constrain].into_iter().flatten() {
            let condition = with_inputs(draft, edge, condition, &inputs);
            all = draft.and(all, condition);
        }
        some = draft.or(some, all);
    }
    Ok(some)
}

/// Consecutive bits of a number as values of types.
fn values(mut bits: u64, types: impl Iterator<Item = Type>) -> Vec<u64> {
    let values = types.map(|ty| {
        let value = ty.wrap(bits);
        bits >>= ty.width();
        value
    });
    values.collect()
}

/// A condition of an edge with values for the inputs, and with what it assigns for the state after
/// it.
fn with_inputs(
    draft: &mut Draft<'_>,
    edge: &DraftEdge,
    condition: ExprId,
    inputs: &[u64],
) -> ExprId {
    let mut assigned: BTreeMap<Variable, ExprId> = BTreeMap::new();
    if let Action::Assign { assignments, .. } = &edge.action {
        for &(variable, value) in assignments {
            let value = substitute(&mut draft.exprs, value, |_, expr| match expr {
                Expr::Input(input, ty) => Some(Expr::Const(inputs[input.index()], ty)),
                _ => None,
            });
            assigned.insert(variable, value);
        }
    }
    substitute(&mut draft.exprs, condition, |exprs, expr| match expr {
        Expr::Input(input, ty) => Some(Expr::Const(inputs[input.index()], ty)),
        Expr::Next(variable, ty) => Some(match assigned.get(&variable) {
            Some(&value) => *exprs.get(value),
            None => Expr::Var(variable, ty),
        }),
        _ => None,
    })
}

/// The expression with other leaves.
pub fn substitute(
    exprs: &mut ExprArena,
    root: ExprId,
    mut leaf: impl FnMut(&ExprArena, Expr) -> Option<Expr>,
) -> ExprId {
    // Operands come before their users, so new expressions can be added in the order of a walk over
    // a copy of the ids.
    let mut order = Vec::new();
    exprs_below(exprs, root, &mut order);
    let mut made: BTreeMap<ExprId, ExprId> = BTreeMap::new();
    for id in order {
        let new = match *exprs.get(id) {
            Expr::Unary(operator, a) => Expr::Unary(operator, made[&a]),
            Expr::Binary(operator, a, b, ty) => Expr::Binary(operator, made[&a], made[&b], ty),
            Expr::Ite(c, a, b, ty) => Expr::Ite(made[&c], made[&a], made[&b], ty),
            other => leaf(exprs, other).unwrap_or(other),
        };
        made.insert(id, exprs.add(new));
    }
    made[&root]
}

/// All expressions of a tree, operands before their users.
fn exprs_below(exprs: &ExprArena, root: ExprId, order: &mut Vec<ExprId>) {
    let mut seen = BTreeSet::new();
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            pending.extend(exprs.get(id).operands());
        }
    }
    order.extend(seen);
}

/// Whether a condition can hold, as far as it is small enough to try.
fn can_hold(exprs: &ExprArena, condition: ExprId, types: &BTreeMap<Variable, Type>) -> bool {
    let bits: u32 = types.values().map(|ty| ty.width()).sum();
    if bits > MAX_TRIED_BITS {
        return true;
    }
    (0..1_u64 << bits).any(|choice| {
        let values = values(choice, types.values().copied());
        let values: BTreeMap<Variable, u64> = types.keys().copied().zip(values).collect();
        let value = exprs.eval(condition, &mut |leaf| match leaf {
            hardbop_machine::expr::Leaf::Var(variable) => values[&variable],
            _ => unreachable!("the condition is about variables before the step"),
        });
        value == 1
    })
}
