//! Certificates as the invariants of a correctness witness: one at every place that the program
//! comes back to.

use super::names::CNames;
use super::yaml::{Item, map, text};
use super::{Task, location};
use crate::document::Place;
use crate::invariants::c_invariants;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::Certificate;
use std::collections::BTreeSet;

/// The invariants of all certificates. Each of them holds by itself.
pub(super) fn content(machine: &Machine, certificates: &[Certificate], task: &Task<'_>) -> Item {
    let heads = loop_heads(machine);
    let names = CNames::new(machine);
    let expressible = |node, variable| names.are_known(node, variable);
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    for certificate in certificates {
        for invariant in c_invariants(machine, certificate, &heads, &expressible) {
            if seen.insert((invariant.node, invariant.text.clone())) {
                entries.push(entry(machine, invariant.node, &invariant.text, task));
            }
        }
    }
    if entries.is_empty() {
        // A list must not be empty: of the start nothing has to be known.
        let start = machine.threads.first().map(|thread| thread.entry);
        let start = start.map(|procedure| machine.procedure(procedure).entry);
        entries.extend(start.map(|node| entry(machine, node, "1", task)));
    }
    Item::List(entries)
}

/// Where an edge leads back to in the text. Nodes are numbered in order of the text, so every loop
/// has such a place.
fn loop_heads(machine: &Machine) -> Vec<NodeId> {
    let back = machine.edges.iter().filter(|edge| edge.to <= edge.from);
    let heads: BTreeSet<NodeId> = back.map(|edge| edge.to).collect();
    heads.into_iter().collect()
}

fn entry(machine: &Machine, node: NodeId, value: &str, task: &Task<'_>) -> Item {
    let span = machine.node(node).span;
    let (line, column) = machine.source.line_column(span.start);
    let procedure = machine.procedure_of(node);
    let place = Place {
        procedure: machine.procedure(procedure).name.clone(),
        line,
        column,
        node: node.0,
    };
    let rest = &machine.source.text()[span.start as usize..];
    let word: &str = rest
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default();
    let kind = match word {
        "while" | "for" | "do" => "loop_invariant",
        _ => "location_invariant",
    };
    let invariant = map([
        ("type", text(kind)),
        ("location", location(task, &place)),
        ("value", text(value)),
        ("format", text("c_expression")),
    ]);
    map([("invariant", invariant)])
}
