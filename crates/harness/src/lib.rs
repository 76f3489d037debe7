//! C files in which a program is executed on chosen inputs.
//!
//! A harness is the program itself with a few hooks, and behind it the functions that it lacks. The
//! hooks are on the lines where they belong, so that a debugger and a sanitizer name the lines of the
//! program. Inputs are what hardbop leaves open: results of functions without a body, locals without
//! an initial value, variables that are only declared, and the parameters of `main`.
//! [`of_trace`] takes their values from an execution that was found, [`of_random_inputs`] from a
//! seed that is the argument of the compiled program.
//!
//! Not everything can be forced. What cannot is a *doubt*: if the compiled program does something
//! else and there is a doubt, that says nothing.

mod hooks;
mod inputs;
mod text;

use hardbop_c::{Site, sites};
use hardbop_evidence::Trace;
use hardbop_machine::Machine;

/// A C file, and reasons why it may do something else than the execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harness {
    /// The file.
    pub text: String,
    /// What could not be forced.
    pub doubts: Vec<String>,
}

/// What a harness prints where an assertion fails or an error is called; the line follows.
pub const FAILS: &str = "hardbop: fails at line ";
/// The exit code of a harness in which something fails.
pub const FAILED: i32 = 86;

/// Why there is no harness.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The program is not C.
    #[error("a harness is made of C programs")]
    NotC,
    /// The execution is longer than an execution that is worth compiling.
    #[error("the execution has more than {0} steps")]
    TooLong(u64),
    /// The execution is not one of the program.
    #[error("{0}")]
    NotARun(String),
}

/// A harness that executes the run of a trace.
pub fn of_trace(machine: &Machine, trace: &Trace) -> Result<Harness, Refused> {
    let sites = sites_of(machine)?;
    let taken = inputs::of_trace(machine, trace, &sites)?;
    let hooks = hooks::of(machine, &sites);
    let mut doubts = taken.doubts;
    doubts.extend(hooks.doubts.iter().cloned());
    Ok(Harness {
        text: text::harness(machine, &sites, &hooks, Some(&taken.inputs)),
        doubts,
    })
}

/// A harness with random inputs. The argument of the compiled program is the seed.
pub fn of_random_inputs(machine: &Machine) -> Result<Harness, Refused> {
    let sites = sites_of(machine)?;
    let hooks = hooks::of(machine, &sites);
    Ok(Harness {
        text: text::harness(machine, &sites, &hooks, None),
        doubts: hooks.doubts,
    })
}

fn sites_of(machine: &Machine) -> Result<Vec<Site>, Refused> {
    let reading = machine.source.c_reading().ok_or(Refused::NotC)?;
    Ok(sites(&machine.source, &reading))
}
