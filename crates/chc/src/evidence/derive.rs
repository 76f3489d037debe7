//! A run of the machine as a derivation from the clauses.
//!
//! The run is executed once more, on the locals alone. Where a path arrives at a place, its rule has
//! been applied: the values of the rule's variables are at hand, and each clause that the rule was
//! made of becomes a step. Completed calls are in a table and refer to earlier ones, so each is
//! executed once.

use crate::check::evaluate::{Valuation, evaluate};
use crate::model::{Derivation, Inference};
use crate::normal::{Normal, Premise};
use crate::system::System;
use crate::translate::{EdgeRole, InputSource, Translation};
use hardbop_evidence::{Step, Trace};
use hardbop_machine::expr::Leaf;
use hardbop_machine::{Action, Variable};
use rustc_hash::FxHashMap;

/// The derivation that a run describes; nothing if it does not fit the machine.
pub fn derivation(
    system: &System,
    normal: &Normal,
    translation: &Translation,
    trace: &Trace,
) -> Option<Derivation> {
    let mut derived = Derived {
        system,
        normal,
        translation,
        derivation: Derivation::default(),
        known: FxHashMap::default(),
        returned: Vec::new(),
    };
    for run in &trace.runs {
        let end = derived.execute(run.locals.clone(), &run.steps)?;
        derived.returned.push(end);
    }
    let locals = trace.threads.first()?.locals.clone();
    let steps: Vec<Step> = trace
        .segments
        .iter()
        .flat_map(|segment| segment.steps.clone())
        .collect();
    derived.execute(locals, &steps)?;
    Some(derived.derivation)
}

/// Facts so far.
struct Derived<'s> {
    system: &'s System,
    normal: &'s Normal,
    translation: &'s Translation,
    derivation: Derivation,
    known: FxHashMap<Inference, usize>,
    /// By completed call: the step of its fact, and the values at its exit.
    returned: Vec<(usize, Vec<u64>)>,
}

impl Derived<'_> {
    /// Takes the steps of one procedure; returns the last fact and the locals at the end.
    fn execute(&mut self, mut locals: Vec<u64>, steps: &[Step]) -> Option<(usize, Vec<u64>)> {
        let machine = &self.translation.machine;
        let mut here: Option<usize> = None;
        let mut calls: FxHashMap<usize, usize> = FxHashMap::default();
        for step in steps {
            let (id, inputs, run) = match step {
                Step::Edge { edge, inputs } => (*edge, inputs, None),
                Step::Call { edge, inputs, run } => (*edge, inputs, Some(*run)),
                Step::Enter { .. } | Step::Leave => return None,
            };
            let edge = machine.edges.get(id.index())?;
            let before = locals.clone();
            let eval = |expr| {
                machine.exprs.eval(expr, &mut |leaf| match leaf {
                    Leaf::Var(Variable::Local(local)) => {
                        before.get(local.index()).copied().unwrap_or(0)
                    }
                    Leaf::Input(input) => inputs.get(input.index()).copied().unwrap_or(0),
                    _ => 0,
                })
            };
            match self.translation.roles.get(id.index())? {
                EdgeRole::Arrival {
                    rule,
                    spine,
                    values,
                } => {
                    let mut valuation = Valuation::default();
                    for &(variable, source) in values {
                        let value = match source {
                            InputSource::Local(local) => before.get(local.index()),
                            InputSource::Input(input) => inputs.get(input as usize),
                        };
                        valuation.insert(variable, *value?);
                    }
                    here = Some(self.arrive(*rule, *spine, here, &calls, &valuation)?);
                    calls.clear();
                }
                EdgeRole::Call { atom } => {
                    calls.insert(*atom, self.returned.get(run? as usize)?.0);
                }
                EdgeRole::Between => {}
            }
            match &edge.action {
                Action::Assign { assignments, .. } => {
                    for &(variable, value) in assignments {
                        if let Variable::Local(local) = variable {
                            *locals.get_mut(local.index())? = eval(value);
                        }
                    }
                }
                Action::Call {
                    targets, callee, ..
                } => {
                    let (_, end) = self.returned.get(run? as usize)?;
                    let results = machine.procedure(*callee).results();
                    for (target, result) in targets.iter().zip(results) {
                        if let Some(Variable::Local(local)) = target {
                            *locals.get_mut(local.index())? = *end.get(result.index())?;
                        }
                    }
                }
                Action::Return(values) => {
                    let results = machine.procedure(machine.procedure_of(edge.from)).results();
                    for (&value, result) in values.iter().zip(results) {
                        *locals.get_mut(result.index())? = eval(value);
                    }
                }
                _ => {}
            }
        }
        Some((here?, locals))
    }

    /// Applies a rule: its clauses become steps, premises first.
    fn arrive(
        &mut self,
        rule: usize,
        spine: Option<usize>,
        here: Option<usize>,
        calls: &FxHashMap<usize, usize>,
        valuation: &Valuation,
    ) -> Option<usize> {
        let rule = self.normal.rules.get(rule)?;
        let mut steps = vec![0; rule.origins.len()];
        for (number, origin) in rule.origins.iter().enumerate().rev() {
            let roots: Vec<_> = origin.values.iter().map(|&(_, term)| term).collect();
            let evaluated = evaluate(&self.system.terms, valuation, &roots);
            let values = origin
                .values
                .iter()
                .map(|&(variable, _)| variable)
                .zip(evaluated);
            let values: Vec<_> = values.collect();
            let mut premises = Vec::new();
            for premise in &origin.premises {
                premises.push(match *premise {
                    Premise::Body(atom) if Some(atom) == spine => here?,
                    Premise::Body(atom) => *calls.get(&atom)?,
                    Premise::Origin(origin) => *steps.get(origin)?,
                });
            }
            let own: Valuation = values.iter().copied().collect();
            let head = self.system.clauses.get(origin.clause)?.head.as_ref();
            let fact = head.map(|head| {
                (
                    head.predicate,
                    evaluate(&self.system.terms, &own, &head.arguments),
                )
            });
            let inference = Inference {
                clause: origin.clause,
                values,
                premises,
                fact,
            };
            steps[number] = self.add(inference);
        }
        Some(steps[0])
    }

    fn add(&mut self, inference: Inference) -> usize {
        if let Some(&step) = self.known.get(&inference) {
            return step;
        }
        let step = self.derivation.steps.len();
        self.derivation.steps.push(inference.clone());
        self.known.insert(inference, step);
        step
    }
}
