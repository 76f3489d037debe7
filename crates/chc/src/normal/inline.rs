//! Predicates that only name a formula are replaced by it.
//!
//! A predicate may go if it does not depend on itself and if each of its rules, read with the
//! arguments of the head as given, determines all other variables by equations: then a model can
//! define it without quantifiers, in terms of the predicates that stay.

use super::cone::Fate;
use super::solve::solve;
use super::{Origin, Premise, Rule};
use crate::system::{Atom, System};
use crate::terms::{PredicateId, TermId, Terms, VarId};
use rustc_hash::FxHashSet;

/// At most this many terms are added by inlining one predicate.
const MOST_TERMS: usize = 20_000;
/// Several rules that are used several times are inlined up to this many copies.
const MOST_COPIES: usize = 8;

/// A predicate that was inlined.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// The predicate.
    pub predicate: PredicateId,
    /// New variables for its arguments.
    pub parameters: Vec<VarId>,
    /// It holds if one of these does: predicates that were inlined later or stay, and formulas.
    pub cases: Vec<(Vec<Atom>, Vec<TermId>)>,
}

/// Inlines what may go.
pub fn inline(system: &mut System, rules: &mut Vec<Rule>, fates: &mut [Fate]) -> Vec<Inlined> {
    let mut inlined = Vec::new();
    for (index, fate) in fates.iter_mut().enumerate() {
        if *fate != Fate::Kept {
            continue;
        }
        let predicate = PredicateId(index as u32);
        if let Some(one) = definition(system, rules, predicate) {
            replace(&mut system.terms, rules, predicate);
            *fate = Fate::Inlined;
            inlined.push(one);
        }
    }
    inlined
}

/// How a model defines a predicate, if it may go.
fn definition(system: &mut System, rules: &[Rule], predicate: PredicateId) -> Option<Inlined> {
    let (own, others): (Vec<&Rule>, Vec<&Rule>) = rules
        .iter()
        .partition(|rule| rule.head_predicate() == Some(predicate));
    let is_it = |atom: &&Atom| atom.predicate == predicate;
    let uses = |rule: &&Rule| rule.body.iter().filter(is_it).count();
    if own.iter().any(|rule| uses(rule) > 0) {
        return None;
    }
    let use_count: usize = others.iter().map(uses).sum();
    let copies = own.len() * use_count;
    // Twice in one body would need one pass for each.
    let is_twice = others.iter().any(|rule| uses(rule) > 1);
    if is_twice || (own.len() > 1 && use_count > 1 && copies > MOST_COPIES) {
        return None;
    }
    let sizes = own
        .iter()
        .map(|rule| system.terms.below(&rule.roots()).len());
    if sizes.sum::<usize>() * use_count > MOST_TERMS {
        return None;
    }
    let terms = &mut system.terms;
    let sorts = system.predicates[predicate.index()].sorts.clone();
    let parameters: Vec<VarId> = sorts
        .iter()
        .map(|&sort| terms.variable("x", sort))
        .collect();
    let known: FxHashSet<VarId> = parameters.iter().copied().collect();
    let mut cases = Vec::new();
    for rule in own {
        let mut rule = rule.clone();
        rule.origins.clear();
        let head = rule.head.take()?;
        for (&parameter, &argument) in parameters.iter().zip(&head.arguments) {
            let parameter = terms.var(parameter);
            let equation = terms.equal(parameter, argument);
            rule.guards.push(equation);
        }
        if !solve(terms, &mut rule, &known) {
            continue;
        }
        let below = terms.variables_below(&rule.roots());
        if below.iter().any(|variable| !known.contains(variable)) {
            return None;
        }
        cases.push((rule.body, rule.guards));
    }
    Some(Inlined {
        predicate,
        parameters,
        cases,
    })
}

/// Replaces a predicate by its rules wherever it is used.
fn replace(terms: &mut Terms, rules: &mut Vec<Rule>, predicate: PredicateId) {
    let all = std::mem::take(rules);
    let (own, others): (Vec<Rule>, Vec<Rule>) = all
        .into_iter()
        .partition(|rule| rule.head_predicate() == Some(predicate));
    for rule in others {
        let at = rule
            .body
            .iter()
            .position(|atom| atom.predicate == predicate);
        let Some(at) = at else {
            rules.push(rule);
            continue;
        };
        for definition in &own {
            let definition = definition.renamed(terms);
            rules.extend(resolved(terms, &rule, at, definition));
        }
    }
}

/// The rule with one predicate of its body replaced by a rule for it.
fn resolved(terms: &mut Terms, rule: &Rule, at: usize, definition: Rule) -> Option<Rule> {
    let mut result = rule.clone();
    let used = result.body.remove(at);
    let own_count = result.body.len();
    let head = definition.head?;
    for (&slot, &argument) in used.arguments.iter().zip(&head.arguments) {
        let equation = terms.equal(slot, argument);
        result.guards.push(equation);
    }
    result.body.extend(definition.body);
    result.guards.extend(definition.guards);
    let first = result.origins.len();
    for origin in &mut result.origins {
        for premise in &mut origin.premises {
            *premise = match *premise {
                Premise::Body(body) if body == at => Premise::Origin(first),
                Premise::Body(body) if body > at => Premise::Body(body - 1),
                other => other,
            };
        }
    }
    for origin in definition.origins {
        let Origin {
            clause,
            values,
            premises,
        } = origin;
        let moved = premises.into_iter().map(|premise| match premise {
            Premise::Body(body) => Premise::Body(own_count + body),
            Premise::Origin(origin) => Premise::Origin(first + origin),
        });
        let premises = moved.collect();
        result.origins.push(Origin {
            clause,
            values,
            premises,
        });
    }
    let known = result.slots(terms);
    solve(terms, &mut result, &known).then_some(result)
}
