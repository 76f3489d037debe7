//! Runs with few negative variables (section 3), without solving anew.
//!
//! The paper asks the solver once more for every variable that might be positive. Here the clauses
//! stay, and *assumptions* switch off what a shorter run cannot pass: a term that is `d` hops from
//! the start and `e` hops from the target, conditions aside, is on no run of fewer than `d + e`
//! hops. So one question with all terms switched off that are too far decides whether there may be
//! a run within a bound, and bisection finds a good bound with a few questions. No model within a
//! bound proves that there is no run within it. A model within a bound may still describe a longer
//! run, by way of terms that it passes twice; the search stops there.

use crate::closure::Closure;
use crate::equations::{Equations, Goal};
use crate::runs::length;
use crate::terms::TermId;
use crate::valuation::Valuation;
use hardbop_machine::NodeId;
use hardbop_sat::{Answer, Lit};
use std::collections::VecDeque;

/// Questions to the solver for one run.
const MOST_QUESTIONS: u32 = 8;
/// Conflicts for one question.
const MOST_CONFLICTS: u64 = 1000;
/// With more triples, assumptions would take longer than reading a long run does.
const MOST_TRIPLES: usize = 100_000;
/// Farther than everything.
const FAR: u32 = u32::MAX / 4;

/// A valuation that reaches a node, and the term at which it does.
pub type Reaching = (Valuation, TermId);

/// A valuation that reaches the node of a term on a shorter way than this one does; nothing if none
/// is found. `asserted` are the assumptions under which the solver is asked in any case.
pub fn shorten(
    closure: &Closure<'_, '_>,
    equations: &mut Equations<'_>,
    valuation: &Valuation,
    term: TermId,
    asserted: &[Lit],
) -> Option<Reaching> {
    if equations.triples().len() > MOST_TRIPLES {
        return None;
    }
    let node = closure.terms.get(term).node;
    let distances = distances(closure, node);
    let mut shortest_possible = distances[0];
    let mut shortest = length(closure, valuation, term) as u32;
    let mut best = None;
    equations
        .circuit()
        .solver()
        .set_conflict_limit(Some(MOST_CONFLICTS));
    for _ in 0..MOST_QUESTIONS {
        if shortest_possible >= shortest {
            break;
        }
        let bound = u32::midpoint(shortest_possible, shortest - 1);
        let mut assumptions = asserted.to_vec();
        let triples = equations.triples().iter();
        let far = triples
            .filter(|triple| triple.goal == Goal::Target && distances[triple.term.index()] > bound);
        assumptions.extend(far.map(|triple| !triple.literal));
        match equations.circuit().solve(&assumptions) {
            Answer::Unsat => shortest_possible = bound + 1,
            Answer::Interrupted => break,
            Answer::Sat => {
                let other = Valuation::new(closure, equations);
                let mut reached = other.reached().iter().copied();
                let at_node = reached.find(|&id| closure.terms.get(id).node == node);
                let Some(at) = at_node else {
                    break;
                };
                let found = length(closure, &other, at) as u32;
                if found >= shortest {
                    break;
                }
                shortest = found;
                best = Some((other, at));
            }
        }
    }
    equations.circuit().solver().set_conflict_limit(None);
    best
}

/// For each term the fewest hops of a way from the start over it to a node, conditions aside.
fn distances(closure: &Closure<'_, '_>, node: NodeId) -> Vec<u32> {
    let terms = &closure.terms;
    let mut successors: Vec<Vec<TermId>> = vec![Vec::new(); terms.len()];
    let mut predecessors: Vec<Vec<TermId>> = vec![Vec::new(); terms.len()];
    for id in terms.ids() {
        for hop in &terms.get(id).hops {
            successors[id.index()].push(hop.to);
            predecessors[hop.to.index()].push(id);
        }
    }
    let at_node = terms.ids().filter(|&id| terms.get(id).node == node);
    let to_node = breadth_first(&predecessors, at_node);
    let from_start = breadth_first(&successors, [TermId(0)].into_iter());
    let both = from_start.iter().zip(&to_node);
    both.map(|(from, to)| from + to).collect()
}

fn breadth_first(edges: &[Vec<TermId>], start: impl Iterator<Item = TermId>) -> Vec<u32> {
    let mut distance = vec![FAR; edges.len()];
    let mut pending: VecDeque<TermId> = start.collect();
    for id in &pending {
        distance[id.index()] = 0;
    }
    while let Some(id) = pending.pop_front() {
        for to in &edges[id.index()] {
            if distance[to.index()] == FAR {
                distance[to.index()] = distance[id.index()] + 1;
                pending.push_back(*to);
            }
        }
    }
    distance
}
