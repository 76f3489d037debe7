//! Evaluates bodies with given values of the predicates they read.
//!
//! Each step remembers its last value and the values of the predicates that it was made from; it is
//! evaluated again only if one of those is another now. So what does not depend on what changes is
//! evaluated once, however often the body is.

use crate::encoding::allocation::Allocation;
use crate::encoding::dependency::Dependencies;
use crate::encoding::model::Model;
use crate::encoding::term::PredicateId;
use crate::search::plans::{Plans, ReadyApplication};
use crate::search::product::Product;
use crate::search::program::{Program, Step};
use hardbop_bdd::{Bdd, Exhausted, Manager, Roots};
use hardbop_formula::Cofactor;

/// A value with what it was made from.
#[derive(Clone)]
struct Memo {
    inputs: Vec<Bdd>,
    value: Bdd,
}

/// A body that can be evaluated.
pub(crate) struct Body {
    pub program: Program,
    memos: Vec<Option<Memo>>,
    products: Vec<Option<Product>>,
    applications: Vec<Option<ReadyApplication>>,
    /// Steps that read nothing have been evaluated.
    has_constants: bool,
}

impl Body {
    fn new(program: Program) -> Self {
        let count = program.steps.len();
        Self {
            program,
            memos: vec![None; count],
            products: (0..count).map(|_| None).collect(),
            applications: (0..count).map(|_| None).collect(),
            has_constants: false,
        }
    }
}

