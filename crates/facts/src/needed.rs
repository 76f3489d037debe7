//! The facts that a proof needs: those from which it follows that targets are not reached, and
//! again those from which these follow.
//!
//! An analysis keeps hundreds of facts, and a proof needs few. Every condition that the fixed
//! point satisfies was refuted by the solver, whose core names the premises in use. Starting from
//! "cases that were never reached are empty", the premises are collected until nothing is added.
//! The result is inductive on its own.

use crate::analysis::{Analysis, Case};
use crate::block::Block;
use hardbop_machine::{ExprId, NodeId};
use hardbop_outcome::Limit;
use hardbop_sat::{Answer, Lit};
use std::collections::{BTreeMap, BTreeSet};

/// Conflicts that a refutation may take that has been found once.
const MOST_CONFLICTS: u64 = 100_000;

/// The facts by case.
pub(crate) type Needed = BTreeMap<Case, BTreeSet<ExprId>>;

/// What has to be shown at the ends of blocks: that a case is not reached, or a fact.
type Obligation = (Case, Option<ExprId>);

/// The facts that are needed, or `None` if the solver could not repeat its answers.
pub(crate) fn needed(analysis: &mut Analysis<'_, '_>) -> Result<Option<Needed>, Limit> {
    let mut blocks = std::mem::take(&mut analysis.blocks);
    let found = collect(analysis, &mut blocks);
    analysis.blocks = blocks;
    found
}

fn collect<'i>(
    analysis: &mut Analysis<'_, 'i>,
    blocks: &mut BTreeMap<NodeId, Block<'i>>,
) -> Result<Option<Needed>, Limit> {
    let mut needed = Needed::new();
    // Blocks in use, and by node the blocks that end there.
    let cases: Vec<Case> = analysis.elements.keys().copied().collect();
    let starts: Vec<Case> = cases
        .into_iter()
        .filter(|&case| analysis.is_reached(case))
        .collect();
    let mut ends_at: BTreeMap<NodeId, Vec<(Case, usize)>> = BTreeMap::new();
    for &start in &starts {
        if let Some(block) = blocks.get(&start.0) {
            for (index, end) in block.ends.iter().enumerate() {
                ends_at.entry(end.node).or_default().push((start, index));
            }
        }
    }
    let mut open: Vec<Obligation> = Vec::new();
    for &node in ends_at.keys() {
        for case in analysis.cases(node) {
            if !analysis.is_reached(case) {
                open.push((case, None));
            }
        }
    }
    while let Some((case, fact)) = open.pop() {
        for &(start, end) in ends_at.get(&case.0).into_iter().flatten() {
            let Some(block) = blocks.get_mut(&start.0) else {
                continue;
            };
            let premises = analysis.premises(block, Some(start));
            let mut meaning: BTreeMap<Lit, Vec<(Case, ExprId)>> = BTreeMap::new();
            let mut assumptions: Vec<Lit> = Vec::new();
            // Facts that are in use already come first, where the solver prefers them.
            let is_known = |of: &Option<(Case, ExprId)>| {
                of.is_none_or(|(case, fact)| {
                    needed
                        .get(&case)
                        .is_some_and(|facts: &BTreeSet<_>| facts.contains(&fact))
                })
            };
            let (known, others): (Vec<_>, Vec<_>) =
                premises.into_iter().partition(|(_, of)| is_known(of));
            for (lit, of) in known.into_iter().chain(others) {
                if !assumptions.contains(&lit) {
                    assumptions.push(lit);
                    meaning.insert(lit, of.into_iter().collect());
                }
            }
            let here = analysis.ends_in(block, end, case);
            let frame = block.ends[end].frame;
            let mut questions = vec![here];
            if let Some(fact) = fact {
                questions.push(!analysis.literal(block, frame, fact));
            }
            assumptions.splice(0..0, questions);
            if analysis.solve(block, &assumptions, MOST_CONFLICTS)? != Answer::Unsat {
                return Ok(None);
            }
            for lit in block.circuit.solver().core() {
                for &(case, fact) in meaning.get(&lit).into_iter().flatten() {
                    if needed.entry(case).or_default().insert(fact) {
                        open.push((case, Some(fact)));
                    }
                }
            }
        }
    }
    // The initial states satisfy all facts of the entry of the first procedure.
    Ok(Some(needed))
}
