//! The conditions of an unrolled certificate, and why they suffice.
//!
//! The certificate bounds the repetitions of each loop and the frames of each recursive procedure.
//! [`loops`] finds out which loops the listed heads make, [`ways`] which nodes and edges a run to a
//! target can pass at all, and [`walk`] writes all runs out that keep to the bounds, as one circuit.
//!
//! 1. *Form.* Every head is a node, every procedure exists, each is listed once, and every cyclic
//!    component has a listed head, also inside loops.
//! 2. *Bounds.* No run repeats a loop, between entering and leaving it, or nests a procedure, more
//!    often than its bound, while it is on nodes and edges that [`ways`] keeps.
//! 3. *Targets.* No run that keeps to the bounds reaches a target.
//!
//! 2 and 3 are one question to the prover: every place where a bound is exceeded or a target is
//! reached has a literal, and it shows that none of them can hold.
//!
//! **They suffice.** Suppose that a run reaches a target; take the first time. Up to then it only
//! passes nodes and edges that are kept, since from each of them it gets to the target. So by 2 it
//! keeps to the bounds, for the first step beyond a bound would be a kept one, and by 3 it does not
//! reach the target.
//!
//! What is left to argue is that the circuit describes all such runs, and that is for [`walk`].

mod loops;
mod walk;
mod ways;

use crate::accepted::Accepted;
use crate::form::{check_head, malformed};
use crate::proofs::Proofs;
use crate::rejected::{Broken, Rejected};
use hardbop_evidence::certificate::{Certificate, UnrollingBounds};
use hardbop_machine::{Machine, NodeId};
use loops::Loops;
use std::collections::{BTreeMap, BTreeSet};
use walk::Walk;
use ways::Ways;

/// A certificate whose form is good.
pub(crate) struct Bounded {
    loops: Loops,
    /// By head.
    repetitions: BTreeMap<NodeId, u32>,
    /// By procedure: how often it may be on the stack.
    frames: Vec<u32>,
}

/// Checks the form.
pub(crate) fn check_form(
    machine: &Machine,
    certificate: &Certificate,
    is_over: &dyn Fn() -> bool,
) -> Result<Bounded, Rejected> {
    check_head(machine, certificate, is_over)?;
    let has_relations = !certificate.nodes.is_empty() || !certificate.turns.is_empty();
    if has_relations || !certificate.formulas.is_empty() {
        return malformed("it has relations, which unrolled ones do not have".to_owned());
    }
    let Some(bounds) = &certificate.bounds else {
        return malformed("it has no bounds".to_owned());
    };
    let (repetitions, frames) = numbers(machine, bounds)?;
    let heads: Vec<NodeId> = bounds.loops.iter().map(|one| one.head).collect();
    match Loops::new(machine, &heads) {
        Ok(loops) => Ok(Bounded {
            loops,
            repetitions,
            frames,
        }),
        Err(node) => malformed(format!(
            "node {} is on a cycle, and no node of that cycle is the head of a loop with a bound",
            node.0
        )),
    }
}

/// The numbers that are listed, by head and by procedure.
fn numbers(
    machine: &Machine,
    bounds: &UnrollingBounds,
) -> Result<(BTreeMap<NodeId, u32>, Vec<u32>), Rejected> {
    let mut repetitions = BTreeMap::new();
    for one in &bounds.loops {
        let head = one.head;
        if head.index() >= machine.nodes.len() {
            return malformed(format!("a loop has node {}, which does not exist", head.0));
        }
        if repetitions.insert(head, one.repetitions).is_some() {
            return malformed(format!("it lists the loop of node {} twice", head.0));
        }
    }
    let mut frames = vec![None; machine.procedures.len()];
    for one in &bounds.procedures {
        let number = one.procedure.0;
        match frames.get_mut(one.procedure.index()) {
            None => return malformed(format!("procedure {number} does not exist")),
            Some(Some(_)) => return malformed(format!("it lists procedure {number} twice")),
            Some(frames) => *frames = Some(one.frames),
        }
    }
    let frames = frames.into_iter().map(|listed| listed.unwrap_or(1));
    Ok((repetitions, frames.collect()))
}

/// Checks all conditions.
pub(crate) fn check(
    machine: &Machine,
    certificate: &Certificate,
    is_over: &dyn Fn() -> bool,
    mut proofs: Proofs<'_>,
) -> Result<Accepted, Rejected> {
    let bounded = check_form(machine, certificate, is_over)?;
    let targets: BTreeSet<NodeId> = certificate
        .targets
        .iter()
        .map(|target| target.node)
        .collect();
    let ways = Ways::new(machine, &targets);
    let mut accepted = Accepted::default();
    for thread in machine.threads.iter().filter(|thread| thread.instances > 0) {
        let mut walk = Walk::new(machine, &bounded, &ways, &targets, is_over);
        if proofs.are_wanted() {
            walk.circuit.solver().keep_proofs();
        }
        walk.from(thread.entry)?;
        let literals = walk.forbidden.iter().map(|one| one.literal);
        let any = walk.circuit.any(literals.collect::<Vec<_>>());
        if !accepted.prove(&mut walk.circuit, &[any])? {
            return Err(Rejected::Broken(Box::new(broken(machine, &walk))));
        }
        if proofs.are_wanted() {
            let condition = crate::Condition::UnrollingIsComplete;
            let entry = machine.procedure(thread.entry).entry;
            proofs.add(machine, condition, (entry, None), &mut walk.circuit, &[any]);
        }
    }
    Ok(accepted)
}

/// What the last model shows.
fn broken(machine: &Machine, walk: &Walk<'_, '_>) -> Broken {
    let model = walk.circuit.model();
    let mut forbidden = walk.forbidden.iter();
    let shown = forbidden.find(|one| model.value(one.literal));
    let shown = shown.unwrap_or(&walk.forbidden[0]);
    let witness = walk.witness(&model, shown);
    Broken::new(machine, shown.condition, shown.node, shown.edge, witness)
}
