//! Solutions without foundation, and the clauses that exclude them.
//!
//! The weakest solution of the equations is wanted, that is, the least set of triples that can go
//! wrong. A solution of the clauses may contain a *cycle*: triples that support each other and
//! nothing else. The paper excludes cycles by ending every path at the first term that comes back
//! (its fixpoint triples), which takes a triple per path; shared terms need "conditions more subtle
//! than I have room to describe". They are these. A triple ⟨b, u⟩ made in the context of a path P
//! stands for "going wrong from ⟨b, u⟩ without passing the terms of P". It may be used in the
//! context of another path Q iff those terms of P at which it was really cut are on Q too: then
//! nothing is cut that Q would not cut, and what goes wrong anyway is wrong in both. Keeping to
//! that condition makes a DAG, at the price of copies for each set of cuts.
//!
//! Here terms are shared without condition, one triple each, which allows cycles in the graph of
//! equations, and the condition is put to the *solutions* instead: a solution counts if every
//! triple in it is founded. One that does not is refuted with
//!
//! * a **loop formula**: for a set L of triples that is its own only support, "if any of L holds,
//!   then some disjunct that speaks of no triple of L does". It is true in the weakest solution,
//!   because a shortest way from L to the goal leaves L for good;
//! * a **cut**: let R be the terms that are really passed under the values of the symbols. Some hop
//!   that leaves R must be possible after all.
//!
//! Both hold in every founded solution, and the cut excludes the solution at hand; there are
//! finitely many sets R, so this ends with a founded solution or none. Programs without loops need
//! none of it. The triples are as many as there are function terms, however many paths there are.
//! `tree` has Figure 2 as printed, and tests compare.

use crate::encoding::closure::Closure;
use crate::search::equations::{SolverEquations, TripleId};
use crate::search::valuation::Valuation;
use hardbop_machine::analysis::BitSet;
use hardbop_sat::Lit;

/// What has been excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Excluded {
    /// Loop formulas added.
    pub(crate) loops: u64,
    /// Cuts added.
    pub(crate) cuts: u64,
}

/// Excludes the solver's last model, under whose values no target and no unexpanded term is
/// reached.
pub(crate) fn exclude(
    closure: &Closure<'_, '_>,
    equations: &mut SolverEquations<'_>,
    valuation: &Valuation,
    excluded: &mut Excluded,
) {
    for cycle in unfounded_cycles(equations) {
        add_loop_formula(equations, &cycle);
        excluded.loops += 1;
    }
    let mut clause: Vec<Lit> = Vec::new();
    for &id in valuation.reached() {
        for hop in &closure.terms.get(id).hops {
            if !valuation.eval(closure, hop.condition) {
                clause.push(equations.function(closure, hop.condition));
            }
        }
    }
    clause.sort_unstable();
    clause.dedup();
    equations.circuit().solver().add_clause(&clause);
    excluded.cuts += 1;
}

/// Triples that are true in the last model and from which the true disjuncts lead only among
/// themselves: the strongly connected components at the bottom.
fn unfounded_cycles(equations: &mut SolverEquations<'_>) -> Vec<Vec<TripleId>> {
    let count = equations.triples().len();
    let mut is_true = BitSet::new(count);
    for id in 0..count {
        let literal = equations.triples()[id].literal;
        if equations.circuit().solver().value(literal) == Some(true) {
            is_true.insert(id);
        }
    }
    let founded = founded(equations, &is_true);
    // What supports an unfounded triple in the model.
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); count];
    for id in is_true.iter().filter(|&id| !founded.contains(id)) {
        let disjuncts = equations.triples()[id].disjuncts.clone();
        for disjunct in disjuncts {
            if equations.circuit().solver().value(disjunct.literal) == Some(true) {
                let parts = disjunct.parts.iter().flatten();
                successors[id].extend(parts.filter(|&&part| !founded.contains(part as usize)));
            }
        }
    }
    bottom_components(&successors)
}

