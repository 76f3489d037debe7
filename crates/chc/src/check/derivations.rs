//! Whether a derivation follows from the clauses: every step is evaluated.

use super::evaluate::{Valuation, evaluate};
use crate::model::Derivation;
use crate::system::System;

/// Why a derivation is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step} of the derivation: {why}")]
pub struct Rejected {
    /// The step, or the number of steps if the end is missing.
    pub step: usize,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Checks that each step follows from its clause and earlier steps and that the last one is a
/// contradiction.
pub fn check_derivation(system: &System, derivation: &Derivation) -> Result<(), Rejected> {
    for (step, inference) in derivation.steps.iter().enumerate() {
        let reject = |why| Err(Rejected { step, why });
        let Some(clause) = system.clauses.get(inference.clause) else {
            return reject("there is no such clause");
        };
        let variables = &system.terms.variables;
        let mut valuation = Valuation::default();
        for &(variable, value) in &inference.values {
            let Some(declared) = variables.get(variable.0 as usize) else {
                return reject("there is no such variable");
            };
            if declared.sort.wrap(value) != value {
                return reject("a value does not fit its variable");
            }
            valuation.insert(variable, value);
        }
        let value = |roots: &[_]| evaluate(&system.terms, &valuation, roots);
        if value(&clause.constraint).contains(&0) {
            return reject("the constraint of the clause does not hold");
        }
        if inference.premises.len() != clause.body.len() {
            return reject("the clause has another number of premises");
        }
        for (atom, &premise) in clause.body.iter().zip(&inference.premises) {
            if premise >= step {
                return reject("a premise is not an earlier step");
            }
            let fact = derivation.steps[premise].fact.as_ref();
            let wanted = (atom.predicate, value(&atom.arguments));
            if fact != Some(&wanted) {
                return reject("a premise is another fact");
            }
        }
        let head = clause.head.as_ref();
        let head = head.map(|atom| (atom.predicate, value(&atom.arguments)));
        if head != inference.fact {
            return reject("the clause leads to another fact");
        }
    }
    let last = derivation.steps.last();
    if last.is_some_and(|inference| inference.fact.is_none()) {
        return Ok(());
    }
    let (step, why) = (derivation.steps.len(), "it does not end in a contradiction");
    Err(Rejected { step, why })
}
