//! The relations of a complete search as a certificate.
//!
//! A BDD is a formula already ([`hardbop_symbolic::FormulaWriter`]). What a forward relation leaves
//! unsaid, because a parameter that is never assigned has its entry value all along, is written
//! out.

use crate::encoding::interface::{Interface, ScopedBit};
use crate::encoding::space::Copy;
use crate::search::forward::Forward;
use hardbop_machine::Variable;
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{
    Bit as FormulaBit, Certificate, Direction, Formula, NodeRelation,
};
use hardbop_symbolic::FormulaWriter;
use std::collections::HashMap;

/// The certificate of a complete forward search that has reached none of the targets.
pub(crate) fn forward_certificate(search: &Forward<'_, '_>, targets: Vec<Target>) -> Certificate {
    let machine = search.compiler.machine;
    let space = search.compiler.space;
    let mut writer = FormulaWriter::default();
    let mut nodes = Vec::new();
    for procedure in machine.procedure_ids() {
        // The same slots are other locals in another procedure.
        writer.forget_bdds();
        let interface = search.compiler.interfaces.of(procedure);
        let scope = interface.scope.iter();
        let bits: HashMap<_, _> = scope.map(|bit| (bit.slot, formula_bit(bit))).collect();
        let leaf = |variable| {
            let meaning = space.meaning(variable);
            let (slot, copy) = meaning.expect("relations at nodes speak of slots only");
            match copy {
                Copy::Outer => Formula::Entry(bits[&slot]),
                _ => Formula::Now(bits[&slot]),
            }
        };
        let steady = steady_parameters(interface, &mut writer);
        for node in machine.procedure(procedure).node_ids() {
            let reached = search.node(node).reached;
            if reached.is_false() {
                continue;
            }
            let mut relation = writer.bdd(&search.manager, reached, leaf);
            if let Some(same) = steady {
                relation = writer.formula(Formula::And(vec![same, relation]));
            }
            nodes.push(NodeRelation::new(machine, node, relation));
        }
    }
    Certificate::new(machine, Direction::Forward, targets, writer.finish(), nodes)
}

fn formula_bit(bit: &ScopedBit) -> FormulaBit {
    FormulaBit {
        variable: bit.variable,
        bit: u32::from(bit.bit),
    }
}

/// "Parameters that are never assigned still have their entry value", where that is needed.
fn steady_parameters(interface: &Interface, writer: &mut FormulaWriter) -> Option<u32> {
    let inputs = interface.steady_inputs.iter();
    let parameters = inputs.filter(|bit| matches!(bit.variable, Variable::Local(_)));
    let equalities = parameters.map(|bit| {
        let now = writer.formula(Formula::Now(formula_bit(bit)));
        let entry = writer.formula(Formula::Entry(formula_bit(bit)));
        let not_entry = writer.formula(Formula::Not(entry));
        writer.formula(Formula::Ite(now, entry, not_entry))
    });
    let equalities: Vec<u32> = equalities.collect();
    let is_needed = interface.called && !equalities.is_empty();
    is_needed.then(|| writer.formula(Formula::And(equalities)))
}
