//! Tests of the whole checker; those against enumeration of all states are the ones that matter
//! most.

#![allow(clippy::needless_raw_string_hashes)] // `UPDATE_EXPECT=1` writes them so.

mod by_hand;
mod malformed;
mod mutation;
mod reference;
mod size;
mod unrolled;

use crate::{Accepted, Rejected};
use hardbop_evidence::certificate::{Bit, Direction, Formula, NodeRelation};
use hardbop_evidence::{Certificate, NeverInterrupted, Target};
use hardbop_machine::{GlobalId, LocalId, Machine, NodeId, Variable};

fn machine(text: &str) -> Machine {
    hardbop_machine::from_text("test.bp", text).expect("the test's program is good")
}

fn validate(machine: &Machine, certificate: &Certificate) -> Result<Accepted, Rejected> {
    crate::validate(machine, certificate, &NeverInterrupted)
}

fn global(index: u32) -> Bit {
    Bit {
        variable: Variable::Global(GlobalId(index)),
        bit: 0,
    }
}

fn local(index: u32) -> Bit {
    Bit {
        variable: Variable::Local(LocalId(index)),
        bit: 0,
    }
}

/// The exit of the procedure of that number.
fn exit_of(machine: &Machine, procedure: usize) -> NodeId {
    machine.procedures[procedure].exit
}

/// A certificate for all assertions, in which every node of the listed relations has one formula.
fn certificate(
    machine: &Machine,
    direction: Direction,
    formulas: Vec<Formula>,
    relation: impl Fn(NodeId) -> Option<(u32, Option<u32>)>,
) -> Certificate {
    let nodes = machine.node_ids().filter_map(|node| {
        let (formula, to_exit) = relation(node)?;
        Some(NodeRelation {
            to_exit,
            ..NodeRelation::new(machine, node, formula)
        })
    });
    let targets = Target::assertions(machine);
    Certificate::new(machine, direction, targets, formulas, nodes.collect())
}

/// Whether a node is the failure of an assertion.
fn is_failure(machine: &Machine, node: NodeId) -> bool {
    machine
        .assertions
        .iter()
        .any(|assertion| assertion.failure == node)
}
