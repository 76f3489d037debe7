//! The relations of a complete search as a certificate.
//!
//! A BDD is a formula already: each of its nodes becomes one `Ite`, shared as in the BDD. What a forward relation leaves
//! unsaid, because a parameter that is never assigned has its entry value all along, is written out.

use crate::backward::Backward;
use crate::encode::QUANTIFY;
use crate::forward::Forward;
use crate::interface::Bit;
use crate::space::{Copy, REACHES_TARGET, Slot, Space};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::{ProcId, Variable};
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{
    Bit as FormulaBit, Certificate, Direction, Formula, NodeRelation,
};
use std::collections::HashMap;

/// Writes formulas, each once.
pub struct FormulaWriter<'w> {
    space: &'w Space,
    formulas: Vec<Formula>,
    known: HashMap<Formula, u32>,
    /// Formulas of BDDs in the current procedure: a slot means another local elsewhere.
    of_bdd: HashMap<Bdd, u32>,
    bits: HashMap<Slot, FormulaBit>,
    /// What the `Outer` copy stands for.
    outer: fn(FormulaBit) -> Formula,
}

impl<'w> FormulaWriter<'w> {
    /// A writer; `outer` says what the `Outer` copy stands for.
    pub fn new(space: &'w Space, outer: fn(FormulaBit) -> Formula) -> Self {
        Self {
            space,
            formulas: Vec::new(),
            known: HashMap::new(),
            of_bdd: HashMap::new(),
            bits: HashMap::new(),
            outer,
        }
    }

    /// Goes on with relations of another procedure.
    pub fn enter_procedure(&mut self, scope: &[Bit]) {
        self.of_bdd.clear();
        self.bits.clear();
        for bit in scope {
            let formula_bit = FormulaBit {
                variable: bit.variable,
                bit: u32::from(bit.bit),
            };
            self.bits.insert(bit.slot, formula_bit);
        }
    }

    /// The index of a formula.
    pub fn formula(&mut self, formula: Formula) -> u32 {
        if let Some(&index) = self.known.get(&formula) {
            return index;
        }
        let index = self.formulas.len() as u32;
        self.formulas.push(formula.clone());
        self.known.insert(formula, index);
        index
    }

    /// The index of the formula of a BDD.
    pub fn bdd(&mut self, manager: &Manager<'_>, root: Bdd) -> u32 {
        let mut pending = vec![root];
        while let Some(&bdd) = pending.last() {
            if self.of_bdd.contains_key(&bdd) {
                pending.pop();
                continue;
            }
            let Some((variable, low, high)) = manager.branch(bdd) else {
                let index = self.formula(Formula::Constant(bdd.is_true()));
                self.of_bdd.insert(bdd, index);
                continue;
            };
            match (self.of_bdd.get(&low), self.of_bdd.get(&high)) {
                (Some(&low), Some(&high)) => {
                    let condition = self.leaf(variable);
                    let index = self.formula(Formula::Ite(condition, high, low));
                    self.of_bdd.insert(bdd, index);
                }
                (low_known, high_known) => {
                    let missing = [(low_known.is_none(), low), (high_known.is_none(), high)];
                    pending.extend(missing.iter().filter(|(is, _)| *is).map(|(_, bdd)| *bdd));
                }
            }
        }
        self.of_bdd[&root]
    }

    fn leaf(&mut self, variable: u32) -> u32 {
        let meaning = self.space.meaning(variable);
        let bit = meaning.and_then(|(slot, copy)| Some((*self.bits.get(&slot)?, copy)));
        let formula = match bit {
            Some((bit, Copy::Outer)) => (self.outer)(bit),
            Some((bit, _)) => Formula::Now(bit),
            // Relations at nodes speak of the procedure's scope only.
            None => Formula::Constant(true),
        };
        self.formula(formula)
    }

    /// The formulas written.
    pub fn finish(self) -> Vec<Formula> {
        self.formulas
    }
}

/// The certificate of a complete forward search that has reached none of the targets.
pub fn forward_certificate(search: &Forward<'_, '_>, targets: Vec<Target>) -> Certificate {
    let machine = search.compiler.machine;
    let mut writer = FormulaWriter::new(search.compiler.space, Formula::Entry);
    let mut nodes = Vec::new();
    for procedure in machine.procedure_ids() {
        let interface = search.compiler.interfaces.of(procedure);
        writer.enter_procedure(&interface.scope);
        let steady = steady_parameters(search, procedure, &mut writer);
        for node in machine.procedure(procedure).node_ids() {
            let reached = search.node(node).reached;
            if reached.is_false() {
                continue;
            }
            let relation = writer.bdd(&search.manager, reached);
            let relation = match &steady {
                Some(same) => writer.formula(Formula::And(vec![*same, relation])),
                None => relation,
            };
            nodes.push(NodeRelation::new(machine, node, relation));
        }
    }
    Certificate::new(machine, Direction::Forward, targets, writer.finish(), nodes)
}

/// The certificate of a complete backward search that has not found a starting state.
pub fn backward_certificate(
    search: &mut Backward<'_, '_>,
    targets: Vec<Target>,
) -> Result<Certificate, Exhausted> {
    let machine = search.compiler.machine;
    let flag = search.flag();
    let without = vec![(REACHES_TARGET, QUANTIFY)];
    let without = search.plans.get(&mut search.manager, without);
    let mut writer = FormulaWriter::new(search.compiler.space, Formula::Exit);
    let mut nodes = Vec::new();
    for procedure in machine.procedure_ids() {
        writer.enter_procedure(&search.compiler.interfaces.of(procedure).scope);
        for node in machine.procedure(procedure).node_ids() {
            let reached = search.node(node).reached;
            if reached.is_false() {
                continue;
            }
            let to_target = search.manager.relprod(reached, flag, &without)?;
            let to_exit = search.manager.relprod(reached, !flag, &without)?;
            let relation = writer.bdd(&search.manager, to_target);
            let mut listed = NodeRelation::new(machine, node, relation);
            if !to_exit.is_false() {
                listed.to_exit = Some(writer.bdd(&search.manager, to_exit));
            }
            nodes.push(listed);
        }
    }
    let formulas = writer.finish();
    Ok(Certificate::new(
        machine,
        Direction::Backward,
        targets,
        formulas,
        nodes,
    ))
}

/// "Parameters that are never assigned still have their entry value", where that is needed.
fn steady_parameters(
    search: &Forward<'_, '_>,
    procedure: ProcId,
    writer: &mut FormulaWriter<'_>,
) -> Option<u32> {
    let interface = search.compiler.interfaces.of(procedure);
    if !interface.called {
        return None;
    }
    let mut equalities = Vec::new();
    for bit in &interface.steady_inputs {
        if let Variable::Local(_) = bit.variable {
            let formula_bit = FormulaBit {
                variable: bit.variable,
                bit: u32::from(bit.bit),
            };
            let now = writer.formula(Formula::Now(formula_bit));
            let entry = writer.formula(Formula::Entry(formula_bit));
            let not_entry = writer.formula(Formula::Not(entry));
            equalities.push(writer.formula(Formula::Ite(now, entry, not_entry)));
        }
    }
    if equalities.is_empty() {
        return None;
    }
    Some(writer.formula(Formula::And(equalities)))
}
