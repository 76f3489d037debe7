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
/// `OxiDD` that renames by a second and-exists, with the relation "next equals current"; only
/// where no variable is renamed to one that is itself renamed.
pub type ByEquality = Oxidd<true>;

/// `OxiDD`'s index manager with complement edges, one thread.
pub struct Oxidd<const BY_EQUALITY: bool> {
    /// The manager.
    pub manager: BCDDManagerRef,
}

/// The quantified variables as a cube, and the renaming in the form that is used.
pub struct Step {
    quantified: BCDDFunction,
    renamed: BCDDFunction,
    equality: BCDDFunction,
    substitution: Option<Subst<BCDDFunction>>,
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

    fn ite(
        &mut self,
        c: &BCDDFunction,
        f: &BCDDFunction,
        g: &BCDDFunction,
    ) -> Answer<BCDDFunction> {
        Ok(c.ite(f, g)?)
    }

    fn step(&mut self, quantified: &[u32], renamed: &[(u32, u32)]) -> Answer<Step> {
        let mut step = Step {
            quantified: self.truth(),
            renamed: self.truth(),
            equality: self.truth(),
            substitution: None,
        };
        for &variable in quantified {
            step.quantified = step.quantified.and(&self.variable(variable)?)?;
        }
        let mut replacements = Vec::new();
        for &(from, to) in renamed {
            let (from, to) = (self.variable(from)?, self.variable(to)?);
            if BY_EQUALITY {
                step.renamed = step.renamed.and(&from)?;
                step.equality = step.equality.and(&to.equiv(&from)?)?;
            }
            replacements.push(to);
        }
        if !BY_EQUALITY && !renamed.is_empty() {
            let from = renamed.iter().map(|&(from, _)| from).collect();
            step.substitution = Some(Subst::new(from, replacements));
        }
        Ok(step)
    }

    fn image(
        &mut self,
        states: &BCDDFunction,
        relation: &BCDDFunction,
        step: &Step,
    ) -> Answer<BCDDFunction> {
        let image = states.apply_exists(BooleanOperator::And, relation, &step.quantified)?;
        Ok(if BY_EQUALITY {
            image.apply_exists(BooleanOperator::And, &step.equality, &step.renamed)?
        } else if let Some(substitution) = &step.substitution {
            image.substitute(substitution)?
        } else {
            image
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
