//! Whose turn it may be.
//!
//! `init` runs alone. While [`Machine::atomic_flag`] is 1 only the thread that took the last step
//! may go on, even if it is blocked (Getafix). A thread inside an atomic block keeps all others
//! from running as long as it can take a step (SATABS); of several such threads the one that
//! stepped most recently is the holder.

use crate::choices::{TooManyChoices, find_inputs};
use crate::configuration::Configuration;
use hardbop_machine::Machine;

/// Whether a thread may take the next step, if it can take one at all.
pub(crate) fn may_step(
    machine: &Machine,
    configuration: &Configuration,
    thread: u32,
) -> Result<bool, TooManyChoices> {
    if configuration.top(thread).is_none() || !flags_permit(configuration, thread) {
        return Ok(false);
    }
    match configuration.atomic.last() {
        Some(&holder) if holder != thread && flags_permit(configuration, holder) => {
            Ok(!can_step(machine, configuration, holder)?)
        }
        _ => Ok(true),
    }
}

/// Whether a thread is not blocked: it is at an exit, or some edge can be taken with some inputs.
fn can_step(
    machine: &Machine,
    configuration: &Configuration,
    thread: u32,
) -> Result<bool, TooManyChoices> {
    let Some(top) = configuration.top(thread) else {
        return Ok(false);
    };
    if machine.procedure(machine.procedure_of(top.node)).exit == top.node {
        return Ok(true);
    }
    for edge in machine.edges_from(top.node) {
        if find_inputs(machine, configuration, thread, edge)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The threads that may take the next step.
pub fn schedulable(
    machine: &Machine,
    configuration: &Configuration,
) -> Result<Vec<u32>, TooManyChoices> {
    let mut threads = Vec::new();
    for thread in 0..configuration.threads.len() as u32 {
        if may_step(machine, configuration, thread)? {
            threads.push(thread);
        }
    }
    Ok(threads)
}

/// Whether `init` and the Getafix flag leave the thread its turn.
fn flags_permit(configuration: &Configuration, thread: u32) -> bool {
    let init_is_done = !configuration.in_init || thread == 0;
    init_is_done && configuration.flag_owner.is_none_or(|owner| owner == thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{initial, initial_slots};
    use crate::step::{Move, step_slots, take};
    use crate::test_programs::machine;

    /// The initial configuration with every variable 0.
    fn start(machine: &Machine) -> Configuration {
        initial(machine, &vec![0; initial_slots(machine).len()])
    }

    /// Takes a thread's first possible step, with 0 for everything that is arbitrary.
    fn step(machine: &Machine, configuration: &mut Configuration, thread: u32) {
        let node = configuration.top(thread).unwrap().node;
        let mut edges = machine.edges_from(node);
        let found = edges.find_map(|edge| {
            let inputs = find_inputs(machine, configuration, thread, edge).unwrap()?;
            Some(Move::Edge { edge, inputs })
        });
        let next = found.unwrap_or(Move::Return);
        let slots = step_slots(machine, configuration, thread, &next).len();
        take(machine, configuration, thread, &next, &vec![0; slots]).unwrap();
    }

    #[test]
    fn an_atomic_block_keeps_others_out_until_it_ends_or_blocks() {
        let machine = machine(
            "decl go := 0;
             thread a begin void main() begin atomic_begin; skip; assume(go); atomic_end; end end
             thread b begin void main() begin go := 1; skip; end end",
        );
        let mut configuration = start(&machine);
        let turns = |c: &Configuration| schedulable(&machine, c).unwrap();
        assert_eq!(turns(&configuration), [0, 1]);
        step(&machine, &mut configuration, 0);
        assert_eq!(turns(&configuration), [0], "inside the block");
        step(&machine, &mut configuration, 0);
        assert_eq!(turns(&configuration), [0, 1], "blocked on go");
        step(&machine, &mut configuration, 1);
        assert_eq!(turns(&configuration), [0], "no longer blocked");
        step(&machine, &mut configuration, 0);
        step(&machine, &mut configuration, 0);
        assert_eq!(turns(&configuration), [0, 1], "after the block");
    }

    #[test]
    fn init_runs_alone_and_the_getafix_flag_does_not_yield_when_blocked() {
        let machine = machine(
            "decl atomic; decl go;
             void init() begin atomic := 0; go := 0; end
             void main() begin skip; end
             void thread1() begin atomic := 1; assume(go); atomic := 0; end
             void thread2() begin go := 1; end",
        );
        let mut configuration = start(&machine);
        assert!(configuration.in_init);
        while configuration.in_init {
            assert_eq!(schedulable(&machine, &configuration).unwrap(), [0]);
            step(&machine, &mut configuration, 0);
        }
        let threads = schedulable(&machine, &configuration).unwrap();
        assert!(threads.len() >= 2 && !threads.contains(&0), "{threads:?}");
        let name = |t: u32| configuration.thread_name(&machine, t);
        let first = threads
            .iter()
            .copied()
            .find(|&t| name(t) == "thread1")
            .unwrap();
        step(&machine, &mut configuration, first);
        assert_eq!(schedulable(&machine, &configuration).unwrap(), [first]);
        assert!(!can_step(&machine, &configuration, first).unwrap());
    }
}
