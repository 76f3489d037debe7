//! Live variables: those whose value at a node may still be read.
//!
//! Bebop (section 2.2) quantifies a variable away where it is dead. A variable is live at a node if
//! some way from there reads it before writing it ([`each_read`] says what reads: guards,
//! `constrain`, values, arguments, and `print`, because traces show it). Across calls the analysis
//! is sound and nearly context-sensitive: a global is live before a call if it is live at the
//! callee's entry **and** either the callee may read it (REF) or it is live after the call. Each
//! condition alone is necessary, for whatever way there is to the read leads through the callee's
//! entry, and it ends in the callee or leaves it through the exit; so both together lose nothing.
//! What is live after a call, targets aside, is live at the callee's exit, and so are all results.
//! Nothing is live where the program ends.
//!
//! In a concurrent machine other threads may read a shared global at any time: all are live
//! everywhere. At the end of `init` all globals are live, because the threads start from them.

use super::bit_set::BitSet;
use super::call_graph::CallGraph;
use super::mod_ref::ModRef;
use super::order::predecessors;
use super::shared_sets::{SetId, SharedSets};
use super::variables::{VariableIndex, each_read, each_write};
use crate::ids::{EdgeId, GlobalId, NodeId, ProcId, Variable};
use crate::ir::{Action, Machine, Storage};

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
    /// Computes the least solution. A node is looked at again only when more has become live there;
    /// callees come before their callers, and what follows before what goes before, so that most
    /// sets are complete when they are first passed on.
    pub fn new(machine: &Machine, calls: &CallGraph, effects: &ModRef) -> Self {
        let incoming = predecessors(machine);
        let mut solver = Solver::new(machine, calls, effects);
        let mut start = 0;
        while let Some(next) = solver
            .queued
            .first_from(start)
            .or(solver.queued.first_from(0))
        {
            solver.queued.remove(next);
            start = next;
            let node = solver.order[next];
            for &edge in incoming.row(node.index()) {
                match machine.edge(edge).action {
                    Action::Call { callee, .. } => {
                        solver.around_call(edge);
                        solver.reach_exit(edge, callee);
                        solver.through_call(edge, callee);
                    }
                    _ => solver.through_step(edge),
                }
            }
            let procedure = machine.procedure_of(node);
            if machine.procedure(procedure).entry == node {
                for site in calls.calls_of(procedure) {
                    solver.through_call(site.edge, procedure);
                }
            }
        }
        Self {
            sets: solver.sets,
            live: solver.live,
            variables: solver.variables,
            global_count: machine.globals.len(),
        }
    }

    /// Whether a variable of the node's procedure is live there.
    pub fn is_live(&self, node: NodeId, variable: Variable) -> bool {
        let index = self.variables.frame_index(variable);
        self.sets.contains(self.live[node.index()], index)
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
    effects: &'m ModRef,
    variables: VariableIndex,
    sets: SharedSets,
    live: Vec<SetId>,
    /// All nodes in the order in which they are best looked at.
    order: Vec<NodeId>,
    /// Where each node stands in it.
    position: Vec<u32>,
    /// Positions of nodes whose set has grown since their neighbours last saw it.
    queued: BitSet,
    all_globals: SetId,
    all_locals: SetId,
}

