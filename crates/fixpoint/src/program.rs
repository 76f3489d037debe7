//! A body as a list of steps, operands first: what is evaluated.
//!
//! A quantifier over a conjunction is one step ([`Step::Product`]), so that the conjunction is never built as such. Each step knows the
//! predicates it reads; a step whose inputs have not changed is not evaluated again.

use crate::allocation::Allocation;
use crate::model::Model;
use crate::schedule::Part;
use crate::term::{Argument, PredicateId, Term, TermId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// One step. Operands are earlier steps.
pub(crate) enum Step {
    Constant(bool),
    /// A BDD variable.
    Literal(u32),
    Not(usize),
    Sum(Vec<usize>),
    Product {
        parts: Vec<usize>,
        /// In order.
        quantified: Vec<u32>,
    },
    Iff(usize, usize),
    Ite(usize, usize, usize),
    Apply(Application),
}

/// The application of a predicate.
pub(crate) struct Application {
    pub predicate: PredicateId,
    /// Parameters that have a constant for an argument.
    pub fixed: Vec<(u32, bool)>,
    /// Parameters that have the argument of an earlier one.
    pub equal: Vec<(u32, u32)>,
    /// Parameters whose arguments are elsewhere.
    pub renamed: Vec<(u32, u32)>,
}

pub(crate) struct Program {
    pub steps: Vec<Step>,
    /// Per step the predicates it reads, in order.
    pub reads: Vec<Rc<[PredicateId]>>,
    /// Per step the BDD variables it may depend on, in order.
    pub support: Vec<Rc<[u32]>>,
    /// Steps that read something; the others are evaluated once.
    pub varying: Vec<usize>,
    /// Steps that read nothing and are used by ones that do, or are the whole body.
    pub kept: Vec<bool>,
}

impl Program {
    pub fn new(model: &Model, allocation: &Allocation, body: TermId) -> Self {
        let needed = needed(model, body);
        let place: BTreeMap<TermId, usize> = needed.iter().copied().zip(0..).collect();
        let mut program = Program {
            steps: Vec::with_capacity(needed.len()),
            reads: Vec::with_capacity(needed.len()),
            support: Vec::with_capacity(needed.len()),
            varying: Vec::new(),
            kept: Vec::new(),
        };
        let mut supports: BTreeMap<Vec<u32>, Rc<[u32]>> = BTreeMap::new();
        for &id in &needed {
            let step = step(model, allocation, id, &place);
            let mut reads: BTreeSet<PredicateId> = BTreeSet::new();
            if let Step::Apply(application) = &step {
                reads.insert(application.predicate);
            }
            step.each_operand(|operand| reads.extend(program.reads[operand].iter()));
            let mut support: Vec<u32> = model
                .terms
                .free(id)
                .iter()
                .map(|&bit| allocation.level(bit))
                .collect();
            support.sort_unstable();
            let shared = supports
                .entry(support)
                .or_insert_with_key(|key| key[..].into());
            program.support.push(shared.clone());
            program.reads.push(reads.into_iter().collect());
            program.steps.push(step);
        }
        program.varying = (0..program.steps.len())
            .filter(|&at| !program.reads[at].is_empty())
            .collect();
        let mut kept = vec![false; program.steps.len()];
        if let Some(root) = kept.last_mut() {
            *root = true;
        }
        for &at in &program.varying {
            program.steps[at].each_operand(|operand| kept[operand] = true);
        }
        program.kept = kept;
        program
    }

    /// The last step is the whole body.
    pub fn root(&self) -> usize {
        self.steps.len() - 1
    }

    /// The parts of a product, for [`crate::schedule`].
    pub fn parts(&self, parts: &[usize], is_dynamic: impl Fn(usize) -> bool) -> Vec<Part> {
        let part = |&at: &usize| Part {
            support: self.support[at].clone(),
            is_dynamic: is_dynamic(at),
        };
        parts.iter().map(part).collect()
    }
}

impl Step {
    pub fn each_operand(&self, mut visit: impl FnMut(usize)) {
        match self {
            Step::Constant(_) | Step::Literal(_) | Step::Apply(_) => {}
            Step::Not(a) => visit(*a),
            Step::Sum(parts) | Step::Product { parts, .. } => parts.iter().copied().for_each(visit),
            Step::Iff(a, b) => [*a, *b].into_iter().for_each(visit),
            Step::Ite(c, a, b) => [*c, *a, *b].into_iter().for_each(visit),
        }
    }
}

/// The terms that become steps, operands first. Conjunctions right below a quantifier do not.
fn needed(model: &Model, body: TermId) -> Vec<TermId> {
    let mut seen: BTreeSet<TermId> = BTreeSet::new();
    let mut pending = vec![body];
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        match model.terms.get(id) {
            Term::Exists(_, operand) => pending.extend(conjuncts(model, *operand)),
            term => term.each_operand(|operand| pending.push(operand)),
        }
    }
    seen.into_iter().collect()
}

fn conjuncts(model: &Model, id: TermId) -> Vec<TermId> {
    match model.terms.get(id) {
        Term::And(parts) => parts.clone(),
        _ => vec![id],
    }
}

fn step(
    model: &Model,
    allocation: &Allocation,
    id: TermId,
    place: &BTreeMap<TermId, usize>,
) -> Step {
    let places = |parts: &[TermId]| parts.iter().map(|part| place[part]).collect();
    match model.terms.get(id) {
        Term::Constant(value) => Step::Constant(*value),
        Term::Bit(bit) => Step::Literal(allocation.level(*bit)),
        Term::Not(a) => Step::Not(place[a]),
        Term::And(parts) => Step::Product {
            parts: places(parts),
            quantified: Vec::new(),
        },
        Term::Or(parts) => Step::Sum(places(parts)),
        Term::Iff(a, b) => Step::Iff(place[a], place[b]),
        Term::Ite(c, a, b) => Step::Ite(place[c], place[a], place[b]),
        Term::Exists(bits, operand) => {
            let mut quantified: Vec<u32> = bits.iter().map(|&bit| allocation.level(bit)).collect();
            quantified.sort_unstable();
            Step::Product {
                parts: places(&conjuncts(model, *operand)),
                quantified,
            }
        }
        Term::Apply(predicate, arguments) => {
            Step::Apply(application(model, allocation, *predicate, arguments))
        }
    }
}

fn application(
    model: &Model,
    allocation: &Allocation,
    predicate: PredicateId,
    arguments: &[Argument],
) -> Application {
    let mut result = Application {
        predicate,
        fixed: Vec::new(),
        equal: Vec::new(),
        renamed: Vec::new(),
    };
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    let parameters = &model.predicate(predicate).parameters;
    for (&parameter, argument) in parameters.iter().zip(arguments) {
        let parameter = allocation.level(parameter);
        match *argument {
            Argument::Constant(value) => result.fixed.push((parameter, value)),
            Argument::Bit(bit) => {
                let target = allocation.level(bit);
                match taken.get(&target) {
                    Some(&earlier) => result.equal.push((parameter, earlier)),
                    None => {
                        taken.insert(target, parameter);
                        if target != parameter {
                            result.renamed.push((parameter, target));
                        }
                    }
                }
            }
        }
    }
    result
}
