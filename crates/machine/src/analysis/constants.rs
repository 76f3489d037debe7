//! Conditional constant propagation across procedures (after Wegman and Zadeck).
//!
//! For every node: can it be reached at all, and which variables have the same value whenever it
//! is? An edge whose guard or `constrain` is certainly false is not followed; one whose guard fixes
//! a variable (`x`, `!x`, `x = 3`, and conjunctions) teaches the nodes behind it. A parameter is
//! the meet over all call sites; after a call, globals that the callee may write (MOD) have the
//! values of its exit, all others those before the call. Nothing is assumed of variables without an
//! initial value. In a concurrent machine other threads may write a shared global between any two
//! steps, so only shared globals that no edge writes are followed there.
//!
//! Nodes hold only the variables that are constant, and pass the same list on where a step changes
//! nothing.

use super::bit_set::BitSet;
use super::call_graph::CallGraph;
use super::mod_ref::ModRef;
use super::order::NodeOrder;
use super::partial_eval::{consequences, evaluate};
use super::variables::{VariableIndex, each_write};
use crate::expr::Leaf;
use crate::ids::{EdgeId, ExprId, GlobalId, NodeId, ProcId, Variable};
use crate::ir::{Action, Storage, ThreadStart};
use crate::machine::Machine;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// What is known of a variable at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The node is never reached.
    Unreached,
    /// Always this value.
    Const(u64),
    /// Nothing is known.
    Varying,
}

/// The constants of a machine at each node.
#[derive(Clone, Debug)]
pub struct Constants {
    known: Vec<Option<Known>>,
    variables: VariableIndex,
}

/// Variables (by [`VariableIndex::frame_index`]) with their values, ascending; a variable that is
/// missing varies.
type Known = Arc<[(u32, u64)]>;

impl Constants {
    /// Computes the greatest solution.
    pub(crate) fn new(machine: &Machine, calls: &CallGraph, effects: &ModRef) -> Self {
        let order = NodeOrder::new(machine);
        let mut solver = Solver {
            machine,
            calls,
            effects,
            variables: VariableIndex::new(machine),
            followed: followed_globals(machine),
            known: vec![None; machine.nodes.len()],
            order: &order,
            pending: BinaryHeap::new(),
            queued: BitSet::new(machine.nodes.len()),
        };
        match machine.init {
            Some(init) => solver.start(init),
            None => solver.start_threads(),
        }
        while let Some(Reverse(position)) = solver.pending.pop() {
            let node = order.nodes()[position as usize];
            solver.queued.remove(node.index());
            solver.visit(node);
        }
        Self {
            known: solver.known,
            variables: solver.variables,
        }
    }

    /// Whether the node may be reached.
    pub fn is_reached(&self, node: NodeId) -> bool {
        self.known[node.index()].is_some()
    }

    /// What is known at a node of a variable of its procedure.
    pub fn value(&self, node: NodeId, variable: Variable) -> Value {
        match &self.known[node.index()] {
            None => Value::Unreached,
            Some(known) => look_up(known, self.variables.frame_index(variable))
                .map_or(Value::Varying, Value::Const),
        }
    }

    /// The value that an expression over the state before a step always has at a node, if that is
    /// known.
    pub fn evaluate(&self, machine: &Machine, node: NodeId, root: ExprId) -> Option<u64> {
        let known = self.known[node.index()].as_ref()?;
        evaluate(&machine.exprs, root, |leaf| match leaf {
            Leaf::Var(variable) => look_up(known, self.variables.frame_index(variable)),
            Leaf::Next(_) | Leaf::Input(_) => None,
        })
    }

    /// Whether the edge may be taken: its node is reached and its guard is not certainly false.
    pub fn may_take(&self, machine: &Machine, edge: EdgeId) -> bool {
        let edge = machine.edge(edge);
        self.is_reached(edge.from)
            && edge
                .guard
                .is_none_or(|guard| self.evaluate(machine, edge.from, guard) != Some(0))
    }
}

fn look_up(known: &[(u32, u64)], index: usize) -> Option<u64> {
    let position = known.binary_search_by_key(&(index as u32), |entry| entry.0);
    position.ok().map(|position| known[position].1)
}

/// The globals whose values no other thread can change between two steps.
fn followed_globals(machine: &Machine) -> BitSet {
    let mut followed = BitSet::full(machine.globals.len());
    if machine.is_sequential() {
        return followed;
    }
    for edge in machine.edge_ids() {
        each_write(machine, edge, |variable| {
            if let Variable::Global(id) = variable
                && (machine.global(id).storage == Storage::Shared || machine.init.is_some())
            {
                followed.remove(id.index());
            }
        });
    }
    followed
}

