//! Which variables the closure tracks: as few as the question takes.
//!
//! The arguments of a function term are the price of the method: each tracked variable that takes both values may double the terms,
//! whether or not it has to do with the target. A variable that is not tracked can be read as a choice of the step that
//! reads it. That adds runs and takes none away, so "unreachable" stays true, with its certificate, and a run has to be
//! checked for real ([`crate::path`]); if it cannot be taken, the variables that say why are tracked from then on. The first
//! ones are those in the conditions of the targets. There are finitely many variables, and with all of them the closure is the paper's.

use hardbop_machine::analysis::{BitSet, CallGraph, Slice, VariableIndex};
use hardbop_machine::{Expr, ExprId, Machine, NodeId, ProcId, Variable};

/// The variables that are tracked.
#[derive(Clone, Debug)]
pub struct Precision {
    variables: VariableIndex,
    relevant: BitSet,
    tracked: BitSet,
}

impl Precision {
    /// All variables that can have to do with the targets.
    pub fn exact(machine: &Machine, targets: &[NodeId]) -> Self {
        let slice = Slice::new(machine, &CallGraph::new(machine), targets);
        let variables = VariableIndex::new(machine);
        let mut relevant = BitSet::new(variables.count());
        for procedure in machine.procedure_ids() {
            let globals = (0..machine.globals.len() as u32).map(hardbop_machine::GlobalId);
            let locals = machine.procedure(procedure).local_ids();
            let all = globals
                .map(Variable::Global)
                .chain(locals.map(Variable::Local));
            for variable in all {
                if slice.relevant(procedure, variable) {
                    relevant.insert(variables.index(procedure, variable));
                }
            }
        }
        Self {
            variables,
            tracked: relevant.clone(),
            relevant,
        }
    }

    /// Those in the conditions of edges that lead to a target.
    pub fn first(machine: &Machine, targets: &[NodeId]) -> Self {
        let mut precision = Self::exact(machine, targets);
        precision.tracked = BitSet::new(precision.variables.count());
        for edge in &machine.edges {
            if let Some(guard) = edge.guard
                && targets.contains(&edge.to)
            {
                let procedure = machine.procedure_of(edge.from);
                each_variable(machine, guard, |variable| {
                    precision.track(procedure, variable);
                });
            }
        }
        precision
    }

    /// Tracks a variable from now on if it is relevant.
    pub fn track(&mut self, procedure: ProcId, variable: Variable) {
        let index = self.variables.index(procedure, variable);
        if self.relevant.contains(index) {
            self.tracked.insert(index);
        }
    }

    /// Tracks all relevant variables.
    pub fn track_all(&mut self) {
        self.tracked = self.relevant.clone();
    }

    /// Whether a variable is tracked.
    pub fn tracks(&self, procedure: ProcId, variable: Variable) -> bool {
        self.tracked
            .contains(self.variables.index(procedure, variable))
    }

    /// Whether a variable is relevant but not tracked.
    pub fn lacks(&self, procedure: ProcId, variable: Variable) -> bool {
        let index = self.variables.index(procedure, variable);
        self.relevant.contains(index) && !self.tracked.contains(index)
    }

    /// Whether every relevant variable is tracked.
    pub fn is_exact(&self) -> bool {
        self.tracked.count() == self.relevant.count()
    }

    /// How many variables are tracked.
    pub fn tracked_count(&self) -> usize {
        self.tracked.count()
    }

    /// How many variables are relevant.
    pub fn relevant_count(&self) -> usize {
        self.relevant.count()
    }
}

/// Calls `visit` for the variables of an expression, before or after the step.
pub fn each_variable(machine: &Machine, root: ExprId, mut visit: impl FnMut(Variable)) {
    machine.exprs.visit(root, |expr| match *expr {
        Expr::Var(variable, _) | Expr::Next(variable, _) => visit(variable),
        _ => {}
    });
}
