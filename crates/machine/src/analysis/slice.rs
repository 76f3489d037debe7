//! The part of a machine that can influence whether some nodes are reached.
//!
//! **Places.** A node is kept if the control-flow graph has a way from the start to it (`forward`),
//! and a way from it to a target. Ways are the valid ones: a call is passed only if the callee's
//! exit can be reached from its entry, and a return goes to a call site. Backwards that takes two
//! sets: `within`, the nodes that reach a target without returning from their frame, and `useful`,
//! which adds those that reach it after returning; a call is entered only for `within`. Every run
//! that ends in a target uses kept nodes and edges only, up to the target, so leaving out the
//! others changes neither verdict. In a concurrent machine a thread can matter by what it writes,
//! wherever its control is, so there everything that `forward` has is kept.
//!
//! **Variables.** A variable is relevant if it occurs in the guard or `constrain` of a kept edge,
//! or if its value may flow (by assignment, argument or result, on a kept edge) into a relevant
//! one. Leave out all writes to other variables, but no step and no guard: the runs of both
//! machines then correspond step by step with equal relevant values, for whether a step can be
//! taken depends on relevant values only. A guard may block, so no guard is left out, however
//! little its branches differ. What `print` shows is not relevant.

use super::bit_set::BitSet;
use super::call_graph::CallGraph;
use super::order::predecessors;
use super::table::Table;
use super::variables::{VariableIndex, each_variable_before};
use crate::Expr;
use crate::ids::{EdgeId, ExprId, NodeId, ProcId, Variable};
use crate::ir::{Action, ThreadStart};
use crate::machine::Machine;

/// What can influence whether some nodes are reached.
#[derive(Clone, Debug)]
pub struct Slice {
    forward: BitSet,
    nodes: BitSet,
    edges: BitSet,
    relevant: BitSet,
    variables: VariableIndex,
}

impl Slice {
    /// The slice for some targets. Linear.
    pub fn new(machine: &Machine, targets: &[NodeId]) -> Self {
        let calls = machine.calls();
        let incoming = predecessors(machine);
        let returning = returning_procedures(machine, calls, &incoming);
        let forward = forward(machine, &returning);
        let mut edges = BitSet::new(machine.edges.len());
        let nodes;
        if machine.is_sequential() {
            let within = backward(machine, calls, &incoming, &returning, targets, None);
            let useful = backward(
                machine,
                calls,
                &incoming,
                &returning,
                targets,
                Some(&within),
            );
            nodes = intersection(&forward, &useful);
            for id in machine.edge_ids() {
                let edge = machine.edge(id);
                let leads_on = match edge.action {
                    Action::Call { callee, .. } => {
                        within.contains(machine.procedure(callee).entry.index())
                            || returning.contains(callee.index())
                                && useful.contains(edge.to.index())
                    }
                    Action::EndThread => false,
                    _ => useful.contains(edge.to.index()),
                };
                if leads_on && nodes.contains(edge.from.index()) {
                    edges.insert(id.index());
                }
            }
        } else {
            for id in machine.edge_ids() {
                if forward.contains(machine.edge(id).from.index()) {
                    edges.insert(id.index());
                }
            }
            nodes = forward.clone();
        }
        let variables = VariableIndex::new(machine);
        let relevant = relevant_variables(machine, &variables, &edges);
        Self {
            forward,
            nodes,
            edges,
            relevant,
            variables,
        }
    }

    /// Whether the control-flow graph has a way from the start to the node.
    pub fn has_way_to(&self, node: NodeId) -> bool {
        self.forward.contains(node.index())
    }

    /// Whether a run to a target can pass the node.
    pub fn keeps_node(&self, node: NodeId) -> bool {
        self.nodes.contains(node.index())
    }

    /// Whether a run to a target can take the edge.
    pub fn keeps_edge(&self, edge: EdgeId) -> bool {
        self.edges.contains(edge.index())
    }

    /// Whether a variable as seen from a procedure can influence which edges are taken on the way
    /// to a target.
    pub fn relevant(&self, procedure: ProcId, variable: Variable) -> bool {
        self.relevant
            .contains(self.variables.index(procedure, variable))
    }

