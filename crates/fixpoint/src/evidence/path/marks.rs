//! Which relations a path is about.

use crate::encoding::model::{each_operand, reachable};
use hardbop_formula::{Formula, RelationKind, System, VariableId};
use std::collections::BTreeSet;

/// Which relations are of interest.
pub(super) struct Marks {
    /// Tuples of them are steps: fixed points and what is shown, if they lead to what is shown.
    pub is_step: Vec<bool>,
    /// They are steps, or abbreviations that lead to some.
    pub leads_on: Vec<bool>,
    pub is_shown: Vec<bool>,
    /// Per formula whether a variable that is shown gets its value in it.
    pub chooses: Vec<bool>,
}

impl Marks {
    pub(super) fn new(system: &System, shows_all: bool) -> Self {
        let relations = &system.relations;
        let is_fixed = |at: usize| relations[at].kind != RelationKind::Definition;
        let is_shown = |at: usize| relations[at].shown.is_some() || shows_all && is_fixed(at);
        let is_shown: Vec<bool> = (0..relations.len()).map(is_shown).collect();
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); relations.len()];
        for (at, relation) in relations.iter().enumerate() {
            for id in reachable(system, &[relation.body]) {
                if let Formula::Apply(read, _) = system.formula(id) {
                    readers[read.0 as usize].push(at);
                }
            }
        }
        let mut leads_on = is_shown.clone();
        let mut pending: Vec<usize> = (0..relations.len()).filter(|&at| is_shown[at]).collect();
        while let Some(at) = pending.pop() {
            for &reader in &readers[at] {
                if !std::mem::replace(&mut leads_on[reader], true) {
                    pending.push(reader);
                }
            }
        }
        let shown = relations
            .iter()
            .filter_map(|relation| relation.shown.as_ref());
        let shown = shown.flat_map(|shown| &shown.parts);
        let shown: BTreeSet<VariableId> = shown.map(|part| part.variable).collect();
        let mut chooses = vec![false; system.formulas.len()];
        for (at, formula) in system.formulas.iter().enumerate() {
            if let Formula::Exists(bound, _) | Formula::Forall(bound, _) = formula {
                chooses[at] = bound.iter().any(|variable| shown.contains(variable));
            }
            let mut inside = false;
            each_operand(formula, |operand| inside |= chooses[operand.0 as usize]);
            chooses[at] |= inside;
        }
        let is_step = |at: usize| leads_on[at] && (is_fixed(at) || is_shown[at]);
        Self {
            is_step: (0..relations.len()).map(is_step).collect(),
            leads_on,
            is_shown,
            chooses,
        }
    }
}
