//! Where contexts end and others begin: from path edges to histories and back.
//!
//! A thread is left ([`leaving`]) outside atomic blocks, at its end, or blocked inside a block; in any case not while the
//! Getafix flag is 1. What it has done so far, seen from outside, is its history ([`histories`]). It is resumed
//! ([`resume`]) where it was left, with the shared globals that a schedule has brought about meanwhile.

use crate::bounded::encoding::columns::Column;
use crate::bounded::encoding::moves::Moves;
use crate::bounded::encoding::profile::{Leave, ProfileId, ScopeId, WatchId};
use crate::bounded::search::entries::{Entries, EntryKey, forget_entry, shift};
use crate::bounded::search::path_edges::{PathEdges, Place, flag_is_raised, given_slots};
use hardbop_bdd::{Bdd, Exhausted};
use hardbop_machine::NodeId;
use hardbop_symbolic::QUANTIFY;

/// Which of the states at a place are left how.
fn leaving(
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

/// Those of some states at a place in which the thread may be left in one way, whether that makes sense or not.
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
        Leave::Holding(WatchId(watch)) => {
            let class = class_of(moves, place.node, path_edges.watches[watch as usize])?;
            let blocked = moves.blocked(place.node)?;
            let states = moves.manager.and(states, inside)?;
            let states = moves.manager.and(states, blocked)?;
            moves.manager.and(states, class)
        }
    }
}

/// What a scope's invocations with some contexts look like where they are left: entry, boundaries, and the shared globals at the
/// end as one more boundary.
type Ends = Vec<(Leave, Bdd)>;

/// The ends of a scope's invocations with some contexts.
fn ends(
    moves: &mut Moves<'_, '_>,
    path_edges: &mut PathEdges,
    scope: ScopeId,
    profile: ProfileId,
) -> Result<Ends, Exhausted> {
    let mut ends: Ends = Vec::new();
    for (place, stepped) in path_edges.places_of(scope, profile) {
        for (leave, states) in leaving(moves, path_edges, place, stepped)? {
            add_end(moves, path_edges, place, &mut ends, (leave, states))?;
        }
    }
    Ok(ends)
}

/// The ends of those invocations in which the thread has ended. (`init` hands over whatever the flag says.)
fn final_ends(
    moves: &mut Moves<'_, '_>,
    path_edges: &PathEdges,
    scope: ScopeId,
    profile: ProfileId,
) -> Result<Ends, Exhausted> {
    let mut ends = Vec::new();
    for (place, _) in path_edges.places_of(scope, profile) {
        let states = path_edges
            .get(place)
            .map_or(Bdd::FALSE, |growing| growing.total);
        if has_ended(moves, path_edges, place) {
            add_end(moves, path_edges, place, &mut ends, (Leave::Free, states))?;
        }
    }
    Ok(ends)
}

fn add_end(
    moves: &mut Moves<'_, '_>,
    path_edges: &PathEdges,
    place: Place,
    ends: &mut Ends,
    (leave, states): (Leave, Bdd),
) -> Result<(), Exhausted> {
    let end = Column::Boundary(2 * path_edges.profiles.interruptions(place.profile) + 1);
    let mut private = moves.columns.own().to_vec();
    private.extend(
        moves
            .columns
            .locals(path_edges.scopes.get(place.scope).procedure),
    );
    let mut actions = moves.quantify(&private, Column::Now);
    actions.extend(moves.rename(moves.columns.shared(), Column::Now, end));
    let seen = moves.project(states, actions)?;
    if seen.is_false() {
        return Ok(());
    }
    match ends.iter_mut().find(|(known, _)| *known == leave) {
        Some((_, known)) => *known = moves.manager.or(*known, seen)?,
        None => ends.push((leave, seen)),
    }
    Ok(())
}

/// Which threads are asked for.
#[derive(Clone, Copy)]
pub(crate) enum Whose {
    /// All that may be left.
    All,
    /// Those that have ended.
    Ended,
}

/// A profile after a further context, how the thread was left, and the histories.
pub(crate) type Continuation = (ProfileId, Leave, Bdd);

