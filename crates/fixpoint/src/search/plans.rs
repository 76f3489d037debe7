//! Plans for relational products and applications, made once each: equal plans share the computed
//! table.

use crate::search::program::Application;
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan, PlanBuilder, Roots};
use std::collections::BTreeMap;
use std::rc::Rc;

type Renaming = Vec<(u32, u32)>;

#[derive(Default)]
pub(crate) struct Plans {
    known: BTreeMap<(Vec<u32>, Renaming), Rc<Plan>>,
}

impl Plans {
    /// The plan that quantifies and renames these variables.
    pub(crate) fn get(
        &mut self,
        manager: &mut Manager<'_>,
        gone: &[u32],
        renamed: &[(u32, u32)],
    ) -> Rc<Plan> {
        let key = (gone.to_vec(), renamed.to_vec());
        let make = || {
            let mut builder = PlanBuilder::new();
            for &variable in gone {
                builder.quantify(variable);
            }
            for &(from, to) in renamed {
                builder.rename(from, to);
            }
            Rc::new(builder.build(manager))
        };
        self.known.entry(key).or_insert_with(make).clone()
    }
}

/// An application that is ready to be carried out.
pub(crate) struct ReadyApplication {
    /// Repeated arguments: what each asks of two parameters, and how the second of them leaves. One
    /// after the other, since many equations at once between parameters that stand far apart would
    /// be large.
    repeated: Vec<(Bdd, Rc<Plan>)>,
    /// What constants ask of the parameters.
    condition: Bdd,
    plan: Option<Rc<Plan>>,
    /// How often something came to the gate, and how often all of it passed.
    tried: u32,
    passed: u32,
}

/// A gate is left open if after this many uses more than half of them were for nothing.
const GATE_TRIALS: u32 = 16;

impl ReadyApplication {
    pub(crate) fn new(
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        application: &Application,
    ) -> Result<Self, Exhausted> {
        let mut condition = Bdd::TRUE;
        let mut gone = Vec::new();
        for &(parameter, value) in &application.fixed {
            let variable = manager.variable(parameter)?;
            condition = manager.and(condition, if value { variable } else { !variable })?;
            gone.push(parameter);
        }
        let mut repeated = Vec::with_capacity(application.equal.len());
        for &(parameter, earlier) in &application.equal {
            let (one, other) = (manager.variable(parameter)?, manager.variable(earlier)?);
            let equal = manager.iff(one, other)?;
            repeated.push((equal, plans.get(manager, &[parameter], &[])));
        }
        gone.sort_unstable();
        let is_idle = gone.is_empty() && application.renamed.is_empty();
        Ok(Self {
            repeated,
            condition,
            plan: (!is_idle).then(|| plans.get(manager, &gone, &application.renamed)),
            tried: 0,
            passed: 0,
        })
    }

    /// The predicate's value over the arguments, as far as it passes the gate.
    pub(crate) fn apply(
        &mut self,
        manager: &mut Manager<'_>,
        mut value: Bdd,
        gate: Bdd,
    ) -> Result<Bdd, Exhausted> {
        if self.tried < GATE_TRIALS || 2 * self.passed <= self.tried {
            let all = value;
            value = manager.and(value, gate)?;
            self.tried += 1;
            self.passed += u32::from(value == all);
        }
        if value.is_false() {
            return Ok(value);
        }
        for (equal, plan) in &self.repeated {
            value = manager.relprod(value, *equal, plan)?;
        }
        match &self.plan {
            Some(plan) => manager.relprod(value, self.condition, plan),
            None => Ok(value),
        }
    }
}

impl Roots for ReadyApplication {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        keep(self.condition);
        for (equal, _) in &self.repeated {
            keep(*equal);
        }
    }
}
