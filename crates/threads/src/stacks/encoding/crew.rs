//! Who runs: threads by the procedure in which they start, and what each may run.

use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId};
use hardbop_outcome::certificate::{View, Waiting};
use std::collections::{BTreeMap, BTreeSet};

/// The threads of a program.
#[derive(Clone, Debug)]
pub(crate) struct Crew {
    /// How many threads start in each procedure.
    pub counts: BTreeMap<ProcId, u64>,
    /// The nodes where a thread may be, by the procedure in which it starts; `init` included.
    pub nodes: BTreeMap<ProcId, Vec<NodeId>>,
    /// The calls of each procedure.
    pub calls: BTreeMap<ProcId, Vec<EdgeId>>,
    /// Whether some edge begins an atomic block.
    pub has_atomic_blocks: bool,
}

impl Crew {
    /// The threads of a machine.
    pub(crate) fn new(machine: &Machine) -> Self {
        let mut counts: BTreeMap<ProcId, u64> = BTreeMap::new();
        for thread in machine.threads.iter().filter(|t| t.instances > 0) {
            *counts.entry(thread.entry).or_default() += u64::from(thread.instances);
        }
        let mut calls: BTreeMap<ProcId, Vec<EdgeId>> = BTreeMap::new();
        let mut has_atomic_blocks = false;
        for edge in machine.edge_ids() {
            match machine.edge(edge).action {
                Action::Call { callee, .. } => calls.entry(callee).or_default().push(edge),
                Action::AtomicBegin => has_atomic_blocks = true,
                _ => {}
            }
        }
        let entries = counts.keys().copied().chain(machine.init);
        let nodes = entries.map(|entry| (entry, nodes_of(machine, entry)));
        Self {
            nodes: nodes.collect(),
            counts,
            calls,
            has_atomic_blocks,
        }
    }

    /// How many threads there are.
    pub(crate) fn len(&self) -> u64 {
        self.counts.values().sum()
    }

    /// All views of some size, in order; `None` if there are more than `most`.
    pub(crate) fn views(&self, size: usize, most: usize) -> Option<Vec<View>> {
        let mut lists: Vec<Vec<ProcId>> = vec![Vec::new()];
        for _ in 0..size {
            let mut longer = Vec::new();
            for list in lists {
                let least = list.last().copied().unwrap_or(ProcId(0));
                for (&entry, &count) in self.counts.range(least..) {
                    let here = list.iter().filter(|&&thread| thread == entry).count();
                    if (here as u64) < count {
                        let mut list = list.clone();
                        list.push(entry);
                        longer.push(list);
                    }
                }
                if longer.len() > most {
                    return None;
                }
            }
            lists = longer;
        }
        let view = |threads| View {
            threads,
            init: false,
        };
        Some(lists.into_iter().map(view).collect())
    }

    /// The calls on which a frame of a procedure may be waited for.
    pub(crate) fn waiting(&self, procedure: ProcId, thread: ProcId, init: bool) -> Vec<Waiting> {
        let calls = self.calls.get(&procedure).into_iter().flatten();
        let waiting = |&call| Waiting { thread, init, call };
        calls.map(waiting).collect()
    }
}

/// The nodes of all procedures that may be called from one.
fn nodes_of(machine: &Machine, entry: ProcId) -> Vec<NodeId> {
    let mut seen = BTreeSet::from([entry]);
    let mut pending = vec![entry];
    while let Some(procedure) = pending.pop() {
        for edge in machine.procedure(procedure).edge_ids() {
            if let Action::Call { callee, .. } = machine.edge(edge).action
                && seen.insert(callee)
            {
                pending.push(callee);
            }
        }
    }
    let nodes = seen
        .into_iter()
        .flat_map(|procedure| machine.procedure(procedure).node_ids());
    nodes.collect()
}
