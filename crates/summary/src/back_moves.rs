//! What an edge does to a relation when followed against its direction.
//!
//! Backward, an assigned bit matters only if the relation speaks of it. So a step keeps its
//! conjuncts apart and uses just those that the relation at hand needs; the others would be
//! quantified away again. That is what makes a search from the targets blind to the hundred
//! variables that do not decide the question.

use crate::calls::parameters;
use crate::space::Copy;
use crate::transfer::Compiler;
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan};
use hardbop_machine::bits::BitView;
use hardbop_machine::{EdgeId, ProcId, Variable};
use hardbop_symbolic::{Plans, QUANTIFY};
use std::rc::Rc;

/// "This variable gets that value": the variable is `Next` of an assigned bit or `Argument` of a
/// parameter.
#[derive(Clone, Copy, Debug)]
struct Gets {
    variable: u32,
    relation: Bdd,
}

/// A step against its direction.
#[derive(Clone, Debug)]
pub struct BackStep {
    /// From `Now` to `Next` for the assigned bits; nothing if none is.
    rename: Option<Rc<Plan>>,
    values: Vec<Gets>,
    /// Guard and constrain: always needed.
    conditions: Vec<Bdd>,
    /// The first choice variable.
    choices_from: u32,
}

/// A call against its direction.
#[derive(Clone, Debug)]
pub struct BackCall {
    /// The procedure that is called.
    pub callee: ProcId,
    /// From the relation after the call to what is wanted of the callee: outputs in `Next`.
    pub want: Rc<Plan>,
    /// From that to exit states of the callee.
    pub demand: Rc<Plan>,
    /// From the product of what is wanted and the callee's summary to the caller's state before the
    /// call, with arguments.
    pub meet: Rc<Plan>,
    /// Guard and arguments.
    pub arguments: BackStep,
}

impl BackStep {
    /// The relation before the step, given the one after it.
    pub fn before(
        &self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        after: Bdd,
    ) -> Result<Bdd, Exhausted> {
        let mut relation = match &self.rename {
            Some(plan) => manager.project(after, plan)?,
            None => after,
        };
        if relation.is_false() {
            return Ok(relation);
        }
        // Conditions first: they may need values, and their choices may be shared with values.
        for &condition in &self.conditions {
            relation = manager.and(relation, condition)?;
        }
        if relation.is_false() || (self.values.is_empty() && self.conditions.is_empty()) {
            return Ok(relation);
        }
        let support = manager.support(relation);
        for gets in &self.values {
            if support.contains(&gets.variable) {
                let plan = plans.get(manager, vec![(gets.variable, QUANTIFY)]);
                relation = manager.relprod(relation, gets.relation, &plan)?;
            }
        }
        let choices = manager.support(relation).split_off(&self.choices_from);
        if !choices.is_empty() {
            let actions = choices.into_iter().map(|choice| (choice, QUANTIFY));
            let plan = plans.get(manager, actions.collect());
            relation = manager.project(relation, &plan)?;
        }
        Ok(relation)
    }

    /// BDDs to keep.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        let values = self.values.iter().map(|gets| gets.relation);
        values.chain(self.conditions.iter().copied())
    }
}

