//! A certificate of the machine as a model of the clauses.
//!
//! Forward, the relation at a place is a superset of the reachable arguments that every rule keeps.
//! All locals besides the arguments are zero there, and so may be the arbitrary values with which
//! the procedure began: the relation with zeros for them is a model. A predicate with places in
//! several procedures has to satisfy all of them, but for procedures that are never entered: about
//! those a certificate says nothing, and no rule gets as far as their call. Backward, the relation of a place of `main` holds
//! where a contradiction can be reached, so its complement is a model, as long as `main` calls
//! nothing.

use crate::model::{Interpretation, Model};
use crate::normal::{Fate, Normal};
use crate::substitute::{Substitution, substitute};
use crate::system::System;
use crate::terms::{Op, PredicateId, Sort, TermId, Terms, VarId};
use crate::translate::{PredicatePlace, Translation};
use hardbop_evidence::Certificate;
use hardbop_evidence::certificate::{Bit, Direction, Formula};
use hardbop_machine::{LocalId, NodeId, Variable};
use rustc_hash::FxHashMap;

/// The model that a certificate describes; nothing if it is of a kind that describes none.
pub fn model(
    system: &mut System,
    normal: &Normal,
    translation: &Translation,
    certificate: &Certificate,
) -> Option<Model> {
    let is_backward = match certificate.direction {
        Direction::Forward => false,
        Direction::Backward if translation.goals.len() == 1 => true,
        Direction::Backward | Direction::Interleaved | Direction::Stacks | Direction::Unrolled => {
            return None;
        }
    };
    let mut definitions = Vec::new();
    for (predicate, &fate) in system.predicates.iter().zip(&normal.fates) {
        let terms = &mut system.terms;
        let sorts = predicate.sorts.iter();
        let parameters = sorts.map(|&sort| terms.variable("x", sort)).collect();
        let formula = terms.truth(fate != Fate::Underivable);
        definitions.push(Interpretation {
            parameters,
            formula,
        });
    }
    let machine = &translation.machine;
    for place in &translation.places {
        let entry = machine.procedure(machine.procedure_of(place.node)).entry;
        if !is_backward && !is_entered(&mut system.terms, certificate, entry)? {
            continue;
        }
        let definition = &mut definitions[place.predicate.index()];
        let terms = &mut system.terms;
        let mut formula = match relation(certificate, place.node) {
            Some(root) => formula(terms, certificate, root, place, &definition.parameters)?,
            None => terms.truth(false),
        };
        if is_backward {
            formula = negated(terms, formula);
        }
        let both = [definition.formula, formula];
        definition.formula = junction(terms, &both, true);
    }
    for inlined in normal.inlined.iter().rev() {
        let mut cases = Vec::new();
        for (atoms, guards) in &inlined.cases {
            let mut parts = guards.clone();
            for atom in atoms {
                let definition = &definitions[atom.predicate.index()];
                let pairs = definition.parameters.iter().zip(&atom.arguments);
                let values: Substitution = pairs.map(|(&p, &a)| (p, a)).collect();
                let terms = &mut system.terms;
                parts.extend(substitute(terms, &values, &[definition.formula]));
            }
            cases.push(junction(&mut system.terms, &parts, true));
        }
        let definition = &mut definitions[inlined.predicate.index()];
        definition.parameters.clone_from(&inlined.parameters);
        definition.formula = junction(&mut system.terms, &cases, false);
    }
    Some(Model { definitions })
}

/// The relation of a node, an index into the formulas.
fn relation(certificate: &Certificate, node: NodeId) -> Option<usize> {
    let found = certificate
        .nodes
        .binary_search_by_key(&node, |one| one.node);
    Some(certificate.nodes[found.ok()?].relation as usize)
}

/// Whether a procedure may be entered with all locals zero.
fn is_entered(terms: &mut Terms, certificate: &Certificate, entry: NodeId) -> Option<bool> {
    let Some(root) = relation(certificate, entry) else {
        return Some(false);
    };
    let nothing = PredicatePlace {
        predicate: PredicateId(0),
        node: entry,
        registers: Vec::new(),
    };
    let formula = formula(terms, certificate, root, &nothing, &[])?;
    value(terms, formula)
}

