//! MOD and REF: the globals that a procedure, or anything it calls, may write or read.
//!
//! Bebop (section 2.3) leaves a global out of a procedure's path edges if neither set has it. All
//! procedures of a component of the call graph call each other, so they share one pair of sets; one
//! sweep over the components, callees first, gives the least solution without iteration.
//!
//! Threads that a procedure starts are not part of it. That is sound for globals of a thread, of
//! which others have copies; a shared global of a concurrent machine may change at any time,
//! whatever these sets say.

use super::call_graph::CallGraph;
use super::shared_sets::{SetId, SharedSets};
use super::variables::{each_read, each_write};
use crate::ids::{GlobalId, ProcId, Variable};
use crate::machine::Machine;

/// The globals that each procedure may write and read.
#[derive(Clone, Debug)]
pub struct ModRef {
    sets: SharedSets,
    /// By procedure.
    modified: Vec<SetId>,
    referenced: Vec<SetId>,
}

impl ModRef {
    /// Collects the sets of all procedures. Callers share what they have from their callees, so a
    /// long chain of procedures with many globals is not quadratic.
    pub(crate) fn new(machine: &Machine, calls: &CallGraph) -> Self {
        let mut sets = SharedSets::new(machine.globals.len());
        let mut modified = vec![SetId::EMPTY; machine.procedures.len()];
        let mut referenced = modified.clone();
        for members in calls.components() {
            let (mut writes, mut reads) = (SetId::EMPTY, SetId::EMPTY);
            for &member in members {
                // Within the component they are still empty.
                for site in calls.calls_in(member) {
                    let callee = site.callee.index();
                    writes = sets.union(writes, modified[callee]);
                    reads = sets.union(reads, referenced[callee]);
                }
                for edge in machine.procedure(member).edge_ids() {
                    each_write(machine, edge, |variable| {
                        writes = with_global(&mut sets, writes, variable);
                    });
                    each_read(machine, edge, |variable| {
                        reads = with_global(&mut sets, reads, variable);
                    });
                }
            }
            for member in members {
                modified[member.index()] = writes;
                referenced[member.index()] = reads;
            }
        }
        Self {
            sets,
            modified,
            referenced,
        }
    }

    /// Whether the procedure or anything it calls may write the global.
    pub fn modifies(&self, procedure: ProcId, global: GlobalId) -> bool {
        let set = self.modified[procedure.index()];
        self.sets.contains(set, global.index())
    }

    /// Whether the procedure or anything it calls may read the global.
    pub fn references(&self, procedure: ProcId, global: GlobalId) -> bool {
        let set = self.referenced[procedure.index()];
        self.sets.contains(set, global.index())
    }

    /// The numbers of both sets: equal sets have equal numbers.
    pub fn sets_of(&self, procedure: ProcId) -> (u32, u32) {
        let index = procedure.index();
        (
            self.modified[index].number(),
            self.referenced[index].number(),
        )
    }

    /// MOD: the globals that the procedure or anything it calls may write, ascending.
    pub fn modified(&self, procedure: ProcId) -> impl Iterator<Item = GlobalId> + '_ {
        let set = self.modified[procedure.index()];
        self.sets.iter(set).map(GlobalId::new)
    }

    /// REF: the globals that the procedure or anything it calls may read, ascending.
    pub fn referenced(&self, procedure: ProcId) -> impl Iterator<Item = GlobalId> + '_ {
        let set = self.referenced[procedure.index()];
        self.sets.iter(set).map(GlobalId::new)
    }
}

fn with_global(sets: &mut SharedSets, set: SetId, variable: Variable) -> SetId {
    match variable {
        Variable::Global(global) => sets.insert(set, global.index()),
        Variable::Local(_) => set,
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
