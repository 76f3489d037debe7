//! The invariant of a complete search, written down.

use crate::exact::encoding::space::Space;
use crate::exact::search::symbolic::Search;
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_machine::Machine;
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{Certificate, Direction, Formula, Turn, TurnRelation};
use hardbop_symbolic::FormulaWriter;
use std::collections::BTreeMap;

/// The certificate of a search that has found everything there is, and none of the targets.
pub(crate) fn certificate(
    machine: &Machine,
    space: &Space,
    search: &mut Search<'_, '_>,
    targets: Vec<Target>,
) -> Result<Certificate, Exhausted> {
    let sets = search.visited().iter().map(|(&key, &set)| (key, set));
    let sets: Vec<_> = sets.collect();
    let mut whole: BTreeMap<u32, Bdd> = BTreeMap::new();
    for ((turn, place), set) in sets {
        let thread = search.turn(turn).thread;
        let here = search.moves.at(&mut search.manager, thread, place)?;
        let placed = search.manager.and(here, set)?;
        let known = whole.get(&turn).copied().unwrap_or(Bdd::FALSE);
        let both = search.manager.or(known, placed)?;
        whole.insert(turn, both);
    }
    let whole = whole.into_iter();
    let whole = whole.map(|(number, set)| (search.turn(number).clone(), vec![vec![set]]));
    Ok(written(
        machine,
        space,
        &search.manager,
        targets,
        whole.collect(),
    ))
}

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
                    .map(|set| {
                        writer.bdd(manager, set, |variable| {
                            let bit = space.bit_of(variable);
                            // Sets speak of bits now only.
                            bit.map_or(Formula::Constant(true), |bit| space.meaning(bit))
                        })
                    })
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
