//! Automata in the Hanoi Omega-Automata format, version 1 (Babiak and others, CAV 2015), as Spot
//! and its relatives write them.
//!
//! Taken are nondeterministic automata with Büchi or generalised Büchi acceptance on states or on
//! edges, with labels on edges, on states, or implicit, with aliases. The quoted text of each
//! atomic proposition is a condition on a state of the program. As everywhere, the automaton
//! describes the runs that must not be: to check φ, give Spot ¬φ.
//!
//! The reader is our own. The crate `hoars` (0.2) would bring a second BDD library and a subscriber
//! for logs, looks at the clock while it parses, unwraps where a number does not fit, and its
//! errors have no places that a [`Diagnostic`] could use.

mod label;
mod lexer;
mod reader;
mod writer;

use crate::automaton::Automaton;
use crate::buchi::Buchi;
use crate::generalised::Generalised;
use crate::guard::TooManyCubes;
use crate::text::resolve::Resolver;
use hardbop_machine::Machine;
use hardbop_syntax::{Diagnostic, Source, Span, codes};
use reader::{FileState, Reader};

pub use writer::write_hoa;

/// Reads an automaton over the propositions of a program. The first error is reported.
pub fn read_hoa(source: &Source, machine: &Machine) -> Result<Automaton, Vec<Diagnostic>> {
    let mut reader = match lexer::tokens(source) {
        Ok(tokens) => Reader::new(source, tokens, Resolver::new(machine, source)),
        Err(diagnostic) => return Err(vec![diagnostic]),
    };
    reader.file().map_err(|diagnostic| vec![diagnostic])?;
    let propositions = std::mem::take(&mut reader.resolver.propositions);
    let name = |index: usize| {
        let name = reader.states[index].name.clone();
        name.unwrap_or_else(|| index.to_string())
    };
    let is_state_based =
        (reader.states.iter()).all(|state| state.edges.iter().all(|edge| edge.fulfilled == 0));
    let result = if reader.sets.is_empty() || (reader.sets.len() == 1 && is_state_based) {
        let is_accepting = |state: &FileState| reader.sets.is_empty() || state.sets == 1;
        plain(&reader, is_accepting)
            .map(|buchi| Automaton::from_buchi(buchi, propositions, |index| (name(index), false)))
    } else {
        let degeneralised = generalised(&reader).degeneralise();
        degeneralised.map(|(buchi, origins)| {
            Automaton::from_buchi(buchi, propositions, |index| {
                let (state, level) = origins[index];
                (format!("{}#{level}", name(state as usize)), false)
            })
        })
    };
    result.map_err(|error| {
        let span = Span::new(0, 0);
        vec![Diagnostic::new(
            codes::PROPERTY_TOO_LARGE,
            span,
            error.to_string(),
        )]
    })
}

/// The automaton as it stands: acceptance is a matter of states.
fn plain(
    reader: &Reader<'_>,
    is_accepting: impl Fn(&FileState) -> bool,
) -> Result<Buchi, TooManyCubes> {
    let mut buchi = Buchi::default();
    for state in &reader.states {
        buchi.add_state(is_accepting(state));
    }
    for (from, state) in reader.states.iter().enumerate() {
        for edge in &state.edges {
            buchi.add_edge(from as u32, &edge.guard, edge.to)?;
        }
    }
    buchi.initial.clone_from(&reader.initial);
    Ok(buchi)
}

/// The sets of a state belong to all edges that leave it.
fn generalised(reader: &Reader<'_>) -> Generalised {
    let states = reader.states.iter().map(|state| {
        let mut edges = state.edges.clone();
        for edge in &mut edges {
            edge.fulfilled |= state.sets;
        }
        edges
    });
    Generalised {
        edges: states.collect(),
        initial: reader.initial.clone(),
        sets: reader.sets.len() as u32,
    }
}
