//! Internal steps that one round took at once (section 4.3: a round closes under internal steps before it is over).
//!
//! All of them belong to one invocation, so the values at its entry are fixed and sets of current values per node are enough. A search
//! back, breadth first, ends where a path edge of an earlier round is met; the way from there is then gone forward, value by value.

use crate::rings::{Point, Side};
use crate::runs::{Back, NoRun, Reader, conditions};
use hardbop_bdd::{Bdd, Exhausted, Plan};
use hardbop_machine::{Action, EdgeId, NodeId};
use hardbop_outcome::Decision;
use hardbop_symbolic::QUANTIFY;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Per node the current values from which the goal is some number of steps away.
type Layer = BTreeMap<NodeId, Bdd>;

/// What an edge that is no call does.
#[derive(Clone)]
pub(crate) struct InternalStep {
    /// Between current values (first side), values afterwards (second side) and choices.
    relation: Bdd,
    /// Makes current values values afterwards.
    to_after: Rc<Plan>,
    /// The same, without those that do not matter there.
    to_what_matters: Rc<Plan>,
    /// Quantifies everything but current values.
    forget: Rc<Plan>,
}

impl Reader<'_, '_, '_> {
    /// The steps back from a path edge of a round to one of an earlier round, the last step first.
    pub(crate) fn back_within_round(
        &mut self,
        point: &Point,
        round: usize,
    ) -> Result<Vec<Back>, NoRun> {
        let earlier = round.checked_sub(1).ok_or(NoRun::Broken)?;
        let goal = self.now_cube(point)?;
        let mut layers: Vec<Layer> = vec![BTreeMap::from([(point.node, goal)])];
        let mut seen = layers[0].clone();
        loop {
            let next = self.layer_before(&layers[layers.len() - 1], &mut seen, point, round)?;
            if next.is_empty() {
                return Err(NoRun::Broken);
            }
            let start = self.earlier_point(&next, point, earlier)?;
            layers.push(next);
            if let Some(start) = start {
                return self.forward(start, &layers);
            }
        }
    }

    fn now_cube(&mut self, point: &Point) -> Result<Bdd, Exhausted> {
        let slots = 0..point.now.len();
        let values =
            slots.map(|slot| (self.rings.now_variable(slot, Side::First), point.now[slot]));
        let values = values.collect();
        self.with_values(Bdd::TRUE, &values)
    }

    /// What leads to a layer in one step, is in the round, and has not been seen.
    fn layer_before(
        &mut self,
        layer: &Layer,
        seen: &mut Layer,
        point: &Point,
        round: usize,
    ) -> Result<Layer, Exhausted> {
        let mut before = Layer::new();
        for (&node, &values) in layer {
            for edge in self.incoming.row(node.index()).to_vec() {
                if !is_internal(&self.machine.edge(edge).action) {
                    continue;
                }
                let from = self.machine.edge(edge).from;
                let ring = self.rings.at(&mut self.manager, from, round, Side::First)?;
                let ring = self.with_entry(ring, &point.entry)?;
                let found = self.pre_image(edge, values)?;
                let found = self.manager.and(found, ring)?;
                let found = self.without_entry(found)?;
                let known = seen.entry(from).or_insert(Bdd::FALSE);
                let fresh = self.manager.diff(found, *known)?;
                if !fresh.is_false() {
                    *known = self.manager.or(*known, fresh)?;
                    let sum = before.entry(from).or_insert(Bdd::FALSE);
                    *sum = self.manager.or(*sum, fresh)?;
                }
            }
        }
        Ok(before)
    }

    /// The current values from which an edge leads to some values.
    fn pre_image(&mut self, edge: EdgeId, values: Bdd) -> Result<Bdd, Exhausted> {
        let step = self.internal_step(edge)?;
        let after = self.manager.project(values, &step.to_what_matters)?;
        self.manager.relprod(after, step.relation, &step.forget)
    }

    /// What an edge that is no call does, made when it is first met: loops meet it again and again.
    fn internal_step(&mut self, edge: EdgeId) -> Result<InternalStep, Exhausted> {
        if let Some(known) = self.internal_steps.get(&edge) {
            return Ok(known.clone());
        }
        let mut to_after = Vec::new();
        let mut to_what_matters = Vec::new();
        let mut forget = Vec::new();
        let to = self.machine.edge(edge).to;
        for slot in 0..self.rings.slot_count() {
            let now = self.rings.now_variable(slot, Side::First);
            let after = self.rings.now_variable(slot, Side::Second);
            to_after.push((now, after));
            // Values after the step that do not matter there may be anything.
            to_what_matters.push(if self.slot_matters(to, slot) {
                (now, after)
            } else {
                (now, QUANTIFY)
            });
            forget.push((after, QUANTIFY));
        }
        let bits = self.view.edge(edge);
        let relation = conditions!(self, edge, &bits).relation(&mut self.manager)?;
        let relation = self.manager.and_all(relation)?;
        let choices: Vec<u32> = self.manager.support(relation).into_iter().collect();
        let first_choice = self.rings.first_choice();
        for choice in choices.into_iter().filter(|&choice| choice >= first_choice) {
            forget.push((choice, QUANTIFY));
        }
        let step = InternalStep {
            relation,
            to_after: self.plans.get(&mut self.manager, to_after),
            to_what_matters: self.plans.get(&mut self.manager, to_what_matters),
            forget: self.plans.get(&mut self.manager, forget),
        };
        self.internal_steps.insert(edge, step.clone());
        Ok(step)
    }

    fn slot_matters(&self, node: NodeId, slot: usize) -> bool {
        let procedure = self.machine.procedure_of(node);
        let mut bits = self.layout.bits(procedure);
        bits.any(|((variable, _), field)| {
            self.rings.slot(field) == slot && self.layout.matters(self.machine, node, variable)
        })
    }

    fn without_entry(&mut self, relation: Bdd) -> Result<Bdd, Exhausted> {
        let slots = 0..self.rings.slot_count();
        let entry = slots.map(|slot| self.rings.entry_variable(slot, Side::First));
        let forget = entry.map(|variable| (variable, QUANTIFY)).collect();
        let forget = self.plans.get(&mut self.manager, forget);
        self.manager.project(relation, &forget)
    }

    /// A path edge of an earlier round in a layer.
    fn earlier_point(
        &mut self,
        layer: &Layer,
        point: &Point,
        earlier: usize,
    ) -> Result<Option<Point>, Exhausted> {
        for (&node, &values) in layer {
            let ring = self
                .rings
                .at(&mut self.manager, node, earlier, Side::First)?;
            let ring = self.with_entry(ring, &point.entry)?;
            let both = self.manager.and(ring, values)?;
            if let Some(chosen) = self.pick(both) {
                return Ok(Some(self.point(node, &chosen, Side::First)));
            }
        }
        Ok(None)
    }

    /// Goes from a path edge of the last layer to the first one.
    fn forward(&mut self, start: Point, layers: &[Layer]) -> Result<Vec<Back>, NoRun> {
        let mut steps = Vec::new();
        let mut point = start;
        for layer in layers[..layers.len() - 1].iter().rev() {
            let (back, next) = self.step_into(&point, layer)?.ok_or(NoRun::Broken)?;
            steps.push(back);
            point = next;
        }
        steps.reverse();
        Ok(steps)
    }

    /// A step from a path edge into a layer.
    fn step_into(
        &mut self,
        point: &Point,
        layer: &Layer,
    ) -> Result<Option<(Back, Point)>, Exhausted> {
        let now = self.now_cube(point)?;
        for edge in self.machine.edges_from(point.node) {
            let to = self.machine.edge(edge).to;
            let Some(&values) = layer.get(&to) else {
                continue;
            };
            if !is_internal(&self.machine.edge(edge).action) {
                continue;
            }
            let step = self.internal_step(edge)?;
            let after = self.manager.project(values, &step.to_after)?;
            let step = self.manager.and(step.relation, now)?;
            let step = self.manager.and(step, after)?;
            if let Some(chosen) = self.pick(step) {
                let mut next = self.point(to, &chosen, Side::Second);
                next.entry.clone_from(&point.entry);
                let inputs = self.inputs(edge, &chosen);
                let back = Back {
                    decision: Decision::Edge { edge, inputs },
                    before: point.clone(),
                };
                return Ok(Some((back, next)));
            }
        }
        Ok(None)
    }
}

/// Whether a step stays within its module.
fn is_internal(action: &Action) -> bool {
    !matches!(
        action,
        Action::Call { .. } | Action::EndThread | Action::StartThread(_)
    )
}