/// Values of predicates and of all that is made from them.
pub(crate) struct Evaluator<'a> {
    pub manager: Manager<'a>,
    pub plans: Plans,
    pub bodies: Vec<Body>,
    /// The value of each predicate in the present context.
    pub values: Vec<Bdd>,
    /// Remember nothing: for comparison.
    pub is_forgetful: bool,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        model: &Model,
        dependencies: &Dependencies,
        allocation: &Allocation,
        manager: Manager<'a>,
    ) -> Self {
        let component_of = dependencies.component_numbers(model.predicates.len());
        let program = |id: PredicateId| {
            let changes =
                |read: PredicateId| component_of[read.index()] == component_of[id.index()];
            Program::new(model, allocation, model.predicate(id).body, &changes)
        };
        Self {
            manager,
            plans: Plans::default(),
            bodies: model
                .predicate_ids()
                .map(|id| Body::new(program(id)))
                .collect(),
            values: vec![Bdd::FALSE; model.predicates.len()],
            is_forgetful: false,
        }
    }

    /// The value of a predicate's body.
    pub(crate) fn body(&mut self, predicate: PredicateId) -> Result<Bdd, Exhausted> {
        self.update(predicate, &|_| true)?;
        let body = &self.bodies[predicate.index()];
        Ok(body.value(body.program.root()))
    }

    /// Brings those steps up to date that are chosen and not constant, and all that are.
    pub(crate) fn update(
        &mut self,
        predicate: PredicateId,
        chosen: &dyn Fn(usize) -> bool,
    ) -> Result<(), Exhausted> {
        let at = predicate.index();
        if !self.bodies[at].has_constants {
            for step in 0..self.bodies[at].program.steps.len() {
                if self.bodies[at].program.reads[step].is_empty() {
                    self.refresh(at, step)?;
                }
            }
            let body = &mut self.bodies[at];
            body.has_constants = true;
            for (memo, &kept) in body.memos.iter_mut().zip(&body.program.kept) {
                if !kept {
                    *memo = None;
                }
            }
        }
        for position in 0..self.bodies[at].program.varying.len() {
            let step = self.bodies[at].program.varying[position];
            if chosen(step) {
                self.refresh(at, step)?;
            }
        }
        Ok(())
    }

    fn refresh(&mut self, at: usize, step: usize) -> Result<(), Exhausted> {
        let body = &self.bodies[at];
        let inputs: Vec<Bdd> = body.program.reads[step]
            .iter()
            .map(|read| self.values[read.index()])
            .collect();
        if !self.is_forgetful
            && let Some(memo) = &body.memos[step]
            && memo.inputs == inputs
        {
            return Ok(());
        }
        let value = self.compute(at, step)?;
        self.bodies[at].memos[step] = Some(Memo { inputs, value });
        Ok(())
    }

    fn compute(&mut self, at: usize, step: usize) -> Result<Bdd, Exhausted> {
        let manager = &mut self.manager;
        let body = &mut self.bodies[at];
        match &body.program.steps[step] {
            Step::Constant(value) => Ok(Bdd::constant(*value)),
            Step::Literal(variable) => manager.variable(*variable),
            Step::Not(a) => Ok(!body.value(*a)),
            Step::Sum(parts) => {
                let parts = parts.iter().map(|&part| !body.value(part)).collect();
                Ok(!manager.and_all(parts)?)
            }
            Step::Iff(a, b) => manager.iff(body.value(*a), body.value(*b)),
            Step::Ite(c, a, b) => manager.ite(body.value(*c), body.value(*a), body.value(*b)),
            Step::Cofactor(kind, a, care) => {
                cofactor(manager, *kind, body.value(*a), body.value(*care))
            }
            Step::Apply(application) => {
                let value = self.values[application.predicate.index()];
                let mut others = application.other_gates.iter();
                if others.any(|&gate| body.value(gate).is_false()) {
                    return Ok(Bdd::FALSE);
                }
                let gate = application.gate.map_or(Bdd::TRUE, |gate| body.value(gate));
                self.apply(at, step, value, gate)
            }
            Step::Gate { .. } => self.gate(at, step, &|this, part| this.bodies[at].value(part)),
            Step::Product { parts, quantified } if quantified.is_empty() => {
                let parts = parts.iter().map(|&part| body.value(part)).collect();
                manager.and_upwards(parts)
            }
            Step::Product { parts, quantified } => {
                let memos = &body.memos;
                let value = |part: usize| known(memos, parts[part]);
                let program = &body.program;
                let product = body.products[step].get_or_insert_with(|| {
                    let is_dynamic = |part: usize| program.is_dynamic[part];
                    Product::new(&program.parts(parts, is_dynamic), quantified)
                });
                product.evaluate(manager, &mut self.plans, None, &value)
            }
        }
    }

    /// An application of a predicate with this value, as far as it passes the gate.
    pub(crate) fn apply(
        &mut self,
        at: usize,
        step: usize,
        value: Bdd,
        gate: Bdd,
    ) -> Result<Bdd, Exhausted> {
        let body = &mut self.bodies[at];
        if body.applications[step].is_none()
            && let Step::Apply(application) = &body.program.steps[step]
        {
            let ready = ReadyApplication::new(&mut self.manager, &mut self.plans, application)?;
            body.applications[step] = Some(ready);
        }
        match &mut body.applications[step] {
            Some(ready) => ready.apply(&mut self.manager, value, gate),
            None => Ok(value),
        }
    }

    /// Drops all that is remembered about the body of a predicate.
    pub(crate) fn forget(&mut self, predicate: PredicateId) {
        let body = &mut self.bodies[predicate.index()];
        body.memos.fill(None);
        body.products.iter_mut().for_each(|product| *product = None);
        body.has_constants = false;
    }
}

pub(crate) fn cofactor(
    manager: &mut Manager<'_>,
    kind: Cofactor,
    a: Bdd,
    care: Bdd,
) -> Result<Bdd, Exhausted> {
    match kind {
        Cofactor::Constrain => manager.constrain(a, care),
        Cofactor::Restrict => manager.restrict(a, care),
    }
}

impl Roots for Memo {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        self.inputs.each_root(keep);
        keep(self.value);
    }
}

impl Roots for Body {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        let parts: [&dyn Roots; 3] = [&self.memos, &self.products, &self.applications];
        parts.each_root(keep);
    }
}

impl Body {
    /// The value of a step that is up to date.
    pub(crate) fn value(&self, step: usize) -> Bdd {
        known(&self.memos, step)
    }
}

fn known(memos: &[Option<Memo>], step: usize) -> Bdd {
    let memo = memos[step].as_ref();
    memo.expect("operands are evaluated before their users")
        .value
}
