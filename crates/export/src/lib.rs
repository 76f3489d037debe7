//! Programs, questions and certificates in the languages of other tools.
//!
//! Each writer is a function from a machine to a `String`: [`chc`] for Horn solvers, [`moped`] for
//! Moped, [`c`] for checkers of C, and [`certificate_script`] for SMT solvers that check a proof.
//! All of them work on the machine, so a construct of the language that lowers to edges needs
//! nothing here. `expressions` has the operators of all languages in one place, `names` keeps the
//! names of the source, `places` says what a reader calls nodes and edges.

mod c;
mod certificate;
mod chc;
mod expressions;
mod moped;
mod names;
mod places;

pub use c::c;
pub use certificate::certificate_script;
pub use chc::chc;
pub use moped::{MopedProgram, moped};

use hardbop_machine::{Machine, NodeId};
use thiserror::Error;

/// Why something cannot be written in a language: a sentence that names the place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// Refuses all but sequential programs.
fn sequential(machine: &Machine, language: &str) -> Result<(), Refused> {
    if machine.is_sequential() {
        return Ok(());
    }
    let file = machine.source.name();
    let starts = machine.edges.iter().find(|edge| {
        let action = &edge.action;
        matches!(action, hardbop_machine::Action::StartThread(_))
    });
    let what = if machine.init.is_some() {
        "the program has an `init` procedure".to_owned()
    } else if let Some(edge) = starts {
        let line = machine.source.line(edge.span.start);
        format!("line {line} starts a thread")
    } else {
        format!("the program has {} threads", machine.instance_count())
    };
    Err(Refused(format!(
        "{file}: {what}; only sequential programs can be written as {language}"
    )))
}

/// Where the program starts: nothing if it has no thread that runs.
fn entry_of(machine: &Machine) -> Option<NodeId> {
    let running = machine.threads.iter().find(|t| t.instances > 0);
    running.map(|thread| machine.procedure(thread.entry).entry)
}
