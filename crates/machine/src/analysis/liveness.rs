//! Live variables: those whose value at a node may still be read.
//!
//! Bebop (section 2.2) quantifies a variable away where it is dead. A variable is live at a node if
//! some way from there reads it before writing it ([`each_read`] says what reads: guards,
//! `constrain`, values, arguments, and `print`, because traces show it). Ways are those that return
//! to where they were called from. Two summaries make that cheap, callees first: what a node *uses*
//! before its procedure ends, and what is *overwritten* on every way to the end. Then, callers
//! first, what is live after any call of a procedure is live at its exit, and at a node it is live
//! unless it is overwritten. So each node is looked at once where there are no cycles. All results
//! are live at an exit, and nothing else where the program ends.
//!
//! In a concurrent machine other threads may read a shared global at any time: all are live
//! everywhere. At the end of `init` all globals are live, because the threads start from them.

use super::bit_set::BitSet;
use super::call_graph::CallGraph;
use super::order::predecessors;
use super::shared_sets::{SetId, SharedSets};
use super::variables::{VariableIndex, each_read, each_write};
use crate::ids::{EdgeId, GlobalId, NodeId, ProcId, Variable};
use crate::ir::{Action, Edge, Storage};
use crate::machine::Machine;

/// The variables that are live at each node.
#[derive(Clone, Debug)]
pub struct Liveness {
    sets: SharedSets,
    /// By node.
    live: Vec<SetId>,
    variables: VariableIndex,
    global_count: usize,
}

impl Liveness {
    /// Computes the least solution.
    pub(crate) fn new(machine: &Machine, calls: &CallGraph) -> Self {
        let mut solver = Solver::new(machine);
        solver.summarise(calls);
        let at_exits = solver.at_exits(calls);
        let nodes = machine.node_ids();
        for node in nodes {
            let live = solver.live(node, at_exits[machine.procedure_of(node).index()]);
            solver.used[node.index()] = live;
        }
        Self {
            live: solver.used,
            sets: solver.sets,
            variables: solver.variables,
            global_count: machine.globals.len(),
        }
    }

    /// Whether a variable of the node's procedure is live there.
    pub fn is_live(&self, node: NodeId, variable: Variable) -> bool {
        let index = self.variables.frame_index(variable);
        self.sets.contains(self.live[node.index()], index)
    }

    /// The number of the set of live variables at a node: equal sets have equal numbers.
    pub fn set_at(&self, node: NodeId) -> u32 {
        self.live[node.index()].number()
    }

    /// The live variables of a node: globals first, then locals, each ascending.
    pub fn live_at(&self, node: NodeId) -> impl Iterator<Item = Variable> + '_ {
        self.sets.iter(self.live[node.index()]).map(|index| {
            match index.checked_sub(self.global_count) {
                None => Variable::Global(GlobalId::new(index)),
                Some(local) => Variable::Local(crate::LocalId::new(local)),
            }
        })
    }
}

struct Solver<'m> {
    machine: &'m Machine,
    variables: VariableIndex,
    sets: SharedSets,
    all_globals: SetId,
    /// By node: what is read before it is written, in the procedure and in what it calls.
    used: Vec<SetId>,
    /// By node: the globals that are written on every way to the exit.
    overwritten: Vec<SetId>,
}

