//! Which variables the closure tracks: as few as the question takes.
//!
//! The arguments of a function term are the price of the method: each tracked variable that takes
//! both values may double the terms, whether or not it has to do with the target. A variable that
//! is not tracked can be read as a choice of the step that reads it. That adds runs and takes none
//! away, so "unreachable" stays true, with its certificate, and a run has to be checked for real
//! ([`super::window`]); if it cannot be taken, the variables that say why are tracked from then on.
//! The first ones are those in the conditions of the targets. There are finitely many variables,
//! and with all of them the closure is the paper's.
//!
//! Targets whose conditions speak of different globals rest on different variables, as a rule. They
//! make different [`groups`], each with a precision of its own: what one group needs does not
//! multiply the terms of another.

use super::Visible;
use hardbop_machine::analysis::{CallGraph, Slice};
use hardbop_machine::{Expr, ExprId, GlobalId, Machine, NodeId, ProcId, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The variables that are tracked: some of those that are relevant, or all of them.
#[derive(Clone, Debug)]
pub struct Precision {
    slice: Rc<Slice>,
    tracked: Visible,
    tracks_all: bool,
}

impl Precision {
    /// All variables that can have to do with the targets.
    pub fn exact(machine: &Machine, targets: &[NodeId]) -> Self {
        let slice = Slice::new(machine, &CallGraph::new(machine), targets);
        Self {
            tracked: Visible::nothing(machine),
            slice: Rc::new(slice),
            tracks_all: true,
        }
    }

    /// Those in the conditions of edges that lead to a target.
    pub fn first(machine: &Machine, targets: &[NodeId]) -> Self {
        let mut precision = Self::exact(machine, targets);
        precision.tracks_all = false;
        each_condition(machine, targets, |_, procedure, variable| {
            precision.track(procedure, variable);
        });
        precision
    }

    /// Those of a set that can have to do with the targets.
    pub fn of(machine: &Machine, targets: &[NodeId], visible: &Visible) -> Self {
        let exact = Self::exact(machine, targets);
        Self {
            tracked: Visible::such_that(machine, |procedure, variable| {
                exact.slice.relevant(procedure, variable) && visible.contains(procedure, variable)
            }),
            tracks_all: false,
            ..exact
        }
    }

    /// What can have to do with the targets.
    pub fn slice(&self) -> &Rc<Slice> {
        &self.slice
    }

    /// The tracked variables, unless all are.
    pub fn tracked(&self) -> &Visible {
        &self.tracked
    }

    /// Tracks a variable from now on if it is relevant.
    pub fn track(&mut self, procedure: ProcId, variable: Variable) {
        if self.slice.relevant(procedure, variable) {
            self.tracked.insert(procedure, variable);
        }
    }

    /// Tracks some variables from now on.
    pub fn track_each(&mut self, variables: &[(ProcId, Variable)]) {
        for &(procedure, variable) in variables {
            self.track(procedure, variable);
        }
    }

    /// Tracks all relevant variables.
    pub fn track_all(&mut self) {
        self.tracks_all = true;
    }

    /// Whether a variable is tracked.
    pub fn tracks(&self, procedure: ProcId, variable: Variable) -> bool {
        if self.tracks_all {
            return self.slice.relevant(procedure, variable);
        }
        self.tracked.contains(procedure, variable)
    }

    /// Whether a variable is relevant but not tracked.
    pub fn lacks(&self, procedure: ProcId, variable: Variable) -> bool {
        self.slice.relevant(procedure, variable) && !self.tracks(procedure, variable)
    }

    /// Whether every relevant variable is tracked.
    pub fn is_exact(&self) -> bool {
        self.tracked_count() == self.relevant_count()
    }

    /// How many variables are tracked.
    pub fn tracked_count(&self) -> usize {
        if self.tracks_all {
            return self.relevant_count();
        }
        self.tracked.count()
    }

    /// How many variables are relevant.
    pub fn relevant_count(&self) -> usize {
        self.slice.relevant_count()
    }
}

/// Targets in groups that are searched for one after the other: those whose conditions speak of the
/// same globals.
///
/// Locals make no groups: those of different procedures are no arguments of the same block.
pub fn groups(machine: &Machine, targets: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut globals: BTreeMap<NodeId, BTreeSet<GlobalId>> = BTreeMap::new();
    each_condition(machine, targets, |target, _, variable| {
        if let Variable::Global(global) = variable {
            globals.entry(target).or_default().insert(global);
        }
    });
    let mut groups: BTreeMap<BTreeSet<GlobalId>, Vec<NodeId>> = BTreeMap::new();
    for &target in targets {
        let key = globals.remove(&target).unwrap_or_default();
        groups.entry(key).or_default().push(target);
    }
    groups.into_values().collect()
}

/// Calls `visit` for the variables in conditions of edges that lead to a target. `targets` in
/// order.
fn each_condition(
    machine: &Machine,
    targets: &[NodeId],
    mut visit: impl FnMut(NodeId, ProcId, Variable),
) {
    for edge in &machine.edges {
        if let Some(guard) = edge.guard
            && targets.binary_search(&edge.to).is_ok()
        {
            let procedure = machine.procedure_of(edge.from);
            each_variable(machine, guard, |variable| {
                visit(edge.to, procedure, variable);
            });
        }
    }
}

/// Calls `visit` for the variables of an expression, before or after the step.
fn each_variable(machine: &Machine, root: ExprId, mut visit: impl FnMut(Variable)) {
    machine.exprs.visit(root, |expr| match *expr {
        Expr::Var(variable, _) | Expr::Next(variable, _) => visit(variable),
        _ => {}
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::from_text;

    #[test]
    fn every_variable_that_a_core_names_is_tracked() {
        let text = "decl bad, a, b; void main() begin bad := a & b; assert(!bad); end";
        let machine = from_text("t.bp", text).unwrap();
        let target = [machine.assertions[0].failure];
        let named = [1, 2].map(|id| (ProcId(0), Variable::Global(GlobalId(id))));
        let mut precision = Precision::first(&machine, &target);
        assert!(named.iter().all(|&(p, v)| precision.lacks(p, v)));
        precision.track_each(&named);
        assert!(named.iter().all(|&(p, v)| precision.tracks(p, v)));
        assert!(precision.is_exact());
    }

    #[test]
    fn targets_of_the_same_globals_are_one_group_with_variables_of_its_own() {
        let text = "decl lock, done, noise; void main() begin decl own;
            assert(!lock); own := noise; if (noise) then assert(!done); fi assert(!lock | own); end";
        let machine = from_text("t.bp", text).unwrap();
        let mut targets: Vec<NodeId> = machine.assertions.iter().map(|a| a.failure).collect();
        targets.sort_unstable();
        let groups = groups(&machine, &targets);
        let of_lock = vec![targets[0], targets[2]];
        assert_eq!(groups, [of_lock.clone(), vec![targets[1]]]);
        let tracked = |precision: &Precision| {
            let globals = (0..3).map(|id| Variable::Global(GlobalId(id)));
            let variables = globals.chain([Variable::Local(hardbop_machine::LocalId(0))]);
            variables
                .map(|variable| precision.tracks(ProcId(0), variable))
                .collect::<Vec<bool>>()
        };
        let mut precision = Precision::first(&machine, &of_lock);
        assert_eq!(tracked(&precision), [true, false, false, true]);
        assert!(precision.lacks(ProcId(0), Variable::Global(GlobalId(2))));
        precision.track(ProcId(0), Variable::Global(GlobalId(2)));
        assert_eq!(tracked(&precision), [true, false, true, true]);
        precision.track_all();
        assert!(precision.is_exact());
    }
}
