//! What a formula needs: goals are replaced by smaller ones until tuples are left.
//!
//! A goal that is clear whatever the relations on the path are needs nothing. Otherwise all parts of
//! a conjunction are goals, one part of a disjunction, one value for an `exists`, and for a `forall`
//! each value for which it is not clear. The values of relations, at the round in question, say
//! which part and which value will do.

use super::known::{Evaluation, Input, Known, Scope, Source, scope_of};
use super::rounds::Given;
use super::{Context, Search, Trouble, plain};
use crate::encoding::model::reachable;
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_formula::{Formula, FormulaId, RelationId, VariableId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A step follows from at most this many tuples.
const MAX_PREMISES: usize = 256;

/// Something that has to come out as wanted, with what is known of it and of its parts: at the
/// least, and with the values of all relations.
struct Goal {
    formula: FormulaId,
    wanted: bool,
    frame: Rc<Frame>,
}

struct Frame {
    scope: Scope,
    blank: BTreeMap<FormulaId, Known>,
    exact: BTreeMap<FormulaId, Known>,
}

/// What a goal came to.
#[derive(Default)]
pub(super) struct Findings {
    pub premises: Vec<usize>,
    pub chosen: BTreeMap<VariableId, Vec<bool>>,
}

impl<'a> Search<'_, 'a, '_> {
    /// Evaluates a formula and its parts.
    fn frame(
        &mut self,
        evaluation: &mut Evaluation<'_, 'a>,
        formula: FormulaId,
        scope: Scope,
        given: &Given,
    ) -> Result<Rc<Frame>, Trouble> {
        let mut sources = self.sources(formula, given)?;
        let solver = &self.rounds.iteration.evaluator.manager;
        let is_step = &self.marks.is_step;
        let mut blank = |relation: RelationId| {
            if is_step[relation.0 as usize] {
                return Ok(Source::Nothing);
            }
            Ok(sources.get(&relation).map_or(Source::Body, plain))
        };
        let blank = evaluation.evaluate(formula, &scope, solver, &mut blank, 0)?;
        sources.retain(|_, source| matches!(source, Source::Value(..)));
        let mut exact =
            |relation: RelationId| Ok(sources.get(&relation).map_or(Source::Body, plain));
        let exact = evaluation.evaluate(formula, &scope, solver, &mut exact, 0)?;
        Ok(Rc::new(Frame {
            scope,
            blank,
            exact,
        }))
    }

    /// What is known of all relations that a formula reads, through abbreviations.
    pub(super) fn sources(
        &mut self,
        formula: FormulaId,
        given: &Given,
    ) -> Result<BTreeMap<RelationId, Source<'static>>, Trouble> {
        let mut sources = BTreeMap::new();
        let mut pending = vec![formula];
        while let Some(formula) = pending.pop() {
            for id in reachable(self.system, &[formula]) {
                let Formula::Apply(read, _) = self.system.formula(id) else {
                    continue;
                };
                if sources.contains_key(read) {
                    continue;
                }
                let source = self.exactly(*read, given)?;
                if matches!(source, Source::Body) {
                    pending.push(self.system.relation(*read).body);
                }
                sources.insert(*read, source);
            }
        }
        Ok(sources)
    }

    /// Finds tuples that make formulas come out as wanted.
    pub(super) fn expand(
        &mut self,
        parts: &[(FormulaId, bool)],
        scope: &Scope,
        context: &Context,
    ) -> Result<Findings, Trouble> {
        let given = self.given(context);
        let levels = self.levels;
        let mut evaluation = Evaluation {
            system: self.system,
            levels,
            manager: (self.manager)(),
        };
        let mut findings = Findings::default();
        self.work_off(
            &mut evaluation,
            parts,
            scope,
            context,
            &given,
            &mut findings,
        )?;
        Ok(findings)
    }

    fn work_off(
        &mut self,
        evaluation: &mut Evaluation<'_, 'a>,
        parts: &[(FormulaId, bool)],
        scope: &Scope,
        context: &Context,
        given: &Given,
        findings: &mut Findings,
    ) -> Result<(), Trouble> {
        let mut goals = Vec::new();
        for &(formula, wanted) in parts.iter().rev() {
            let frame = self.frame(evaluation, formula, scope.clone(), given)?;
            goals.push(Goal {
                formula,
                wanted,
                frame,
            });
        }
        while let Some(goal) = goals.pop() {
            let is_clear = goal.frame.blank[&goal.formula].is(goal.wanted);
            if is_clear && !self.marks.chooses[goal.formula.0 as usize] {
                continue;
            }
            if !goal.frame.exact[&goal.formula].is(goal.wanted) {
                let why = "a cofactor is used where its condition does not hold".to_owned();
                return Err(Trouble::Refused(why));
            }
            let first = goals.len();
            self.one(evaluation, &goal, context, given, findings, &mut goals)?;
            goals[first..].reverse();
            if findings.premises.len() > MAX_PREMISES || goals.len() - first > MAX_PREMISES {
                let why = format!("one step follows from more than {MAX_PREMISES} tuples");
                return Err(Trouble::Refused(why));
            }
        }
        Ok(())
    }

    /// Replaces a goal by others, or by a tuple.
    fn one(
        &mut self,
        evaluation: &mut Evaluation<'_, 'a>,
        goal: &Goal,
        context: &Context,
        given: &Given,
        findings: &mut Findings,
        goals: &mut Vec<Goal>,
    ) -> Result<(), Trouble> {
        let Goal {
            formula,
            wanted,
            frame,
        } = goal;
        let wanted = *wanted;
        let mut push = |formula: FormulaId, wanted: bool| {
            goals.push(Goal {
                formula,
                wanted,
                frame: frame.clone(),
            });
        };
        let is = |part: FormulaId, value: bool| frame.exact[&part].is(value);
        match (self.system.formula(*formula), wanted) {
            (Formula::Constant(_) | Formula::Bit(..), _) => {}
            (Formula::Not(a), _) => push(*a, !wanted),
            (Formula::And(all), true) | (Formula::Or(all), false) => {
                for &part in all {
                    push(part, wanted);
                }
            }
            (Formula::And(some), false) | (Formula::Or(some), true) => {
                let is_clear = |part: &&FormulaId| frame.blank[part].is(wanted);
                let clear = some.iter().find(is_clear);
                let part = clear.or_else(|| some.iter().find(|&&part| is(part, wanted)));
                if let Some(&part) = part {
                    push(part, wanted);
                }
            }
            (Formula::Iff(a, b), _) => {
                let value = is(*a, true);
                push(*a, value);
                push(*b, value == wanted);
            }
            (Formula::Ite(c, a, b), _) => {
                let value = is(*c, true);
                push(*c, value);
                push(if value { *a } else { *b }, wanted);
            }
            (Formula::Cofactor(_, a, care), _) => {
                push(*care, true);
                push(*a, wanted);
            }
            (Formula::Exists(bound, a), true) | (Formula::Forall(bound, a), false) => {
                let blank = frame.blank[a].of(wanted);
                let exact = frame.exact[a].of(wanted);
                let from = if blank.is_false() { exact } else { blank };
                if let Some(values) = evaluation.pick(from, bound) {
                    for (&variable, bits) in &values {
                        let bits = bits.iter().map(|&bit| bit == Input::Constant(true));
                        let chosen = findings.chosen.entry(variable);
                        chosen.or_insert_with(|| bits.collect());
                    }
                    self.below(evaluation, *a, wanted, frame, values, given, goals)?;
                }
            }
            (Formula::Exists(bound, a), false) | (Formula::Forall(bound, a), true) => {
                let mut missing = !frame.blank[a].of(wanted);
                for _ in 0..=MAX_PREMISES {
                    let Some(values) = evaluation.pick(missing, bound) else {
                        break;
                    };
                    missing = without(evaluation, missing, &values)?;
                    self.below(evaluation, *a, wanted, frame, values, given, goals)?;
                }
            }
            (Formula::Apply(relation, arguments), _) => {
                let inputs = evaluation.inputs(&frame.scope, arguments);
                if self.marks.is_step[relation.0 as usize] {
                    let tuple = inputs.iter().map(|&bit| bit == Input::Constant(true));
                    let node = self.node(*relation, tuple.collect(), wanted, context)?;
                    if !findings.premises.contains(&node) {
                        findings.premises.push(node);
                    }
                } else {
                    let scope = scope_of(self.system, *relation, &inputs);
                    let formula = self.system.relation(*relation).body;
                    let frame = self.frame(evaluation, formula, scope, given)?;
                    goals.push(Goal {
                        formula,
                        wanted,
                        frame,
                    });
                }
            }
        }
        Ok(())
    }

    /// A goal below a quantifier whose variables have got values.
    #[allow(
        clippy::too_many_arguments,
        reason = "it stands for two closures that would borrow the same things"
    )]
    fn below(
        &mut self,
        evaluation: &mut Evaluation<'_, 'a>,
        formula: FormulaId,
        wanted: bool,
        frame: &Frame,
        values: Scope,
        given: &Given,
        goals: &mut Vec<Goal>,
    ) -> Result<(), Trouble> {
        let mut scope = frame.scope.clone();
        scope.extend(values);
        let frame = self.frame(evaluation, formula, scope, given)?;
        goals.push(Goal {
            formula,
            wanted,
            frame,
        });
        Ok(())
    }
}

/// A function without one assignment of some variables.
fn without(
    evaluation: &mut Evaluation<'_, '_>,
    function: Bdd,
    values: &Scope,
) -> Result<Bdd, Exhausted> {
    let mut parts = Vec::new();
    for (&variable, bits) in values {
        for (bit, &input) in bits.iter().enumerate() {
            let level = evaluation.levels.own(variable, bit as u32);
            let literal = evaluation.manager.variable(level)?;
            let is_set = input == Input::Constant(true);
            parts.push(if is_set { literal } else { !literal });
        }
    }
    let here = evaluation.manager.and_all(parts)?;
    evaluation.manager.diff(function, here)
}
