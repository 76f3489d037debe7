//! `OxiDD`: and-exists is one operation, renaming a second one, for which there are two ways.

use crate::package::{Answer, Branch, Full, Package};
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::OutOfMemory;
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel,
    Manager, ManagerRef, Node, Subst,
};

/// `OxiDD` that renames by `substitute`.
pub type BySubstitution = Oxidd<false>;
/// `OxiDD` that renames by a second and-exists, with the relation "next equals current".
pub type ByEquality = Oxidd<true>;

/// `OxiDD`'s index manager with complement edges, one thread.
pub struct Oxidd<const BY_EQUALITY: bool> {
    /// The manager.
    pub manager: BCDDManagerRef,
}

/// The quantified variables as cubes, and the renaming in both forms.
pub struct Step {
    current: BCDDFunction,
    next: BCDDFunction,
    equality: BCDDFunction,
    substitution: Subst<BCDDFunction>,
}

impl From<OutOfMemory> for Full {
    fn from(_: OutOfMemory) -> Full {
        Full
    }
}

impl<const BY_EQUALITY: bool> Package for Oxidd<BY_EQUALITY> {
    type Function = BCDDFunction;
    type Step = Step;
    const NAME: &'static str = if BY_EQUALITY {
        "OxiDD, renaming by equality"
    } else {
        "OxiDD, renaming by substitute"
    };

    fn new(variables: u32, nodes: usize, cache: usize) -> Self {
        let manager = new_manager(nodes, cache, 1);
        manager.with_manager_exclusive(|manager| manager.add_vars(variables));
        Self { manager }
    }

    fn truth(&mut self) -> BCDDFunction {
        self.manager.with_manager_shared(BCDDFunction::t)
    }

    fn variable(&mut self, variable: u32) -> Answer<BCDDFunction> {
        Ok(self
            .manager
            .with_manager_shared(|manager| BCDDFunction::var(manager, variable))?)
    }

    fn not(&mut self, f: &BCDDFunction) -> Answer<BCDDFunction> {
        Ok(f.not()?)
    }

    fn and(&mut self, f: &BCDDFunction, g: &BCDDFunction) -> Answer<BCDDFunction> {
        Ok(f.and(g)?)
    }

    fn or(&mut self, f: &BCDDFunction, g: &BCDDFunction) -> Answer<BCDDFunction> {
        Ok(f.or(g)?)
    }

    fn iff(&mut self, f: &BCDDFunction, g: &BCDDFunction) -> Answer<BCDDFunction> {
        Ok(f.equiv(g)?)
    }

    fn step(&mut self, next_and_current: &[(u32, u32)]) -> Answer<Step> {
        let mut step = Step {
            current: self.truth(),
            next: self.truth(),
            equality: self.truth(),
            substitution: Subst::new(Vec::new(), Vec::new()),
        };
        let mut replacements = Vec::new();
        for &(next, current) in next_and_current {
            let (next, current) = (self.variable(next)?, self.variable(current)?);
            step.current = step.current.and(&current)?;
            step.next = step.next.and(&next)?;
            step.equality = step.equality.and(&current.equiv(&next)?)?;
            replacements.push(current);
        }
        let renamed = next_and_current.iter().map(|&(next, _)| next).collect();
        step.substitution = Subst::new(renamed, replacements);
        Ok(step)
    }

    fn image(
        &mut self,
        states: &BCDDFunction,
        relation: &BCDDFunction,
        step: &Step,
    ) -> Answer<BCDDFunction> {
        let image = states.apply_exists(BooleanOperator::And, relation, &step.current)?;
        Ok(if BY_EQUALITY {
            image.apply_exists(BooleanOperator::And, &step.equality, &step.next)?
        } else {
            image.substitute(&step.substitution)?
        })
    }

    fn collect(&mut self, _roots: &[BCDDFunction]) {
        // Shared access would do, but then `gc` does nothing while the collector in the background
        // is at work.
        self.manager.with_manager_exclusive(|manager| manager.gc());
    }

    fn nodes(&self) -> usize {
        self.manager
            .with_manager_shared(|manager| manager.num_inner_nodes())
    }

    fn size(&self, f: &BCDDFunction) -> usize {
        // `node_count` counts the terminal.
        f.node_count() - 1
    }

    fn branch(&self, f: &BCDDFunction) -> Branch<BCDDFunction> {
        let Some((high, low)) = f.cofactors() else {
            return Branch::Constant(f.valid());
        };
        let level = f.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            Node::Inner(node) => node.level(),
            Node::Terminal(_) => unreachable!("a function with cofactors has an inner node"),
        });
        Branch::Variable(level, low, high)
    }
}
