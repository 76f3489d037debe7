//! Certificates as the invariants of a correctness witness: one at every place that the program
//! comes back to.

use super::names::CNames;
use super::scopes::Scopes;
use super::yaml::{Item, map, text};
use super::{Task, location};
use crate::document::Place;
use crate::invariants::c_invariants;
use hardbop_machine::{Machine, NodeId, ProcId};
use hardbop_outcome::Certificate;
use std::collections::{BTreeMap, BTreeSet};

/// The invariants of all certificates. Each of them holds by itself.
pub(super) fn content(machine: &Machine, certificates: &[Certificate], task: &Task<'_>) -> Item {
    let heads = loop_heads(machine);
    let places: Vec<Vec<NodeId>> = heads.iter().map(|head| head.nodes.clone()).collect();
    let names = CNames::new(machine);
    let expressible = |node, variable| names.are_known(node, variable);
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    // Those of a property are about a product.
    for certificate in certificates.iter().filter(|one| one.property.is_none()) {
        let known = c_invariants(machine, certificate, &places.concat(), &expressible);
        let known: BTreeMap<NodeId, String> = known.into_iter().map(|i| (i.node, i.text)).collect();
        for head in &heads {
            let texts: Option<Vec<String>> =
                head.nodes.iter().map(|n| known.get(n).cloned()).collect();
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
            if seen.insert((head.procedure, head.offset, text.clone())) {
                entries.push(entry(machine, head, &text, task));
            }
        }
    }
    if entries.is_empty() {
        // A list must not be empty: of the start nothing has to be known.
        let start = machine.threads.first().map(|thread| thread.entry);
        let start = start.map(|procedure| machine.procedure(procedure).entry);
        entries.extend(start.map(|node| {
            let head = Head {
                procedure: machine.procedure_of(node),
                offset: machine.node(node).span.start,
                nodes: vec![node],
            };
            entry(machine, &head, "1", task)
        }));
    }
    Item::List(entries)
}

/// A place that the program comes back to.
struct Head {
    procedure: ProcId,
    offset: u32,
    /// A statement may take several steps.
    nodes: Vec<NodeId>,
}

/// Where an edge leads back to in the text. Nodes are numbered in order of the text, so every loop
/// has such a place. There is no statement inside the header of a loop, so nothing can be said of
/// the start and the step of a `for`; a step of the condition is one of the loop.
fn loop_heads(machine: &Machine) -> Vec<Head> {
    let brackets = Scopes::new(machine.source.text());
    let place = |node: NodeId| {
        let start = machine.node(node).span.start;
        let offset = brackets.statement_at(start as usize)?;
        Some((machine.procedure_of(node), offset as u32))
    };
    let back = machine.edges.iter().filter(|edge| edge.to <= edge.from);
    let heads: BTreeSet<_> = back.filter_map(|edge| place(edge.to)).collect();
    let mut nodes: BTreeMap<_, Vec<NodeId>> = BTreeMap::new();
    for node in machine.node_ids() {
        if let Some(place) = place(node).filter(|place| heads.contains(place)) {
            nodes.entry(place).or_default().push(node);
        }
    }
    let head = |((procedure, offset), nodes)| Head {
        procedure,
        offset,
        nodes,
    };
    nodes.into_iter().map(head).collect()
}

fn entry(machine: &Machine, head: &Head, value: &str, task: &Task<'_>) -> Item {
    let (line, column) = machine.source.line_column(head.offset);
    let place = Place {
        procedure: machine.procedure(head.procedure).name.clone(),
        line,
        column,
        node: head.nodes[0].0,
    };
    let rest = &machine.source.text()[head.offset as usize..];
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
