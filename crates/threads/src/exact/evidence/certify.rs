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
    let whole = whole.map(|(number, set)| (search.turn(number).clone(), set));
    Ok(written(
        machine,
        space,
        &search.manager,
        targets,
        whole.collect(),
    ))
}

/// The certificate that says for each turn in which configurations it may be.
pub(crate) fn written(
    machine: &Machine,
    space: &Space,
    manager: &Manager<'_>,
    targets: Vec<Target>,
    relations: BTreeMap<Turn, Bdd>,
) -> Certificate {
    let mut writer = FormulaWriter::default();
    let mut turns = Vec::new();
    for (turn, set) in relations {
        let relation = writer.bdd(manager, set, |variable| {
            let bit = space.bit_of(variable);
            // Sets speak of bits now only.
            bit.map_or(Formula::Constant(true), |bit| space.meaning(bit))
        });
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
