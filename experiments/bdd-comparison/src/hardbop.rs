//! hardbop's own package: the three parts of an image are one operation.

use crate::package::{Answer, Branch, Full, Package};
use hardbop_bdd::{Bdd, Exhausted, Manager, Plan, PlanBuilder};

/// `hardbop-bdd`.
pub struct Hardbop {
    /// The manager, for what only this package has.
    pub manager: Manager<'static>,
}

impl From<Exhausted> for Full {
    fn from(_: Exhausted) -> Full {
        Full
    }
}

impl Package for Hardbop {
    type Function = Bdd;
    type Step = Plan;
    const NAME: &'static str = "hardbop-bdd";

    fn new(_variables: u32, nodes: usize, _cache: usize) -> Self {
        Self {
            manager: Manager::new(nodes),
        }
    }

    fn truth(&mut self) -> Bdd {
        Bdd::TRUE
    }

    fn variable(&mut self, variable: u32) -> Answer<Bdd> {
        Ok(self.manager.variable(variable)?)
    }

    fn not(&mut self, f: &Bdd) -> Answer<Bdd> {
        Ok(!*f)
    }

    fn and(&mut self, f: &Bdd, g: &Bdd) -> Answer<Bdd> {
        Ok(self.manager.and(*f, *g)?)
    }

    fn or(&mut self, f: &Bdd, g: &Bdd) -> Answer<Bdd> {
        Ok(self.manager.or(*f, *g)?)
    }

    fn iff(&mut self, f: &Bdd, g: &Bdd) -> Answer<Bdd> {
        Ok(self.manager.iff(*f, *g)?)
    }

    fn ite(&mut self, c: &Bdd, f: &Bdd, g: &Bdd) -> Answer<Bdd> {
        Ok(self.manager.ite(*c, *f, *g)?)
    }

    fn step(&mut self, quantified: &[u32], renamed: &[(u32, u32)]) -> Answer<Plan> {
        let mut plan = PlanBuilder::new();
        for &variable in quantified {
            plan.quantify(variable);
        }
        for &(from, to) in renamed {
            plan.rename(from, to);
        }
        Ok(plan.build(&mut self.manager))
    }

    fn image(&mut self, states: &Bdd, relation: &Bdd, step: &Plan) -> Answer<Bdd> {
        Ok(self.manager.relprod(*states, *relation, step)?)
    }

    fn collect(&mut self, roots: &[Bdd]) {
        self.manager.collect(&roots.to_vec());
    }

    fn nodes(&self) -> usize {
        self.manager.node_count()
    }

    fn size(&self, f: &Bdd) -> usize {
        self.manager.size(*f)
    }

    fn branch(&self, f: &Bdd) -> Branch<Bdd> {
        match self.manager.branch(*f) {
            Some((variable, low, high)) => Branch::Variable(variable, low, high),
            None => Branch::Constant(f.is_true()),
        }
    }
}