struct Solver<'m> {
    machine: &'m Machine,
    calls: &'m CallGraph,
    effects: &'m ModRef,
    variables: VariableIndex,
    followed: BitSet,
    known: Vec<Option<Known>>,
    order: &'m NodeOrder,
    pending: BinaryHeap<Reverse<u32>>,
    queued: BitSet,
}

impl Solver<'_> {
    /// A thread starts in a procedure, with initial values.
    fn start(&mut self, procedure: ProcId) {
        let globals = self.machine.globals.iter().enumerate();
        let known: Vec<(u32, u64)> = globals
            .filter(|&(index, _)| self.followed.contains(index))
            .filter_map(|(index, global)| Some((index as u32, global.initial?)))
            .collect();
        self.meet(self.machine.procedure(procedure).entry, &known.into());
    }

    fn start_threads(&mut self) {
        for thread in &self.machine.threads {
            self.start(thread.entry);
        }
    }

    fn queue(&mut self, node: NodeId) {
        if self.queued.insert(node.index()) {
            self.pending.push(Reverse(self.order.position(node)));
        }
    }

    /// The node may also be reached with these values: keeps what agrees.
    fn meet(&mut self, node: NodeId, new: &Known) {
        let slot = &mut self.known[node.index()];
        match slot {
            None => *slot = Some(new.clone()),
            Some(old) if Arc::ptr_eq(old, new) => return,
            Some(old) => {
                let agrees = |entry: &&(u32, u64)| look_up(new, entry.0 as usize) == Some(entry.1);
                if old.iter().filter(agrees).count() == old.len() {
                    return;
                }
                *slot = Some(old.iter().filter(agrees).copied().collect());
            }
        }
        self.queue(node);
    }

    fn visit(&mut self, node: NodeId) {
        let Some(known) = self.known[node.index()].clone() else {
            return;
        };
        for edge in self.machine.edges_from(node) {
            self.follow(edge, &known);
        }
        let procedure = self.machine.procedure_of(node);
        if self.machine.procedure(procedure).exit == node {
            for site in self.calls.calls_of(procedure) {
                let caller = self.machine.edge(site.edge).from;
                if self.known[caller.index()].is_some() {
                    self.queue(caller);
                }
            }
            if self.machine.init == Some(procedure) {
                self.start_threads();
            }
        }
    }

    /// Passes what is known before an edge on to where the edge leads.
    fn follow(&mut self, id: EdgeId, before: &Known) {
        let machine = self.machine;
        let edge = machine.edge(id);
        let mut known = before.clone();
        if let Some(guard) = edge.guard {
            if self.value_of(before, guard) == Some(0) {
                return;
            }
            let mut facts = Facts::default();
            consequences(&machine.exprs, guard, |leaf, value| {
                if let Leaf::Var(variable) = leaf
                    && self.follows(variable)
                {
                    facts.learn(self.variables.frame_index(variable), value);
                }
            });
            known = facts.added_to(&known);
        }
        match &edge.action {
            Action::Skip | Action::Print(_) | Action::AtomicBegin | Action::AtomicEnd => {
                self.meet(edge.to, &known);
            }
            // The threads start where `init` ends, be it here.
            Action::EndThread if machine.init.is_some() => self.start_threads(),
            Action::EndThread => {}
            Action::Assign {
                assignments,
                constrain,
            } => {
                if let Some(after) = self.assigned(&known, assignments, *constrain) {
                    self.meet(edge.to, &after);
                }
            }
            Action::Return(values) => {
                let results = machine.procedure(machine.procedure_of(edge.from)).results();
                let assignments: Vec<(Variable, ExprId)> = results
                    .map(Variable::Local)
                    .zip(values.iter().copied())
                    .collect();
                if let Some(after) = self.assigned(&known, &assignments, None) {
                    self.meet(edge.to, &after);
                }
            }
            Action::Call {
                callee,
                arguments,
                targets,
            } => {
                self.enter(*callee, arguments, &known);
                let exit = machine.procedure(*callee).exit;
                if let Some(at_exit) = self.known[exit.index()].clone() {
                    let after = self.returned(*callee, &known, &at_exit, targets);
                    self.meet(edge.to, &after);
                }
            }
            Action::StartThread(start) => {
                match start {
                    ThreadStart::Node(node) => self.meet(*node, &known),
                    ThreadStart::Procedure { callee, arguments } => {
                        self.enter(*callee, arguments, &known);
                    }
                }
                self.meet(edge.to, &known);
            }
        }
    }

    fn follows(&self, variable: Variable) -> bool {
        match variable {
            Variable::Global(id) => self.followed.contains(id.index()),
            Variable::Local(_) => true,
        }
    }

    fn value_of(&self, known: &Known, root: ExprId) -> Option<u64> {
        evaluate(&self.machine.exprs, root, |leaf| match leaf {
            Leaf::Var(variable) => look_up(known, self.variables.frame_index(variable)),
            Leaf::Next(_) | Leaf::Input(_) => None,
        })
    }

    /// What is known after a parallel assignment; `None` if `constrain` certainly fails.
    fn assigned(
        &self,
        before: &Known,
        assignments: &[(Variable, ExprId)],
        constrain: Option<ExprId>,
    ) -> Option<Known> {
        let mut facts = Facts::default();
        for &(target, value) in assignments {
            let index = self.variables.frame_index(target);
            let value = self
                .value_of(before, value)
                .filter(|_| self.follows(target));
            facts.0.push((index as u32, value));
        }
        let after = facts.added_to(before);
        let Some(root) = constrain else {
            return Some(after);
        };
        let value = evaluate(&self.machine.exprs, root, |leaf| match leaf {
            Leaf::Var(variable) => look_up(before, self.variables.frame_index(variable)),
            Leaf::Next(variable) => look_up(&after, self.variables.frame_index(variable)),
            Leaf::Input(_) => None,
        });
        if value == Some(0) {
            return None;
        }
        let mut facts = Facts::default();
        consequences(&self.machine.exprs, root, |leaf, value| {
            if let Leaf::Next(variable) = leaf
                && self.follows(variable)
            {
                facts.learn(self.variables.frame_index(variable), value);
            }
        });
        Some(facts.added_to(&after))
    }

    /// A call or a new thread: the callee sees the globals that it may touch and its parameters.
    fn enter(&mut self, callee: ProcId, arguments: &[ExprId], known: &Known) {
        let globals = known.iter().filter(|&&(index, _)| {
            let global = GlobalId(index);
            global.index() < self.machine.globals.len()
                && (self.effects.modifies(callee, global)
                    || self.effects.references(callee, global))
        });
        let mut entry: Vec<(u32, u64)> = globals.copied().collect();
        let procedure = self.machine.procedure(callee);
        for (parameter, &argument) in procedure.parameters().zip(arguments) {
            if let Some(value) = self.value_of(known, argument) {
                let index = self.variables.frame_index(Variable::Local(parameter));
                entry.push((index as u32, value));
            }
        }
        self.meet(procedure.entry, &entry.into());
    }

    /// What is known after a call, from what is known before it and at the callee's exit.
    fn returned(
        &self,
        callee: ProcId,
        before: &Known,
        at_exit: &Known,
        targets: &[Option<Variable>],
    ) -> Known {
        let mut facts = Facts::default();
        for global in self.effects.modified(callee) {
            let value = look_up(at_exit, global.index());
            facts.0.push((global.0, value));
        }
        for (target, result) in targets.iter().zip(self.machine.procedure(callee).results()) {
            if let Some(target) = *target {
                let result = self.variables.frame_index(Variable::Local(result));
                let value = look_up(at_exit, result).filter(|_| self.follows(target));
                facts
                    .0
                    .push((self.variables.frame_index(target) as u32, value));
            }
        }
        facts.added_to(before)
    }
}

