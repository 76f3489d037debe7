//! Accepts or rejects certificates, and is small enough to be believed.
//!
//! It knows no engine and no BDDs: a [`Certificate`] is a list of formulas, and [`validate`] proves
//! that they satisfy the conditions of their direction, one edge at a time. A SAT solver finds the
//! proofs, and each of their steps is checked by unit propagation.
//! `forward`, `backward`, `interleaved`, `stacks` and `unrolled` state the conditions and argue that
//! they suffice; `scene` builds one condition as a circuit; `form` turns away everything that is not even a
//! certificate of this machine. A rejection names the condition, the place and a state that shows
//! it.
//!
//! What has to be trusted: the machine and its edges in bits ([`hardbop_machine::bits`]), the sets
//! of modified globals ([`hardbop_machine::analysis::ModRef`]), the translation into clauses, unit
//! propagation and case analysis of `hardbop_sat`, and this crate. The SAT solver need not be:
//! a wrong step of it is found. [`validate_with_proofs`] hands the proofs out, so that a checker
//! that is not ours can confirm them; then propagation and case analysis need not be trusted
//! either.

mod accepted;
mod backward;
mod checker;
mod form;
mod forward;
mod interleaved;
mod memo;
mod moments;
mod proofs;
mod rejected;
mod scene;
mod stacks;
mod support;
mod translate;
mod unrolled;

pub use accepted::Accepted;
pub use proofs::{ProofSink, ProvedCondition};
pub use rejected::{Broken, Condition, Rejected, Witness, WitnessState};

use checker::Checker;
use hardbop_evidence::certificate::{Certificate, Direction};
use hardbop_evidence::{Interrupt, Limit, Steady};
use hardbop_machine::Machine;
use proofs::Proofs;

/// Checks that no run of the machine reaches any target of the certificate.
///
/// Linear in the size of the machine plus, for every edge, the size of the formulas at its ends,
/// apart from the searches. Between two questions to the interrupt stands the work for one
/// condition; it may answer with any limit, time or memory, and that is what the rejection says.
pub fn validate(
    machine: &Machine,
    certificate: &Certificate,
    interrupt: &dyn Interrupt,
) -> Result<Accepted, Rejected> {
    validate_and(machine, certificate, interrupt, Proofs::default())
}

/// The same, and hands out the proof of every condition as it is found. Conditions that hold by
/// form are proved too.
pub fn validate_with_proofs<'s>(
    machine: &Machine,
    certificate: &Certificate,
    interrupt: &dyn Interrupt,
    sink: &'s mut ProofSink<'s>,
) -> Result<Accepted, Rejected> {
    validate_and(machine, certificate, interrupt, Proofs::to(sink))
}

fn validate_and(
    machine: &Machine,
    certificate: &Certificate,
    interrupt: &dyn Interrupt,
    proofs: Proofs<'_>,
) -> Result<Accepted, Rejected> {
    let interrupt = &Steady::new(interrupt);
    // First of all, so that no other reason is given for a certificate of another program.
    form::check_program(machine, certificate)?;
    let result = match certificate.direction {
        Direction::Interleaved => interleaved::check(machine, certificate, interrupt, proofs),
        Direction::Stacks => stacks::check(machine, certificate, interrupt, proofs),
        Direction::Forward | Direction::Backward => {
            sequential(machine, certificate, interrupt, proofs)
        }
        Direction::Unrolled => {
            require_sequential(machine)?;
            let is_over = || interrupt.check().is_some();
            unrolled::check(machine, certificate, &is_over, proofs)
        }
    };
    match result {
        // Only the interrupt knows which limit it was.
        Err(Rejected::Interrupted(_)) => Err(Rejected::Interrupted(
            interrupt.check().unwrap_or(Limit::Interrupted),
        )),
        other => other,
    }
}

/// Checks the form of a certificate and none of its conditions, for those who write it in another
/// language: indices are good, and formulas name bits that there are.
pub fn check_form(machine: &Machine, certificate: &Certificate) -> Result<(), Rejected> {
    let never = || false;
    form::check_program(machine, certificate)?;
    match certificate.direction {
        Direction::Interleaved => interleaved::check_form(machine, certificate, &never).map(drop),
        Direction::Stacks => stacks::check_form(machine, certificate, &never).map(drop),
        Direction::Forward | Direction::Backward => {
            require_sequential(machine)?;
            form::check(machine, certificate, &never).map(drop)
        }
        Direction::Unrolled => {
            require_sequential(machine)?;
            unrolled::check_form(machine, certificate, &never).map(drop)
        }
    }
}

fn require_sequential(machine: &Machine) -> Result<(), Rejected> {
    if machine.is_sequential() {
        return Ok(());
    }
    Err(Rejected::Unsupported {
        what: "programs with threads or an `init` procedure".to_owned(),
    })
}

/// Relations of nodes: sequential machines only.
fn sequential(
    machine: &Machine,
    certificate: &Certificate,
    interrupt: &dyn Interrupt,
    proofs: Proofs<'_>,
) -> Result<Accepted, Rejected> {
    require_sequential(machine)?;
    let is_over = || interrupt.check().is_some();
    let relations = form::check(machine, certificate, &is_over)?;
    let mut checker = Checker::new(machine, certificate, relations, &is_over, proofs);
    if certificate.direction == Direction::Backward {
        backward::check(&mut checker)?;
    } else {
        forward::check(&mut checker)?;
    }
    Ok(checker.accepted())
}

#[cfg(test)]
mod tests;
