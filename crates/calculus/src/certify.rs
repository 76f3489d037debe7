//! The final value of an entry-forward relation as a certificate.
//!
//! At each node the pairs of entry and current values are exactly what a forward certificate asks for, and the equation that they
//! solve says that they are closed under the program's steps. What relations leave open, because it does not matter there, stays open: a superset.

use crate::layout::{Layout, VariableBit};
use crate::rings::{Rings, Side};
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::{Machine, ProcId};
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{Bit, Certificate, Direction, Formula, NodeRelation};
use hardbop_symbolic::FormulaWriter;

/// The certificate of a relation that has reached its final value.
pub fn forward_certificate(
    machine: &Machine,
    layout: &Layout,
    rings: &mut Rings<'_>,
    manager: &mut Manager<'_>,
    targets: Vec<Target>,
) -> Result<Certificate, Exhausted> {
    let mut writer = FormulaWriter::default();
    let mut nodes = Vec::new();
    let Some(last) = rings.round_count().checked_sub(1) else {
        return Ok(Certificate::new(
            machine,
            Direction::Forward,
            targets,
            writer.finish(),
            nodes,
        ));
    };
    for procedure in machine.procedure_ids() {
        writer.forget_bdds();
        let meanings = meanings(layout, rings, procedure);
        for node in machine.procedure(procedure).node_ids() {
            let edges = rings.at(manager, node, last, Side::First)?;
            if edges == Bdd::FALSE {
                continue;
            }
            // A slot that the procedure does not use is compared with itself at most.
            let leaf = |variable: u32| {
                let meaning = meanings.get(variable as usize).cloned().flatten();
                meaning.unwrap_or(Formula::Constant(true))
            };
            let relation = writer.bdd(manager, edges, leaf);
            nodes.push(NodeRelation::new(machine, node, relation));
        }
    }
    Ok(Certificate::new(
        machine,
        Direction::Forward,
        targets,
        writer.finish(),
        nodes,
    ))
}

/// What the variables of a first side stand for in a procedure.
fn meanings(layout: &Layout, rings: &Rings<'_>, procedure: ProcId) -> Vec<Option<Formula>> {
    let mut meanings = vec![None; rings.first_choice() as usize];
    for ((variable, bit), field) in layout.bits(procedure) {
        let slot = rings.slot(field);
        let bit = formula_bit((variable, bit));
        meanings[rings.entry_variable(slot, Side::First) as usize] = Some(Formula::Entry(bit));
        meanings[rings.now_variable(slot, Side::First) as usize] = Some(Formula::Now(bit));
    }
    meanings
}

fn formula_bit((variable, bit): VariableBit) -> Bit {
    Bit {
        variable,
        bit: u32::from(bit),
    }
}
