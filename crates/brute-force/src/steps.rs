//! All steps from a configuration: every thread, every choice, every uninitialised value.

use hardbop_interpreter::{
    Configuration, Move, Valuations, initial, initial_slots, schedulable, step_slots, take,
    valuation_bits,
};
use hardbop_machine::{Machine, Type};
use hardbop_outcome::{Budget, Limit};

/// More choices than these bits at one step are refused.
const MAX_CHOICE_BITS: u64 = 16;

/// How large configurations may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The largest number of frames of one thread.
    pub stack: usize,
    /// The largest number of threads, `init` not counted.
    pub threads: usize,
}

/// Frames of one thread unless a budget says otherwise.
const DEFAULT_STACK: u32 = 64;

impl Bounds {
    /// What a budget allows.
    pub fn of(machine: &Machine, budget: &Budget<'_>) -> Self {
        let declared = machine.threads.iter();
        let declared: u64 = declared.map(|thread| u64::from(thread.instances)).sum();
        let threads = declared.max(u64::from(budget.threads()));
        Self {
            stack: budget.stack.unwrap_or(DEFAULT_STACK) as usize,
            threads: usize::try_from(threads).unwrap_or(usize::MAX),
        }
    }
}

/// A step and where it leads.
#[derive(Clone, Debug)]
pub struct Successor {
    /// Who steps.
    pub thread: u32,
    /// The step.
    pub step: Move,
    /// Values of variables that the step leaves open.
    pub chosen: Vec<u64>,
    /// Where it leads.
    pub to: Configuration,
}

/// All values of some choices, unless there are too many to try one by one.
pub(crate) fn valuations(types: Vec<Type>) -> Result<Valuations, Limit> {
    if valuation_bits(types.iter().copied()) > MAX_CHOICE_BITS {
        return Err(too_many_choices());
    }
    Ok(Valuations::new(types))
}

fn too_many_choices() -> Limit {
    Limit::Declined {
        what: format!("programs with more than 2^{MAX_CHOICE_BITS} choices at one step"),
    }
}

/// Every configuration in which a program may start.
pub fn initial_configurations(machine: &Machine) -> Result<Vec<Configuration>, Limit> {
    let slots = initial_slots(machine).into_iter();
    let values = valuations(slots.map(|slot| slot.ty(machine)).collect())?;
    Ok(values.map(|values| initial(machine, &values)).collect())
}

/// Every step from a configuration. Those that lead past a bound are left out, and the bound is
/// noted in `missed`.
pub fn successors(
    machine: &Machine,
    now: &Configuration,
    bounds: Bounds,
    missed: &mut Option<Limit>,
) -> Result<Vec<Successor>, Limit> {
    let mut all = Vec::new();
    for thread in schedulable(machine, now).map_err(|_| too_many_choices())? {
        let Some(top) = now.top(thread) else {
            continue;
        };
        if machine.procedure(machine.procedure_of(top.node)).exit == top.node {
            take_all(
                machine,
                now,
                thread,
                &Move::Return,
                bounds,
                missed,
                &mut all,
            )?;
            continue;
        }
        for edge in machine.edges_from(top.node) {
            for inputs in valuations(machine.edge(edge).inputs.to_vec())? {
                let step = Move::Edge { edge, inputs };
                take_all(machine, now, thread, &step, bounds, missed, &mut all)?;
            }
        }
    }
    Ok(all)
}

/// Takes a step, if it can be taken, with all values of uninitialised variables.
fn take_all(
    machine: &Machine,
    now: &Configuration,
    thread: u32,
    step: &Move,
    bounds: Bounds,
    missed: &mut Option<Limit>,
    all: &mut Vec<Successor>,
) -> Result<(), Limit> {
    let slots = step_slots(machine, now, thread, step).into_iter();
    for chosen in valuations(slots.map(|slot| slot.ty(machine)).collect())? {
        let mut to = now.clone();
        if take(machine, &mut to, thread, step, &chosen).is_err() {
            return Ok(());
        }
        if to.threads[thread as usize].stack.len() > bounds.stack {
            missed.get_or_insert(Limit::StackDepth);
            return Ok(());
        }
        if to.threads.len() - usize::from(machine.init.is_some()) > bounds.threads {
            missed.get_or_insert(Limit::Threads);
            return Ok(());
        }
        all.push(Successor {
            thread,
            step: step.clone(),
            chosen,
            to,
        });
    }
    Ok(())
}
