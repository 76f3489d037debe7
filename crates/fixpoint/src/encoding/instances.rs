//! Instances of abbreviations whose arguments stand in another order than their parameters.
//!
//! An application is a renaming, and one that keeps the order of the BDD variables is cheap. One
//! that does not takes the diagram apart and puts it together again, which can take far more work
//! than the abbreviation itself: one cell of a ring, written once, is applied to each pair of
//! neighbours. Such an application gets a relation of its own, with the arguments for parameters and
//! the body said of them. That is found out with one allocation of BDD variables. Another one makes
//! room for the instances, and puts everything in the same order as the first.
//!
//! Only abbreviations that read no fixed point have instances, and only small ones: a relation of a
//! whole program is renamed sooner than it is evaluated again.

use crate::encoding::allocation::Allocation;
use crate::encoding::dependency::Dependencies;
use crate::encoding::model::{Model, Predicate};
use crate::encoding::scope;
use crate::encoding::term::{Argument, BitId, PredicateId, Term, TermId};
use std::collections::BTreeMap;

/// Abbreviations made of more terms have no instances.
const MAX_TERMS: usize = 2000;
/// With fewer parameters a renaming costs next to nothing, whatever it does to the order.
const MIN_BITS: usize = 16;

/// Makes all instances that are worth it; whether there are any.
pub(crate) fn instantiate(
    model: &mut Model,
    dependencies: &Dependencies,
    allocation: &Allocation,
) -> bool {
    let is_candidate = candidates(model, dependencies);
    let bodies_before = model.bodies_for_order();
    let mut made: BTreeMap<TermId, TermId> = BTreeMap::new();
    for reader in model.predicate_ids() {
        let mut reads = dependencies.reads(reader).iter();
        if !reads.any(|(read, _)| is_candidate[read.index()]) {
            continue;
        }
        let body = model.predicate(reader).body;
        let mut new: BTreeMap<TermId, TermId> = BTreeMap::new();
        for id in model.terms.reachable([body]) {
            let term = model.terms.get(id).clone();
            let replaced = match &term {
                Term::Apply(read, arguments) if is_candidate[read.index()] => match made.get(&id) {
                    Some(&known) => known,
                    None => {
                        let instance = instance(model, allocation, *read, arguments);
                        *made.entry(id).or_insert(instance.unwrap_or(id))
                    }
                },
                term => model.terms.rebuilt(id, term, &new),
            };
            new.insert(id, replaced);
        }
        model.predicates[reader.index()].body = new[&body];
    }
    let mut made = made.iter();
    let has_instances = made.any(|(application, instance)| application != instance);
    if has_instances {
        model.bodies_before = bodies_before;
    }
    has_instances
}

/// Per predicate whether it may have instances.
fn candidates(model: &Model, dependencies: &Dependencies) -> Vec<bool> {
    let everyone: Vec<PredicateId> = model.predicate_ids().collect();
    let mut is_closed = vec![false; everyone.len()];
    let mut is_candidate = vec![false; everyone.len()];
    for id in dependencies.components(&everyone).into_iter().flatten() {
        let predicate = model.predicate(id);
        let mut reads = dependencies.reads(id).iter();
        // What is read comes first; a member of a cycle reads something that is not known yet.
        if predicate.is_fixed_point || !reads.all(|(read, _)| is_closed[read.index()]) {
            continue;
        }
        is_closed[id.index()] = true;
        is_candidate[id.index()] = predicate.parameters.len() >= MIN_BITS
            && model.terms.reachable([predicate.body]).len() <= MAX_TERMS
            && model.terms.bits_of_cofactors(&[predicate.body]).is_empty();
    }
    is_candidate
}

/// The application of a new relation in the place of a renaming that would not keep the order.
fn instance(
    model: &mut Model,
    allocation: &Allocation,
    read: PredicateId,
    arguments: &[Argument],
) -> Option<TermId> {
    let bits = arguments.iter().map(|argument| match argument {
        Argument::Bit(bit) => Some(*bit),
        Argument::Constant(_) => None,
    });
    let bits: Vec<BitId> = bits.collect::<Option<_>>()?;
    let predicate = model.predicate(read);
    let pairs = predicate.parameters.iter().copied().zip(bits.clone());
    let levels = pairs.clone();
    let mut levels: Vec<(u32, u32)> = levels
        .filter_map(|(parameter, argument)| {
            Some((allocation.find(parameter)?, allocation.find(argument)?))
        })
        .collect();
    levels.sort_unstable();
    let mut neighbours = levels.windows(2);
    if neighbours.all(|pair| pair[0].1 < pair[1].1) {
        return None;
    }
    let mut parameters = bits;
    parameters.sort_unstable();
    if parameters.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let replaced: BTreeMap<BitId, Argument> = pairs
        .map(|(parameter, argument)| (parameter, Argument::Bit(argument)))
        .collect();
    let (name, body) = (predicate.name.clone(), predicate.body);
    let body = scope::substitute(&mut model.terms, body, &replaced);
    let id = PredicateId(model.predicates.len() as u32);
    let own = parameters.iter().map(|&bit| Argument::Bit(bit)).collect();
    model.predicates.push(Predicate {
        name: format!("{name} of others"),
        parameters,
        body,
        is_fixed_point: false,
        is_complemented: false,
    });
    Some(model.terms.apply(id, own))
}
