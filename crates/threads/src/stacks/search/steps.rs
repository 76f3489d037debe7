//! What a set of configurations of few threads becomes when one of them does something, with its
//! place, atomic blocks and the Getafix flag.

use crate::stacks::encoding::deeds::Deeds;
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::{Action, Machine, NodeId};
use hardbop_outcome::certificate::{Bit, ThreadPart};
use hardbop_symbolic::{Part, QUANTIFY, image};

/// Where a thread is afterwards, and what becomes of its being inside an atomic block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct After {
    /// `None` if it has ended.
    pub node: Option<NodeId>,
    /// `None` if it stays as it is.
    pub inside: Option<bool>,
}

impl After {
    /// After an edge that is no call.
    pub(crate) fn edge(action: &Action, to: NodeId) -> Self {
        match action {
            Action::EndThread => Self::END,
            Action::AtomicBegin => Self {
                node: Some(to),
                inside: Some(true),
            },
            Action::AtomicEnd => Self {
                node: Some(to),
                inside: Some(false),
            },
            _ => Self::at(to),
        }
    }

    /// At a node, and inside if it was.
    pub(crate) fn at(node: NodeId) -> Self {
        Self {
            node: Some(node),
            inside: None,
        }
    }

    /// The thread has ended.
    pub(crate) const END: Self = Self {
        node: None,
        inside: Some(false),
    };
}

/// Who steps among how many threads at the first seats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub seat: u32,
    pub seats: u32,
    /// Whether the thread is forgotten after the step.
    pub leaves: bool,
    pub has_atomic_blocks: bool,
}

/// What can be after the step.
pub(crate) fn perform(
    manager: &mut Manager<'_>,
    deeds: &mut Deeds<'_>,
    set: Bdd,
    parts: &[Part],
    turn: Turn,
    after: After,
) -> Result<Bdd, Exhausted> {
    let stepped = image(manager, set, parts)?;
    if stepped.is_false() {
        return Ok(stepped);
    }
    let Turn { seat, .. } = turn;
    if !turn.has_atomic_blocks {
        return settle(manager, deeds, stepped, turn, after, &[]);
    }
    let inside = bit(manager, deeds, seat, ThreadPart::Inside)?;
    let last = bit(manager, deeds, seat, ThreadPart::Last)?;
    let others: Vec<u32> = (0..turn.seats).filter(|&other| other != seat).collect();
    let lasts = |of: &[u32], value| -> Vec<(u32, ThreadPart, bool)> {
        let of = of.iter();
        of.map(|&seat| (seat, ThreadPart::Last, value)).collect()
    };
    let mut all = Bdd::FALSE;
    let (stays, goes) = match after.inside {
        Some(true) => (stepped, Bdd::FALSE),
        Some(false) => (Bdd::FALSE, stepped),
        None => {
            let stays = manager.and(stepped, inside)?;
            // Outside, it has no part in any block: nothing changes.
            let outside = manager.diff(stepped, inside)?;
            all = settle(manager, deeds, outside, turn, after, &[])?;
            (stays, Bdd::FALSE)
        }
    };
    let mut now = lasts(&others, false);
    now.extend([
        (seat, ThreadPart::Inside, true),
        (seat, ThreadPart::Last, true),
    ]);
    let set = settle(manager, deeds, stays, turn, after, &now)?;
    all = manager.or(all, set)?;
    let now = [
        (seat, ThreadPart::Inside, false),
        (seat, ThreadPart::Last, false),
    ];
    let was_not_last = manager.diff(goes, last)?;
    let set = settle(manager, deeds, was_not_last, turn, after, &now)?;
    all = manager.or(all, set)?;
    // Any other inside may be the last now.
    let was_last = manager.and(goes, last)?;
    let mut actions = Vec::new();
    let mut heirs = Bdd::TRUE;
    for &other in &others {
        let variable = deeds.seats.thread(other, ThreadPart::Last, 0);
        actions.extend(variable.map(|variable| (variable, QUANTIFY)));
        let inside = bit(manager, deeds, other, ThreadPart::Inside)?;
        let last = bit(manager, deeds, other, ThreadPart::Last)?;
        let heir = manager.or(!last, inside)?;
        heirs = manager.and(heirs, heir)?;
    }
    let plan = deeds.plans.get(manager, actions);
    let set = manager.project(was_last, &plan)?;
    let set = manager.and(set, heirs)?;
    let set = settle(manager, deeds, set, turn, after, &now)?;
    manager.or(all, set)
}