/// New values of variables; `None` for a value that is not known. The last entry of a variable
/// counts.
#[derive(Default)]
struct Facts(Vec<(u32, Option<u64>)>);

impl Facts {
    fn learn(&mut self, index: usize, value: u64) {
        self.0.push((index as u32, Some(value)));
    }

    /// The same list if nothing changes.
    fn added_to(mut self, known: &Known) -> Known {
        let current = |index: u32| look_up(known, index as usize);
        if self.0.iter().all(|&(index, value)| current(index) == value) {
            return known.clone();
        }
        // Stable, so that of several entries of one variable the last one stays last.
        self.0.sort_by_key(|entry| entry.0);
        let mut facts = self.0.into_iter().peekable();
        let mut merged = Vec::with_capacity(known.len() + facts.len());
        let mut old = known.iter().copied().peekable();
        while let Some((index, value)) = facts.next() {
            if facts.peek().is_some_and(|next| next.0 == index) {
                continue;
            }
            while let Some(entry) = old.next_if(|entry| entry.0 < index) {
                merged.push(entry);
            }
            old.next_if(|entry| entry.0 == index);
            merged.extend(value.map(|value| (index, value)));
        }
        merged.extend(old);
        merged.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Expr;
    use crate::LocalId;
    use crate::test_builder::{Body, Builder, assign, call};

    fn analyse(machine: &Machine) -> Constants {
        let calls = CallGraph::new(machine);
        Constants::new(machine, &calls, &ModRef::new(machine, &calls))
    }

    /// g := 1; if (g) 2 else 3; join at 4.
    fn branch(initial: Option<u64>) -> (Machine, Body, Variable) {
        let mut b = Builder::new();
        let g = b.global("g", initial);
        let main = b.procedure("main", &[], &[], 0, 6);
        let guard = b.var(g);
        let negated = b.not(guard);
        b.edge(main.at(0), main.at(1), Some(guard), Action::Skip);
        b.edge(main.at(0), main.at(2), Some(negated), Action::Skip);
        b.edge(main.at(1), main.at(4), None, Action::Skip);
        b.edge(main.at(2), main.at(4), None, Action::Skip);
        (b.finish(main.id), main, g)
    }

    #[test]
    fn a_branch_on_a_constant_leaves_the_other_side_unreached() {
        let (machine, main, g) = branch(Some(1));
        let constants = analyse(&machine);
        assert_eq!(constants.value(main.at(4), g), Value::Const(1));
        assert_eq!(constants.value(main.at(2), g), Value::Unreached);
        assert!(constants.may_take(&machine, EdgeId(0)));
        assert!(!constants.may_take(&machine, EdgeId(1)));
    }

    #[test]
    fn an_arbitrary_initial_value_varies_but_a_guard_fixes_it_on_each_side() {
        let (machine, main, g) = branch(None);
        let constants = analyse(&machine);
        assert_eq!(constants.value(main.at(0), g), Value::Varying);
        assert_eq!(constants.value(main.at(1), g), Value::Const(1));
        assert_eq!(constants.value(main.at(2), g), Value::Const(0));
        assert_eq!(constants.value(main.at(4), g), Value::Varying);
    }

    #[test]
    fn a_shared_global_that_some_thread_writes_varies_in_a_concurrent_machine() {
        let (machine, main, g) = branch(Some(1));
        let machine = machine.changed(|parts| parts.threads[0].instances = 2);
        assert_eq!(analyse(&machine).value(main.at(4), g), Value::Const(1));
        let machine = machine.changed(|parts| {
            let zero = parts.exprs.add(Expr::Const(0, crate::Type::Bool));
            parts.edges[2].action = assign(&[(g, zero)]);
        });
        let constants = analyse(&machine);
        assert_eq!(constants.value(main.at(0), g), Value::Varying);
        assert!(constants.is_reached(main.at(2)));
        assert_eq!(constants.value(main.at(4), g), Value::Varying);
    }

    #[test]
    fn parameters_meet_over_call_sites_and_results_come_back() {
        let mut b = Builder::new();
        let (g, h) = (b.global("g", Some(0)), b.global("h", Some(1)));
        let [first, second] = [0, 1].map(|i| Variable::Local(LocalId(i)));
        let main = b.procedure("main", &[], &["x", "y"], 0, 4);
        let callee = b.procedure("f", &["a", "b"], &[], 2, 3);
        let (one, zero) = (b.constant(1), b.constant(0));
        let targets = [Some(first), Some(second)];
        b.edge(
            main.at(0),
            main.at(1),
            None,
            call(callee.id, &[one, one], &targets),
        );
        b.edge(
            main.at(1),
            main.at(2),
            None,
            call(callee.id, &[one, zero], &targets),
        );
        b.edge(callee.at(0), callee.at(1), None, assign(&[(g, one)]));
        let values = [first, second].map(|v| b.var(v));
        b.edge(
            callee.at(1),
            callee.exit(),
            None,
            Action::Return(values.to_vec().into()),
        );
        let machine = b.finish(main.id);
        let constants = analyse(&machine);
        let value = |node, variable| constants.value(node, variable);
        // The parameters have the same positions as the locals of `main`.
        assert_eq!(
            (value(callee.at(0), first), value(callee.at(0), second)),
            (Value::Const(1), Value::Varying)
        );
        assert_eq!(value(callee.at(0), g), Value::Varying);
        assert_eq!(
            (value(main.at(2), first), value(main.at(2), second)),
            (Value::Const(1), Value::Varying)
        );
        assert_eq!(
            (value(main.at(1), g), value(main.at(2), h)),
            (Value::Const(1), Value::Const(1))
        );
    }
}