impl<'m> Solver<'m> {
    /// Every read is used before its step; results, shared and final globals as the module says.
    fn new(machine: &'m Machine) -> Self {
        let variables = VariableIndex::new(machine);
        let globals = machine.globals.len();
        let locals = machine.procedures.iter().map(|p| p.locals.len());
        let mut sets = SharedSets::new(globals + locals.max().unwrap_or(0));
        let all_globals = (0..globals).fold(SetId::EMPTY, |set, global| sets.insert(set, global));
        let mut everywhere = SetId::EMPTY;
        if !machine.is_sequential() {
            for (global, declaration) in machine.globals.iter().enumerate() {
                if declaration.storage == Storage::Shared {
                    everywhere = sets.insert(everywhere, global);
                }
            }
        }
        let mut used = vec![everywhere; machine.nodes.len()];
        let mut overwritten = vec![all_globals; machine.nodes.len()];
        for edge in machine.edge_ids() {
            let from = &mut used[machine.edge(edge).from.index()];
            each_read(machine, edge, |variable| {
                *from = sets.insert(*from, variables.frame_index(variable));
            });
        }
        for procedure in &machine.procedures {
            let exit = procedure.exit.index();
            overwritten[exit] = SetId::EMPTY;
            for result in procedure.results() {
                let index = variables.frame_index(Variable::Local(result));
                used[exit] = sets.insert(used[exit], index);
            }
        }
        if let Some(init) = machine.init {
            let exit = &mut used[machine.procedure(init).exit.index()];
            *exit = sets.union(*exit, all_globals);
        }
        Self {
            machine,
            variables,
            sets,
            all_globals,
            used,
            overwritten,
        }
    }

    /// Completes what is used and overwritten. A node is looked at again only when something has
    /// changed there; callees come before their callers, and what follows before what goes before.
    fn summarise(&mut self, calls: &CallGraph) {
        let machine = self.machine;
        let incoming = predecessors(machine);
        let nodes = |procedure| machine.procedure(procedure).node_ids();
        let bottom_up = calls.bottom_up();
        let mut order: Vec<NodeId> = Vec::with_capacity(machine.nodes.len());
        order.extend(bottom_up.flat_map(|procedure| nodes(procedure).rev()));
        let mut position: Vec<u32> = vec![0; order.len()];
        for (index, node) in order.iter().enumerate() {
            position[node.index()] = index as u32;
        }
        let mut queued = BitSet::full(order.len());
        let mut start = 0;
        while let Some(next) = queued.first_from(start).or_else(|| queued.first_from(0)) {
            queued.remove(next);
            start = next;
            let node = order[next];
            let procedure = machine.procedure_of(node);
            let is_entry = machine.procedure(procedure).entry == node;
            let sites = if is_entry {
                calls.calls_of(procedure)
            } else {
                &[]
            };
            let callers = sites.iter().map(|site| site.edge);
            for edge in incoming.row(node.index()).iter().copied().chain(callers) {
                let from = machine.edge(edge).from;
                if self.pass_back(edge, from.index()) {
                    queued.insert(position[from.index()] as usize);
                }
            }
        }
    }

    /// Passes an edge backwards; whether the node before it has changed.
    fn pass_back(&mut self, edge: EdgeId, from: usize) -> bool {
        let Edge { to, ref action, .. } = *self.machine.edge(edge);
        let mut used = self.unwritten(edge, self.used[to.index()]);
        let mut overwritten = self.overwritten[to.index()];
        each_write(self.machine, edge, |variable| {
            if let Variable::Global(global) = variable {
                overwritten = self.sets.insert(overwritten, global.index());
            }
        });
        if let Action::Call { callee, .. } = *action {
            // The caller's locals wait while the callee runs.
            let entry = self.machine.procedure(callee).entry.index();
            used = self.sets.difference(used, self.overwritten[entry]);
            let by_callee = self.sets.intersection(self.used[entry], self.all_globals);
            used = self.sets.union(used, by_callee);
            overwritten = self.sets.union(overwritten, self.overwritten[entry]);
        }
        used = self.sets.union(self.used[from], used);
        overwritten = self.sets.intersection(self.overwritten[from], overwritten);
        let has_changed = (used, overwritten) != (self.used[from], self.overwritten[from]);
        (self.used[from], self.overwritten[from]) = (used, overwritten);
        has_changed
    }