/// Triples that really follow from true disjuncts, open literals and targets of the model.
fn founded(equations: &mut SolverEquations<'_>, is_true: &BitSet) -> BitSet {
    let count = equations.triples().len();
    let mut founded = BitSet::new(count);
    let mut users: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count];
    let mut missing: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut pending: Vec<u32> = Vec::new();
    for id in is_true.iter() {
        let triple = equations.triples()[id].clone();
        let mut is_fact = triple.disjuncts.is_empty();
        let solver = equations.circuit().solver();
        let mut supports = triple.open.into_iter().chain(triple.wrong);
        is_fact |= supports.any(|literal| solver.value(literal) == Some(true));
        for (number, disjunct) in (0..).zip(&triple.disjuncts) {
            let holds = solver.value(disjunct.literal) == Some(true);
            let parts = disjunct.parts.iter().flatten();
            let parts: Vec<u32> = parts.copied().collect();
            missing[id].push(if holds { parts.len() as u32 } else { u32::MAX });
            if holds {
                for part in parts {
                    users[part as usize].push((id as u32, number));
                }
            }
        }
        if is_fact && founded.insert(id) {
            pending.push(id as u32);
        }
    }
    while let Some(id) = pending.pop() {
        for (user, disjunct) in std::mem::take(&mut users[id as usize]) {
            let missing = &mut missing[user as usize][disjunct as usize];
            *missing -= 1;
            if *missing == 0 && founded.insert(user as usize) {
                pending.push(user);
            }
        }
    }
    founded
}

/// "If any of the cycle holds, then some disjunct does that speaks of none of it."
fn add_loop_formula(equations: &mut SolverEquations<'_>, cycle: &[TripleId]) {
    let mut inside = BitSet::new(equations.triples().len());
    for &id in cycle {
        inside.insert(id as usize);
    }
    let outside = equations.circuit().input();
    let mut clause = vec![!outside];
    for &id in cycle {
        let triple = equations.triples()[id as usize].clone();
        clause.extend(triple.open.into_iter().chain(triple.wrong));
        for disjunct in &triple.disjuncts {
            let mut parts = disjunct.parts.iter().flatten();
            if !parts.any(|&part| inside.contains(part as usize)) {
                clause.push(disjunct.literal);
            }
        }
        let solver = equations.circuit().solver();
        solver.add_clause(&[!triple.literal, outside]);
    }
    clause.sort_unstable();
    clause.dedup();
    equations.circuit().solver().add_clause(&clause);
}

/// The strongly connected components of a graph that no edge leaves and that have an edge inside.
/// Tarjan's algorithm on an explicit stack.
fn bottom_components(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; successors.len()];
    let mut low = vec![0; successors.len()];
    let mut done = BitSet::new(successors.len());
    let mut leaks = BitSet::new(successors.len());
    let mut stack: Vec<u32> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for root in 0..successors.len() as u32 {
        if successors[root as usize].is_empty() || index[root as usize] != UNSEEN {
            continue;
        }
        let mut path: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((node, edge)) = path.last_mut() {
            let (at, current) = (*node as usize, *node);
            if *edge == 0 && index[at] == UNSEEN {
                index[at] = next;
                low[at] = next;
                next += 1;
                stack.push(current);
            }
            if let Some(&to) = successors[at].get(*edge) {
                *edge += 1;
                if done.contains(to as usize) {
                    leaks.insert(at);
                } else if index[to as usize] == UNSEEN {
                    path.push((to, 0));
                } else {
                    low[at] = low[at].min(index[to as usize]);
                }
                continue;
            }
            path.pop();
            if low[at] == index[at] {
                let first = stack.iter().rposition(|&member| member == current);
                let members = stack.split_off(first.unwrap_or(0));
                let is_bottom = !members.iter().any(|&m| leaks.contains(m as usize));
                for &member in &members {
                    done.insert(member as usize);
                }
                let has_edge = members.iter().any(|&m| !successors[m as usize].is_empty());
                if is_bottom && has_edge {
                    found.push(members);
                }
                if let Some(&(parent, _)) = path.last() {
                    leaks.insert(parent as usize);
                }
            } else if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
        }
    }
    found
}
