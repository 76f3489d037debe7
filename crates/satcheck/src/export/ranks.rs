//! Clauses that leave only founded solutions, all at once.
//!
//! A search excludes solutions whose triples support each other in a circle as it meets them
//! ([`crate::search::foundation`]). A file has to say it beforehand: where triples can depend on
//! each other both ways, each gets a number in binary, and it may only be supported by triples with
//! smaller numbers. A founded solution has such numbers, the order in which its triples follow; a
//! circle has none.

use crate::search::equations::{Equations, TripleId};
use hardbop_sat::{Clauses, Lit};

/// Requires support without circles.
pub(super) fn require_foundation<S: Clauses>(equations: &mut Equations<S>) {
    let component_of = components(equations);
    let mut sizes = vec![0_u32; component_of.len()];
    for &component in &component_of {
        sizes[component] += 1;
    }
    let ranks: Vec<Vec<Lit>> = component_of
        .iter()
        .map(|&component| {
            let bits = u32::BITS - (sizes[component] - 1).leading_zeros();
            (0..bits).map(|_| equations.circuit().input()).collect()
        })
        .collect();
    for id in 0..component_of.len() {
        let triple = equations.triples()[id].clone();
        let is_inside = |part: &TripleId| component_of[*part as usize] == component_of[id];
        let mut parts = triple
            .disjuncts
            .iter()
            .flat_map(|d| d.parts.iter().flatten());
        if !parts.any(is_inside) {
            continue;
        }
        let mut clause = vec![!triple.literal];
        clause.extend(triple.open.into_iter().chain(triple.wrong));
        for disjunct in &triple.disjuncts {
            let mut conjuncts = vec![disjunct.literal];
            for part in disjunct
                .parts
                .iter()
                .flatten()
                .filter(|part| is_inside(part))
            {
                conjuncts.push(is_less(equations, &ranks[*part as usize], &ranks[id]));
            }
            clause.push(equations.circuit().all(conjuncts));
        }
        equations.circuit().solver().add_clause(&clause);
    }
}

/// Whether one number is less than another; the lowest bits come first.
fn is_less<S: Clauses>(equations: &mut Equations<S>, a: &[Lit], b: &[Lit]) -> Lit {
    let circuit = equations.circuit();
    let mut less = circuit.constant(false);
    for (&a, &b) in a.iter().zip(b) {
        let differ = circuit.xor(a, b);
        less = circuit.ite(differ, b, less);
    }
    less
}

/// Per triple the number of its strongly connected component (Kosaraju, on explicit stacks).
fn components<S: Clauses>(equations: &Equations<S>) -> Vec<usize> {
    let triples = equations.triples();
    let successors: Vec<Vec<TripleId>> = triples
        .iter()
        .map(|t| {
            t.disjuncts
                .iter()
                .flat_map(|d| d.parts.into_iter().flatten())
                .collect()
        })
        .collect();
    let mut predecessors: Vec<Vec<TripleId>> = vec![Vec::new(); triples.len()];
    for (from, list) in successors.iter().enumerate() {
        for &to in list {
            predecessors[to as usize].push(from as TripleId);
        }
    }
    let mut finished = Vec::with_capacity(triples.len());
    let mut seen = vec![false; triples.len()];
    for root in 0..triples.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((at, next)) = path.last_mut() {
            let Some(&to) = successors[*at].get(*next) else {
                finished.push(*at);
                path.pop();
                continue;
            };
            *next += 1;
            if !std::mem::replace(&mut seen[to as usize], true) {
                path.push((to as usize, 0));
            }
        }
    }
    let mut component_of = vec![usize::MAX; triples.len()];
    for (number, &root) in finished.iter().rev().enumerate() {
        let mut pending = vec![root];
        while let Some(at) = pending.pop() {
            if component_of[at] == usize::MAX {
                component_of[at] = number;
                pending.extend(predecessors[at].iter().map(|&from| from as usize));
            }
        }
    }
    component_of
}
