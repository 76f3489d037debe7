//! Equations define variables: `x = t` replaces `x` by `t`, and is gone.
//!
//! A variable may stand below operators that can be undone: from `a = x + b` follows `x = a - b`.
//! Several variables are replaced at once as long as none occurs in the definition of another, so
//! few passes over a clause suffice.

use super::Rule;
use super::simplify::{constant, not};
use crate::substitute::Substitution;
use crate::terms::{Op, Sort, Term, TermId, Terms, VarId};
use rustc_hash::FxHashSet;

/// Defines as many variables as possible, other than the known ones. False if the guards cannot
/// hold together.
pub fn solve(terms: &mut Terms, rule: &mut Rule, known: &FxHashSet<VarId>) -> bool {
    rule.substitute(terms, &Substitution::default());
    loop {
        if !flatten(terms, &mut rule.guards) {
            return false;
        }
        let mut values = Substitution::default();
        let mut used: FxHashSet<VarId> = FxHashSet::default();
        let mut spent = FxHashSet::default();
        for &guard in &rule.guards {
            for (variable, value, is_exact) in definitions(terms, guard, known) {
                let below = terms.variables_below(&[value]);
                let is_free = !used.contains(&variable) && !values.contains_key(&variable);
                if is_free
                    && below
                        .iter()
                        .all(|v| *v != variable && !values.contains_key(v))
                {
                    used.extend(below);
                    values.insert(variable, value);
                    if is_exact {
                        spent.insert(guard);
                    }
                    break;
                }
            }
        }
        if values.is_empty() {
            return true;
        }
        rule.guards.retain(|guard| !spent.contains(guard));
        rule.substitute(terms, &values);
    }
}

/// Conjunctions become several guards, true ones go. False if one is false.
pub fn flatten(terms: &mut Terms, guards: &mut Vec<TermId>) -> bool {
    let mut pending: Vec<TermId> = std::mem::take(guards);
    pending.reverse();
    let mut seen = FxHashSet::default();
    while let Some(guard) = pending.pop() {
        match terms.get(guard).clone() {
            Term::Constant(0) => return false,
            Term::Constant(_) => {}
            Term::Apply(Op::And, parts) => pending.extend(parts.iter().rev()),
            Term::Apply(Op::Not, inner) => match terms.get(inner[0]).clone() {
                Term::Apply(Op::Or, parts) => {
                    for &part in parts.iter().rev() {
                        pending.push(not(terms, part));
                    }
                }
                Term::Apply(Op::And, parts) => {
                    let parts: Vec<TermId> = parts.iter().map(|&part| not(terms, part)).collect();
                    pending.push(terms.or(&parts));
                }
                _ => keep(guards, &mut seen, guard),
            },
            _ => keep(guards, &mut seen, guard),
        }
        // What contradicts another guard.
        if let Some(&last) = guards.last()
            && seen.contains(&not(terms, last))
        {
            return false;
        }
    }
    true
}

fn keep(guards: &mut Vec<TermId>, seen: &mut FxHashSet<TermId>, guard: TermId) {
    if seen.insert(guard) {
        guards.push(guard);
    }
}

/// What a guard says about single variables, as definitions, and whether it says nothing else.
pub fn definitions(
    terms: &mut Terms,
    guard: TermId,
    known: &FxHashSet<VarId>,
) -> Vec<(VarId, TermId, bool)> {
    let unknown = |terms: &Terms, id: TermId| match terms.get(id) {
        Term::Variable(variable) if !known.contains(variable) => Some(*variable),
        _ => None,
    };
    if let Some(variable) = unknown(terms, guard) {
        return vec![(variable, terms.truth(true), true)];
    }
    match terms.get(guard).clone() {
        Term::Apply(Op::Not, operands) => match unknown(terms, operands[0]) {
            Some(variable) => vec![(variable, terms.truth(false), true)],
            None => match terms.get(operands[0]).clone() {
                // Booleans that differ.
                Term::Apply(Op::Equal, pair) if terms.sort(pair[0]) == Sort::Bool => {
                    let other = not(terms, pair[1]);
                    sides(terms, pair[0], other, &unknown)
                }
                _ => Vec::new(),
            },
        },
        Term::Apply(Op::Equal, pair) => sides(terms, pair[0], pair[1], &unknown),
        _ => Vec::new(),
    }
}

fn sides(
    terms: &mut Terms,
    a: TermId,
    b: TermId,
    unknown: &impl Fn(&Terms, TermId) -> Option<VarId>,
) -> Vec<(VarId, TermId, bool)> {
    let mut found = Vec::new();
    let mut pending = vec![(a, b, true), (b, a, true)];
    while let Some((side, value, is_exact)) = pending.pop() {
        if let Some(variable) = unknown(terms, side) {
            found.push((variable, value, is_exact));
            continue;
        }
        let sort = terms.sort(side);
        let Term::Apply(op, operands) = terms.get(side).clone() else {
            continue;
        };
        match (op, &*operands) {
            (Op::Add, &[x, y]) => {
                for (x, y) in [(x, y), (y, x)] {
                    let undone = terms.apply(Op::Subtract, &[value, y], sort);
                    pending.push((x, undone, is_exact));
                }
            }
            (Op::Subtract, &[x, y]) => {
                let sum = terms.apply(Op::Add, &[value, y], sort);
                let rest = terms.apply(Op::Subtract, &[x, value], sort);
                pending.extend([(x, sum, is_exact), (y, rest, is_exact)]);
            }
            (Op::WordXor, &[x, y]) => {
                for (x, y) in [(x, y), (y, x)] {
                    let undone = terms.apply(Op::WordXor, &[value, y], sort);
                    pending.push((x, undone, is_exact));
                }
            }
            (Op::WordNot | Op::Negate, &[x]) => {
                let undone = terms.apply(op, &[value], sort);
                pending.push((x, undone, is_exact));
            }
            (Op::Not, &[x]) => {
                let undone = not(terms, value);
                pending.push((x, undone, is_exact));
            }
            (Op::Multiply, &[x, y]) => {
                for (x, y) in [(x, y), (y, x)] {
                    if let Some(factor) = constant(terms, y).filter(|factor| factor % 2 == 1) {
                        let inverse = terms.constant(inverse(factor), sort);
                        let undone = terms.apply(Op::Multiply, &[value, inverse], sort);
                        pending.push((x, undone, is_exact));
                    }
                }
            }
            (Op::Concat, &[high, low]) => {
                let (upper, lower) = (terms.sort(high), terms.sort(low));
                let cut = lower.width() as u8;
                let top = cut + upper.width() as u8 - 1;
                // Each half alone loses what the other says, unless the other is a variable too.
                let is_variable = |id| matches!(terms.get(id), Term::Variable(_));
                if is_variable(high) && is_variable(low) && high != low {
                    let above = terms.apply(Op::Extract(top, cut), &[value], upper);
                    let below = terms.apply(Op::Extract(cut - 1, 0), &[value], lower);
                    // Sound as a definition only: the equation itself stays a guard.
                    pending.extend([(high, above, false), (low, below, false)]);
                }
            }
            _ => {}
        }
    }
    found
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
