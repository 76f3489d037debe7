//! The relations of a complete search as a certificate.
//!
//! A BDD is a formula already ([`hardbop_symbolic::FormulaWriter`]). What a forward relation leaves
//! unsaid, because a parameter that is never assigned has its entry value all along, is written
//! out.

use crate::backward::Backward;
use crate::forward::Forward;
use crate::interface::Bit;
use crate::space::{Copy, REACHES_TARGET, Slot, Space};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::{ProcId, Variable};
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{
    Bit as FormulaBit, Certificate, Direction, Formula, NodeRelation,
};
use hardbop_symbolic::{FormulaWriter, QUANTIFY};
use std::collections::HashMap;

/// Writes relations, procedure by procedure.
struct RelationWriter<'w> {
    space: &'w Space,
    writer: FormulaWriter,
    bits: HashMap<Slot, FormulaBit>,
    /// What the `Outer` copy stands for.
    outer: fn(FormulaBit) -> Formula,
}

impl<'w> RelationWriter<'w> {
    /// A writer; `outer` says what the `Outer` copy stands for.
    fn new(space: &'w Space, outer: fn(FormulaBit) -> Formula) -> Self {
        Self {
            space,
            writer: FormulaWriter::default(),
            bits: HashMap::new(),
            outer,
        }
    }

    /// Goes on with relations of another procedure, where slots mean other locals.
    fn enter_procedure(&mut self, scope: &[Bit]) {
        self.writer.forget_bdds();
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
    fn formula(&mut self, formula: Formula) -> u32 {
        self.writer.formula(formula)
    }

    /// The index of the formula of a BDD.
    fn bdd(&mut self, manager: &Manager<'_>, root: Bdd) -> u32 {
        let Self {
            space,
            writer,
            bits,
            outer,
        } = self;
        writer.bdd(manager, root, |variable| {
            let meaning = space.meaning(variable);
            let bit = meaning.and_then(|(slot, copy)| Some((*bits.get(&slot)?, copy)));
            match bit {
                Some((bit, Copy::Outer)) => outer(bit),
                Some((bit, _)) => Formula::Now(bit),
                // Relations at nodes speak of the procedure's scope only.
                None => Formula::Constant(true),
            }
        })
    }

    /// The formulas written.
    fn finish(self) -> Vec<Formula> {
        self.writer.finish()
    }
}

/// The certificate of a complete forward search that has reached none of the targets.
pub fn forward_certificate(search: &Forward<'_, '_>, targets: Vec<Target>) -> Certificate {
    let machine = search.compiler.machine;
    let mut writer = RelationWriter::new(search.compiler.space, Formula::Entry);
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
    let mut writer = RelationWriter::new(search.compiler.space, Formula::Exit);
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
    writer: &mut RelationWriter<'_>,
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