    /// By procedure: the globals that are live after some call of it.
    fn at_exits(&mut self, calls: &CallGraph) -> Vec<SetId> {
        let mut at_exits = vec![SetId::EMPTY; self.machine.procedures.len()];
        let mut top_down: Vec<ProcId> = calls.bottom_up().collect();
        top_down.reverse();
        let mut position = vec![0; top_down.len()];
        for (index, procedure) in top_down.iter().enumerate() {
            position[procedure.index()] = index;
        }
        let mut queued = BitSet::full(top_down.len());
        // Nothing before `start` is queued: looking from 0 each time would be quadratic.
        let mut start = 0;
        while let Some(next) = queued.first_from(start) {
            queued.remove(next);
            start = next;
            let procedure = top_down[next];
            for site in calls.calls_in(procedure) {
                let after = self.machine.edge(site.edge).to;
                let after = self.live(after, at_exits[procedure.index()]);
                let after = self.unwritten(site.edge, after);
                let after = self.sets.intersection(after, self.all_globals);
                let at_exit = &mut at_exits[site.callee.index()];
                let grown = self.sets.union(*at_exit, after);
                if grown != *at_exit {
                    *at_exit = grown;
                    let again = position[site.callee.index()];
                    queued.insert(again);
                    start = start.min(again);
                }
            }
        }
        at_exits
    }

    /// What is live at a node if this is live at the exit of its procedure.
    fn live(&mut self, node: NodeId, at_exit: SetId) -> SetId {
        let kept = self
            .sets
            .difference(at_exit, self.overwritten[node.index()]);
        self.sets.union(self.used[node.index()], kept)
    }

