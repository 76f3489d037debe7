//! Which runs a window has, and what is said if it has none.

use super::*;
use crate::hide::Visible;
use hardbop_machine::{Expr, from_text};
use hardbop_outcome::Trace;

/// The path to the first assertion's failure that takes the first edge at every branch but those
/// counted here, which take the second.
fn path(machine: &Machine, second: &[usize]) -> Vec<PathStep> {
    let mut path = Vec::new();
    let mut calls: Vec<EdgeId> = Vec::new();
    let mut node = machine.procedure(machine.threads[0].entry).entry;
    let mut branches = 0;
    while node != machine.assertions[0].failure {
        let edges: Vec<EdgeId> = machine.edges_from(node).collect();
        let Some(mut edge) = edges.first().copied() else {
            let call = calls.pop().unwrap();
            path.push(PathStep::Leave(call));
            node = machine.edge(call).to;
            continue;
        };
        if edges.len() > 1 {
            edge = edges[usize::from(second.contains(&branches))];
            branches += 1;
        }
        match machine.edge(edge).action {
            Action::Call { callee, .. } => {
                path.push(PathStep::Enter(edge));
                calls.push(edge);
                node = machine.procedure(callee).entry;
            }
            _ => {
                path.push(PathStep::Edge(edge));
                node = machine.edge(edge).to;
            }
        }
    }
    path
}

fn tried(machine: &Machine, path: &[PathStep], precision: &Precision) -> Tried {
    let mut windows = Windows::new(machine, Rc::clone(&precision.slice));
    windows.try_path(path, precision, &|| false)
}

/// The variables of the assertion itself are tracked.
fn precision(machine: &Machine) -> Precision {
    let target = [machine.assertions[0].failure];
    let slice = Slice::new(machine, &target);
    let mut precision = Precision::new(machine, Rc::new(slice), &Visible::nothing(machine));
    for edge in &machine.edges {
        if let Some(guard) = edge.guard.filter(|_| edge.to == target[0]) {
            let procedure = machine.procedure_of(edge.from);
            machine.exprs.visit(guard, |expr| {
                if let Expr::Var(variable, _) = *expr {
                    precision.track_each(&[(procedure, variable)]);
                }
            });
        }
    }
    precision
}

/// The names of the variables that make a path impossible.
fn reasons(machine: &Machine, path: &[PathStep]) -> Vec<String> {
    match tried(machine, path, &precision(machine)) {
        Tried::Impossible(reasons) => reasons
            .iter()
            .map(|&(procedure, variable)| machine.name_of(procedure, variable).to_owned())
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_may_pass_a_diamond_on_its_other_side() {
    let text =
        "decl g, n; void main() begin n := 0; if (n) then g := 1; else g := 1; fi assert(!g); end";
    let machine = from_text("t.bp", text).unwrap();
    // The first side of the diamond cannot be taken.
    let path = path(&machine, &[1]);
    let Tried::Taken(run) = tried(&machine, &path, &precision(&machine)) else {
        panic!("there is a run");
    };
    let trace: Trace = run.trace(&machine, None).unwrap();
    hardbop_interpreter::replay(&machine, &trace).unwrap();
    let taken = flatten(&run, 100).unwrap();
    assert_eq!(taken.len(), path.len());
    assert_ne!(taken, path);
}

#[test]
fn the_variable_that_correlates_two_branches_is_the_only_reason() {
    let text = "decl lock, n, m; void main() begin decl own; lock := 0; own := n;
        if (own) then take(); fi n, m := m, n; if (n) then m := *; else m := n; fi
        if (own) then free(); fi assert(!lock); end
        void take() begin lock := 1; end void free() begin lock := 0; end";
    let machine = from_text("t.bp", text).unwrap();
    // Takes the lock, passes by on the other side of the last branch.
    let path = path(&machine, &[2, 3]);
    assert_eq!(reasons(&machine, &path), ["own"]);
    let mut tracking = precision(&machine);
    tracking.track_each(&[(ProcId(0), Variable::Local(hardbop_machine::LocalId(0)))]);
    let Tried::Impossible(more) = tried(&machine, &path, &tracking) else {
        panic!("still impossible");
    };
    assert!(more.is_empty(), "{more:?}");
}

#[test]
fn a_reason_far_from_the_end_is_found_too() {
    let calls = "f(); ".repeat(40);
    let text = format!(
        "decl g, n; void main() begin n := 0; {calls} if (n) then assert(g); fi end void f() begin g := !g; end"
    );
    let machine = from_text("t.bp", &text).unwrap();
    let path = path(&machine, &[1]);
    assert!(path.len() > 80);
    assert_eq!(reasons(&machine, &path), ["n"]);
}

#[test]
fn results_pass_through_the_switch_of_the_callee() {
    let text = "void main() begin decl x; x := f(); assert(x); end
        bool f() begin decl r; r := 1; return r; end";
    let machine = from_text("t.bp", text).unwrap();
    let path = path(&machine, &[0]);
    let found = reasons(&machine, &path);
    assert!(
        !found.is_empty() && !found.contains(&"x".to_owned()),
        "{found:?}"
    );
}
