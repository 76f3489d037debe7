//! Certificates as the invariants of a correctness witness: one at every place that the program
//! comes back to.

use super::names::CNames;
use super::yaml::{Item, map, text};
use super::{Task, location};
use crate::document::Place;
use crate::invariants::c_invariants;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::Certificate;
use std::collections::{BTreeMap, BTreeSet};

/// The invariants of all certificates. Each of them holds by itself.
pub(super) fn content(machine: &Machine, certificates: &[Certificate], task: &Task<'_>) -> Item {
    let places = loop_heads(machine);
    let names = CNames::new(machine);
    let expressible = |node, variable| names.are_known(node, variable);
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    for certificate in certificates {
        let known = c_invariants(machine, certificate, &places.concat(), &expressible);
        let known: BTreeMap<NodeId, String> = known.into_iter().map(|i| (i.node, i.text)).collect();
        for nodes in &places {
            let texts: Option<Vec<String>> = nodes.iter().map(|n| known.get(n).cloned()).collect();
            // Of some node at this place nothing may be said.
            let Some(mut texts) = texts else { continue };
            texts.sort_unstable();
            texts.dedup();
            if texts.len() > 1 {
                texts.retain(|text| text != "0");
            }
            let text = match &texts[..] {
                [text] => text.clone(),
                texts => format!("({})", texts.join(") || (")),
            };
            if seen.insert((nodes[0], text.clone())) {
                entries.push(entry(machine, nodes[0], &text, task));
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

/// Where an edge leads back to in the text: the nodes of each such place, since a statement may
/// take several steps. Nodes are numbered in order of the text, so every loop has such a place.
fn loop_heads(machine: &Machine) -> Vec<Vec<NodeId>> {
    let place = |node: NodeId| (machine.procedure_of(node), machine.node(node).span.start);
    let back = machine.edges.iter().filter(|edge| edge.to <= edge.from);
    let heads: BTreeSet<_> = back.map(|edge| place(edge.to)).collect();
    let mut nodes: BTreeMap<_, Vec<NodeId>> = BTreeMap::new();
    for node in machine
        .node_ids()
        .filter(|&node| heads.contains(&place(node)))
    {
        nodes.entry(place(node)).or_default().push(node);
    }
    nodes.into_values().collect()
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