    /// The nodes that are kept.
    pub fn nodes(&self) -> &BitSet {
        &self.nodes
    }

    /// The edges that are kept.
    pub fn edges(&self) -> &BitSet {
        &self.edges
    }

    /// How many variables are relevant, locals of all procedures counted.
    pub fn relevant_count(&self) -> usize {
        self.relevant.count()
    }
}

fn intersection(a: &BitSet, b: &BitSet) -> BitSet {
    let mut both = BitSet::new(a.bound());
    for element in a.iter().filter(|&element| b.contains(element)) {
        both.insert(element);
    }
    both
}

/// Nodes to be looked at, each once.
struct Visits {
    seen: BitSet,
    pending: Vec<NodeId>,
}

impl Visits {
    fn new(machine: &Machine, start: impl IntoIterator<Item = NodeId>) -> Self {
        let mut visits = Self {
            seen: BitSet::new(machine.nodes.len()),
            pending: Vec::new(),
        };
        start.into_iter().for_each(|node| visits.add(node));
        visits
    }

    fn add(&mut self, node: NodeId) {
        if self.seen.insert(node.index()) {
            self.pending.push(node);
        }
    }
}

/// The procedures whose control-flow graph has a way from the entry to the exit.
fn returning_procedures(machine: &Machine, calls: &CallGraph, incoming: &Table<EdgeId>) -> BitSet {
    let mut returning = BitSet::new(machine.procedures.len());
    // Backwards from the exits; a call is passed once its callee is known to return.
    let exits = machine.procedures.iter().map(|procedure| procedure.exit);
    let mut visits = Visits::new(machine, exits);
    while let Some(node) = visits.pending.pop() {
        for &id in incoming.row(node.index()) {
            let edge = machine.edge(id);
            match edge.action {
                Action::Call { callee, .. } if !returning.contains(callee.index()) => {}
                _ => visits.add(edge.from),
            }
        }
        let procedure = machine.procedure_of(node);
        if machine.procedure(procedure).entry == node && returning.insert(procedure.index()) {
            for site in calls.calls_of(procedure) {
                let edge = machine.edge(site.edge);
                if visits.seen.contains(edge.to.index()) {
                    visits.add(edge.from);
                }
            }
        }
    }
    returning
}

/// The nodes to which the control-flow graph has a way from the start.
fn forward(machine: &Machine, returning: &BitSet) -> BitSet {
    let entry = |procedure: ProcId| machine.procedure(procedure).entry;
    let threads = || machine.threads.iter().map(|thread| entry(thread.entry));
    let mut visits = match machine.init {
        Some(init) => Visits::new(machine, [entry(init)]),
        None => Visits::new(machine, threads()),
    };
    while let Some(node) = visits.pending.pop() {
        for id in machine.edges_from(node) {
            let edge = machine.edge(id);
            match edge.action {
                Action::Call { callee, .. } => {
                    visits.add(entry(callee));
                    if returning.contains(callee.index()) {
                        visits.add(edge.to);
                    }
                }
                Action::EndThread => {
                    // The threads start where `init` ends, be it here.
                    if machine.init.is_some() {
                        threads().for_each(|node| visits.add(node));
                    }
                }
                _ => visits.add(edge.to),
            }
            match edge.action {
                Action::StartThread(ThreadStart::Node(start)) => visits.add(start),
                Action::StartThread(ThreadStart::Procedure { callee, .. }) => {
                    visits.add(entry(callee));
                }
                _ => {}
            }
        }
        if machine
            .init
            .is_some_and(|init| machine.procedure(init).exit == node)
        {
            threads().for_each(|node| visits.add(node));
        }
    }
    visits.seen
}

