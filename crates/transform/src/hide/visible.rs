//! Which few variables may suffice for a proof.
//!
//! A forward search that sees only some variables, and takes every other one as arbitrary wherever
//! it is read, reaches at least what the program reaches; if it does not reach a target, nothing
//! does, and its relations are a certificate of the whole program. Two hundred variables and a
//! property that rests on four of them are then no harder than four variables. We start with what
//! the nearest conditions before the targets mention, take in the conditions that decide when it
//! changes, and then what flows into all that, level by level.

use super::controls::each_control;
use hardbop_machine::analysis::order::predecessors;
use hardbop_machine::analysis::variables::each_variable_before;
use hardbop_machine::analysis::{BitSet, VariableIndex};
use hardbop_machine::{Action, ExprId, GlobalId, Machine, NodeId, ProcId, Variable};

/// A set of variables of one machine; globals are in it once, locals by procedure.
#[derive(Clone, Debug)]
pub struct Visible {
    variables: VariableIndex,
    set: BitSet,
}

impl Visible {
    /// Whether a variable, as seen from a procedure, is in the set.
    pub fn contains(&self, procedure: ProcId, variable: Variable) -> bool {
        self.set.contains(self.index(procedure, variable))
    }

    /// The number of a variable among all of the machine.
    pub(crate) fn index(&self, procedure: ProcId, variable: Variable) -> usize {
        self.variables.index(procedure, variable)
    }

    /// How many variables are in the set.
    pub fn count(&self) -> usize {
        self.set.count()
    }

    /// No variable of a machine.
    pub fn nothing(machine: &Machine) -> Self {
        let variables = VariableIndex::new(machine);
        Self {
            set: BitSet::new(variables.count()),
            variables,
        }
    }

    /// The variables of a machine for which a condition holds.
    pub fn such_that(machine: &Machine, is_seen: impl Fn(ProcId, Variable) -> bool) -> Self {
        let mut visible = Self::nothing(machine);
        for procedure in machine.procedure_ids() {
            let globals = (0..machine.globals.len()).map(GlobalId::new);
            let locals = machine.procedure(procedure).local_ids();
            let variables = globals.map(Variable::Global);
            for variable in variables.chain(locals.map(Variable::Local)) {
                if is_seen(procedure, variable) {
                    visible.insert(procedure, variable);
                }
            }
        }
        visible
    }

    /// Adds a variable.
    pub fn insert(&mut self, procedure: ProcId, variable: Variable) {
        self.set.insert(self.index(procedure, variable));
    }

    fn insert_all(&mut self, machine: &Machine, procedure: ProcId, expr: ExprId) {
        each_variable_before(&machine.exprs, expr, |variable| {
            self.insert(procedure, variable);
        });
    }

