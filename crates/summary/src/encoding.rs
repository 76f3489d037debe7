//! Relations over BDD variables: which variable stands for what, and what edges do.
//!
//! [`space`] gives every bit its BDD variables, in the order that [`order`] chooses. [`interface`]
//! says what of a procedure its callers see. [`transfer`] compiles edges, [`calls`] calls.

pub(crate) mod calls;
mod edge_encoder;
pub(crate) mod interface;
mod order;
pub(crate) mod space;
pub(crate) mod transfer;

pub use order::Order;

use hardbop_machine::analysis::Slice;
use hardbop_machine::{Machine, NodeId};
use interface::Interfaces;
use space::Space;
use transfer::Compiler;

/// What is known of a machine and its targets before any state is looked at.
pub(crate) struct Encoding<'m> {
    machine: &'m Machine,
    slice: Slice,
    space: Space,
    interfaces: Interfaces<'m>,
}

impl<'m> Encoding<'m> {
    /// Analyses a machine for a question about some nodes.
    pub(crate) fn new(machine: &'m Machine, targets: &[NodeId], order: Order) -> Self {
        let slice = Slice::new(machine, targets);
        let space = Space::new(machine, order, &slice);
        let interfaces = Interfaces::new(machine, &space, &slice);
        Self {
            machine,
            slice,
            space,
            interfaces,
        }
    }

    /// What compiling edges needs.
    pub(crate) fn compiler(&self) -> Compiler<'_> {
        Compiler {
            machine: self.machine,
            space: &self.space,
            interfaces: &self.interfaces,
            slice: &self.slice,
        }
    }
}