/// The nodes from which a target can be reached: without leaving the frame if `within` is not
/// given, else in any way.
fn backward(
    machine: &Machine,
    calls: &CallGraph,
    incoming: &Table<EdgeId>,
    returning: &BitSet,
    targets: &[NodeId],
    within: Option<&BitSet>,
) -> BitSet {
    let start: Vec<NodeId> = match within {
        None => targets.to_vec(),
        Some(within) => within.iter().map(NodeId::new).collect(),
    };
    let mut visits = Visits::new(machine, start);
    while let Some(node) = visits.pending.pop() {
        for &id in incoming.row(node.index()) {
            let edge = machine.edge(id);
            if let Action::Call { callee, .. } = edge.action {
                if returning.contains(callee.index()) {
                    visits.add(edge.from);
                }
                if within.is_some() {
                    visits.add(machine.procedure(callee).exit);
                }
            } else {
                visits.add(edge.from);
            }
        }
        let procedure = machine.procedure_of(node);
        if within.is_none() && machine.procedure(procedure).entry == node {
            for site in calls.calls_of(procedure) {
                visits.add(machine.edge(site.edge).from);
            }
        }
    }
    visits.seen
}

/// Guards and constrains of the kept edges, and all that flows into what they mention.
fn relevant_variables(machine: &Machine, variables: &VariableIndex, edges: &BitSet) -> BitSet {
    let exprs = &machine.exprs;
    let mut relevant = BitSet::new(variables.count());
    let mut pending = Vec::new();
    let mut mark = |variable: usize, pending: &mut Vec<usize>| {
        if relevant.insert(variable) {
            pending.push(variable);
        }
    };
    // Pairs of a variable that is written and one that its new value is computed from.
    let mut flows: Vec<(usize, usize)> = Vec::new();
    let mut flow = |to: usize, value: ExprId, procedure: ProcId| {
        each_variable_before(exprs, value, |from| {
            flows.push((to, variables.index(procedure, from)));
        });
    };
    let mut results: Vec<(usize, usize)> = Vec::new();
    for id in edges.iter().map(EdgeId::new) {
        let edge = machine.edge(id);
        let procedure = machine.procedure_of(edge.from);
        let local = |procedure, id| variables.index(procedure, Variable::Local(id));
        let constrain = match &edge.action {
            Action::Assign { constrain, .. } => *constrain,
            _ => None,
        };
        for root in edge.guard.into_iter().chain(constrain) {
            exprs.visit(root, |expr| {
                if let Expr::Var(variable, _) | Expr::Next(variable, _) = *expr {
                    mark(variables.index(procedure, variable), &mut pending);
                }
            });
        }
        match &edge.action {
            Action::Assign { assignments, .. } => {
                for &(target, value) in assignments {
                    flow(variables.index(procedure, target), value, procedure);
                }
            }
            Action::Return(values) => {
                let targets = machine.procedure(procedure).results();
                for (target, &value) in targets.zip(values) {
                    flow(local(procedure, target), value, procedure);
                }
            }
            Action::Call {
                callee, arguments, ..
            }
            | Action::StartThread(ThreadStart::Procedure { callee, arguments }) => {
                let parameters = machine.procedure(*callee).parameters();
                for (parameter, &value) in parameters.zip(arguments) {
                    flow(local(*callee, parameter), value, procedure);
                }
                if let Action::Call { targets, .. } = &edge.action {
                    for (target, result) in targets.iter().zip(machine.procedure(*callee).results())
                    {
                        if let Some(target) = *target {
                            let target = variables.index(procedure, target);
                            results.push((target, local(*callee, result)));
                        }
                    }
                }
            }
            _ => {}
        }
    }
    // Every step looks at the flag: it decides which thread may take one.
    if let Some(flag) = machine.atomic_flag {
        mark(flag.index(), &mut pending);
    }
    flows.append(&mut results);
    let sources = Table::new(variables.count(), flows.iter().copied());
    while let Some(variable) = pending.pop() {
        for &source in sources.row(variable) {
            mark(source, &mut pending);
        }
    }
    relevant
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalId;
    use crate::test_builder::{Builder, assign, call};

    fn slice(machine: &Machine, targets: &[NodeId]) -> Slice {
        Slice::new(machine, targets)
    }

    #[test]
    fn a_call_is_entered_only_if_its_callee_has_a_target_or_returns_to_where_one_is_reached() {
        let mut b = Builder::new();
        // 0 branches: 1 calls `work` and goes on to the target 3; 2 calls `work` and ends; 4 calls
        // `stuck` before the target.
        let main = b.procedure("main", &[], &[], 0, 6);
        let work = b.procedure("work", &[], &[], 0, 2);
        let stuck = b.procedure("stuck", &[], &[], 0, 2);
        for branch in [1, 2, 4] {
            b.edge(main.at(0), main.at(branch), None, Action::Skip);
        }
        b.edge(main.at(1), main.at(3), None, call(work.id, &[], &[]));
        b.edge(main.at(2), main.exit(), None, call(work.id, &[], &[]));
        b.edge(main.at(4), main.at(3), None, call(stuck.id, &[], &[]));
        b.edge(work.at(0), work.exit(), None, Action::Skip);
        b.edge(stuck.at(0), stuck.at(0), None, Action::Skip);
        let machine = b.finish(main.id);
        let result = slice(&machine, &[main.at(3)]);
        let kept: Vec<usize> = result.nodes().iter().collect();
        let expected = [main.at(0), main.at(1), main.at(3), work.at(0), work.exit()];
        assert_eq!(kept, expected.map(NodeId::index));
        assert!(!slice(&machine, &[stuck.at(0)]).keeps_node(main.at(1)));
        assert!(slice(&machine, &[stuck.at(0)]).keeps_node(main.at(4)));
    }

    #[test]
    fn relevance_follows_assignments_arguments_and_results_backwards() {
        let mut b = Builder::new();
        let [g, h, unused] = ["g", "h", "unused"].map(|name| b.global(name, None));
        let main = b.procedure("main", &[], &["x"], 0, 5);
        let id = b.procedure("id", &["a", "b"], &[], 1, 2);
        let [first, second] = [0, 1].map(|i| Variable::Local(LocalId(i)));
        let (g_value, h_value) = (b.var(g), b.var(h));
        let arguments = [g_value, h_value];
        let targets = [Some(first)];
        b.edge(
            main.at(0),
            main.at(1),
            None,
            call(id.id, &arguments, &targets),
        );
        let value = b.var(first);
        b.edge(
            id.at(0),
            id.exit(),
            None,
            Action::Return(vec![value].into()),
        );
        let value = b.var(first);
        b.edge(main.at(1), main.at(2), None, assign(&[(unused, value)]));
        b.edge(main.at(2), main.at(3), Some(value), Action::Skip);
        let machine = b.finish(main.id);
        let result = slice(&machine, &[main.at(3)]);
        assert!(result.relevant(main.id, first));
        assert!(result.relevant(id.id, first));
        assert!(result.relevant(main.id, g));
        assert!(!result.relevant(id.id, second));
        assert!(!result.relevant(main.id, h) && !result.relevant(main.id, unused));
    }

    #[test]
    fn threads_start_where_init_ends_itself() {
        let mut b = Builder::new();
        let init = b.procedure("init", &[], &[], 0, 2);
        let main = b.procedure("main", &[], &[], 0, 2);
        b.edge(init.at(0), init.at(1), None, Action::EndThread);
        b.edge(main.at(0), main.at(1), None, Action::Skip);
        let machine = b.finish(main.id);
        let machine = machine.changed(|parts| parts.init = Some(init.id));
        assert!(Slice::new(&machine, &[main.at(1)]).has_way_to(main.at(1)));
        assert!(machine.constants().is_reached(main.at(1)));
    }

    #[test]
    fn a_concurrent_machine_keeps_threads_that_only_write() {
        let mut b = Builder::new();
        let g = b.global("g", Some(0));
        let main = b.procedure("main", &[], &[], 0, 3);
        let writer = b.procedure("writer", &[], &[], 0, 2);
        let guard = b.var(g);
        b.edge(main.at(0), main.at(1), Some(guard), Action::Skip);
        let one = b.constant(1);
        b.edge(writer.at(0), writer.exit(), None, assign(&[(g, one)]));
        let machine = b.finish(main.id).changed(|parts| {
            let mut second = parts.threads[0].clone();
            second.entry = writer.id;
            parts.threads.push(second);
        });
        assert!(slice(&machine, &[main.at(1)]).keeps_edge(EdgeId(1)));
    }
}