    /// A set without what the edge itself writes.
    fn unwritten(&mut self, edge: EdgeId, mut set: SetId) -> SetId {
        each_write(self.machine, edge, |variable| {
            set = self.sets.remove(set, self.variables.frame_index(variable));
        });
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalId;
    use crate::test_builder::{Builder, assign, call};

    fn analyse(machine: &Machine) -> Liveness {
        let calls = CallGraph::new(machine);
        Liveness::new(machine, &calls)
    }

    #[test]
    fn a_variable_is_dead_between_its_last_read_and_its_next_write() {
        let mut b = Builder::new();
        let x = Variable::Local(LocalId(0));
        let main = b.procedure("main", &[], &["x"], 0, 4);
        let guard = b.var(x);
        b.edge(main.at(0), main.at(1), Some(guard), Action::Skip);
        let one = b.constant(1);
        b.edge(main.at(1), main.at(2), None, assign(&[(x, one)]));
        let guard = b.var(x);
        b.edge(main.at(2), main.exit(), Some(guard), Action::Skip);
        let machine = b.finish(main.id);
        let live = analyse(&machine);
        let at = [0, 1, 2, 3].map(|i| live.is_live(main.at(i), x));
        assert_eq!(at, [true, false, true, false]);
    }

    /// `main` reads `g` after its call of `id`, `other` reads `h` after its own.
    #[test]
    fn a_global_read_after_one_call_is_not_live_before_another_call_of_the_same_procedure() {
        let mut b = Builder::new();
        let (g, h) = (b.global("g", None), b.global("h", None));
        let main = b.procedure("main", &[], &[], 0, 4);
        let other = b.procedure("other", &[], &[], 0, 3);
        let id = b.procedure("id", &[], &[], 0, 2);
        b.edge(main.at(0), main.at(1), None, call(id.id, &[], &[]));
        let guard = b.var(g);
        b.edge(main.at(1), main.at(2), Some(guard), Action::Skip);
        b.edge(main.at(2), main.exit(), None, call(other.id, &[], &[]));
        b.edge(other.at(0), other.at(1), None, call(id.id, &[], &[]));
        let guard = b.var(h);
        b.edge(other.at(1), other.exit(), Some(guard), Action::Skip);
        b.edge(id.at(0), id.exit(), None, Action::Skip);
        let machine = b.finish(main.id);
        let live = analyse(&machine);
        assert!(live.is_live(id.exit(), g) && live.is_live(id.exit(), h));
        assert!(live.is_live(other.at(0), h) && !live.is_live(other.at(0), g));
        assert!(live.is_live(main.at(0), g) && live.is_live(main.at(0), h));
        assert!(!live.is_live(main.exit(), h));
    }

    #[test]
    fn a_global_that_the_callee_overwrites_is_dead_before_the_call() {
        let mut b = Builder::new();
        let g = b.global("g", None);
        let (x, result) = (Variable::Local(LocalId(0)), Variable::Local(LocalId(0)));
        let main = b.procedure("main", &[], &["x"], 0, 3);
        let set = b.procedure("set", &[], &[], 1, 3);
        b.edge(main.at(0), main.at(1), None, call(set.id, &[], &[Some(x)]));
        let (g_value, x_value) = (b.var(g), b.var(x));
        let both = b.binary(crate::BinaryOp::And, g_value, x_value);
        b.edge(main.at(1), main.exit(), Some(both), Action::Skip);
        let one = b.constant(1);
        b.edge(set.at(0), set.at(1), None, assign(&[(g, one)]));
        b.edge(
            set.at(1),
            set.exit(),
            None,
            Action::Return(vec![one].into()),
        );
        let machine = b.finish(main.id);
        let live = analyse(&machine);
        assert_eq!(live.live_at(main.at(0)).count(), 0);
        assert_eq!(live.live_at(main.at(1)).collect::<Vec<_>>(), [g, x]);
        assert_eq!(live.live_at(set.exit()).collect::<Vec<_>>(), [g, result]);
    }

    /// As rows of bits the sets of this program take 2 x 5,000² and 15,000 x 5,000 bits, and in the
    /// order of the text each procedure would be looked at as often as there are procedures behind
    /// it.
    #[test]
    fn many_procedures_with_many_globals_are_not_quadratic() {
        use std::fmt::Write as _;
        let count = 5_000;
        let names: Vec<String> = (0..=count).map(|i| format!("v{i}")).collect();
        let mut text = format!("decl {};\nvoid main() begin f0(); end\n", names.join(","));
        let _ = writeln!(text, "void f{count}() begin skip; end");
        for i in (0..count).rev() {
            let next = i + 1;
            let _ = writeln!(text, "void f{i}() begin v{i} := v{next}; f{next}(); end");
        }
        let machine = crate::from_text("t.bp", &text).expect("it is a program");
        let live = analyse(&machine);
        let entry = machine.procedures[0].entry;
        let at_start = live.live_at(entry).map(|variable| match variable {
            Variable::Global(id) => id.index(),
            Variable::Local(_) => unreachable!("there are no locals"),
        });
        assert!(at_start.eq(1..=count));
        assert!(live.sets.size() < 40 * count, "{}", live.sets.size());
    }

    /// What is live after a call goes through the callee at once. Passed on by one call at a time,
    /// the sets of this program were quadratic.
    #[test]
    fn many_calls_of_procedures_with_a_global_each_are_not_quadratic() {
        use std::fmt::Write as _;
        let count = 5_000;
        let names: Vec<String> = (0..count).map(|i| format!("g{i}")).collect();
        let mut text = format!("decl {};\nvoid main() begin\n", names.join(","));
        for i in 0..count {
            let _ = writeln!(text, "p{i}();");
        }
        text.push_str("end\n");
        for i in 0..count {
            let _ = writeln!(text, "void p{i}() begin g{i} := !g{i}; end");
        }
        let machine = crate::from_text("t.bp", &text).expect("it is a program");
        let live = analyse(&machine);
        assert_eq!(live.live_at(machine.procedures[0].entry).count(), count);
        assert!(live.sets.size() < 100 * count, "{}", live.sets.size());
    }

    #[test]
    fn shared_globals_of_a_concurrent_machine_are_live_everywhere() {
        let mut b = Builder::new();
        let g = b.global("g", None);
        let main = b.procedure("main", &[], &[], 0, 2);
        b.edge(main.at(0), main.exit(), None, Action::Skip);
        let machine = b.finish(main.id);
        assert!(!analyse(&machine).is_live(main.at(0), g));
        let machine = machine.changed(|parts| parts.threads[0].instances = 2);
        assert!(analyse(&machine).is_live(main.exit(), g));
    }
}
