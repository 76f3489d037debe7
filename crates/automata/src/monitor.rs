//! Monitors: `.mon` files, automata written by hand (VERA, section 5).
//!
//! ```text
//! monitor DoubleLock begin
//!   state free initial;
//!   state taken;
//!   state error target;
//!   from free:  on at(ACQUIRE) goto taken;
//!   from taken: on at(RELEASE) goto free;
//!               on at(ACQUIRE) goto error;
//! end
//! ```
//!
//! The monitor reads every state of the run, the initial one first, and makes one transition for
//! each: of those whose guard holds it takes any (several is nondeterminism; `goto a, b` too). If
//! no guard holds, `else` says what happens, and without an `else` it stays where it is. `stop`
//! ends the observation of this run. A target state has no transitions: it has seen enough.

mod builder;
mod names;
mod reader;

use crate::automaton::Automaton;
use crate::text::resolve::Resolver;
use builder::Builder;
use hardbop_machine::Machine;
use hardbop_syntax::{Diagnostic, Source};
use reader::Reader;

pub use names::{MonitorText, ProgramName, ProgramNameKind, read_monitor_text};

/// A monitor and its name.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// What it is called.
    pub name: String,
    /// The automaton: with target states or with accepting ones, never both.
    pub automaton: Automaton,
}

/// Reads a monitor of a program. All errors of the file are reported, not only the first.
pub fn read_monitor(source: &Source, machine: &Machine) -> Result<Monitor, Vec<Diagnostic>> {
    let mut reader = Reader::new(source);
    let name = reader.file();
    let mut resolver = Resolver::new(machine, source);
    let tree = &reader.parser.tree;
    let values = resolver.resolve(tree, false);
    for group in &reader.groups {
        for &(condition, _) in &group.transitions {
            resolver.require_condition(tree, condition, &values);
        }
    }
    let mut builder = Builder::new(source, &reader.states);
    if reader.parser.diagnostics.is_empty() {
        builder.check_roles();
    }
    let conditions: Vec<_> = values.iter().map(|value| value.condition()).collect();
    builder.groups(&reader.groups, &conditions, &resolver.formulas);
    let (buchi, of_states) = builder.finish();
    let mut diagnostics = reader.parser.diagnostics;
    diagnostics.extend(resolver.diagnostics);
    diagnostics.extend(of_states);
    if !diagnostics.is_empty() {
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        return Err(diagnostics);
    }
    let states = reader.states;
    Ok(Monitor {
        name: source.slice(name).to_owned(),
        automaton: Automaton::from_buchi(buchi, resolver.propositions, |index| {
            let state = &states[index];
            (source.slice(state.name).to_owned(), state.target)
        }),
    })
}
