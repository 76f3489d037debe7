//! Turns away what is not even a certificate of this machine: other versions, other programs,
//! indices out of range.
//!
//! Everything behind this module relies on it: every index in the certificate is good, operands
//! come before their users, and a formula at a node names only bits that its procedure has, at
//! moments that make sense there.

use crate::rejected::Rejected;
use hardbop_evidence::certificate::{Bit, Certificate, Direction, Formula, NodeRelation, VERSION};
use hardbop_evidence::{Limit, Target};
use hardbop_machine::{Machine, NodeId, ProcId, Variable};

/// The formulas of each node.
pub(crate) struct Relations {
    relation: Vec<Option<u32>>,
    to_exit: Vec<Option<u32>>,
}

impl Relations {
    /// The relation of a node, unless it is empty.
    pub fn of(&self, node: NodeId) -> Option<u32> {
        self.relation[node.index()]
    }

    /// `to_exit` of a node, unless it is empty.
    pub fn to_exit(&self, node: NodeId) -> Option<u32> {
        self.to_exit[node.index()]
    }
}

/// A rejection of something that is not a certificate of the machine.
pub(crate) fn malformed<T>(what: String) -> Result<T, Rejected> {
    Err(Rejected::Malformed { what })
}

/// Checks the form of a certificate of a sequential machine.
pub(crate) fn check(
    machine: &Machine,
    certificate: &Certificate,
    is_over: &dyn Fn() -> bool,
) -> Result<Relations, Rejected> {
    check_head(machine, certificate, is_over)?;
    if !certificate.turns.is_empty() {
        return malformed("it has relations of turns, which only interleaved ones have".to_owned());
    }
    check_no_stacks(certificate)?;
    if certificate.bounds.is_some() {
        return malformed("it has bounds, which only unrolled ones have".to_owned());
    }
    let relations = collect(machine, certificate)?;
    check_leaves(machine, certificate)?;
    Ok(relations)
}

/// Checks that a certificate of another direction says nothing of stacks.
pub(crate) fn check_no_stacks(certificate: &Certificate) -> Result<(), Rejected> {
    if certificate.views.is_empty() && certificate.callers.is_empty() {
        return Ok(());
    }
    malformed("it has relations of views or callers, which only those of stacks have".to_owned())
}

/// Checks that a certificate has the form that is known, and is for this program.
pub(crate) fn check_program(machine: &Machine, certificate: &Certificate) -> Result<(), Rejected> {
    if certificate.version != VERSION {
        let version = certificate.version;
        return malformed(format!(
            "it has version {version}, but only version {VERSION} is known"
        ));
    }
    let program = machine.digest();
    if certificate.program != program {
        let other = &certificate.program;
        return malformed(format!(
            "it is for another program ({other}, and this one is {program})"
        ));
    }
    Ok(())
}

/// Checks what all certificates have: targets, and operands before their users.
pub(crate) fn check_head(
    machine: &Machine,
    certificate: &Certificate,
    is_over: &dyn Fn() -> bool,
) -> Result<(), Rejected> {
    for target in &certificate.targets {
        if is_over() {
            return Err(Rejected::Interrupted(Limit::Interrupted));
        }
        check_target(machine, target)?;
    }
    check_operands(&certificate.formulas)
}

/// A target must be the node it is called: what is accepted is what a reader sees.
fn check_target(machine: &Machine, target: &Target) -> Result<(), Rejected> {
    let node = target.node;
    if node.index() >= machine.nodes.len() {
        return malformed(format!("a target is node {}, which does not exist", node.0));
    }
    if target.is_of(machine) {
        Ok(())
    } else {
        malformed(format!(
            "node {} is not what it is called, {target}",
            node.0
        ))
    }
}

fn check_operands(formulas: &[Formula]) -> Result<(), Rejected> {
    for (index, formula) in formulas.iter().enumerate() {
        let is_before = |&operand: &u32| (operand as usize) < index;
        let is_good = match formula {
            Formula::Constant(_)
            | Formula::Entry(_)
            | Formula::Now(_)
            | Formula::Exit(_)
            | Formula::Thread(_) => true,
            Formula::Not(a) => is_before(a),
            Formula::And(operands) | Formula::Or(operands) => operands.iter().all(is_before),
            Formula::Ite(c, a, b) => [c, a, b].into_iter().all(is_before),
        };
        if !is_good {
            return malformed(format!(
                "formula {index} has an operand that does not come before it"
            ));
        }
    }
    Ok(())
}

