//! Who calls whom: call sites, recursion, an order in which callees come first.
//!
//! Starting a thread is not a call: the starter does not wait, and what the new thread does is not
//! the starter's doing. Thread starts are listed on their own; they count for which procedures are
//! used at all, not for recursion. Components are found with Tarjan's algorithm on an explicit
//! stack; it yields them callees first.

use super::bit_set::BitSet;
use super::table::Table;
use crate::ids::{EdgeId, ProcId};
use crate::ir::{Action, ThreadStart};
use crate::machine::Machine;

/// A procedure's place in a list of calls or thread starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The edge.
    pub edge: EdgeId,
    /// The procedure of the edge.
    pub caller: ProcId,
    /// The procedure that it calls or starts.
    pub callee: ProcId,
}

/// The calls of a machine.
#[derive(Clone, Debug)]
pub struct CallGraph {
    calls_in: Table<CallSite>,
    calls_of: Table<CallSite>,
    starts_in: Table<CallSite>,
    component: Vec<u32>,
    members: Table<ProcId>,
    component_count: usize,
    recursive: BitSet,
    reachable: BitSet,
}

impl CallGraph {
    /// Collects the calls of a machine. Linear.
    pub(crate) fn new(machine: &Machine) -> Self {
        let count = machine.procedures.len();
        let mut calls = Vec::new();
        let mut starts = Vec::new();
        for edge in machine.edge_ids() {
            let site = |callee| CallSite {
                edge,
                caller: machine.procedure_of(machine.edge(edge).from),
                callee,
            };
            match machine.edge(edge).action {
                Action::Call { callee, .. } => calls.push(site(callee)),
                Action::StartThread(ThreadStart::Procedure { callee, .. }) => {
                    starts.push(site(callee));
                }
                _ => {}
            }
        }
        let rows = |sites: &[CallSite], key: fn(&CallSite) -> ProcId| {
            let pairs = sites.iter().map(|site| (key(site).index(), *site));
            Table::new(count, pairs)
        };
        let calls_in = rows(&calls, |site| site.caller);
        let starts_in = rows(&starts, |site| site.caller);
        let (component, component_count) = components(count, &calls_in);
        let in_component = component.iter().enumerate();
        let members = in_component.map(|(proc, &c)| (c as usize, ProcId::new(proc)));
        let members = Table::new(component_count, members);
        let mut recursive = BitSet::new(count);
        for site in &calls {
            if component[site.caller.index()] == component[site.callee.index()] {
                recursive.insert(site.caller.index());
            }
        }
        let entries = machine.threads.iter().map(|thread| thread.entry);
        let reachable = reachable(count, entries.chain(machine.init), &calls_in, &starts_in);
        Self {
            calls_of: rows(&calls, |site| site.callee),
            calls_in,
            starts_in,
            component,
            members,
            component_count,
            recursive,
            reachable,
        }
    }

    /// The calls that stand in a procedure, in order of the edges.
    pub fn calls_in(&self, procedure: ProcId) -> &[CallSite] {
        self.calls_in.row(procedure.index())
    }

    /// The calls of a procedure, in order of the edges.
    pub fn calls_of(&self, procedure: ProcId) -> &[CallSite] {
        self.calls_of.row(procedure.index())
    }

    /// The thread starts with a procedure that stand in a procedure.
    pub fn starts_in(&self, procedure: ProcId) -> &[CallSite] {
        self.starts_in.row(procedure.index())
    }

    /// Whether the procedure may run: it is `init`, a thread's entry, or called or started by one
    /// that may run.
    pub fn is_reachable(&self, procedure: ProcId) -> bool {
        self.reachable.contains(procedure.index())
    }

    /// Whether the procedure can be on a stack twice.
    pub fn is_recursive(&self, procedure: ProcId) -> bool {
        self.recursive.contains(procedure.index())
    }

    /// The component of mutually recursive procedures that a procedure is in. Callees have the same
    /// or a smaller number.
    pub fn component_of(&self, procedure: ProcId) -> usize {
        self.component[procedure.index()] as usize
    }

    /// The components, callees before callers.
    pub fn components(&self) -> impl Iterator<Item = &[ProcId]> {
        (0..self.component_count).map(|component| self.members.row(component))
    }

    /// All procedures, callees before callers except where they are mutually recursive.
    pub fn bottom_up(&self) -> impl Iterator<Item = ProcId> + '_ {
        self.components().flatten().copied()
    }
}

