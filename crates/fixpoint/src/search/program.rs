//! A body as a list of steps, operands first: what is evaluated.
//!
//! A quantifier over a conjunction is one step ([`Step::Product`]), so that the conjunction is
//! never built as such. Each step knows the predicates it reads; a step whose inputs have not
//! changed is not evaluated again.

use crate::encoding::allocation::Allocation;
use crate::encoding::model::Model;
use crate::encoding::term::{Argument, BitId, PredicateId, Term, TermId};
use crate::search::gates;
use crate::search::schedule::Part;
use hardbop_formula::Cofactor;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
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
    Cofactor(Cofactor, usize, usize),
    Apply(Application),
    /// What of an application can matter, see [`crate::search::gates`]: the conjunction of parts, each
    /// projected to some arguments and moved to the parameters.
    Gate {
        parts: Vec<usize>,
        /// Arguments and their parameters.
        kept: Vec<(u32, u32)>,
    },
}

/// The application of a predicate.
#[derive(Clone)]
pub(crate) struct Application {
    pub predicate: PredicateId,
    /// Parameters that have a constant for an argument.
    pub fixed: Vec<(u32, bool)>,
    /// Parameters that have the argument of an earlier one.
    pub equal: Vec<(u32, u32)>,
    /// Parameters whose arguments are elsewhere.
    pub renamed: Vec<(u32, u32)>,
    /// A step over the parameters: tuples that do not satisfy it do not matter.
    pub gate: Option<usize>,
    /// Gates of others in the same conjunction: if nothing passes one of them, nothing here
    /// matters.
    pub other_gates: Vec<usize>,
}

pub(crate) struct Program {
    pub steps: Vec<Step>,
    /// Per step the predicates it reads, in order.
    pub reads: Vec<Rc<[PredicateId]>>,
    /// Per step the BDD variables it may depend on, in order.
    pub support: Vec<Rc<[u32]>>,
    /// Per step whether it reads what changes while the body's own predicate is iterated.
    pub is_dynamic: Vec<bool>,
    /// Per step whether the body needs it. An application that has got a gate is no longer needed
    /// without it.
    pub is_used: Vec<bool>,
    /// Steps that read something; the others are evaluated once.
    pub varying: Vec<usize>,
    /// Steps that read nothing and are used by ones that do, or are the whole body.
    pub kept: Vec<bool>,
}

