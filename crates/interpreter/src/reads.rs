//! Which choices can matter: values that are read before they are overwritten, by [`Liveness`]. A
//! person is asked for no others.

use crate::configuration::Slot;
use hardbop_machine::analysis::{CallGraph, Liveness};
use hardbop_machine::{Action, EdgeId, Expr, Machine, Variable};

/// Which values can be read before they are overwritten.
pub(crate) struct Reads {
    liveness: Liveness,
}

impl Reads {
    pub(crate) fn new(machine: &Machine) -> Self {
        Self {
            liveness: Liveness::new(machine, &CallGraph::new(machine)),
        }
    }

    /// Whether the initial value of a variable can be. Other threads may read a global at any time.
    pub(crate) fn initial(&self, machine: &Machine, slot: Slot) -> bool {
        let (procedure, variable) = match slot {
            Slot::Local {
                procedure, local, ..
            } => (procedure, Variable::Local(local)),
            Slot::Shared(global) | Slot::Own { global, .. } => match machine.threads.as_slice() {
                [only] if machine.is_sequential() => (only.entry, Variable::Global(global)),
                _ => return true,
            },
        };
        let entry = machine.procedure(procedure).entry;
        self.liveness.is_live(entry, variable)
    }

    /// Whether an input of an edge can be, where it does not decide whether the edge can be taken.
    pub(crate) fn input(&self, machine: &Machine, edge: EdgeId, index: usize) -> bool {
        let edge = machine.edge(edge);
        let Action::Assign { assignments, .. } = &edge.action else {
            return true;
        };
        assignments.iter().any(|&(variable, value)| {
            let is_shared = matches!(variable, Variable::Global(_)) && !machine.is_sequential();
            let mut occurs = false;
            machine.exprs.visit(value, |expr| {
                occurs |= matches!(*expr, Expr::Input(input, _) if input.index() == index);
            });
            occurs && (is_shared || self.liveness.is_live(edge.to, variable))
        })
    }
}
