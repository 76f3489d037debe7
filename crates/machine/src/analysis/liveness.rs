//! Live variables: those whose value at a node may still be read.
//!
//! Bebop (section 2.2) quantifies a variable away where it is dead. A variable is live at a node if some way from there
//! reads it before writing it ([`each_read`] says what reads: guards, `constrain`, values, arguments, and `print`,
//! because traces show it). Across calls the analysis is sound and nearly context-sensitive: a global is live
//! before a call if it is live at the callee's entry **and** either the callee may read it (REF) or it is live after the call.
//! Each condition alone is necessary, for whatever way there is to the read leads through the callee's
//! entry, and it ends in the callee or leaves it through the exit; so both together lose nothing. What is
//! live after a call, targets aside, is live at the callee's exit, and so are all results. Nothing is live where the program ends.
//!
//! In a concurrent machine other threads may read a shared global at any time: all are live everywhere. At the end of `init` all
//! globals are live, because the threads start from them.

use super::bit_set::{BitRows, BitSet, remove_bit};
use super::call_graph::CallGraph;
use super::mod_ref::ModRef;
use super::order::predecessors;
use super::variables::{VariableIndex, each_read, each_write};
use crate::ids::{EdgeId, GlobalId, NodeId, ProcId, Variable};
use crate::ir::{Action, Machine, Storage};

/// The variables that are live at each node.
#[derive(Clone, Debug)]
pub struct Liveness {
    live: BitRows,
    variables: VariableIndex,
    global_count: usize,
}

impl Liveness {
    /// Computes the least solution. A node is looked at again only when more has become live there.
    pub fn new(machine: &Machine, calls: &CallGraph, effects: &ModRef) -> Self {
        let incoming = predecessors(machine);
        let mut solver = Solver::new(machine, effects);
        while let Some(node) = solver.pending.pop() {
            solver.queued.remove(node.index());
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
            live: solver.live,
            variables: solver.variables,
            global_count: machine.globals.len(),
        }
    }

    /// Whether a variable of the node's procedure is live there.
    pub fn is_live(&self, node: NodeId, variable: Variable) -> bool {
        let index = self.variables.frame_index(variable);
        self.live.contains(node.index(), index)
    }

    /// The live variables of a node: globals first, then locals, each ascending.
    pub fn live_at(&self, node: NodeId) -> impl Iterator<Item = Variable> + '_ {
        self.live
            .iter(node.index())
            .map(|index| match index.checked_sub(self.global_count) {
                None => Variable::Global(GlobalId::new(index)),
                Some(local) => Variable::Local(crate::LocalId::new(local)),
            })
    }
}

struct Solver<'m> {
    machine: &'m Machine,
    effects: &'m ModRef,
    variables: VariableIndex,
    live: BitRows,
    /// Nodes whose set has grown since their neighbours last saw it.
    pending: Vec<NodeId>,
    queued: BitSet,
    /// Has the bits of the globals.
    global_mask: Vec<u64>,
    /// The set that is being passed on.
    passed: Vec<u64>,
}

impl<'m> Solver<'m> {
    /// Every read is live before its step; results, shared and final globals are live as the module says.
    fn new(machine: &'m Machine, effects: &'m ModRef) -> Self {
        let variables = VariableIndex::new(machine);
        let globals = machine.globals.len();
        let bounds = machine.nodes.iter();
        let mut live = BitRows::new(
            bounds.map(|node| globals + machine.procedure(node.procedure).locals.len()),
        );
        for edge in machine.edge_ids() {
            let from = machine.edge(edge).from.index();
            each_read(machine, edge, |variable| {
                live.insert(from, variables.frame_index(variable));
            });
        }
        for procedure in &machine.procedures {
            for result in procedure.results() {
                let index = variables.frame_index(Variable::Local(result));
                live.insert(procedure.exit.index(), index);
            }
        }
        if let Some(init) = machine.init {
            for global in 0..globals {
                live.insert(machine.procedure(init).exit.index(), global);
            }
        }
        if !machine.is_sequential() {
            for (global, declaration) in machine.globals.iter().enumerate() {
                if declaration.storage == Storage::Shared {
                    for node in 0..machine.nodes.len() {
                        live.insert(node, global);
                    }
                }
            }
        }
        let mut global_mask = vec![0; globals.div_ceil(64)];
        for global in 0..globals {
            super::bit_set::insert_bit(&mut global_mask, global);
        }
        Self {
            machine,
            effects,
            variables,
            live,
            pending: machine.node_ids().collect(),
            queued: BitSet::full(machine.nodes.len()),
            global_mask,
            passed: Vec::new(),
        }
    }

    /// Loads what is live after an edge, minus what the edge itself writes.
    fn load_unwritten(&mut self, edge: EdgeId) {
        let to = self.machine.edge(edge).to;
        self.passed.clear();
        self.passed.extend_from_slice(self.live.words(to.index()));
        each_write(self.machine, edge, |variable| {
            remove_bit(&mut self.passed, self.variables.frame_index(variable));
        });
    }

    fn mask_globals(&mut self) {
        self.passed.truncate(self.global_mask.len());
        for (word, mask) in self.passed.iter_mut().zip(&self.global_mask) {
            *word &= mask;
        }
    }

    fn pass_to(&mut self, node: NodeId) {
        if self.live.add_words(node.index(), &self.passed) && self.queued.insert(node.index()) {
            self.pending.push(node);
        }
    }

    fn through_step(&mut self, edge: EdgeId) {
        self.load_unwritten(edge);
        self.pass_to(self.machine.edge(edge).from);
    }

    /// The caller's locals wait while the callee runs.
    fn around_call(&mut self, edge: EdgeId) {
        self.load_unwritten(edge);
        for (word, mask) in self.passed.iter_mut().zip(&self.global_mask) {
            *word &= !mask;
        }
        self.pass_to(self.machine.edge(edge).from);
    }

    /// Globals that are live after the call are live at the callee's exit.
    fn reach_exit(&mut self, edge: EdgeId, callee: ProcId) {
        self.load_unwritten(edge);
        self.mask_globals();
        self.pass_to(self.machine.procedure(callee).exit);
    }

    /// Globals that are live at the callee's entry and are either read by the callee or live after the call.
    fn through_call(&mut self, edge: EdgeId, callee: ProcId) {
        self.load_unwritten(edge);
        self.mask_globals();
        let at_entry = self
            .live
            .words(self.machine.procedure(callee).entry.index());
        let read = self.effects.referenced_words(callee);
        for ((word, entry), read) in self.passed.iter_mut().zip(at_entry).zip(read) {
            *word = (*word | read) & entry;
        }
        self.pass_to(self.machine.edge(edge).from);
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