impl Compiler<'_> {
    /// Compiles an edge that is no call.
    pub fn back_step(
        &self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        view: &mut BitView<'_>,
        edge: EdgeId,
    ) -> Result<BackStep, Exhausted> {
        let procedure = self.procedure_of(edge);
        let bits = view.edge(edge);
        let mut conjuncts = self.effects(manager, view.graph(), edge, &bits, &|_| true)?;
        // `effects` gives the guard, one conjunct per visible assigned bit, and the constrain
        // clause, in this order.
        let constrain = conjuncts.pop().unwrap_or(Bdd::TRUE);
        let guard = conjuncts.remove(0);
        let assigned = bits
            .assignments
            .iter()
            .filter(|a| (self.visible)(procedure, a.variable));
        let mut values = Vec::new();
        let mut actions = Vec::new();
        for (assignment, relation) in assigned.zip(conjuncts) {
            let (variable, bit) = (assignment.variable, assignment.bit);
            let slot = self.space.slot(self.machine, procedure, variable, bit);
            let next = self.space.variable(slot, Copy::Next);
            actions.push((self.space.variable(slot, Copy::Now), next));
            values.push(Gets {
                variable: next,
                relation,
            });
        }
        let rename = (!actions.is_empty()).then(|| plans.get(manager, actions));
        let conditions = [guard, constrain].into_iter();
        Ok(BackStep {
            rename,
            values,
            conditions: conditions
                .filter(|condition| !condition.is_true())
                .collect(),
            choices_from: self.space.choice(0),
        })
    }

    /// Compiles a call edge.
    pub fn back_call(
        &self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        view: &mut BitView<'_>,
        edge: EdgeId,
    ) -> Result<BackCall, Exhausted> {
        let caller = self.procedure_of(edge);
        let callee = self.callee(edge);
        let inside = self.interfaces.of(callee);
        let outside = self.interfaces.of(caller);
        let results = self.result_moves(view, edge);
        let lost = self.lost_targets(view, edge);

        let mut want = Vec::new();
        for bit in &outside.scope {
            let now = self.number(bit, Copy::Now);
            let result = results.iter().find(|&&(_, target)| target == bit.slot);
            match result {
                Some(&(result, _)) => want.push((now, self.space.variable(result, Copy::Next))),
                None if lost.contains(&bit.slot) => want.push((now, QUANTIFY)),
                None if inside.changes(bit.slot) => want.push((now, self.number(bit, Copy::Next))),
                None => {}
            }
        }
        let mut demand = vec![(crate::space::REACHES_TARGET, QUANTIFY)];
        for bit in &outside.scope {
            demand.push((self.number(bit, Copy::Now), QUANTIFY));
        }
        for bit in outside.outputs() {
            demand.push((self.number(bit, Copy::Outer), QUANTIFY));
        }
        let mut meet = Vec::new();
        for bit in inside.outputs() {
            let next = self.number(bit, Copy::Next);
            demand.push((next, self.number(bit, Copy::Outer)));
            meet.push((next, QUANTIFY));
        }
        // A changed global that is dead at the exit can be wanted by nobody, but plans must not
        // leave it open.
        for bit in &inside.changed_globals {
            let next = self.number(bit, Copy::Next);
            if !inside.outputs().any(|output| output.slot == bit.slot) {
                demand.push((next, QUANTIFY));
                meet.push((next, QUANTIFY));
            }
        }
        let bits = view.edge(edge);
        let mut conjuncts = self.arguments(manager, view, edge)?;
        let guard = conjuncts.remove(0);
        let slot_of = |argument: &hardbop_machine::bits::BitAssignment| {
            self.space
                .slot(self.machine, callee, argument.variable, argument.bit)
        };
        let passed = bits.arguments.iter().map(slot_of);
        let passed = passed.filter(|slot| parameters(inside).any(|bit| bit.slot == *slot));
        let values = passed.zip(conjuncts).map(|(slot, relation)| Gets {
            variable: self.space.variable(slot, Copy::Argument),
            relation,
        });
        let values = values.collect();
        let conditions = if guard.is_true() {
            Vec::new()
        } else {
            vec![guard]
        };
        Ok(BackCall {
            callee,
            want: plans.get(manager, want),
            demand: plans.get(manager, demand),
            meet: plans.get(manager, meet),
            arguments: BackStep {
                rename: None,
                values,
                conditions,
                choices_from: self.space.choice(0),
            },
        })
    }

    /// From the relation at a procedure's entry to the shape of a call: parameters in `Argument`,
    /// exit values in `Next`.
    pub fn back_entry_plan(
        &self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        procedure: ProcId,
    ) -> Rc<Plan> {
        let interface = self.interfaces.of(procedure);
        let mut actions = Vec::new();
        for bit in &interface.scope {
            if let Variable::Local(_) = bit.variable {
                let now = self.number(bit, Copy::Now);
                let is_input = parameters(interface).any(|input| input.slot == bit.slot);
                if is_input {
                    actions.push((now, self.number(bit, Copy::Argument)));
                } else {
                    actions.push((now, QUANTIFY));
                }
            }
        }
        for bit in interface.outputs() {
            actions.push((self.number(bit, Copy::Outer), self.number(bit, Copy::Next)));
        }
        plans.get(manager, actions)
    }
}
