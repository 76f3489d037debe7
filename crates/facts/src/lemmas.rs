//! The facts for others: what holds whenever a program point is reached.
//!
//! Engines may use lemmas as candidates of their own, and people may read them. Together they are
//! inductive; a proof that uses one of them has to contain those that it follows
//! from, so whoever uses lemmas in a certificate takes all of them or checks induction again.

use crate::analysis::{Analysis, Case};
use crate::block::START;
use crate::text::fact_text;
use hardbop_machine::{ExprArena, ExprId, Machine, NodeId};
use hardbop_outcome::{Budget, Limit};
use hardbop_sat::{Answer, Lit};
use std::collections::BTreeMap;

/// Conflicts that the question may take whether a fact follows from others.
const MOST_CONFLICTS: u64 = 200;

/// Facts at cut points: entries and exits of procedures, loop heads, and nodes before calls and
/// before choices of words.
pub struct Lemmas {
    exprs: ExprArena,
    at: BTreeMap<NodeId, Vec<ExprId>>,
    is_cut: Vec<bool>,
}

impl Lemmas {
    /// Computes the facts of a sequential machine.
    pub fn new(machine: &Machine, budget: &Budget<'_>) -> Result<Self, Limit> {
        Self::compute(machine, budget, |analysis, case| Ok(analysis.facts(case)))
    }

    /// The same, without facts that follow from others at the same point: for people.
    pub fn essential(machine: &Machine, budget: &Budget<'_>) -> Result<Self, Limit> {
        Self::compute(machine, budget, essential)
    }

    fn compute(
        machine: &Machine,
        budget: &Budget<'_>,
        mut chosen: impl FnMut(&mut Analysis<'_, '_>, Case) -> Result<Vec<ExprId>, Limit>,
    ) -> Result<Self, Limit> {
        if !machine.is_sequential() || machine.threads.is_empty() {
            let what = "concurrent programs".to_owned();
            return Err(Limit::Declined { what });
        }
        let interrupt = || budget.interrupt.check().is_some();
        let mut analysis = Analysis::new(machine, &[], budget.interrupt, &interrupt);
        if analysis.is_too_large() {
            let what = "programs of this size".to_owned();
            return Err(Limit::Declined { what });
        }
        analysis.run(&[])?;
        let mut at = BTreeMap::new();
        let cases: Vec<Case> = analysis.elements.keys().copied().collect();
        for case in cases {
            at.insert(case.0, chosen(&mut analysis, case)?);
        }
        let is_cut = machine.node_ids().map(|node| analysis.cuts.contains(node));
        Ok(Self {
            is_cut: is_cut.collect(),
            exprs: analysis.terms.exprs,
            at,
        })
    }

    /// The arena of the facts. In it, [`hardbop_machine::Expr::Var`] is a variable now, and
    /// [`hardbop_machine::Expr::Next`] the variable at the entry of the procedure.
    pub fn exprs(&self) -> &ExprArena {
        &self.exprs
    }

    /// What holds at a cut point; nothing is said of other nodes.
    pub fn at(&self, node: NodeId) -> &[ExprId] {
        self.at.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Whether a node is never reached: a cut point without any state.
    pub fn is_excluded(&self, node: NodeId) -> bool {
        self.is_cut[node.index()] && !self.at.contains_key(&node)
    }

    /// A fact as text, with `old(x)` for the value of `x` at the entry.
    pub fn text(&self, machine: &Machine, node: NodeId, fact: ExprId) -> String {
        fact_text(machine, &self.exprs, machine.procedure_of(node), fact)
    }
}

/// Few facts of a case that imply the others.
fn essential(analysis: &mut Analysis<'_, '_>, case: Case) -> Result<Vec<ExprId>, Limit> {
    let facts = analysis.facts(case);
    let Some(mut block) = analysis.blocks.remove(&case.0) else {
        return Ok(facts);
    };
    let mut kept: Vec<(ExprId, Lit)> = Vec::new();
    for fact in facts {
        let lit = analysis.literal(&mut block, START, fact);
        let mut assumptions: Vec<Lit> = kept.iter().map(|(_, lit)| *lit).collect();
        assumptions.push(!lit);
        if analysis.solve(&mut block, &assumptions, MOST_CONFLICTS)? != Answer::Unsat {
            kept.push((fact, lit));
        }
    }
    let mut index = kept.len();
    while index > 0 {
        index -= 1;
        let others = kept.iter().enumerate().filter(|(other, _)| *other != index);
        let mut assumptions: Vec<Lit> = others.map(|(_, (_, lit))| *lit).collect();
        assumptions.push(!kept[index].1);
        if analysis.solve(&mut block, &assumptions, MOST_CONFLICTS)? == Answer::Unsat {
            kept.remove(index);
        }
    }
    analysis.blocks.insert(case.0, block);
    Ok(kept.into_iter().map(|(fact, _)| fact).collect())
}
