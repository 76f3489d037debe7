//! Which variables the closure tracks: as few as the question takes.
//!
//! The arguments of a function term are the price of the method: each tracked variable that takes both values may double the terms,
//! whether or not it has to do with the target. A variable that is not tracked can be read as a choice of the step that
//! reads it. That adds runs and takes none away, so "unreachable" stays true, with its certificate, and a run has to be
//! checked for real ([`crate::path`]); if it cannot be taken, the variables that say why are tracked from then on. The first
//! ones are those in the conditions of the targets. There are finitely many variables, and with all of them the closure is the paper's.

use hardbop_machine::analysis::variables::each_write;
use hardbop_machine::analysis::{BitSet, CallGraph, Slice, VariableIndex};
use hardbop_machine::{Action, EdgeId, Expr, ExprId, GlobalId, Machine, NodeId, ProcId, Variable};
use std::collections::{BTreeMap, BTreeSet};

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

    /// Tracks the variables of conditions that decide whether a tracked variable changes: those just before a step that writes one, or before a call of
    /// a procedure with such a step.
    ///
    /// A run blames the conditions that it passes, one search at a time; a protocol that is kept in fifty procedures would take fifty searches. Conditions
    /// before calls that change something only further down are not taken: most of them are noise, and a run will tell.
    pub fn track_controls(&mut self, machine: &Machine) {
        let writes: Vec<bool> = machine
            .edge_ids()
            .map(|edge| self.writes_tracked(machine, edge))
            .collect();
        let mut writers = BitSet::new(machine.procedures.len());
        for edge in machine.edge_ids().filter(|edge| writes[edge.index()]) {
            writers.insert(machine.procedure_of(machine.edge(edge).from).index());
        }
        let is_event = |edge: EdgeId| match machine.edge(edge).action {
            Action::Call { callee, .. } => writes[edge.index()] || writers.contains(callee.index()),
            _ => writes[edge.index()],
        };
        for edge in machine.edge_ids() {
            let Some(guard) = machine.edge(edge).guard else {
                continue;
            };
            if way_on(machine, edge).into_iter().any(is_event) {
                let procedure = machine.procedure_of(machine.edge(edge).from);
                each_variable(machine, guard, |variable| self.track(procedure, variable));
            }
        }
    }

    fn writes_tracked(&self, machine: &Machine, edge: EdgeId) -> bool {
        let procedure = machine.procedure_of(machine.edge(edge).from);
        let mut is_tracked = false;
        each_write(machine, edge, |variable| {
            is_tracked |= self.tracks(procedure, variable);
        });
        is_tracked
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

/// So many edges behind a condition are looked at.
const MOST_EDGES: usize = 8;

/// An edge and those behind it while there is only one way.
fn way_on(machine: &Machine, first: EdgeId) -> Vec<EdgeId> {
    let mut way = vec![first];
    while way.len() < MOST_EDGES {
        let mut out = machine.edges_from(machine.edge(way[way.len() - 1]).to);
        match (out.next(), out.next()) {
            (Some(only), None) => way.push(only),
            _ => break,
        }
    }
    way
}

/// Targets in groups that are searched for one after the other: those whose conditions speak of the same globals.
///
/// A variable that only one group needs does not multiply the terms of the others. Locals make no groups: those of different procedures are no arguments of the same
/// block. The last group takes whatever is left.
pub fn groups(machine: &Machine, targets: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut globals: BTreeMap<NodeId, BTreeSet<GlobalId>> = BTreeMap::new();
    for edge in &machine.edges {
        if let Some(guard) = edge.guard
            && targets.binary_search(&edge.to).is_ok()
        {
            let of_target = globals.entry(edge.to).or_default();
            each_variable(machine, guard, |variable| {
                if let Variable::Global(global) = variable {
                    of_target.insert(global);
                }
            });
        }
    }
    let mut groups: BTreeMap<BTreeSet<GlobalId>, Vec<NodeId>> = BTreeMap::new();
    for &target in targets {
        let key = globals.remove(&target).unwrap_or_default();
        groups.entry(key).or_default().push(target);
    }
    let mut groups: Vec<Vec<NodeId>> = groups.into_values().collect();
    if groups.len() > MOST_GROUPS {
        let mut rest = groups.split_off(MOST_GROUPS - 1).concat();
        rest.sort_unstable();
        groups.push(rest);
    }
    groups
}

/// Each group costs a search.
const MOST_GROUPS: usize = 16;

/// Calls `visit` for the variables of an expression, before or after the step.
pub fn each_variable(machine: &Machine, root: ExprId, mut visit: impl FnMut(Variable)) {
    machine.exprs.visit(root, |expr| match *expr {
        Expr::Var(variable, _) | Expr::Next(variable, _) => visit(variable),
        _ => {}
    });
}
