//! MOD and REF: the globals that a procedure, or anything it calls, may write or read.
//!
//! Bebop (section 2.3) leaves a global out of a procedure's path edges if neither set has it. All
//! procedures of a component of the call graph call each other, so they share one pair of sets; one sweep over the
//! components, callees first, gives the least solution without iteration.
//!
//! Threads that a procedure starts are not part of it. That is sound for globals of a thread, of which others have copies;
//! a shared global of a concurrent machine may change at any time, whatever these sets say.

use super::bit_set::BitRows;
use super::call_graph::CallGraph;
use super::variables::{each_read, each_write};
use crate::ids::{GlobalId, ProcId, Variable};
use crate::ir::Machine;

/// The globals that each procedure may write and read.
#[derive(Clone, Debug)]
pub struct ModRef {
    component: Vec<u32>,
    modified: BitRows,
    referenced: BitRows,
}

impl ModRef {
    /// Collects the sets of all procedures. Linear, apart from the size of the sets.
    pub fn new(machine: &Machine, calls: &CallGraph) -> Self {
        let globals = machine.globals.len();
        let empty = || BitRows::new(vec![globals; calls.component_count()]);
        let (mut modified, mut referenced) = (empty(), empty());
        for (component, members) in calls.components().enumerate() {
            for &member in members {
                for edge in machine.procedure(member).edge_ids() {
                    each_write(machine, edge, |variable| {
                        insert_global(&mut modified, component, variable);
                    });
                    each_read(machine, edge, |variable| {
                        insert_global(&mut referenced, component, variable);
                    });
                }
                for site in calls.calls_in(member) {
                    let callee = calls.component_of(site.callee);
                    modified.add_row(component, callee);
                    referenced.add_row(component, callee);
                }
            }
        }
        let component = machine
            .procedure_ids()
            .map(|p| calls.component_of(p) as u32);
        Self {
            component: component.collect(),
            modified,
            referenced,
        }
    }

    /// Whether the procedure or anything it calls may write the global.
    pub fn modifies(&self, procedure: ProcId, global: GlobalId) -> bool {
        self.modified.contains(self.row(procedure), global.index())
    }

    /// Whether the procedure or anything it calls may read the global.
    pub fn references(&self, procedure: ProcId, global: GlobalId) -> bool {
        self.referenced
            .contains(self.row(procedure), global.index())
    }

    /// MOD: the globals that the procedure or anything it calls may write, ascending.
    pub fn modified(&self, procedure: ProcId) -> impl Iterator<Item = GlobalId> + '_ {
        self.modified.iter(self.row(procedure)).map(GlobalId::new)
    }

    /// REF: the globals that the procedure or anything it calls may read, ascending.
    pub fn referenced(&self, procedure: ProcId) -> impl Iterator<Item = GlobalId> + '_ {
        self.referenced.iter(self.row(procedure)).map(GlobalId::new)
    }

    /// REF as the words of a bit set.
    pub(crate) fn referenced_words(&self, procedure: ProcId) -> &[u64] {
        self.referenced.words(self.row(procedure))
    }

    fn row(&self, procedure: ProcId) -> usize {
        self.component[procedure.index()] as usize
    }
}

fn insert_global(rows: &mut BitRows, row: usize, variable: Variable) {
    if let Variable::Global(global) = variable {
        rows.insert(row, global.index());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_builder::{Builder, assign, call};

    #[test]
    fn effects_reach_all_callers_and_all_of_a_cycle_but_not_callees() {
        let mut b = Builder::new();
        let [g, h, k] = ["g", "h", "k"].map(|name| b.global(name, None));
        let bodies = ["main", "even", "odd", "leaf"].map(|name| b.procedure(name, &[], &[], 0, 3));
        let [main, even, odd, leaf] = bodies;
        for (caller, callee) in [(main, even), (even, odd), (odd, even), (odd, leaf)] {
            b.edge(caller.at(0), caller.at(1), None, call(callee.id, &[], &[]));
        }
        let read_h = b.var(h);
        b.edge(leaf.at(0), leaf.exit(), None, assign(&[(g, read_h)]));
        let one = b.constant(1);
        b.edge(even.at(1), even.exit(), None, assign(&[(k, one)]));
        let machine = b.finish(main.id);
        let sets = ModRef::new(&machine, &CallGraph::new(&machine));
        let modified = |p| sets.modified(p).map(|id| id.0).collect::<Vec<_>>();
        let referenced = |p| sets.referenced(p).map(|id| id.0).collect::<Vec<_>>();
        for procedure in [main, even, odd] {
            assert_eq!(modified(procedure.id), [0, 2]);
            assert_eq!(referenced(procedure.id), [1]);
        }
        assert_eq!(modified(leaf.id), [0]);
        assert!(!sets.references(leaf.id, GlobalId(0)) && sets.modifies(leaf.id, GlobalId(0)));
    }
}