impl<'m> Solver<'m> {
    /// Every read is live before its step; results, shared and final globals are live as the module
    /// says.
    fn new(machine: &'m Machine, calls: &CallGraph, effects: &'m ModRef) -> Self {
        let variables = VariableIndex::new(machine);
        let mut sets = effects.sets().clone();
        let globals = machine.globals.len();
        let locals = machine.procedures.iter().map(|p| p.locals.len());
        let end = globals + locals.max().unwrap_or(0);
        let mut all = |range: std::ops::Range<usize>| {
            range.fold(SetId::EMPTY, |set, element| sets.insert(set, element))
        };
        let (all_globals, all_locals) = (all(0..globals), all(globals..end));
        let mut everywhere = SetId::EMPTY;
        if !machine.is_sequential() {
            for (global, declaration) in machine.globals.iter().enumerate() {
                if declaration.storage == Storage::Shared {
                    everywhere = sets.insert(everywhere, global);
                }
            }
        }
        let mut live = vec![everywhere; machine.nodes.len()];
        for edge in machine.edge_ids() {
            let from = &mut live[machine.edge(edge).from.index()];
            each_read(machine, edge, |variable| {
                *from = sets.insert(*from, variables.frame_index(variable));
            });
        }
        for procedure in &machine.procedures {
            let exit = &mut live[procedure.exit.index()];
            for result in procedure.results() {
                let index = variables.frame_index(Variable::Local(result));
                *exit = sets.insert(*exit, index);
            }
        }
        if let Some(init) = machine.init {
            let exit = &mut live[machine.procedure(init).exit.index()];
            *exit = sets.union(*exit, all_globals);
        }
        let nodes = |procedure| machine.procedure(procedure).node_ids();
        let order: Vec<NodeId> = calls
            .bottom_up()
            .flat_map(|procedure| nodes(procedure).rev())
            .collect();
        let mut position = vec![0; order.len()];
        for (index, node) in order.iter().enumerate() {
            position[node.index()] = index as u32;
        }
        Self {
            machine,
            effects,
            variables,
            sets,
            live,
            order,
            position,
            queued: BitSet::full(machine.nodes.len()),
            all_globals,
            all_locals,
        }
    }

    /// What is live after an edge, minus what the edge itself writes.
    fn unwritten(&mut self, edge: EdgeId) -> SetId {
        let mut set = self.live[self.machine.edge(edge).to.index()];
        each_write(self.machine, edge, |variable| {
            set = self.sets.remove(set, self.variables.frame_index(variable));
        });
        set
    }

    fn pass_to(&mut self, node: NodeId, set: SetId) {
        let live = &mut self.live[node.index()];
        let grown = self.sets.union(*live, set);
        if grown != *live {
            *live = grown;
            self.queued.insert(self.position[node.index()] as usize);
        }
    }

    fn through_step(&mut self, edge: EdgeId) {
        let passed = self.unwritten(edge);
        self.pass_to(self.machine.edge(edge).from, passed);
    }

    /// The caller's locals wait while the callee runs.
    fn around_call(&mut self, edge: EdgeId) {
        let after = self.unwritten(edge);
        let passed = self.sets.intersection(after, self.all_locals);
        self.pass_to(self.machine.edge(edge).from, passed);
    }

    /// Globals that are live after the call are live at the callee's exit.
    fn reach_exit(&mut self, edge: EdgeId, callee: ProcId) {
        let after = self.unwritten(edge);
        let passed = self.sets.intersection(after, self.all_globals);
        self.pass_to(self.machine.procedure(callee).exit, passed);
    }

    /// Globals that are live at the callee's entry and are either read by the callee or live after
    /// the call.
    fn through_call(&mut self, edge: EdgeId, callee: ProcId) {
        let after = self.unwritten(edge);
        let after = self.sets.intersection(after, self.all_globals);
        let read = self.effects.referenced_set(callee);
        let at_entry = self.live[self.machine.procedure(callee).entry.index()];
        let needed = self.sets.union(after, read);
        let passed = self.sets.intersection(needed, at_entry);
        self.pass_to(self.machine.edge(edge).from, passed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalId;
    use crate::test_builder::{Builder, assign, call};

    fn analyse(machine: &Machine) -> Liveness {
        let calls = CallGraph::new(machine);
        Liveness::new(machine, &calls, &ModRef::new(machine, &calls))
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
        b.edge(set.at(1), set.exit(), None, Action::Return(vec![one]));
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

    #[test]
    fn shared_globals_of_a_concurrent_machine_are_live_everywhere() {
        let mut b = Builder::new();
        let g = b.global("g", None);
        let main = b.procedure("main", &[], &[], 0, 2);
        b.edge(main.at(0), main.exit(), None, Action::Skip);
        let mut machine = b.finish(main.id);
        assert!(!analyse(&machine).is_live(main.at(0), g));
        machine.threads[0].instances = 2;
        assert!(analyse(&machine).is_live(main.exit(), g));
    }
}
