//! Who owns a place of a program, and what happens there, read off the machine.

use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Action, Machine, NodeId};

/// What a walk can do at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It goes on, if there is a step.
    GoesOn,
    /// The program has ended here.
    Ends,
    /// Something has failed.
    Fails,
}

pub fn is_eves(machine: &Machine, node: NodeId) -> bool {
    let mut labels = machine.labels.iter();
    labels.any(|label| label.node == node && label.name.starts_with("EVE"))
}

pub fn priority(machine: &Machine, node: NodeId) -> u32 {
    let labels = machine.labels.iter().filter(|label| label.node == node);
    let numbers = labels.filter_map(|label| {
        let digit = label.name.strip_prefix("PRIORITY_")?.chars().next()?;
        digit.to_digit(10)
    });
    numbers.max().unwrap_or(0)
}

pub fn fate(machine: &Machine, node: NodeId) -> Fate {
    let mut edges = machine.edges_from(node);
    match machine.node(node).kind {
        NodeKind::Failure | NodeKind::OutOfRange => Fate::Fails,
        _ if edges.any(|edge| machine.edge(edge).action == Action::EndThread) => Fate::Ends,
        _ => Fate::GoesOn,
    }
}

pub fn is_exit(machine: &Machine, node: NodeId) -> bool {
    machine.procedure(machine.procedure_of(node)).exit == node
}
