//! Plans, each kept once.

use hardbop_bdd::{Manager, Plan, PlanBuilder};
use hardbop_machine::analysis::QuickMap;
use std::rc::Rc;

/// Plans, each kept once: equal plans share what the BDD manager remembers, so that procedures of
/// the same shape are explored at the cost of one.
#[derive(Default)]
pub struct Plans {
    known: QuickMap<Vec<(u32, u32)>, Rc<Plan>>,
}

/// What a plan does with a variable: quantify it, or rename it.
pub const QUANTIFY: u32 = u32::MAX;

impl Plans {
    /// The plan with these actions: pairs of a variable and its new name or [`QUANTIFY`].
    pub fn get(&mut self, manager: &mut Manager<'_>, mut actions: Vec<(u32, u32)>) -> Rc<Plan> {
        actions.sort_unstable();
        actions.dedup();
        let plan = self.known.entry(actions).or_insert_with_key(|actions| {
            let mut builder = PlanBuilder::new();
            for &(variable, action) in actions {
                if action == QUANTIFY {
                    builder.quantify(variable);
                } else {
                    builder.rename(variable, action);
                }
            }
            Rc::new(builder.build(manager))
        });
        Rc::clone(plan)
    }
}
