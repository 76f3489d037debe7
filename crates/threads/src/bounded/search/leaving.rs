//! Where and how a thread is left: outside atomic blocks, at its end, or blocked inside a block; in
//! any case not while the Getafix flag is 1.
//!
//! A thread that is left inside a block keeps others from running as soon as it is no longer
//! blocked. Whether it is depends on its private state, so the states are told apart by what they
//! make of it: a predicate over the shared globals, of which there are few.

use crate::bounded::encoding::columns::Column;
use crate::bounded::encoding::moves::Moves;
use crate::bounded::encoding::profile::{Leave, WatchId};
use crate::bounded::search::path_edges::{PathEdges, Place, flag_is_raised};
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_machine::NodeId;
use hardbop_symbolic::QUANTIFY;

/// Which of the states at a place are left how.
pub(crate) fn leaving(
    moves: &mut Moves<'_, '_>,
    path_edges: &mut PathEdges,
    place: Place,
    states: Bdd,
) -> Result<Vec<(Leave, Bdd)>, Exhausted> {
    let free = left_among(moves, path_edges, place, states, Leave::Free)?;
    let mut found = vec![(Leave::Free, free)];
    let Some(inside) = moves.columns.inside() else {
        return Ok(found);
    };
    if has_ended(moves, path_edges, place) {
        return Ok(found);
    }
    let blocked = moves.blocked(place.node)?;
    let raised = flag_is_raised(moves)?;
    let inside = moves.literal(moves.at(inside, Column::Now), true)?;
    let held = moves.manager.diff(states, raised)?;
    let held = moves.manager.and(held, inside)?;
    let mut held = moves.manager.and(held, blocked)?;
    while let Some(picked) = moves.manager.pick(held) {
        // The predicate over shared globals that the picked private state makes of being blocked.
        let private = private_slots(moves, place.node);
        let private: Vec<u32> = private.iter().map(|&s| moves.at(s, Column::Now)).collect();
        let mut cube = Bdd::TRUE;
        for &variable in private.iter().rev() {
            let value = picked.iter().any(|&(v, value)| v == variable && value);
            let literal = moves.literal(variable, value)?;
            cube = moves.manager.and(cube, literal)?;
        }
        let actions = private.iter().map(|&variable| (variable, QUANTIFY));
        let predicate = moves.product(blocked, cube, actions.collect())?;
        let watch = path_edges.watch(predicate);
        let class = class_of(moves, place.node, predicate)?;
        let members = moves.manager.and(held, class)?;
        found.push((Leave::Holding(watch), members));
        held = moves.manager.diff(held, class)?;
    }
    Ok(found)
}

/// Whether a thread at a place has nothing left to do but to end.
pub(crate) fn has_ended(moves: &Moves<'_, '_>, path_edges: &PathEdges, place: Place) -> bool {
    let scope = path_edges.scopes.get(place.scope);
    let exit = moves.columns.machine().procedure(scope.procedure).exit;
    place.node == path_edges.ended() || scope.is_first() && place.node == exit
}

/// The private bits that are known at a node.
fn private_slots(moves: &Moves<'_, '_>, node: NodeId) -> Vec<u32> {
    let mut slots = moves.columns.own().to_vec();
    slots.extend(moves.columns.live_locals(node));
    slots
}

/// The private states at a node for which being blocked is this predicate.
fn class_of(moves: &mut Moves<'_, '_>, node: NodeId, predicate: Bdd) -> Result<Bdd, Exhausted> {
    let blocked = moves.blocked(node)?;
    let differs = moves.manager.xor(blocked, predicate)?;
    let actions = moves.quantify(moves.columns.shared(), Column::Now);
    Ok(!moves.project(differs, actions)?)
}

/// The states at a place that are left in one way.
pub(crate) fn left_states(
    moves: &mut Moves<'_, '_>,
    path_edges: &PathEdges,
    place: Place,
    leave: Leave,
) -> Result<Bdd, Exhausted> {
    let Some(growing) = path_edges.get(place) else {
        return Ok(Bdd::FALSE);
    };
    left_among(moves, path_edges, place, growing.stepped, leave)
}

/// Those of some states at a place that are left in one way.
pub(crate) fn left_among(
    moves: &mut Moves<'_, '_>,
    path_edges: &PathEdges,
    place: Place,
    states: Bdd,
    leave: Leave,
) -> Result<Bdd, Exhausted> {
    let is_passed = !path_edges.switch_points.contains(place.node)
        && path_edges.profiles.watch(place.profile).is_none()
        && !has_ended(moves, path_edges, place);
    if is_passed {
        return Ok(Bdd::FALSE);
    }
    may_be_left(moves, path_edges, place, states, leave)
}

/// Those of some states at a place in which the thread may be left in one way, whether that makes
/// sense or not.
pub(crate) fn may_be_left(
    moves: &mut Moves<'_, '_>,
    path_edges: &PathEdges,
    place: Place,
    states: Bdd,
    leave: Leave,
) -> Result<Bdd, Exhausted> {
    let raised = flag_is_raised(moves)?;
    let states = moves.manager.diff(states, raised)?;
    let Some(inside) = moves.columns.inside() else {
        return Ok(states);
    };
    let inside = moves.literal(moves.at(inside, Column::Now), true)?;
    match leave {
        Leave::Free if has_ended(moves, path_edges, place) => Ok(states),
        Leave::Free => moves.manager.diff(states, inside),
        // A thread that has ended holds nobody up, and has no node that could be blocked.
        Leave::Holding(_) if has_ended(moves, path_edges, place) => Ok(Bdd::FALSE),
        Leave::Holding(WatchId(watch)) => {
            let class = class_of(moves, place.node, path_edges.watches[watch as usize])?;
            let blocked = moves.blocked(place.node)?;
            let states = moves.manager.and(states, inside)?;
            let states = moves.manager.and(states, blocked)?;
            moves.manager.and(states, class)
        }
    }
}
