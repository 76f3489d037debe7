//! Which conditions decide what happens to a few variables.
//!
//! For a set of variables, *events* are the steps that may change one of them, the ways to a
//! target, and the exits. A branch matters if its ways lead to different next events; a diamond
//! that only computes other things does not. This is a cheap kin of control dependence (Ferrante,
//! Ottenstein and Warren, 1987) that needs no post-dominators: each node is labelled with the one
//! event that all of its ways meet next, or, if there are several, with itself. It only chooses
//! what an abstraction sees, so nothing rests on its being exact.

use hardbop_machine::analysis::variables::{each_variable_before, each_write};
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId, Variable};

/// Loops need several passes; after this many the labels are good enough.
const PASSES: usize = 8;

/// Calls `visit` for the variables of each condition that decides which event comes next.
pub(crate) fn each_control(
    machine: &Machine,
    targets: &[NodeId],
    tracked: &dyn Fn(ProcId, Variable) -> bool,
    mut visit: impl FnMut(ProcId, Variable),
) {
    let events = events(machine, targets, tracked);
    let mut guard = |procedure: ProcId, edge: EdgeId| {
        let mut any = false;
        if let Some(root) = machine.edge(edge).guard {
            each_variable_before(&machine.exprs, root, |variable| {
                any = true;
                visit(procedure, variable);
            });
        }
        any
    };
    for procedure in machine.procedure_ids() {
        let next = next_events(machine, procedure, &events);
        let first = machine.procedure(procedure).nodes.start as usize;
        for node in machine.procedure(procedure).node_ids() {
            if next[node.index() - first] != Some(node) {
                continue;
            }
            for edge in machine.edges_from(node) {
                let mut edge = edge;
                // `goto A, B; A: assume(…)` has its conditions behind the branch.
                while !guard(procedure, edge) && !events[node.index()] {
                    let to = machine.edge(edge).to;
                    let mut ways = machine.edges_from(to);
                    match (ways.next(), ways.next()) {
                        (Some(only), None) if !events[to.index()] && only > edge => edge = only,
                        _ => break,
                    }
                }
            }
        }
    }
}

/// Nodes at which something happens that matters to the tracked variables or the targets.
fn events(
    machine: &Machine,
    targets: &[NodeId],
    tracked: &dyn Fn(ProcId, Variable) -> bool,
) -> Vec<bool> {
    let (calls, effects) = (machine.calls(), machine.effects());
    let mut events = vec![false; machine.nodes.len()];
    let mut matters = vec![false; machine.procedures.len()];
    let mut pending: Vec<ProcId> = Vec::new();
    for &target in targets {
        events[target.index()] = true;
        pending.push(machine.procedure_of(target));
    }
    for procedure in machine.procedure_ids() {
        let mut changed = effects.modified(procedure).map(Variable::Global);
        if changed.any(|global| tracked(procedure, global)) {
            matters[procedure.index()] = true;
        }
    }
    // A procedure in which a target can be reached matters to whoever calls it.
    let mut leads_on = vec![false; machine.procedures.len()];
    while let Some(procedure) = pending.pop() {
        if !std::mem::replace(&mut leads_on[procedure.index()], true) {
            matters[procedure.index()] = true;
            pending.extend(calls.calls_of(procedure).iter().map(|site| site.caller));
        }
    }
    for id in machine.edge_ids() {
        let edge = machine.edge(id);
        let procedure = machine.procedure_of(edge.from);
        let mut is_event = match edge.action {
            Action::Call { callee, .. } => matters[callee.index()],
            _ => false,
        };
        each_write(machine, id, |variable| {
            is_event |= tracked(procedure, variable);
        });
        // The way into a target, so that the condition of an assertion counts.
        is_event |= targets.binary_search(&edge.to).is_ok();
        events[edge.from.index()] |= is_event;
    }
    for procedure in &machine.procedures {
        events[procedure.exit.index()] = true;
    }
    events
}

/// For each node of a procedure the event that comes next, or the node itself if it is one or
/// several can come next.
fn next_events(machine: &Machine, procedure: ProcId, events: &[bool]) -> Vec<Option<NodeId>> {
    let range = machine.procedure(procedure).nodes.clone();
    let first = range.start;
    let mut next: Vec<Option<NodeId>> = vec![None; range.len()];
    for _ in 0..PASSES {
        let mut has_changed = false;
        for index in range.clone().rev() {
            let node = NodeId(index);
            let mut label = events[node.index()].then_some(node);
            if label.is_none() {
                for edge in machine.edges_from(node) {
                    let to = machine.edge(edge).to;
                    let behind = next[(to.0 - first) as usize].filter(|&event| event != node);
                    label = match (label, behind) {
                        (Some(a), Some(b)) if a != b => Some(node),
                        (known, behind) => known.or(behind),
                    };
                }
            }
            let slot = &mut next[(index - first) as usize];
            // Once ways part at a node, they stay parted.
            if *slot != label && *slot != Some(node) {
                *slot = label;
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_machine::GlobalId;
    use std::collections::BTreeSet;

    fn controls(text: &str, tracked: &[&str]) -> BTreeSet<String> {
        let machine = hardbop_machine::from_text("t.bp", text).unwrap();
        let mut targets: Vec<NodeId> = machine.assertions.iter().map(|a| a.failure).collect();
        targets.sort_unstable();
        let is_tracked = |procedure: ProcId, variable: Variable| {
            tracked.contains(&machine.name_of(procedure, variable))
        };
        let mut found = BTreeSet::new();
        each_control(&machine, &targets, &is_tracked, |procedure, variable| {
            found.insert(machine.name_of(procedure, variable).to_owned());
        });
        assert!(machine.globals.len() > GlobalId(0).index());
        found
    }

    #[test]
    fn a_branch_counts_only_if_its_ways_lead_to_different_events() {
        let text = "decl lock, own, noise, other;
            void main() begin
              if (noise) then other := 1; else other := 0; fi
              while (other) do noise := *; od
              if (own) then take(); fi
              assert(!lock);
            end
            void take() begin lock := 1; end";
        let found = controls(text, &["lock"]);
        assert_eq!(found, ["lock", "own"].map(str::to_owned).into());
        let found = controls(text, &["lock", "other"]);
        assert!(found.contains("noise"), "{found:?}");
    }

    #[test]
    fn conditions_behind_a_goto_count() {
        let text = "decl lock, own;
            void main() begin
              goto A, B;
              A: assume(own); lock := 1; goto J;
              B: assume(!own);
              J: assert(!lock);
            end";
        let found = controls(text, &["lock"]);
        assert!(found.contains("own"), "{found:?}");
    }
}
