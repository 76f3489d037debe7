//! Where it makes sense to switch to another thread.
//!
//! A step that neither reads nor writes shared variables, and that some edge can always take, may
//! as well be taken before another thread runs as after: others cannot see the difference, and the
//! thread itself ends up with the same history. So a thread need not be left right before such a
//! step: whatever is reached after leaving it there is reached, with no more context switches,
//! after leaving it further on. There has to be a "further on": a step back in a loop and the entry
//! of a recursive procedure are never passed over, so that after finitely many steps there is a
//! place at which the thread is left.

use crate::bounded::encoding::moves::Moves;
use hardbop_bdd::Exhausted;
use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::analysis::{CallGraph, NodeOrder};
use hardbop_machine::{Action, EdgeId, Machine, NodeId, Storage, Variable};

/// Whether a thread is left at each node.
pub(crate) struct SwitchPoints {
    is_point: Vec<bool>,
}

impl SwitchPoints {
    /// Decides for all nodes.
    pub(crate) fn new(moves: &mut Moves<'_, '_>) -> Result<Self, Exhausted> {
        let machine = moves.columns.machine();
        let calls = CallGraph::new(machine);
        let order = NodeOrder::new(machine);
        let mut is_point = vec![true; machine.nodes.len()];
        for node in machine.node_ids() {
            let procedure = machine.procedure_of(node);
            let is_entry = machine.procedure(procedure).entry == node;
            if is_entry && calls.is_recursive(procedure) {
                continue;
            }
            let is_exit = machine.procedure(procedure).exit == node;
            let is_passed = if is_exit {
                let mut sites = calls.calls_of(procedure).iter();
                sites.all(|site| is_private(machine, site.edge, false))
            } else {
                let mut edges = machine.edges_from(node);
                let leads_on = |edge: EdgeId| {
                    let to = machine.edge(edge).to;
                    order.position(to) > order.position(node) && is_private(machine, edge, true)
                };
                !machine.node(node).edges.is_empty()
                    && edges.all(leads_on)
                    && moves.blocked(node)?.is_false()
            };
            is_point[node.index()] = !is_passed;
        }
        Ok(Self { is_point })
    }

    /// Whether a thread is left at a node.
    pub(crate) fn contains(&self, node: NodeId) -> bool {
        self.is_point.get(node.index()).copied().unwrap_or(true)
    }
}

/// Whether an edge, or only the return of a call, has nothing to do with other threads.
fn is_private(machine: &Machine, edge: EdgeId, with_reads: bool) -> bool {
    let is_step = matches!(
        machine.edge(edge).action,
        Action::Skip
            | Action::Print(_)
            | Action::Assign { .. }
            | Action::Return(_)
            | Action::Call { .. }
    );
    let is_shared = |variable: Variable| match variable {
        Variable::Global(id) => machine.global(id).storage == Storage::Shared,
        Variable::Local(_) => false,
    };
    let mut touches_shared = false;
    if with_reads {
        each_read(machine, edge, |variable| {
            touches_shared |= is_shared(variable);
        });
    }
    // The targets of a call are written by the return, not by the call.
    let is_call = matches!(machine.edge(edge).action, Action::Call { .. });
    if !(is_call && with_reads) {
        each_write(machine, edge, |variable| {
            touches_shared |= is_shared(variable);
        });
    }
    is_step && !touches_shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounded::encoding::columns::Columns;
    use hardbop_bdd::Manager;

    /// The lines on which some node is passed over.
    fn passed_lines(text: &str) -> Vec<u32> {
        let machine = hardbop_machine::from_text("test.bp", text).expect("the program is valid");
        let columns = Columns::new(&machine, 1, 1);
        let mut moves = Moves::new(columns, Manager::new(1 << 20));
        let points = SwitchPoints::new(&mut moves).expect("few nodes suffice");
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
