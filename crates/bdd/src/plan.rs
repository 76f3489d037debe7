//! What a relational product does besides conjunction: which variables it quantifies and which it
//! renames.

use crate::cache::Key;
use crate::manager::{Bdd, Manager};
use crate::record::Operation;
use crate::recursion::FIRST_PLAN;

/// A quantification and renaming, made once and used many times. A plan belongs to the manager that
/// made it.
#[derive(Clone, Debug)]
pub struct Plan {
    number: u32,
    /// The first variable that is quantified or renamed: a plan is as long as what it is about.
    first: u32,
    /// Per variable from `first` to `last`: quantified, or the variable it becomes.
    actions: Vec<u32>,
    /// The last variable that is quantified or renamed; 0 if none is (then the plan leaves variable
    /// 0 alone too).
    last: u32,
    /// Whether variables that are not quantified stay in the order that they have.
    keeps_order: bool,
}

pub(crate) const QUANTIFIED: u32 = u32::MAX;

/// Collects what a plan does.
#[derive(Clone, Debug, Default)]
pub struct PlanBuilder {
    /// Variables with what becomes of them.
    actions: Vec<(u32, u32)>,
}

impl PlanBuilder {
    /// A plan that does nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Quantifies a variable existentially.
    pub fn quantify(&mut self, variable: u32) -> &mut Self {
        self.actions.push((variable, QUANTIFIED));
        self
    }

    /// Renames a variable. All renamings happen at once, after the quantification. The new variable
    /// must not be one that the operands depend on, unless it is quantified or renamed itself.
    pub fn rename(&mut self, from: u32, to: u32) -> &mut Self {
        self.actions.push((from, to));
        self
    }

    /// Whether the plan does nothing.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// Makes the plan.
    pub fn build(self, manager: &mut Manager<'_>) -> Plan {
        let number = manager.plan_count;
        manager.plan_count += 1;
        manager.record(&Operation::Plan(number, &self.actions), Bdd::TRUE);
        let variables = self.actions.iter().map(|&(variable, _)| variable);
        let first = variables.clone().min().unwrap_or(0);
        let mut actions: Vec<u32> = match variables.max() {
            Some(last) => (first..=last).collect(),
            None => Vec::new(),
        };
        for (variable, action) in self.actions {
            actions[(variable - first) as usize] = action;
        }
        let last = (first + actions.len() as u32).saturating_sub(1);
        let kept = || actions.iter().filter(|&&action| action != QUANTIFIED);
        let stays_within = kept().all(|action| (first..=last).contains(action));
        Plan {
            number,
            first,
            last,
            keeps_order: stays_within && kept().is_sorted_by(|one, next| one < next),
            actions,
        }
    }
}

impl Plan {
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The entry of a product by this plan.
    #[inline]
    pub(crate) fn key(&self, f: Bdd, g: Bdd) -> Key {
        Key::new(FIRST_PLAN + self.number, f, g)
    }

    #[inline]
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    #[inline]
    pub(crate) fn keeps_order(&self) -> bool {
        self.keeps_order
    }

    #[inline]
    pub(crate) fn quantifies(&self, variable: u32) -> bool {
        self.renamed(variable) == QUANTIFIED
    }

    #[inline]
    pub(crate) fn renamed(&self, variable: u32) -> u32 {
        let action = self.actions.get(variable.wrapping_sub(self.first) as usize);
        action.copied().unwrap_or(variable)
    }
}