fn collect(machine: &Machine, certificate: &Certificate) -> Result<Relations, Rejected> {
    let mut relations = Relations {
        relation: vec![None; machine.nodes.len()],
        to_exit: vec![None; machine.nodes.len()],
    };
    let mut previous: Option<NodeId> = None;
    for entry in &certificate.nodes {
        let node = entry.node;
        if node.index() >= machine.nodes.len() {
            return malformed(format!("it lists node {}, which does not exist", node.0));
        }
        if previous == Some(node) {
            return malformed(format!("it lists node {} twice", node.0));
        }
        if previous.is_some_and(|previous| previous > node) {
            return malformed(format!("node {} is listed out of order", node.0));
        }
        previous = Some(node);
        let procedure = machine.procedure_of(node);
        if entry.procedure != procedure {
            let (node, procedure, other) = (node.0, procedure.0, entry.procedure.0);
            return malformed(format!(
                "node {node} belongs to procedure {procedure}, not to {other}"
            ));
        }
        for formula in [Some(entry.relation), entry.to_exit].into_iter().flatten() {
            if formula as usize >= certificate.formulas.len() {
                return malformed(format!(
                    "node {} names formula {formula}, which does not exist",
                    node.0
                ));
            }
        }
        if entry.to_exit.is_some() && certificate.direction == Direction::Forward {
            return malformed(format!(
                "node {} has a `to_exit`, which only backward certificates have",
                node.0
            ));
        }
        relations.relation[node.index()] = Some(entry.relation);
        relations.to_exit[node.index()] = entry.to_exit;
    }
    Ok(relations)
}

/// What the leaves of a formula may be.
#[derive(Clone, Copy)]
struct Allowed {
    entry: bool,
    exit: bool,
}

/// Checks the leaves of all formulas, each at most once per procedure and use.
fn check_leaves(machine: &Machine, certificate: &Certificate) -> Result<(), Rejected> {
    let is_forward = certificate.direction == Direction::Forward;
    let in_relation = Allowed {
        entry: is_forward,
        exit: false,
    };
    let in_to_exit = Allowed {
        entry: false,
        exit: true,
    };
    let relation = |entry: &NodeRelation| Some(entry.relation);
    check_uses(machine, certificate, in_relation, relation)?;
    check_uses(machine, certificate, in_to_exit, |entry| entry.to_exit)
}

fn check_uses(
    machine: &Machine,
    certificate: &Certificate,
    allowed: Allowed,
    formula_of: impl Fn(&NodeRelation) -> Option<u32>,
) -> Result<(), Rejected> {
    // The nodes are in order, so those of one procedure stand together: one mark per formula is
    // enough.
    let mut checked_for: Vec<Option<ProcId>> = vec![None; certificate.formulas.len()];
    let mut pending = Vec::new();
    for entry in &certificate.nodes {
        pending.extend(formula_of(entry));
        while let Some(index) = pending.pop() {
            let mark = &mut checked_for[index as usize];
            if mark.replace(entry.procedure) == Some(entry.procedure) {
                continue;
            }
            let problem = match &certificate.formulas[index as usize] {
                Formula::Constant(_) => None,
                Formula::Thread(_) => {
                    Some("speaks of a thread, which only interleaved relations do".to_owned())
                }
                Formula::Entry(_) if !allowed.entry => {
                    Some("speaks of the entry, which only forward relations do".to_owned())
                }
                Formula::Exit(_) if !allowed.exit => {
                    Some("speaks of the exit, which only `to_exit` does".to_owned())
                }
                Formula::Now(bit) | Formula::Entry(bit) => {
                    problem_with(machine, entry.procedure, *bit)
                }
                Formula::Exit(bit) => problem_with(machine, entry.procedure, *bit)
                    .or_else(|| problem_at_exit(machine, entry.procedure, *bit)),
                Formula::Not(a) => {
                    pending.push(*a);
                    None
                }
                Formula::And(operands) | Formula::Or(operands) => {
                    pending.extend(operands);
                    None
                }
                Formula::Ite(c, a, b) => {
                    pending.extend([c, a, b]);
                    None
                }
            };
            if let Some(problem) = problem {
                let (node, procedure) = (entry.node.0, &machine.procedure(entry.procedure).name);
                return malformed(format!(
                    "formula {index}, used at node {node} of procedure {procedure}, {problem}"
                ));
            }
        }
    }
    Ok(())
}

fn problem_with(machine: &Machine, procedure: ProcId, place: Bit) -> Option<String> {
    let exists = match place.variable {
        Variable::Global(id) => id.index() < machine.globals.len(),
        Variable::Local(id) => id.index() < machine.procedure(procedure).locals.len(),
    };
    if !exists {
        return Some(match place.variable {
            Variable::Global(id) => format!("names global {}, which does not exist", id.0),
            Variable::Local(id) => format!("names local {}, which does not exist", id.0),
        });
    }
    let width = machine.type_of(procedure, place.variable).width();
    (place.bit >= width).then(|| {
        let name = machine.name_of(procedure, place.variable);
        format!("names bit {} of {name}, whose width is {width}", place.bit)
    })
}

/// Of the locals only the results matter at the exit.
fn problem_at_exit(machine: &Machine, procedure: ProcId, place: Bit) -> Option<String> {
    let Variable::Local(id) = place.variable else {
        return None;
    };
    let mut results = machine.procedure(procedure).results();
    (!results.any(|result| result == id)).then(|| {
        let name = machine.name_of(procedure, place.variable);
        format!("names {name} at the exit, which is neither a global nor a result")
    })
}