/// The histories of threads with a first frame whose last context began so: per profile, how they were left and the relation.
/// Of all threads, or of those that have ended.
pub(crate) fn histories(
    moves: &mut Moves<'_, '_>,
    path_edges: &mut PathEdges,
    entries: &Entries,
    whose: Whose,
    base: ScopeId,
    open: ProfileId,
) -> Result<Vec<Continuation>, Exhausted> {
    let mut found: Vec<Continuation> = Vec::new();
    for (key, growing) in entries.table() {
        if key.base != base {
            continue;
        }
        for inner in path_edges.profiles_of(key.scope) {
            let Some(profile) = path_edges.profiles.joined(key.profile, inner) else {
                continue;
            };
            if path_edges.profiles.reopened(profile) != open || path_edges.exceeds_limits(profile) {
                continue;
            }
            let ends = match whose {
                Whose::All => ends(moves, path_edges, key.scope, inner)?,
                Whose::Ended => final_ends(moves, path_edges, key.scope, inner)?,
            };
            for (leave, ends) in ends {
                let actions = shift(path_edges, moves, key.profile, inner);
                let shifted = moves.project(ends, actions)?;
                let actions = forget_entry(moves, path_edges, key.scope);
                let seen = moves.product(growing.total, shifted, actions)?;
                if seen.is_false() {
                    continue;
                }
                let is_this = |known: &&mut Continuation| (known.0, known.1) == (profile, leave);
                match found.iter_mut().find(is_this) {
                    Some((_, _, known)) => *known = moves.manager.or(*known, seen)?,
                    None => found.push((profile, leave, seen)),
                }
            }
        }
    }
    Ok(found)
}

/// A thread that was left goes on. `histories` are those, the beginning of the new context included, that schedules have brought about;
/// `before` is the profile without the new context and the way it was left.
pub(crate) fn resume(
    moves: &mut Moves<'_, '_>,
    path_edges: &mut PathEdges,
    entries: &Entries,
    base: ScopeId,
    (before, leave): (ProfileId, Leave),
    watch: Option<WatchId>,
    histories: Bdd,
) -> Result<(), Exhausted> {
    let shared = moves.columns.shared().to_vec();
    for (key, inner) in entries.splits(path_edges, base, before) {
        let Some(growing) = entries.get(key) else {
            continue;
        };
        let actions = into_invocation(moves, path_edges, base, key, before);
        let wanted = moves.product(growing.total, histories, actions)?;
        if wanted.is_false() {
            continue;
        }
        let interruptions = path_edges.profiles.interruptions(inner);
        let (end, begin) = (2 * interruptions + 1, 2 * interruptions + 2);
        let same = moves.equal(&shared, Column::Boundary(begin), Column::Now)?;
        let left = path_edges.profiles.left(inner, leave);
        let resumed = path_edges.profiles.resumed(left, watch);
        for (place, _) in path_edges.places_of(key.scope, inner) {
            if place.node == path_edges.ended() {
                continue;
            }
            let states = left_states(moves, path_edges, place, leave)?;
            let actions = moves.rename(&shared, Column::Now, Column::Boundary(end));
            let states = moves.project(states, actions)?;
            let states = moves.manager.and(states, wanted)?;
            let states = moves.manager.and(states, same)?;
            let place = Place {
                profile: resumed,
                ..place
            };
            path_edges.add_initial(moves, place, states)?;
        }
    }
    Ok(())
}

/// Actions that turn histories, joined with entries, into what an invocation sees of them.
fn into_invocation(
    moves: &Moves<'_, '_>,
    path_edges: &PathEdges,
    base: ScopeId,
    key: EntryKey,
    before: ProfileId,
) -> Vec<(u32, u32)> {
    let shared = moves.columns.shared();
    let distance = 2 * path_edges.profiles.interruptions(key.profile);
    let mut actions = Vec::new();
    for number in 0..=distance {
        actions.extend(moves.quantify(shared, Column::Boundary(number)));
    }
    if distance > 0 {
        for number in distance + 1..=2 * path_edges.profiles.interruptions(before) + 2 {
            let (from, to) = (
                Column::Boundary(number),
                Column::Boundary(number - distance),
            );
            actions.extend(moves.rename(shared, from, to));
        }
    }
    let given = &path_edges.scopes.get(base).given;
    actions.extend(moves.quantify(&given_slots(moves, given), Column::Given(0)));
    let started = path_edges.profiles.start_count(key.profile);
    let number = |number: u32| (number > started).then(|| number - started);
    actions.extend(path_edges.given_actions(moves, before, number));
    actions
}
