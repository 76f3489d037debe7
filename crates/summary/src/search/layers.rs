//! Distances: rings by the length of the shortest hierarchical trajectory (Bebop, section 3.2).
//!
//! A hierarchical trajectory steps over a call in one step, by a summary edge, or into it, in one
//! step. When a complete search has found all summaries, a breadth-first search that uses them from
//! the start puts each path edge into the ring of its distance. The search itself cannot do that on
//! the way: it may find the summary of a long procedure late although the step over its call is a
//! short one.

use crate::search::forward::Forward;
use crate::search::frontier::{Ring, Time};
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_machine::{Action, NodeId};
use hardbop_symbolic::image;
use std::collections::BTreeMap;

/// Per node its rings, whose times are distances: a breadth-first search until some nodes have been
/// reached, in a search that is complete.
pub(crate) fn layers(
    search: &mut Forward<'_, '_>,
    targets: &[NodeId],
) -> Result<Vec<Vec<Ring>>, Exhausted> {
    let machine = search.compiler.machine;
    let mut reached = vec![Bdd::FALSE; machine.nodes.len()];
    let mut entered = vec![Bdd::FALSE; machine.procedures.len()];
    let mut rings: Vec<Vec<Ring>> = vec![Vec::new(); machine.nodes.len()];
    let main = machine.threads[0].entry;
    let initial = search.initial();
    entered[main.index()] = initial;
    let start = search.entry_edges(main, initial)?;
    let mut layer: Vec<(NodeId, Bdd)> = vec![(machine.procedure(main).entry, start)];
    let mut distance: Time = 0;
    let mut open = targets.to_vec();
    while !layer.is_empty() {
        open.retain(|target| rings[target.index()].is_empty());
        if open.is_empty() {
            break;
        }
        let mut next: BTreeMap<NodeId, Bdd> = BTreeMap::new();
        // Only what is new at this distance counts, and only once.
        let mut fresh_layer = Vec::with_capacity(layer.len());
        for (node, edges) in layer {
            let known = reached[node.index()];
            let fresh = search.manager.diff(edges, known)?;
            if !fresh.is_false() {
                reached[node.index()] = search.manager.or(known, fresh)?;
                rings[node.index()].push(Ring {
                    time: distance,
                    edges: fresh,
                });
                fresh_layer.push((node, fresh));
            }
        }
        for (node, edges) in fresh_layer {
            for edge in machine.edges_from(node) {
                let to = machine.edge(edge).to;
                let mut add = |search: &mut Forward<'_, '_>, node: NodeId, more: Bdd| {
                    let sum = next.entry(node).or_insert(Bdd::FALSE);
                    *sum = search.manager.or(*sum, more)?;
                    Ok::<(), Exhausted>(())
                };
                match machine.edge(edge).action {
                    Action::Call { callee, .. } => {
                        let moves = search.call_moves(edge)?;
                        let prepared = image(&mut search.manager, edges, &moves.prepare)?;
                        let summary = search.procedure(callee).summary;
                        let over = search.manager.relprod(prepared, summary, &moves.leave)?;
                        add(search, to, over)?;
                        let inputs = search.manager.project(prepared, &moves.enter)?;
                        let known = entered[callee.index()];
                        let fresh = search.manager.diff(inputs, known)?;
                        if !fresh.is_false() {
                            entered[callee.index()] = search.manager.or(known, fresh)?;
                            let start = search.entry_edges(callee, fresh)?;
                            add(search, machine.procedure(callee).entry, start)?;
                        }
                    }
                    Action::EndThread => {}
                    _ => {
                        let parts = search.step_parts(edge)?;
                        let result = image(&mut search.manager, edges, &parts)?;
                        add(search, to, result)?;
                    }
                }
            }
        }
        let is_news = |(_, edges): &(NodeId, Bdd)| !edges.is_false();
        layer = next.into_iter().filter(is_news).collect();
        distance += 1;
    }
    Ok(rings)
}