/// The component of each procedure and how many there are (Tarjan).
fn components(count: usize, calls_in: &Table<CallSite>) -> (Vec<u32>, usize) {
    const NONE: u32 = u32::MAX;
    let mut discovered = vec![NONE; count];
    let mut low = vec![NONE; count];
    let mut component = vec![NONE; count];
    let mut component_count = 0;
    let mut clock = 0;
    let mut unassigned = Vec::new();
    // Procedures on the way from the root with the next call to look at.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..count {
        if discovered[root] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((procedure, next_call)) = path.last_mut() {
            let procedure = *procedure;
            if *next_call == 0 {
                discovered[procedure] = clock;
                low[procedure] = clock;
                clock += 1;
                unassigned.push(procedure);
            }
            if let Some(site) = calls_in.row(procedure).get(*next_call) {
                *next_call += 1;
                let callee = site.callee.index();
                if discovered[callee] == NONE {
                    path.push((callee, 0));
                } else if component[callee] == NONE {
                    low[procedure] = low[procedure].min(discovered[callee]);
                }
                continue;
            }
            path.pop();
            if let Some(&(caller, _)) = path.last() {
                low[caller] = low[caller].min(low[procedure]);
            }
            if low[procedure] == discovered[procedure] {
                while let Some(member) = unassigned.pop() {
                    component[member] = component_count;
                    if member == procedure {
                        break;
                    }
                }
                component_count += 1;
            }
        }
    }
    (component, component_count as usize)
}

fn reachable(
    count: usize,
    entries: impl Iterator<Item = ProcId>,
    calls_in: &Table<CallSite>,
    starts_in: &Table<CallSite>,
) -> BitSet {
    let mut reachable = BitSet::new(count);
    let mut pending: Vec<ProcId> = entries.collect();
    while let Some(procedure) = pending.pop() {
        let index = procedure.index();
        if reachable.insert(index) {
            let sites = calls_in.row(index).iter().chain(starts_in.row(index));
            pending.extend(sites.map(|site| site.callee));
        }
    }
    reachable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_builder::{Builder, call};

    /// main calls even; even and odd call each other; odd calls leaf; unused calls itself; main
    /// starts worker.
    fn example() -> Machine {
        let mut b = Builder::new();
        let ids = ["main", "even", "odd", "leaf", "unused", "worker"];
        let bodies = ids.map(|name| b.procedure(name, &[], &[], 0, 2));
        let [main, even, odd, leaf, unused, worker] = bodies;
        for (caller, callee) in [
            (main, even),
            (even, odd),
            (odd, even),
            (odd, leaf),
            (unused, unused),
        ] {
            b.edge(caller.at(0), caller.exit(), None, call(callee.id, &[], &[]));
        }
        let start = Action::StartThread(ThreadStart::Procedure {
            callee: worker.id,
            arguments: crate::List::default(),
        });
        b.edge(main.at(0), main.exit(), None, start);
        b.edge(leaf.at(0), leaf.exit(), None, Action::Skip);
        b.finish(main.id)
    }

    #[test]
    fn callees_come_before_callers_and_cycles_are_one_component() {
        let graph = CallGraph::new(&example());
        let [main, even, odd, leaf, unused, worker] = [0, 1, 2, 3, 4, 5].map(ProcId);
        assert_eq!(graph.component_of(even), graph.component_of(odd));
        assert!(graph.component_of(leaf) < graph.component_of(odd));
        assert!(graph.component_of(even) < graph.component_of(main));
        assert_eq!(graph.components().count(), 5);
        assert_eq!(graph.bottom_up().count(), 6);
        assert!(graph.is_recursive(even) && graph.is_recursive(odd) && graph.is_recursive(unused));
        assert!(!graph.is_recursive(main) && !graph.is_recursive(leaf));
        assert!(graph.is_reachable(leaf) && graph.is_reachable(worker));
        assert!(!graph.is_reachable(unused));
    }

    #[test]
    fn calls_and_thread_starts_are_listed_apart() {
        let graph = CallGraph::new(&example());
        let [main, even, worker] = [0, 1, 5].map(ProcId);
        let callers: Vec<ProcId> = graph.calls_of(even).iter().map(|s| s.caller).collect();
        assert_eq!(callers, [ProcId(0), ProcId(2)]);
        assert!(graph.calls_of(worker).is_empty());
        assert_eq!(graph.starts_in(main)[0].callee, worker);
        assert_eq!(graph.calls_in(main).len(), 1);
        assert_eq!(graph.starts_in(main).len(), 1);
    }

    #[test]
    fn a_long_chain_of_calls_does_not_overflow_the_stack() {
        let mut b = Builder::new();
        let bodies: Vec<_> = (0..100_000)
            .map(|_| b.procedure("p", &[], &[], 0, 2))
            .collect();
        for pair in bodies.windows(2) {
            b.edge(
                pair[0].at(0),
                pair[0].exit(),
                None,
                call(pair[1].id, &[], &[]),
            );
        }
        let machine = b.finish(ProcId(0));
        assert_eq!(
            CallGraph::new(&machine).bottom_up().next(),
            Some(ProcId(99_999))
        );
    }
}
