//! A path line by line, from what was asked to what needs nothing more.
//!
//! A tuple that follows from one other is followed by it; where it follows from several, each begins
//! a path of its own, further to the right. A tuple that is there already is told by its line alone.

use super::Node;
use crate::evidence::tuples::{self, Binding};
use hardbop_formula::{Bits, System};
use std::collections::BTreeSet;

/// One tuple of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathLine {
    /// Whether it is one that the formula itself needs.
    pub is_first: bool,
    /// How many branchings it stands behind.
    pub depth: usize,
    /// The relation, or what it is to be called.
    pub name: String,
    /// Whether the tuple is in the relation.
    pub holds: bool,
    /// The round of the iteration in which it came in, or was removed from a greatest fixed point;
    /// none where rounds do not matter.
    pub round: Option<usize>,
    /// What is shown of it.
    pub values: Vec<Binding>,
    /// It is told before; with `true` the path goes round from there.
    pub told: Option<bool>,
}

enum Task {
    Tell(usize, Option<usize>),
    Leave(usize),
}

/// The lines of a path that starts with some tuples.
pub(super) fn lines(
    system: &System,
    nodes: &[Node],
    start: &[usize],
    is_shown: &[bool],
) -> Vec<PathLine> {
    let mut lines = Vec::new();
    let mut is_told = vec![false; nodes.len()];
    let mut is_open = vec![false; nodes.len()];
    let mut tasks = Vec::new();
    let first = shown_among(nodes, start, is_shown);
    tasks.extend(first.into_iter().rev().map(|at| Task::Tell(at, None)));
    while let Some(task) = tasks.pop() {
        let (at, depth) = match task {
            Task::Leave(at) => {
                is_open[at] = false;
                continue;
            }
            Task::Tell(at, depth) => (at, depth),
        };
        let mut line = line(system, &nodes[at], depth);
        if is_told[at] {
            line.told = Some(is_open[at]);
            lines.push(line);
            continue;
        }
        lines.push(line);
        is_told[at] = true;
        is_open[at] = true;
        tasks.push(Task::Leave(at));
        let next = shown_among(nodes, &nodes[at].premises, is_shown);
        let depth = depth.unwrap_or(0) + usize::from(next.len() > 1);
        tasks.extend(next.into_iter().rev().map(|at| Task::Tell(at, Some(depth))));
    }
    lines
}

/// The first tuples that are shown, through those that are not.
fn shown_among(nodes: &[Node], start: &[usize], is_shown: &[bool]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut pending: Vec<usize> = start.iter().rev().copied().collect();
    while let Some(at) = pending.pop() {
        if !seen.insert(at) {
            continue;
        }
        if is_shown[nodes[at].relation.0 as usize] {
            found.push(at);
        } else {
            pending.extend(nodes[at].premises.iter().rev());
        }
    }
    found
}

fn line(system: &System, node: &Node, depth: Option<usize>) -> PathLine {
    let relation = system.relation(node.relation);
    let label = relation.shown.as_ref().and_then(|s| s.label.clone());
    let mut chosen = node.chosen.clone();
    let mut rest = node.tuple.as_slice();
    for &parameter in &relation.parameters {
        let (bits, after) = rest.split_at(system.variable(parameter).bits as usize);
        chosen.insert(parameter, bits.to_vec());
        rest = after;
    }
    let all = |&variable: &hardbop_formula::VariableId| Bits {
        variable,
        range: 0..system.variable(variable).bits,
    };
    let parts = match &relation.shown {
        Some(shown) if shown.label.is_some() || !shown.parts.is_empty() => shown.parts.clone(),
        _ => relation.parameters.iter().map(all).collect(),
    };
    let mut values = Vec::new();
    for part in parts {
        if let Some(bits) = chosen.get(&part.variable) {
            let bit = |_, at: u32| bits[at as usize];
            values.extend(tuples::bindings_within(system, &part, bit));
        }
    }
    PathLine {
        is_first: depth.is_none(),
        depth: depth.unwrap_or(0),
        name: label.unwrap_or_else(|| relation.name.clone()),
        holds: node.holds,
        round: node.round,
        values,
        told: None,
    }
}