/// A formula of a certificate over the arguments of a place.
fn formula(
    terms: &mut Terms,
    certificate: &Certificate,
    root: usize,
    place: &PredicatePlace,
    parameters: &[VarId],
) -> Option<TermId> {
    let registers = place
        .registers
        .iter()
        .copied()
        .zip(parameters.iter().copied());
    let registers: FxHashMap<LocalId, VarId> = registers.collect();
    let needed = needed(certificate, root)?;
    let mut translated: FxHashMap<usize, TermId> = FxHashMap::default();
    for index in needed {
        let at = |operand: &u32| translated.get(&(*operand as usize)).copied();
        let term = match &certificate.formulas[index] {
            Formula::Constant(value) => terms.truth(*value),
            Formula::Entry(_) => terms.truth(false),
            Formula::Now(bit) => bit_of(terms, &registers, bit),
            Formula::Not(operand) => {
                let operand = at(operand)?;
                negated(terms, operand)
            }
            Formula::And(operands) => {
                let operands = operands.iter().map(at).collect::<Option<Vec<_>>>()?;
                junction(terms, &operands, true)
            }
            Formula::Or(operands) => {
                let operands = operands.iter().map(at).collect::<Option<Vec<_>>>()?;
                junction(terms, &operands, false)
            }
            Formula::Ite(condition, a, b) => {
                let (condition, a, b) = (at(condition)?, at(a)?, at(b)?);
                choice(terms, condition, a, b)
            }
            Formula::Exit(_) | Formula::Thread(_) => return None,
        };
        translated.insert(index, term);
    }
    translated.get(&root).copied()
}

/// The formulas that a formula is made of, operands first.
fn needed(certificate: &Certificate, root: usize) -> Option<Vec<usize>> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut pending = vec![root];
    while let Some(index) = pending.pop() {
        if seen.contains(&index) {
            continue;
        }
        let operands: Vec<u32> = match certificate.formulas.get(index)? {
            Formula::Not(operand) => vec![*operand],
            Formula::And(operands) | Formula::Or(operands) => operands.clone(),
            Formula::Ite(c, a, b) => vec![*c, *a, *b],
            _ => Vec::new(),
        };
        pending.extend(operands.into_iter().map(|operand| operand as usize));
        seen.insert(index);
    }
    let mut needed: Vec<usize> = seen.into_iter().collect();
    needed.sort_unstable();
    Some(needed)
}

/// A bit of an argument as a Boolean; zero for any other local.
fn bit_of(terms: &mut Terms, registers: &FxHashMap<LocalId, VarId>, bit: &Bit) -> TermId {
    let parameter = match bit.variable {
        Variable::Local(local) => registers.get(&local).copied(),
        Variable::Global(_) => None,
    };
    let Some(parameter) = parameter else {
        return terms.truth(false);
    };
    let variable = terms.var(parameter);
    match terms.sort(variable) {
        Sort::Bool => variable,
        Sort::Word(width) if bit.bit < u32::from(width) => {
            let one = terms.constant(1, Sort::Word(1));
            let position = bit.bit as u8;
            let sort = Sort::Word(1);
            let extracted = terms.apply(Op::Extract(position, position), &[variable], sort);
            terms.equal(extracted, one)
        }
        Sort::Word(_) => terms.truth(false),
    }
}

fn value(terms: &Terms, id: TermId) -> Option<bool> {
    match terms.get(id) {
        crate::terms::Term::Constant(value) => Some(*value == 1),
        _ => None,
    }
}

fn negated(terms: &mut Terms, operand: TermId) -> TermId {
    match (value(terms, operand), terms.get(operand)) {
        (Some(value), _) => terms.truth(!value),
        (None, crate::terms::Term::Apply(Op::Not, operands)) => operands[0],
        _ => terms.not(operand),
    }
}

fn choice(terms: &mut Terms, condition: TermId, a: TermId, b: TermId) -> TermId {
    let denied = negated(terms, condition);
    match (value(terms, condition), value(terms, a), value(terms, b)) {
        (Some(true), _, _) => a,
        (Some(false), _, _) => b,
        (_, Some(true), _) => junction(terms, &[condition, b], false),
        (_, Some(false), _) => junction(terms, &[denied, b], true),
        (_, _, Some(true)) => junction(terms, &[denied, a], false),
        (_, _, Some(false)) => junction(terms, &[condition, a], true),
        _ if a == b => a,
        _ => terms.apply(Op::Ite, &[condition, a, b], Sort::Bool),
    }
}

/// A conjunction or a disjunction without constants.
fn junction(terms: &mut Terms, operands: &[TermId], is_and: bool) -> TermId {
    let mut parts = Vec::new();
    for &operand in operands {
        match value(terms, operand) {
            Some(value) if value == is_and => {}
            Some(value) => return terms.truth(value),
            None if parts.contains(&operand) => {}
            None => parts.push(operand),
        }
    }
    if is_and {
        terms.and(&parts)
    } else {
        terms.or(&parts)
    }
}