impl Program {
    /// The steps of a body; `changes` says which predicates change while its own predicate is
    /// iterated.
    pub(crate) fn new(
        model: &Model,
        allocation: &Allocation,
        body: TermId,
        changes: &dyn Fn(PredicateId) -> bool,
    ) -> Self {
        let needed = needed(model, body);
        let mut place: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut program = Program {
            steps: Vec::with_capacity(needed.len()),
            reads: Vec::with_capacity(needed.len()),
            support: Vec::with_capacity(needed.len()),
            is_dynamic: Vec::with_capacity(needed.len()),
            is_used: Vec::new(),
            varying: Vec::new(),
            kept: Vec::new(),
        };
        // Most terms share their set of free bits with an operand.
        let mut supports: FxHashMap<*const BitId, Rc<[u32]>> = FxHashMap::default();
        for &id in &needed {
            let mut step = step(model, allocation, id, &place);
            if let Step::Product { parts, quantified } = &mut step
                && !quantified.is_empty()
            {
                program.add_gates(allocation, parts, changes);
            }
            let free = model.terms.free(id);
            let make = || {
                let levels = free.iter().map(|&bit| allocation.level(bit));
                let mut levels: Vec<u32> = levels.collect();
                levels.sort_unstable();
                levels.into()
            };
            let support = if free.is_empty() {
                Rc::from([])
            } else {
                supports.entry(free.as_ptr()).or_insert_with(make).clone()
            };
            place.insert(id, program.steps.len());
            program.push(step, support, changes);
        }
        program.is_used = program.used();
        program.varying = (0..program.steps.len())
            .filter(|&at| program.is_used[at] && !program.reads[at].is_empty())
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

    fn push(
        &mut self,
        step: Step,
        support: Rc<[u32]>,
        changes: &dyn Fn(PredicateId) -> bool,
    ) -> usize {
        let mut reads: Vec<PredicateId> = Vec::new();
        if let Step::Apply(application) = &step {
            reads.push(application.predicate);
        }
        step.each_operand(|operand| reads.extend(self.reads[operand].iter()));
        reads.sort_unstable();
        reads.dedup();
        self.is_dynamic
            .push(reads.iter().any(|&read| changes(read)));
        self.reads.push(reads.into());
        self.support.push(support);
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// Per step whether the last one needs it.
    fn used(&self) -> Vec<bool> {
        let mut is_used = vec![false; self.steps.len()];
        if let Some(root) = is_used.last_mut() {
            *root = true;
        }
        for at in (0..self.steps.len()).rev() {
            if is_used[at] {
                self.steps[at].each_operand(|operand| is_used[operand] = true);
            }
        }
        is_used
    }

    /// Gives those parts of a product a gate that are applications of what changes.
    fn add_gates(
        &mut self,
        allocation: &Allocation,
        parts: &mut [usize],
        changes: &dyn Fn(PredicateId) -> bool,
    ) {
        let all = parts.to_vec();
        let mut gates: Vec<(usize, usize)> = Vec::new();
        for &part in &all {
            if let Step::Apply(application) = &self.steps[part]
                && changes(application.predicate)
                && let Some(gate) = gates::gate_of(self, allocation, &all, part, application)
            {
                gates.push((part, self.push(gate, Rc::from([]), changes)));
            }
        }
        for part in parts {
            let others = gates.iter().filter(|(gated, _)| gated != part);
            let other_gates: Vec<usize> = others.map(|&(_, gate)| gate).collect();
            let gate = gates.iter().find(|(gated, _)| gated == part);
            if let (Some(&(_, gate)), Step::Apply(application)) = (gate, &self.steps[*part]) {
                let application = Application {
                    gate: Some(gate),
                    other_gates,
                    ..application.clone()
                };
                let support = self.support[*part].clone();
                *part = self.push(Step::Apply(application), support, changes);
            }
        }
    }

    /// The last step is the whole body.
    pub(crate) fn root(&self) -> usize {
        self.steps.len() - 1
    }

    /// The parts of a product, for [`crate::search::schedule`].
    pub(crate) fn parts(&self, parts: &[usize], is_dynamic: impl Fn(usize) -> bool) -> Vec<Part> {
        let part = |&at: &usize| Part {
            support: self.support[at].clone(),
            is_dynamic: is_dynamic(at),
        };
        parts.iter().map(part).collect()
    }
}

impl Step {
    pub(crate) fn each_operand(&self, mut visit: impl FnMut(usize)) {
        match self {
            Step::Constant(_) | Step::Literal(_) => {}
            Step::Apply(application) => {
                let others = application.other_gates.iter().copied();
                application.gate.into_iter().chain(others).for_each(visit);
            }
            Step::Not(a) => visit(*a),
            Step::Sum(parts) | Step::Product { parts, .. } | Step::Gate { parts, .. } => {
                parts.iter().copied().for_each(visit);
            }
            Step::Iff(a, b) | Step::Cofactor(_, a, b) => [*a, *b].into_iter().for_each(visit),
            Step::Ite(c, a, b) => [*c, *a, *b].into_iter().for_each(visit),
        }
    }
}

/// The terms that become steps, operands first. Conjunctions right below a quantifier do not.
fn needed(model: &Model, body: TermId) -> Vec<TermId> {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut found = Vec::new();
    let mut pending = vec![body];
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        found.push(id);
        match model.terms.get(id) {
            Term::Exists(_, operand) => pending.extend(conjuncts(model, *operand)),
            term => term.each_operand(|operand| pending.push(operand)),
        }
    }
    found.sort_unstable();
    found
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
    place: &FxHashMap<TermId, usize>,
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
        Term::Cofactor(kind, a, care) => Step::Cofactor(*kind, place[a], place[care]),
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
        gate: None,
        other_gates: Vec::new(),
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
