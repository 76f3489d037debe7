//! Semi-naive evaluation of a positive group: each round looks only at what the last one added.
//!
//! Every step of a body that depends on the group gets a *difference* besides its value. The
//! difference of an application is the news of the relation, that of a disjunction the disjunction
//! of differences, and that of a conjunction of `n` changing parts is `n` conjunctions, each led by
//! the difference of one part (`dA & B | A & dB`); quantifiers commute with that. Where it is not
//! so simple (a universal quantifier, a condition that changes) the step is evaluated in full and
//! compared. What was added is propagated member by member, in an order in which most reads point
//! backwards.

use crate::encoding::dependency::Sign;
use crate::encoding::term::PredicateId;
use crate::search::evaluator::{Evaluator, cofactor};
use crate::search::product::Product;
use crate::search::program::{Application, Program, Step};
use hardbop_bdd::{Bdd, Exhausted, Roots};
use std::collections::BTreeSet;

/// How the difference of a step is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// From the differences of its operands.
    Incremental,
    /// From its old and its new value.
    Recomputed,
}

/// A step that depends on the group.
struct DynamicStep {
    step: usize,
    mode: Mode,
    sign: Sign,
    /// Whether its value is needed besides its difference.
    is_needed_in_full: bool,
    product: Option<Product>,
}

/// A body whose value grows with the relations of a group.
pub(crate) struct DifferenceBody {
    pub predicate: PredicateId,
    steps: Vec<DynamicStep>,
    /// Per step of the program its place among the dynamic ones.
    place: Vec<Option<usize>>,
    /// Values of dynamic steps that are needed in full.
    full: Vec<Bdd>,
}

/// Values and differences of one visit; they count once it has succeeded.
struct Scratch {
    full: Vec<Bdd>,
    difference: Vec<Bdd>,
}

impl DifferenceBody {
    /// The body of `predicate` for news of `members`.
    pub(crate) fn new(
        program: &Program,
        predicate: PredicateId,
        members: &BTreeSet<PredicateId>,
    ) -> Self {
        let mut place: Vec<Option<usize>> = vec![None; program.steps.len()];
        let mut steps: Vec<DynamicStep> = Vec::new();
        for (at, step) in program.steps.iter().enumerate() {
            let is_touched = program.reads[at].iter().any(|read| members.contains(read));
            if !is_touched || !program.is_used[at] {
                continue;
            }
            let (mode, sign) = classify(step, &|operand| place[operand].map(|p| steps[p].sign));
            let product = match step {
                Step::Product { parts, quantified } => {
                    let parts = program.parts(parts, |part| place[part].is_some());
                    Some(Product::new(&parts, quantified))
                }
                _ => None,
            };
            place[at] = Some(steps.len());
            steps.push(DynamicStep {
                step: at,
                mode,
                sign,
                is_needed_in_full: mode == Mode::Recomputed,
                product,
            });
        }
        for user in 0..steps.len() {
            let step = &program.steps[steps[user].step];
            let mut operands = Vec::new();
            step.each_operand(|operand| operands.extend(place[operand]));
            let meets = matches!(step, Step::Product { .. }) && operands.len() > 1;
            if meets || steps[user].mode == Mode::Recomputed {
                for operand in operands {
                    steps[operand].is_needed_in_full = true;
                }
            }
        }
        let full = vec![Bdd::FALSE; steps.len()];
        Self {
            predicate,
            steps,
            place,
            full,
        }
    }

    /// The value of the body with the present values of all relations.
    pub(crate) fn start(&mut self, evaluator: &mut Evaluator<'_>) -> Result<Bdd, Exhausted> {
        let place = &self.place;
        evaluator.update(self.predicate, &|step| place[step].is_none())?;
        let mut full = vec![Bdd::FALSE; self.steps.len()];
        for at in 0..self.steps.len() {
            full[at] = self.value(evaluator, at, &full)?;
        }
        let root = self.root(evaluator, &full);
        self.full = full;
        Ok(root)
    }

    /// What the body gains by the news of relations.
    pub(crate) fn visit(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        news: &[(PredicateId, Bdd)],
    ) -> Result<Bdd, Exhausted> {
        let mut scratch = Scratch {
            full: self.full.clone(),
            difference: vec![Bdd::FALSE; self.steps.len()],
        };
        for at in 0..self.steps.len() {
            match self.steps[at].mode {
                Mode::Incremental => {
                    let difference = self.difference(evaluator, at, news, &scratch)?;
                    scratch.difference[at] = difference;
                    if self.steps[at].is_needed_in_full {
                        scratch.full[at] = evaluator.manager.or(scratch.full[at], difference)?;
                    }
                }
                Mode::Recomputed => {
                    let value = self.value(evaluator, at, &scratch.full)?;
                    let old = std::mem::replace(&mut scratch.full[at], value);
                    if self.steps[at].sign == Sign::Positive {
                        scratch.difference[at] = evaluator.manager.diff(value, old)?;
                    }
                }
            }
        }
        let root = self.root(evaluator, &scratch.difference);
        self.full = scratch.full;
        Ok(root)
    }

    fn root(&self, evaluator: &Evaluator<'_>, of: &[Bdd]) -> Bdd {
        let body = &evaluator.bodies[self.predicate.index()];
        match self.place[body.program.root()] {
            Some(place) => of[place],
            None => body.value(body.program.root()),
        }
    }

