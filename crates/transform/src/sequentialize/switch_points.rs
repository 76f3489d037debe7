//! Where a thread has to be given the chance to be interrupted: before steps that other threads can
//! notice, or that notice them.
//!
//! A step that touches no shared variable can as well be taken before the turn is passed on, so no
//! other place needs one. A return that assigns a result to a shared variable is such a step.
//!
//! That holds for steps that are taken at all, and then lead on: a thread that waits for ever, or
//! loops for ever, must be given up at some time, or the threads behind it would never run. So
//! places where a thread may have to wait are such places too, and there is one on every loop and
//! in every recursion.

use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::analysis::{CallGraph, NodeOrder};
use hardbop_machine::{Action, EdgeId, Expr, Machine, NodeId, Storage, UnaryOp, Variable};

/// The nodes before which a thread may be interrupted.
#[derive(Clone, Debug)]
pub struct SwitchPoints {
    is_point: Vec<bool>,
}

impl SwitchPoints {
    /// Looks at every edge once.
    pub fn new(machine: &Machine) -> Self {
        let nodes = machine.node_ids();
        let mut is_point: Vec<bool> = nodes.map(|node| may_wait(machine, node)).collect();
        let calls = CallGraph::new(machine);
        for id in machine.procedure_ids().filter(|&id| calls.is_recursive(id)) {
            is_point[machine.procedure(id).entry.index()] = true;
        }
        let order = NodeOrder::new(machine);
        for edge in &machine.edges {
            if order.position(edge.to) <= order.position(edge.from) {
                is_point[edge.to.index()] = true;
            }
        }
        for id in machine.edge_ids() {
            let edge = machine.edge(id);
            if is_noticed(machine, id) {
                is_point[edge.from.index()] = true;
            }
            if let Action::Call {
                callee, targets, ..
            } = &edge.action
                && targets
                    .iter()
                    .flatten()
                    .any(|&target| is_shared(machine, target))
            {
                is_point[machine.procedure(*callee).exit.index()] = true;
            }
        }
        Self { is_point }
    }

    /// Whether a thread may be interrupted at the node.
    pub fn contains(&self, node: NodeId) -> bool {
        self.is_point[node.index()]
    }
}

/// Whether a thread may find no edge to take. A branch always has one.
fn may_wait(machine: &Machine, node: NodeId) -> bool {
    let edges = || machine.edges_from(node).map(|id| machine.edge(id));
    let free = |constrain: &Action| {
        !matches!(
            constrain,
            Action::Assign {
                constrain: Some(_),
                ..
            }
        )
    };
    let guards: Vec<_> = edges()
        .filter(|edge| free(&edge.action))
        .map(|edge| edge.guard)
        .collect();
    let is_refuted = |guard| {
        let opposite = guards
            .iter()
            .flatten()
            .map(|&other| *machine.exprs.get(other));
        let mut opposite = opposite.filter(|&other| other == Expr::Unary(UnaryOp::Not, guard));
        opposite.next().is_some()
    };
    let never_waits = guards.iter().any(|guard| guard.is_none_or(is_refuted));
    edges().next().is_some() && !never_waits
}

fn is_shared(machine: &Machine, variable: Variable) -> bool {
    match variable {
        Variable::Global(id) => machine.global(id).storage == Storage::Shared,
        Variable::Local(_) => false,
    }
}

fn is_noticed(machine: &Machine, id: EdgeId) -> bool {
    let action = &machine.edge(id).action;
    let mut noticed = false;
    each_read(machine, id, |variable| {
        noticed |= is_shared(machine, variable);
    });
    if !matches!(action, Action::Call { .. }) {
        each_write(machine, id, |variable| {
            noticed |= is_shared(machine, variable);
        });
    }
    noticed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines before whose statements a thread may be interrupted.
    fn lines(text: &str) -> Vec<u32> {
        let machine = hardbop_machine::from_text("test.bp", text).expect("the program is valid");
        let points = SwitchPoints::new(&machine);
        let nodes = machine.node_ids().filter(|&node| points.contains(node));
        let mut lines: Vec<u32> = nodes.map(|node| machine.line_of(node)).collect();
        lines.dedup();
        lines
    }

    #[test]
    fn a_thread_is_interrupted_where_others_notice_and_where_it_may_stay_for_ever() {
        let text = "decl g; thread t(2) begin void main() begin decl x;
            x := 1;
            g := x;
            if (x) then x := 0; fi
            while (x) do skip; od
            assume(x);
            f();
            end void f() begin skip;
            if (*) then f(); fi end end";
        assert_eq!(lines(text), [3, 5, 6, 8]);
    }
}
