//! The start of a trace: its head, its initial values, and those of threads that start later.

use crate::configuration::{Configuration, Origin, Slot, initial, initial_slots};
use crate::replay::{Fault, Place, ReplayError, check_globals, check_locals};
use hardbop_evidence::{Trace, trace::VERSION};
use hardbop_machine::{Machine, Storage};

/// The initial configuration of a trace, after its head has been checked.
pub(crate) fn start(machine: &Machine, trace: &Trace) -> Result<Configuration, ReplayError> {
    let fail = |place| {
        move |fault| ReplayError {
            place,
            line: None,
            fault,
        }
    };
    check_head(machine, trace).map_err(fail(Place::Head))?;
    let values =
        values_of_slots(machine, trace, &initial_slots(machine)).map_err(fail(Place::Head))?;
    let configuration = initial(machine, &values);
    for thread in 0..configuration.threads.len() as u32 {
        check_origin(machine, trace, &configuration, thread)
            .map_err(fail(Place::Thread(thread)))?;
    }
    Ok(configuration)
}

/// A thread that no other has started starts with just the values that the trace gives it.
pub(crate) fn check_origin(
    machine: &Machine,
    trace: &Trace,
    configuration: &Configuration,
    thread: u32,
) -> Result<(), Fault> {
    if let Origin::Started { .. } = configuration.threads[thread as usize].origin {
        return Ok(());
    }
    let origin = trace.threads.get(thread as usize);
    let origin = origin.ok_or(Fault::NoOrigin(thread))?;
    check_globals(machine, &origin.globals)?;
    check_initial_values(machine, &origin.globals, Storage::PerThread)?;
    match configuration.top(thread) {
        Some(frame) => check_locals(machine, machine.procedure_of(frame.node), &origin.locals),
        None => Ok(()),
    }
}

fn check_head(machine: &Machine, trace: &Trace) -> Result<(), Fault> {
    if trace.version != VERSION {
        return Err(Fault::Version {
            found: trace.version,
            known: VERSION,
        });
    }
    if trace.program != machine.digest() {
        return Err(Fault::OtherProgram {
            found: trace.program.clone(),
            expected: machine.digest().to_owned(),
        });
    }
    check_globals(machine, &trace.globals)?;
    check_initial_values(machine, &trace.globals, Storage::Shared)
}

/// Globals that the program initialises have the value it says.
fn check_initial_values(machine: &Machine, values: &[u64], storage: Storage) -> Result<(), Fault> {
    for (global, &found) in machine.globals.iter().zip(values) {
        if global.storage == storage
            && let Some(expected) = global.initial
            && expected != found
        {
            return Err(Fault::InitialValue {
                variable: global.name.clone(),
                found,
                expected,
            });
        }
    }
    Ok(())
}

/// The values that a trace gives to slots of its start or of threads that start later.
pub(crate) fn values_of_slots(
    machine: &Machine,
    trace: &Trace,
    slots: &[Slot],
) -> Result<Vec<u64>, Fault> {
    let origin = |thread: u32| {
        trace
            .threads
            .get(thread as usize)
            .ok_or(Fault::NoOrigin(thread))
    };
    let mut values = Vec::with_capacity(slots.len());
    for &slot in slots {
        let ty = slot.ty(machine);
        let given = match slot {
            Slot::Shared(global) => trace.globals.get(global.index()),
            Slot::Own { thread, global } => origin(thread)?.globals.get(global.index()),
            Slot::Local { thread, local, .. } => origin(thread)?.locals.get(local.index()),
        };
        match given {
            Some(&value) if ty.holds(value) => values.push(value),
            Some(&value) => {
                return Err(Fault::Value {
                    variable: slot.name(machine),
                    value,
                    ty,
                });
            }
            None => return Err(Fault::NoValue(slot.name(machine))),
        }
    }
    Ok(values)
}
