//! Disjunctions become several rules where that turns equations into assignments.

use super::Rule;
use super::solve::{definitions, flatten, solve};
use crate::terms::{Op, Term, TermId, Terms, VarId};
use rustc_hash::FxHashSet;

/// A rule becomes at most this many.
const MOST_RULES: usize = 32;

/// The rules with disjunctions split.
pub fn split(terms: &mut Terms, rules: Vec<Rule>) -> Vec<Rule> {
    let mut done = Vec::new();
    for rule in rules {
        let known = rule.slots(terms);
        let mut pending = vec![rule];
        let mut count = 1;
        while let Some(rule) = pending.pop() {
            let Some((at, parts)) = worth_splitting(terms, &rule, &known) else {
                done.push(rule);
                continue;
            };
            if count + parts.len() - 1 > MOST_RULES {
                done.push(rule);
                continue;
            }
            count += parts.len() - 1;
            for part in parts.into_iter().rev() {
                let mut one = rule.clone();
                one.guards[at] = part;
                if solve(terms, &mut one, &known) {
                    pending.push(one);
                }
            }
        }
    }
    done
}

/// A guard that is a disjunction in which some part defines a variable.
fn worth_splitting(
    terms: &mut Terms,
    rule: &Rule,
    known: &FxHashSet<VarId>,
) -> Option<(usize, Vec<TermId>)> {
    for (at, &guard) in rule.guards.iter().enumerate() {
        let parts = match terms.get(guard).clone() {
            Term::Apply(Op::Or, parts) => parts.to_vec(),
            Term::Apply(Op::Ite, operands) => {
                let denied = super::simplify::not(terms, operands[0]);
                let first = terms.and(&[operands[0], operands[1]]);
                let second = terms.and(&[denied, operands[2]]);
                vec![first, second]
            }
            _ => continue,
        };
        let defines = parts.iter().any(|&part| {
            let mut guards = vec![part];
            flatten(terms, &mut guards)
                && guards
                    .iter()
                    .any(|&guard| !definitions(terms, guard, known).is_empty())
        });
        if defines {
            return Some((at, parts));
        }
    }
    None
}
