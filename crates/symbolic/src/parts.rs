//! Images as a short list of relational products.
//!
//! The transition relation of a wide parallel assignment can be huge as one BDD while each of its
//! parts is small. So a step is a list of *parts*, each a conjunction of some of "guard", "this bit
//! gets that value" and "constrain", and the image is taken part by part; a variable is quantified
//! with the last part that mentions it. Parts are put together while they stay small.

use crate::plans::{Plans, QUANTIFY};
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan, Roots};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Parts are put together up to this many BDD nodes.
const PART_SIZE: usize = 256;

/// A conjunct of a transition relation with what to quantify and rename once it has been used.
#[derive(Clone, Debug)]
pub struct Part {
    /// Over the variables before and after the step, and its choices.
    pub relation: Bdd,
    /// Applied to the product of the relation so far and this part.
    pub plan: Rc<Plan>,
}

impl Roots for Part {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        keep(self.relation);
    }
}

/// A conjunct with the variables it depends on.
#[derive(Debug)]
struct Conjunct {
    relation: Bdd,
    support: BTreeSet<u32>,
}

/// The conjuncts of an edge and what becomes of its variables, before it is decided what happens
/// when.
#[derive(Debug, Default)]
pub struct Draft {
    conjuncts: Vec<Conjunct>,
    /// To be quantified once no later conjunct mentions them.
    pub quantify: BTreeSet<u32>,
    /// Applied at the end.
    pub rename: Vec<(u32, u32)>,
}

impl Draft {
    /// A step that does nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether some conjunct depends on a variable.
    pub fn mentions(&self, variable: u32) -> bool {
        self.conjuncts
            .iter()
            .any(|conjunct| conjunct.support.contains(&variable))
    }

    /// Adds a conjunct; those that say nothing are left out.
    fn conjoin(&mut self, manager: &mut Manager<'_>, relation: Bdd) -> Result<(), Exhausted> {
        if relation.is_true() {
            return Ok(());
        }
        if let Some(last) = self.conjuncts.last_mut()
            && manager.size(last.relation) < PART_SIZE
        {
            let both = manager.and(last.relation, relation)?;
            if manager.size(both) <= PART_SIZE {
                last.relation = both;
                last.support = manager.support(both);
                return Ok(());
            }
        }
        let support = manager.support(relation);
        self.conjuncts.push(Conjunct { relation, support });
        Ok(())
    }

    /// Adds conjuncts. A choice that only one of them mentions is quantified right there: `x := *`
    /// then says nothing at all.
    pub fn conjoin_all(
        &mut self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        conjuncts: Vec<Bdd>,
        is_choice: &dyn Fn(u32) -> bool,
    ) -> Result<(), Exhausted> {
        let mut users: BTreeMap<u32, usize> = BTreeMap::new();
        let mut choices_of = Vec::with_capacity(conjuncts.len());
        for &conjunct in &conjuncts {
            let mut choices = manager.support(conjunct);
            choices.retain(|&variable| is_choice(variable));
            for &choice in &choices {
                *users.entry(choice).or_default() += 1;
            }
            choices_of.push(choices);
        }
        for (conjunct, choices) in conjuncts.into_iter().zip(choices_of) {
            let own = choices.iter().filter(|choice| users[choice] == 1);
            let actions: Vec<_> = own.map(|&choice| (choice, QUANTIFY)).collect();
            let conjunct = if actions.is_empty() {
                conjunct
            } else {
                let plan = plans.get(manager, actions);
                manager.project(conjunct, &plan)?
            };
            self.conjoin(manager, conjunct)?;
        }
        Ok(())
    }

    /// Decides with which part each variable is quantified. All choices are.
    pub fn finish(
        mut self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        is_choice: &dyn Fn(u32) -> bool,
    ) -> Vec<Part> {
        if self.conjuncts.is_empty() {
            if self.quantify.is_empty() && self.rename.is_empty() {
                return Vec::new();
            }
            self.conjuncts.push(Conjunct {
                relation: Bdd::TRUE,
                support: BTreeSet::new(),
            });
        }
        for conjunct in &self.conjuncts {
            let choices = conjunct.support.iter().filter(|&&choice| is_choice(choice));
            self.quantify.extend(choices);
        }
        let last = self.conjuncts.len() - 1;
        let mut actions: Vec<Vec<(u32, u32)>> = vec![Vec::new(); last + 1];
        for &variable in &self.quantify {
            let user = self
                .conjuncts
                .iter()
                .rposition(|c| c.support.contains(&variable));
            actions[user.unwrap_or(0)].push((variable, QUANTIFY));
        }
        // A name is free for renaming only when its old owner has been quantified, so renaming
        // comes last.
        actions[last].extend(&self.rename);
        let plans = actions
            .into_iter()
            .map(|actions| plans.get(manager, actions));
        let plans: Vec<Rc<Plan>> = plans.collect();
        self.conjuncts
            .into_iter()
            .zip(plans)
            .map(|(conjunct, plan)| Part {
                relation: conjunct.relation,
                plan,
            })
            .collect()
    }
}

/// Applies the parts of an edge to a relation.
pub fn image(manager: &mut Manager<'_>, relation: Bdd, parts: &[Part]) -> Result<Bdd, Exhausted> {
    let mut result = relation;
    for part in parts {
        result = manager.relprod(result, part.relation, &part.plan)?;
        if result.is_false() {
            break;
        }
    }
    Ok(result)
}
