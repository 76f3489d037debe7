//! The invariant of a complete search, written down.

use crate::exact::encoding::space::Space;
use hardbop_bdd::{Bdd, Manager};
use hardbop_machine::Machine;
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{Certificate, Direction, Formula, Turn, TurnRelation};
use hardbop_symbolic::FormulaWriter;
use std::collections::BTreeMap;

/// In which configurations it may be whose turn: in all sets of one of the lists.
pub(crate) type Relations = BTreeMap<Turn, Vec<Vec<Bdd>>>;

/// The certificate that says for each turn in which configurations it may be.
pub(crate) fn written(
    machine: &Machine,
    space: &Space,
    manager: &Manager<'_>,
    targets: Vec<Target>,
    relations: Relations,
) -> Certificate {
    let mut writer = FormulaWriter::default();
    let mut turns = Vec::new();
    for (turn, lists) in relations {
        let lists: Vec<u32> = lists
            .into_iter()
            .map(|sets| {
                let sets: Vec<u32> = sets
                    .into_iter()
                    .map(|set| writer.bdd(manager, set, |variable| space.meaning(variable)))
                    .collect();
                joined(&mut writer, sets, Formula::And)
            })
            .collect();
        let relation = joined(&mut writer, lists, Formula::Or);
        turns.push(TurnRelation { turn, relation });
    }
    let formulas = writer.finish();
    Certificate {
        turns,
        ..Certificate::new(
            machine,
            Direction::Interleaved,
            targets,
            formulas,
            Vec::new(),
        )
    }
}

/// One formula of several.
fn joined(writer: &mut FormulaWriter, mut parts: Vec<u32>, join: fn(Vec<u32>) -> Formula) -> u32 {
    parts.dedup();
    match parts[..] {
        [only] => only,
        _ => writer.formula(join(parts)),
    }
}
