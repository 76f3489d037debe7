//! Where a thread has to be given the chance to be interrupted: before steps that other threads can notice, or that notice them.
//!
//! A step that touches no shared variable can as well be taken before the turn is passed on, so no other place needs one. A return
//! that assigns a result to a shared variable is such a step, and so is the beginning of an atomic block.

use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::{Action, EdgeId, Machine, NodeId, Storage, Variable};

/// The nodes before which a thread may be interrupted.
#[derive(Clone, Debug)]
pub struct SwitchPoints {
    is_point: Vec<bool>,
}

impl SwitchPoints {
    /// Looks at every edge once.
    pub fn new(machine: &Machine) -> Self {
        let mut is_point = vec![false; machine.nodes.len()];
        for id in machine.edge_ids() {
            let edge = machine.edge(id);
            if is_noticed(machine, id) {
                is_point[edge.from.index()] = true;
            }
            if let Action::Call {
                callee, targets, ..
            } = &edge.action
                && targets
                    .iter()
                    .flatten()
                    .any(|&target| is_shared(machine, target))
            {
                is_point[machine.procedure(*callee).exit.index()] = true;
            }
        }
        Self { is_point }
    }

    /// Whether a thread may be interrupted at the node.
    pub fn contains(&self, node: NodeId) -> bool {
        self.is_point[node.index()]
    }
}

fn is_shared(machine: &Machine, variable: Variable) -> bool {
    match variable {
        Variable::Global(id) => machine.global(id).storage == Storage::Shared,
        Variable::Local(_) => false,
    }
}

fn is_noticed(machine: &Machine, id: EdgeId) -> bool {
    let action = &machine.edge(id).action;
    let mut noticed = matches!(action, Action::AtomicBegin);
    each_read(machine, id, |variable| {
        noticed |= is_shared(machine, variable);
    });
    if !matches!(action, Action::Call { .. }) {
        each_write(machine, id, |variable| {
            noticed |= is_shared(machine, variable);
        });
    }
    noticed
}
