//! Turns away what is not a certificate of this machine by stacks.

use crate::form::{check_head, malformed};
use crate::rejected::Rejected;
use hardbop_evidence::certificate::{Bit, Certificate, Formula, ThreadBit, ThreadPart};
use hardbop_machine::{Action, GlobalId, LocalId, Machine, ProcId, Storage, Variable};
use std::collections::BTreeMap;

/// The threads in a certificate.
pub struct Threads {
    /// How many threads start in each procedure.
    pub counts: BTreeMap<ProcId, u64>,
    /// How many threads a view has.
    pub size: usize,
}

/// Checks the form of a certificate; returns its threads.
pub fn check(
    machine: &Machine,
    certificate: &Certificate,
    is_over: &dyn Fn() -> bool,
) -> Result<Threads, Rejected> {
    check_head(machine, certificate, is_over)?;
    if !certificate.nodes.is_empty() || !certificate.turns.is_empty() {
        return malformed("a certificate by stacks has relations of views and callers only".into());
    }
    let starts = |edge| matches!(machine.edge(edge).action, Action::StartThread(_));
    if machine.edge_ids().any(starts) {
        let what = "threads that start others, by stacks".to_owned();
        return Err(Rejected::Unsupported { what });
    }
    let mut counts: BTreeMap<ProcId, u64> = BTreeMap::new();
    for thread in machine.threads.iter().filter(|t| t.instances > 0) {
        *counts.entry(thread.entry).or_default() += u64::from(thread.instances);
    }
    let size = check_views(machine, certificate, &counts)?;
    check_callers(machine, certificate)?;
    Ok(Threads { counts, size })
}

/// Checks whom the views are of; gives how many threads each has.
fn check_views(
    machine: &Machine,
    certificate: &Certificate,
    counts: &BTreeMap<ProcId, u64>,
) -> Result<usize, Rejected> {
    let mut size = None;
    let mut previous = None;
    for entry in &certificate.views {
        let view = &entry.view;
        if previous.is_some_and(|previous| previous >= view) {
            return malformed("its views are out of order".into());
        }
        previous = Some(view);
        if view.init {
            if machine.init.is_none_or(|init| view.threads != [init]) {
                return malformed("a view of `init` is not of `init`".into());
            }
        } else {
            let is_sorted = view.threads.is_sorted();
            if !is_sorted || view.threads.is_empty() {
                return malformed("the threads of a view are out of order".into());
            }
            if *size.get_or_insert(view.threads.len()) != view.threads.len() {
                return malformed("its views are of different sizes".into());
            }
            for same in view.threads.chunk_by(|a, b| a == b) {
                if counts.get(&same[0]).is_none_or(|&n| n < same.len() as u64) {
                    return malformed("a view has threads that there are not".into());
                }
            }
        }
        let threads = view.threads.len() as u32;
        check_leaves(certificate, entry.relation, |leaf| match leaf {
            Formula::Now(bit) => is_shared(machine, *bit),
            Formula::Thread(bit) => bit.thread < threads && is_bit(machine, *bit),
            _ => false,
        })?;
    }
    Ok(size.unwrap_or(1))
}

fn check_callers(machine: &Machine, certificate: &Certificate) -> Result<(), Rejected> {
    let mut previous = None;
    for entry in &certificate.callers {
        if previous.is_some_and(|previous| previous >= entry.waiting) {
            return malformed("its callers are out of order".into());
        }
        previous = Some(entry.waiting);
        let edge = machine.edges.get(entry.waiting.call.index());
        if !edge.is_some_and(|edge| matches!(edge.action, Action::Call { .. })) {
            return malformed("a caller waits on an edge that is no call".into());
        }
        check_leaves(certificate, entry.relation, |leaf| {
            let Formula::Thread(bit) = leaf else {
                return false;
            };
            let is_of_frame = match bit.part {
                ThreadPart::Entry(_) | ThreadPart::Caller => bit.thread <= 1,
                ThreadPart::Local(_) => bit.thread == 1,
                _ => false,
            };
            is_of_frame && is_bit(machine, *bit)
        })?;
    }
    Ok(())
}

/// Checks that a formula exists and what its leaves are.
fn check_leaves(
    certificate: &Certificate,
    root: u32,
    is_good: impl Fn(&Formula) -> bool,
) -> Result<(), Rejected> {
    let formulas = &certificate.formulas;
    if root as usize >= formulas.len() {
        return malformed(format!("formula {root} does not exist"));
    }
    let mut seen = vec![false; root as usize + 1];
    let mut pending = vec![root];
    while let Some(index) = pending.pop() {
        if std::mem::replace(&mut seen[index as usize], true) {
            continue;
        }
        match &formulas[index as usize] {
            Formula::Constant(_) => {}
            Formula::Not(a) => pending.push(*a),
            Formula::And(operands) | Formula::Or(operands) => pending.extend(operands),
            Formula::Ite(c, a, b) => pending.extend([c, a, b]),
            leaf if is_good(leaf) => {}
            leaf => return malformed(format!("{leaf:?} is not a bit of a view or of a caller")),
        }
    }
    Ok(())
}

fn is_shared(machine: &Machine, bit: Bit) -> bool {
    matches!(bit.variable, Variable::Global(id)
        if is_global(machine, id, bit.bit)
            && machine.global(id).storage == Storage::Shared)
}

fn is_global(machine: &Machine, id: GlobalId, bit: u32) -> bool {
    let global = machine.globals.get(id.index());
    global.is_some_and(|global| bit < global.ty.width())
}

/// Whether some procedure has the bit of a local. Of the others it is a cell that nothing reads.
fn is_local(machine: &Machine, id: LocalId, bit: u32) -> bool {
    let mut procedures = machine.procedures.iter();
    procedures.any(|procedure| {
        let local = procedure.locals.get(id.index());
        local.is_some_and(|local| bit < local.ty.width())
    })
}

fn is_bit(machine: &Machine, bit: ThreadBit) -> bool {
    match bit.part {
        ThreadPart::Place | ThreadPart::Caller => bit.bit < place_bits(machine),
        ThreadPart::Own(id) => {
            is_global(machine, id, bit.bit) && machine.global(id).storage == Storage::PerThread
        }
        ThreadPart::Row => false,
        ThreadPart::Local(id) | ThreadPart::Entry(Variable::Local(id)) => {
            is_local(machine, id, bit.bit)
        }
        ThreadPart::Entry(Variable::Global(id)) => is_global(machine, id, bit.bit),
        ThreadPart::Inside | ThreadPart::Last | ThreadPart::Stepped => bit.bit == 0,
    }
}

/// How many bits the place of a thread has: 0 if it has ended, else one more than its node.
pub fn place_bits(machine: &Machine) -> u32 {
    32 - (machine.nodes.len() as u32).leading_zeros()
}
