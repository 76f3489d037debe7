//! Which choices can matter: values that are read before they are overwritten, by liveness. A
//! person is asked for no others.

use crate::configuration::Slot;
use hardbop_machine::{Action, EdgeId, Expr, Machine, Variable};

/// Whether the initial value of a variable can be read before it is overwritten. Other threads may read a global at any time.
pub(crate) fn reads_initial(machine: &Machine, slot: Slot) -> bool {
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
    machine.liveness().is_live(entry, variable)
}

/// Whether an input of an edge can be read, where it does not decide whether the edge can be taken.
pub(crate) fn reads_input(machine: &Machine, edge: EdgeId, index: usize) -> bool {
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
        occurs && (is_shared || machine.liveness().is_live(edge.to, variable))
    })
}