/// Puts the thread where it is after the step, with these bits.
fn settle(
    manager: &mut Manager<'_>,
    deeds: &mut Deeds<'_>,
    set: Bdd,
    turn: Turn,
    after: After,
    bits: &[(u32, ThreadPart, bool)],
) -> Result<Bdd, Exhausted> {
    if set.is_false() {
        return Ok(set);
    }
    let seat = turn.seat;
    let mut bits = bits.to_vec();
    if deeds.machine.atomic_flag.is_some() {
        bits.extend((0..turn.seats).map(|other| (other, ThreadPart::Stepped, other == seat)));
    }
    let mut gone = deeds.seats.parts(seat, |part| {
        turn.leaves || matches!(part, ThreadPart::Place)
    });
    match after.node {
        Some(node) => gone.extend(deeds.dead(seat, node)),
        None => gone.extend(deeds.seats.parts(seat, |part| {
            matches!(
                part,
                ThreadPart::Local(_) | ThreadPart::Entry(_) | ThreadPart::Caller
            )
        })),
    }
    if turn.leaves {
        bits.retain(|bit| bit.0 != seat);
    }
    let mut now = Bdd::TRUE;
    for (seat, part, value) in bits {
        let Some(variable) = deeds.seats.thread(seat, part, 0) else {
            continue;
        };
        gone.push(variable);
        let literal = manager.variable(variable)?;
        now = manager.and(now, if value { literal } else { !literal })?;
    }
    if !turn.leaves {
        let place = after.node.map_or(0, |node| node.0 + 1);
        let place = deeds
            .seats
            .number(manager, seat, ThreadPart::Place, place)?;
        now = manager.and(now, place)?;
    }
    let actions = gone.into_iter().map(|variable| (variable, QUANTIFY));
    let plan = deeds.plans.get(manager, actions.collect());
    let set = manager.project(set, &plan)?;
    manager.and(set, now)
}

/// Where atomic blocks of others and the flag permit a step; `blocked` says for each seat where its
/// thread cannot step.
pub(crate) fn permission(
    manager: &mut Manager<'_>,
    deeds: &Deeds<'_>,
    turn: Turn,
    init: bool,
    blocked: &[Bdd],
) -> Result<Bdd, Exhausted> {
    let mut all = Bdd::TRUE;
    let flag = flag(manager, deeds)?;
    if let Some(flag) = flag.filter(|_| !init) {
        let stepped = bit(manager, deeds, turn.seat, ThreadPart::Stepped)?;
        all = manager.or(!flag, stepped)?;
    }
    if turn.has_atomic_blocks {
        for other in (0..turn.seats).filter(|&other| other != turn.seat) {
            let last = bit(manager, deeds, other, ThreadPart::Last)?;
            let mut free = manager.or(!last, blocked[other as usize])?;
            if let Some(flag) = flag {
                free = manager.or(free, flag)?;
            }
            all = manager.and(all, free)?;
        }
    }
    Ok(all)
}

fn flag(manager: &mut Manager<'_>, deeds: &Deeds<'_>) -> Result<Option<Bdd>, Exhausted> {
    let Some(flag) = deeds.machine.atomic_flag else {
        return Ok(None);
    };
    let place = Bit {
        variable: hardbop_machine::Variable::Global(flag),
        bit: 0,
    };
    let variable = deeds.seats.variable(deeds.machine, 0, place);
    Ok(Some(manager.variable(variable)?))
}

/// A single bit of a thread.
fn bit(
    manager: &mut Manager<'_>,
    deeds: &Deeds<'_>,
    seat: u32,
    part: ThreadPart,
) -> Result<Bdd, Exhausted> {
    match deeds.seats.thread(seat, part, 0) {
        Some(variable) => manager.variable(variable),
        None => Ok(Bdd::FALSE),
    }
}

/// The bits of a thread that is about to take its first step.
pub(crate) fn start(
    manager: &mut Manager<'_>,
    deeds: &Deeds<'_>,
    machine: &Machine,
    seat: u32,
    entry: NodeId,
) -> Result<Bdd, Exhausted> {
    let mut all = deeds.seats.at(manager, seat, entry)?;
    let dead = deeds.dead(seat, entry);
    for &(part, bit) in deeds.seats.block() {
        let Some(variable) = deeds.seats.thread(seat, part, bit) else {
            continue;
        };
        let literal = manager.variable(variable)?;
        let fact = match part {
            ThreadPart::Inside | ThreadPart::Last | ThreadPart::Caller => !literal,
            ThreadPart::Stepped => literal,
            ThreadPart::Own(id) => match machine.global(id).initial {
                Some(value) if value >> bit & 1 == 1 => literal,
                Some(_) => !literal,
                None => continue,
            },
            ThreadPart::Entry(variable) => {
                let now = match variable {
                    hardbop_machine::Variable::Local(id) => {
                        let now = deeds.seats.thread(seat, ThreadPart::Local(id), bit);
                        match now.filter(|now| !dead.contains(now)) {
                            Some(now) => now,
                            None => continue,
                        }
                    }
                    hardbop_machine::Variable::Global(_) => {
                        deeds.seats.variable(machine, seat, Bit { variable, bit })
                    }
                };
                let now = manager.variable(now)?;
                manager.iff(literal, now)?
            }
            _ => continue,
        };
        all = manager.and(all, fact)?;
    }
    Ok(all)
}
