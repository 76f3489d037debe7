//! Which arguments are made explicit where a term is about to be made, and the cases that gives.

use super::Closure;
use crate::encoding::evaluate::{Choices, Trouble, passing_support};
use crate::encoding::split::{Case, cases};
use crate::encoding::symbols::Meaning;
use crate::encoding::terms::InstanceId;
use hardbop_bdd::Bdd;
use hardbop_machine::NodeId;
use std::collections::BTreeSet;

/// One step may lead to this many explicit cases.
const MOST_CASES: usize = 1 << 16;

impl Closure<'_, '_> {
    /// The cases in which a head is reached, with the arguments made explicit that should be.
    ///
    /// `recursive` is the component of the call graph if the head is the entry of a procedure that
    /// is called from within it.
    pub(super) fn successors(
        &mut self,
        instance: InstanceId,
        to: NodeId,
        recursive: Option<usize>,
        condition: Bdd,
        values: Vec<Option<Bdd>>,
        choices: &Choices,
    ) -> Result<Vec<Case>, Trouble> {
        let is_loop_head = self.blocks.machine.node_order().is_loop_head(to);
        let is_initial = |place: usize| {
            let slot = self.blocks.arguments(to)[place].slot;
            values[place].is_some() && values[place] == self.symbols.initial_value(slot)
        };
        let split = self.split;
        let chosen = split.places(&self.manager, &values, is_initial, is_loop_head);
        let mut places = Vec::new();
        let mut flows = BTreeSet::new();
        for (place, value) in values.iter().enumerate() {
            let Some(value) = *value else {
                continue;
            };
            if value.is_constant() || self.symbols.is_carried(&self.manager, value) {
                continue;
            }
            let is_passing = self.symbols.is_passing(&self.manager, value);
            let is_explicit = chosen.contains(&place)
                || is_loop_head && recursive.is_none() && self.is_made_in_loop(instance, to, value)
                || recursive.is_some_and(|component| self.is_made_in(component, value));
            if is_explicit || is_passing && !choices.may_keep {
                places.push(place);
            } else if is_passing {
                flows.extend(passing_support(&self.manager, &self.symbols, value));
            }
        }
        if !flows.is_empty() {
            return Err(Trouble::Flows(flows));
        }
        let found = cases(&mut self.manager, condition, values, &places, MOST_CASES)?;
        let Some(mut found) = found else {
            return Err(Trouble::TooManyCases);
        };
        if let Some(plan) = &self.without_passing {
            for (condition, _) in &mut found {
                *condition = self.manager.project(*condition, plan)?;
            }
        }
        Ok(found)
    }

    /// Whether a function depends on a symbol made, or brought in, at or behind a loop head of the
    /// instance, or on a choice that passes.
    fn is_made_in_loop(&self, instance: InstanceId, head: NodeId, value: Bdd) -> bool {
        let head = self.blocks.machine.node_order().position(head);
        self.manager.support(value).into_iter().any(|variable| {
            if variable < self.symbols.passing() {
                return true;
            }
            let Some((maker, position)) = self.symbols.origin(variable) else {
                return false;
            };
            let position = match self.arrivals.get(&(instance, variable)) {
                Some(&arrival) => Some(arrival),
                None => (maker == instance).then_some(position),
            };
            position.is_some_and(|position| position >= head)
        })
    }

    /// Whether a function depends on a name made in a component of the call graph.
    fn is_made_in(&self, component: usize, value: Bdd) -> bool {
        self.manager.support(value).into_iter().any(|variable| {
            if variable < self.symbols.passing() {
                return true;
            }
            let is_name = matches!(self.symbols.meaning(variable), Meaning::Name(_));
            let maker = self.symbols.origin(variable);
            is_name
                && maker.is_some_and(|(maker, _)| {
                    let procedure = self.terms.instance(maker).procedure;
                    self.blocks.machine.calls().component_of(procedure) == component
                })
        })
    }
}
