//! Turns away what is not an interleaved certificate of this machine.

use crate::form::{check_head, check_no_stacks, malformed};
use crate::rejected::Rejected;
use hardbop_evidence::certificate::{Bit, Certificate, Formula, ThreadBit, ThreadPart, Turn};
use hardbop_machine::cast::Cast;
use hardbop_machine::inlined::NotInlined;
use hardbop_machine::{Machine, Storage, Variable};

/// Checks the form of a certificate; returns its threads.
pub fn check(
    machine: &Machine,
    certificate: &Certificate,
    is_over: &dyn Fn() -> bool,
) -> Result<Cast, Rejected> {
    check_head(machine, certificate, is_over)?;
    if !certificate.nodes.is_empty() {
        return malformed("an interleaved certificate has relations of turns, not of nodes".into());
    }
    check_no_stacks(certificate)?;
    let turns = certificate.turns.iter().map(|entry| &entry.turn);
    let most = turns.clone().map(|turn| turn.started).max().unwrap_or(0);
    // A certificate of a few bytes must not make room for a million threads.
    if u64::from(most) > machine.instance_count().saturating_add(MOST_STARTED) {
        return malformed(format!("it speaks of {most} threads, which is too many"));
    }
    let cast = Cast::new(machine, most).map_err(|why| Rejected::Unsupported {
        what: match why {
            NotInlined::Recursive(_) => "threads with recursion".to_owned(),
            NotInlined::TooManyPlaces => "threads that unfold to too many places".to_owned(),
            NotInlined::InitStartsThreads => "an `init` procedure that starts threads".to_owned(),
        },
    })?;
    let mut previous: Option<&Turn> = None;
    for turn in turns {
        if previous.is_some_and(|previous| previous >= turn) {
            return malformed("its turns are out of order".into());
        }
        previous = Some(turn);
        check_turn(&cast, turn)?;
    }
    for entry in &certificate.turns {
        if entry.relation as usize >= certificate.formulas.len() {
            let relation = entry.relation;
            return malformed(format!(
                "a turn names formula {relation}, which does not exist"
            ));
        }
    }
    for formula in &certificate.formulas {
        check_leaf(machine, &cast, formula)?;
    }
    Ok(cast)
}

/// Threads that others start, in a certificate.
const MOST_STARTED: u64 = 256;

fn check_turn(cast: &Cast, turn: &Turn) -> Result<(), Rejected> {
    let exists = |thread: u32| thread < turn.started;
    if !exists(turn.thread) || turn.started > cast.len() {
        return malformed("a turn is that of a thread which has not been started".into());
    }
    let mut inside = turn.atomic.clone();
    inside.sort_unstable();
    inside.dedup();
    if inside.len() < turn.atomic.len() || !inside.into_iter().all(exists) {
        return malformed("a turn lists threads inside atomic blocks that cannot be there".into());
    }
    Ok(())
}

fn check_leaf(machine: &Machine, cast: &Cast, formula: &Formula) -> Result<(), Rejected> {
    let is_good = match formula {
        Formula::Now(Bit {
            variable: Variable::Global(id),
            bit,
        }) => {
            let global = machine.globals.get(id.index());
            global.is_some_and(|g| g.storage == Storage::Shared && *bit < g.ty.width())
        }
        Formula::Now(_) | Formula::Entry(_) | Formula::Exit(_) => false,
        Formula::Thread(ThreadBit { thread, part, bit }) => {
            *thread < cast.len() && {
                let inlined = &cast.member(*thread).inlined;
                match part {
                    ThreadPart::Place => *bit < inlined.place_bits(),
                    ThreadPart::Row => *bit < inlined.row_bits(),
                    ThreadPart::Local(_)
                    | ThreadPart::Entry(_)
                    | ThreadPart::Caller
                    | ThreadPart::Inside
                    | ThreadPart::Last
                    | ThreadPart::Stepped => false,
                    ThreadPart::Own(id) => {
                        let global = machine.globals.get(id.index());
                        global
                            .is_some_and(|g| g.storage == Storage::PerThread && *bit < g.ty.width())
                    }
                }
            }
        }
        _ => true,
    };
    if is_good {
        Ok(())
    } else {
        malformed(format!("{formula:?} is not a bit of a configuration"))
    }
}
