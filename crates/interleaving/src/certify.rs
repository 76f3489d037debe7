//! The invariant of a complete search.

use crate::search::Search;
use crate::space::Space;
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_machine::Machine;
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{Certificate, Direction, Formula, TurnRelation};
use hardbop_symbolic::FormulaWriter;
use std::collections::BTreeMap;

/// The certificate of a search that has found everything there is, and none of the targets.
pub fn certificate(
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
    let mut writer = FormulaWriter::default();
    let mut turns = Vec::new();
    for (number, set) in whole {
        let relation = writer.bdd(&search.manager, set, |variable| {
            let bit = space.bit_of(variable);
            // Sets speak of bits now only.
            bit.map_or(Formula::Constant(true), |bit| space.meaning(bit))
        });
        turns.push(TurnRelation {
            turn: search.turn(number).clone(),
            relation,
        });
    }
    turns.sort_by(|a, b| a.turn.cmp(&b.turn));
    let formulas = writer.finish();
    Ok(Certificate {
        turns,
        ..Certificate::new(
            machine,
            Direction::Interleaved,
            targets,
            formulas,
            Vec::new(),
        )
    })
}
