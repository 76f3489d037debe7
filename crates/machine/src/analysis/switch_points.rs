//! Where it makes sense to switch to another thread.
//!
//! A step that neither reads nor writes shared variables, and that some edge can always take, may
//! as well be taken before another thread runs as after: others cannot see the difference, and the
//! thread itself ends up with the same history. So a thread need not be left right before such a
//! step: whatever is reached after leaving it there is reached, with no more context switches,
//! after leaving it further on. There has to be a "further on": a step back in a loop and the entry
//! of a recursive procedure are never passed over, so that after finitely many steps there is a
//! place at which the thread is left.

use crate::analysis::variables::{each_read, each_write};
use crate::{Action, EdgeId, Expr, Machine, NodeId, Storage, UnaryOp, Variable};

/// Whether a thread is left at each node.
#[derive(Clone, Debug)]
pub struct SwitchPoints {
    is_point: Vec<bool>,
}

impl SwitchPoints {
    /// Looks at every edge once.
    pub fn new(machine: &Machine) -> Self {
        let (calls, order) = (machine.calls(), machine.node_order());
        let is_point = |node: NodeId| {
            let procedure = machine.procedure_of(node);
            let is_entry = machine.procedure(procedure).entry == node;
            if is_entry && calls.is_recursive(procedure) {
                return true;
            }
            if machine.procedure(procedure).exit == node {
                // The targets of a call are written by the return, not by the call.
                let mut sites = calls.calls_of(procedure).iter();
                return sites.any(|site| writes_shared(machine, site.edge));
            }
            let mut edges = machine.edges_from(node);
            let is_passed = |edge: EdgeId| {
                let leads_on = order.position(machine.edge(edge).to) > order.position(node);
                leads_on && is_private(machine, edge)
            };
            !edges.all(is_passed) || may_wait(machine, node)
        };
        Self {
            is_point: machine.node_ids().map(is_point).collect(),
        }
    }

    /// Whether a thread is left at a node; so it is at nodes that the machine does not have.
    pub fn contains(&self, node: NodeId) -> bool {
        self.is_point.get(node.index()).copied().unwrap_or(true)
    }
}

/// Whether a thread may find no edge to take. A branch always has one.
fn may_wait(machine: &Machine, node: NodeId) -> bool {
    let edges = machine.edges_from(node).map(|id| machine.edge(id));
    let is_constrained =
        |action: &Action| matches!(action, Action::Assign { constrain, .. } if constrain.is_some());
    let edges = edges.filter(|edge| !is_constrained(&edge.action));
    let guards: Vec<_> = edges.map(|edge| edge.guard).collect();
    let has_opposite = |guard| {
        let mut others = guards.iter().flatten().map(|&id| *machine.exprs.get(id));
        others.any(|other| other == Expr::Unary(UnaryOp::Not, guard))
    };
    !guards.iter().any(|guard| guard.is_none_or(has_opposite))
}

/// Whether taking an edge has nothing to do with other threads.
fn is_private(machine: &Machine, edge: EdgeId) -> bool {
    let mut reads_shared = false;
    each_read(machine, edge, |variable| {
        reads_shared |= is_shared(machine, variable);
    });
    !reads_shared
        && match machine.edge(edge).action {
            Action::Call { .. } => true,
            Action::Skip | Action::Print(_) | Action::Assign { .. } | Action::Return(_) => {
                !writes_shared(machine, edge)
            }
            _ => false,
        }
}

fn writes_shared(machine: &Machine, edge: EdgeId) -> bool {
    let mut writes_shared = false;
    each_write(machine, edge, |variable| {
        writes_shared |= is_shared(machine, variable);
    });
    writes_shared
}

fn is_shared(machine: &Machine, variable: Variable) -> bool {
    match variable {
        Variable::Global(id) => machine.global(id).storage == Storage::Shared,
        Variable::Local(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines on which some node is passed over.
    fn passed_lines(text: &str) -> Vec<u32> {
        let machine = crate::from_text("test.bp", text).expect("the program is valid");
        let points = SwitchPoints::new(&machine);
        let nodes = machine.node_ids().filter(|&node| !points.contains(node));
        let mut lines: Vec<u32> = nodes.map(|node| machine.line_of(node)).collect();
        lines.dedup();
        lines
    }

    #[test]
    fn private_steps_that_lead_on_are_passed_over_and_nothing_else_is() {
        let text = "decl g := 0;
thread t(2) begin void main() begin
  decl x;
  x := 0;
  x := g;
  assume(x);
  g := 1;
  while (1) do
    x := !x;
  od
  x := f(x);
  g := f(x);
end end
bool f(a) begin
  return !a;
end";
        // Not the body of the loop, which would go round for ever; not f's exit, whose result may
        // go to `g`.
        assert_eq!(passed_lines(text), [4, 8, 11, 12, 13, 15]);
    }

    #[test]
    fn recursion_is_never_passed_over_as_a_whole() {
        let text = "decl g := 0;
thread t(2) begin void main() begin
  f();
end end
void f() begin
  f();
end";
        assert!(!passed_lines(text).contains(&6));
    }
}