    /// The value of a step from the values of its operands.
    fn value(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        at: usize,
        full: &[Bdd],
    ) -> Result<Bdd, Exhausted> {
        let dynamic = &mut self.steps[at];
        let number = self.predicate.index();
        if let Step::Apply(application) = &evaluator.bodies[number].program.steps[dynamic.step] {
            let value = evaluator.values[application.predicate.index()];
            let gate = gate(evaluator, number, application, &self.place, full);
            return evaluator.apply(number, dynamic.step, value, gate);
        }
        if let Step::Gate { .. } = &evaluator.bodies[number].program.steps[dynamic.step] {
            let place = &self.place;
            return evaluator.gate(number, dynamic.step, &|evaluator, part| {
                place[part].map_or_else(|| evaluator.bodies[number].value(part), |p| full[p])
            });
        }
        let body = &evaluator.bodies[number];
        let manager = &mut evaluator.manager;
        let place = &self.place;
        let get = |operand: usize| place[operand].map_or_else(|| body.value(operand), |p| full[p]);
        match &body.program.steps[dynamic.step] {
            Step::Not(a) => Ok(!get(*a)),
            Step::Sum(parts) => Ok(!manager.and_all(parts.iter().map(|&p| !get(p)).collect())?),
            Step::Iff(a, b) => manager.iff(get(*a), get(*b)),
            Step::Ite(c, a, b) => manager.ite(get(*c), get(*a), get(*b)),
            Step::Cofactor(kind, a, care) => cofactor(manager, *kind, get(*a), get(*care)),
            Step::Product { parts, .. } => match &mut dynamic.product {
                Some(product) => {
                    let value = |part: usize| get(parts[part]);
                    product.evaluate(manager, &mut evaluator.plans, None, &value)
                }
                None => manager.and_all(parts.iter().map(|&p| get(p)).collect()),
            },
            Step::Constant(_) | Step::Literal(_) | Step::Apply(_) | Step::Gate { .. } => {
                Ok(get(dynamic.step))
            }
        }
    }

    /// The difference of a step from those of its operands.
    fn difference(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        at: usize,
        news: &[(PredicateId, Bdd)],
        scratch: &Scratch,
    ) -> Result<Bdd, Exhausted> {
        let dynamic = &mut self.steps[at];
        let number = self.predicate.index();
        if let Step::Apply(application) = &evaluator.bodies[number].program.steps[dynamic.step] {
            let read = application.predicate;
            let news = news.iter().find(|(source, _)| *source == read);
            let Some(&(_, news)) = news else {
                return Ok(Bdd::FALSE);
            };
            let gate = gate(evaluator, number, application, &self.place, &scratch.full);
            return evaluator.apply(number, dynamic.step, news, gate);
        }
        let body = &evaluator.bodies[number];
        let manager = &mut evaluator.manager;
        let place = &self.place;
        let change = |operand: usize| place[operand].map_or(Bdd::FALSE, |p| scratch.difference[p]);
        match &body.program.steps[dynamic.step] {
            Step::Sum(parts) => {
                let changes = parts.iter().map(|&part| !change(part)).collect();
                Ok(!manager.and_all(changes)?)
            }
            Step::Ite(c, a, b) => manager.ite(body.value(*c), change(*a), change(*b)),
            Step::Product { parts, .. } => {
                let value = |part: usize| {
                    let step = parts[part];
                    place[step].map_or_else(|| body.value(step), |p| scratch.full[p])
                };
                let product = dynamic.product.as_mut().expect("made with the step");
                let mut sum = Bdd::FALSE;
                for cluster in 0..product.clusters.len() {
                    let part = product.clusters[cluster].parts[0];
                    let news = change(parts[part]);
                    if news.is_false() {
                        continue;
                    }
                    let leader = Some((cluster, news));
                    let one = product.evaluate(manager, &mut evaluator.plans, leader, &value)?;
                    sum = manager.or(sum, one)?;
                }
                Ok(sum)
            }
            _ => unreachable!("other steps are recomputed"),
        }
    }

    /// Drops the values of the last evaluation.
    pub(crate) fn forget(&mut self) {
        self.full.fill(Bdd::FALSE);
        for step in &mut self.steps {
            if let Some(product) = &mut step.product {
                product.forget();
            }
        }
    }

    /// The steps with their modes and products, for explanations.
    pub(crate) fn describe(&self) -> impl Iterator<Item = (usize, Mode, Option<&Product>)> {
        let steps = self.steps.iter();
        steps.map(|step| (step.step, step.mode, step.product.as_ref()))
    }
}

impl Roots for DifferenceBody {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        self.full.each_root(keep);
        for step in &self.steps {
            step.product.each_root(keep);
        }
    }
}

/// The value of the gate of an application.
fn gate(
    evaluator: &Evaluator<'_>,
    number: usize,
    application: &Application,
    place: &[Option<usize>],
    full: &[Bdd],
) -> Bdd {
    let Some(gate) = application.gate else {
        return Bdd::TRUE;
    };
    place[gate].map_or_else(|| evaluator.bodies[number].value(gate), |p| full[p])
}

/// How a step's difference is found, and how the step moves with the group. `sign` gives that of
/// dynamic operands.
fn classify(step: &Step, sign: &dyn Fn(usize) -> Option<Sign>) -> (Mode, Sign) {
    let mut signs: Vec<Sign> = Vec::new();
    step.each_operand(|operand| signs.extend(sign(operand)));
    let joint = signs.iter().copied().reduce(Sign::together);
    let joint = joint.unwrap_or(Sign::Positive);
    match step {
        Step::Not(_) => (Mode::Recomputed, joint.through(Sign::Negative)),
        Step::Iff(..) | Step::Cofactor(..) => (Mode::Recomputed, Sign::Mixed),
        Step::Apply(_) | Step::Gate { .. } if !signs.is_empty() => (Mode::Recomputed, joint),
        Step::Ite(c, ..) if sign(*c).is_some() => (Mode::Recomputed, Sign::Mixed),
        _ if joint == Sign::Positive => (Mode::Incremental, Sign::Positive),
        _ => (Mode::Recomputed, joint),
    }
}
