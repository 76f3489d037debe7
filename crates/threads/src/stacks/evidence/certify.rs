//! The sets of a finished search, written down.

use crate::stacks::search::fixpoint::Fixpoint;
use hardbop_machine::Machine;
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{CallerRelation, Certificate, Direction, ViewRelation};
use hardbop_symbolic::FormulaWriter;

/// The certificate that excludes some targets.
pub(crate) fn certificate(
    machine: &Machine,
    fixpoint: &Fixpoint<'_, '_, '_>,
    targets: Vec<Target>,
) -> Certificate {
    let manager = &fixpoint.manager;
    let seats = &fixpoint.deeds.seats;
    let mut writer = FormulaWriter::default();
    let mut views = Vec::new();
    for (view, &set) in &fixpoint.views {
        if !set.is_false() {
            let relation = writer.bdd(manager, set, |variable| seats.meaning(variable));
            let view = view.clone();
            views.push(ViewRelation { view, relation });
        }
    }
    writer.forget_bdds();
    let mut callers = Vec::new();
    for (&waiting, &set) in &fixpoint.callers {
        if !set.is_false() {
            let relation = writer.bdd(manager, set, |variable| seats.meaning_of_caller(variable));
            callers.push(CallerRelation { waiting, relation });
        }
    }
    let formulas = writer.finish();
    Certificate {
        views,
        callers,
        ..Certificate::new(machine, Direction::Stacks, targets, formulas, Vec::new())
    }
}