    /// The variables of the nearest conditions on all ways to the targets.
    pub(crate) fn nearest_conditions(machine: &Machine, targets: &[NodeId]) -> Self {
        let incoming = predecessors(machine);
        let mut calls: Vec<Vec<NodeId>> = vec![Vec::new(); machine.procedures.len()];
        for edge in &machine.edges {
            if let Action::Call { callee, .. } = edge.action {
                calls[callee.index()].push(edge.from);
            }
        }
        let mut visible = Self::nothing(machine);
        let mut seen = vec![false; machine.nodes.len()];
        let mut pending = targets.to_vec();
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut seen[node.index()], true) {
                continue;
            }
            let procedure = machine.procedure_of(node);
            if machine.procedure(procedure).entry == node {
                pending.extend(&calls[procedure.index()]);
            }
            for &edge in incoming.row(node.index()) {
                let edge = machine.edge(edge);
                let before = visible.count();
                if let Some(guard) = edge.guard {
                    visible.insert_all(machine, procedure, guard);
                }
                let mentions = edge.guard.is_some_and(|guard| {
                    let mut any = false;
                    each_variable_before(&machine.exprs, guard, |_| any = true);
                    any
                });
                if visible.count() == before && !mentions {
                    pending.push(edge.from);
                }
            }
        }
        visible
    }

    /// The set with the globals that have an initial value and keep it: to see a constant costs
    /// next to nothing, and it decides branches.
    #[must_use]
    pub(crate) fn with_constants(&self, machine: &Machine) -> Self {
        let mut larger = self.clone();
        let mut is_written = vec![false; machine.globals.len()];
        for procedure in machine.procedure_ids() {
            for global in machine.effects().modified(procedure) {
                is_written[global.index()] = true;
            }
        }
        for (index, global) in machine.globals.iter().enumerate() {
            if global.initial.is_some() && !is_written[index] {
                larger.insert(ProcId(0), Variable::Global(GlobalId::new(index)));
            }
        }
        larger
    }

    /// The set with the conditions that decide when its variables change, and which of the targets
    /// is reached.
    ///
    /// `targets` in order.
    #[must_use]
    pub(crate) fn with_controls(&self, machine: &Machine, targets: &[NodeId]) -> Self {
        let mut larger = self.clone();
        let tracked = |procedure, variable| self.contains(procedure, variable);
        each_control(machine, targets, &tracked, |p, variable| {
            larger.insert(p, variable);
        });
        larger
    }

    /// The set with everything that flows directly into it.
    #[must_use]
    pub(crate) fn with_sources(&self, machine: &Machine) -> Self {
        let mut larger = self.clone();
        for edge in &machine.edges {
            let procedure = machine.procedure_of(edge.from);
            match &edge.action {
                Action::Assign { assignments, .. } => {
                    for &(target, value) in assignments {
                        if self.contains(procedure, target) {
                            larger.insert_all(machine, procedure, value);
                        }
                    }
                }
                Action::Return(values) => {
                    let results = machine.procedure(procedure).results();
                    for (result, &value) in results.zip(values) {
                        if self.contains(procedure, Variable::Local(result)) {
                            larger.insert_all(machine, procedure, value);
                        }
                    }
                }
                Action::Call {
                    callee,
                    arguments,
                    targets,
                } => {
                    let inside = machine.procedure(*callee);
                    for (parameter, &argument) in inside.parameters().zip(arguments) {
                        if self.contains(*callee, Variable::Local(parameter)) {
                            larger.insert_all(machine, procedure, argument);
                        }
                    }
                    for (result, target) in inside.results().zip(targets) {
                        if target.is_some_and(|target| self.contains(procedure, target)) {
                            larger.insert(*callee, Variable::Local(result));
                        }
                    }
                }
                _ => {}
            }
        }
        larger
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_outcome::Target;

    #[test]
    fn levels_start_at_the_nearest_condition_and_follow_the_flow() {
        let text = "decl g, h, i, far; void main() begin h := i; g := h; if (far) then skip; fi if (g) then E: skip; fi end";
        let machine = hardbop_machine::from_text("t.bp", text).unwrap();
        let targets = Target::labels(&machine, "E");
        let nearest = Visible::nearest_conditions(&machine, &[targets[0].node]);
        let global = |name: &str| {
            let at = machine.globals.iter().position(|g| g.name == name).unwrap();
            Variable::Global(GlobalId::new(at))
        };
        let has = |set: &Visible, name| set.contains(ProcId(0), global(name));
        assert!(has(&nearest, "g") && !has(&nearest, "h") && !has(&nearest, "far"));
        let next = nearest.with_sources(&machine);
        assert!(has(&next, "h") && !has(&next, "i"));
    }

    #[test]
    fn flags_that_keep_their_initial_value_are_seen() {
        let text =
            "decl flag := 1, open, changing := 0; void main() begin changing := open & flag; end";
        let machine = hardbop_machine::from_text("t.bp", text).unwrap();
        let seen = Visible::nothing(&machine).with_constants(&machine);
        let global = |index| Variable::Global(GlobalId(index));
        let is_seen = [0, 1, 2].map(|index| seen.contains(ProcId(0), global(index)));
        assert_eq!(is_seen, [true, false, false]);
    }
}
