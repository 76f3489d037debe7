//! Histories of threads: what they have done, seen from outside ([`histories`]), and how they go on
//! with the shared globals that a schedule has brought about meanwhile ([`resume`]).

use crate::bounded::encoding::columns::Column;
use crate::bounded::encoding::moves::Moves;
use crate::bounded::encoding::profile::{Leave, ProfileId, ScopeId, WatchId};
use crate::bounded::search::entries::{Entries, EntryKey, forget_entry, shift};
use crate::bounded::search::leaving::{has_ended, leaving, left_states};
use crate::bounded::search::path_edges::{PathEdges, Place, given_slots};
use hardbop_bdd::{Bdd, Exhausted};

/// What a scope's invocations with some contexts look like where they are left: entry, boundaries,
/// and the shared globals at the end as one more boundary.
type Ends = Vec<(Leave, Bdd)>;

/// The ends of a scope's invocations with some contexts. (`init` hands over at its end whatever the
/// flag says.)
fn ends(
    moves: &mut Moves<'_, '_>,
    path_edges: &mut PathEdges,
    (scope, profile): (ScopeId, ProfileId),
    whose: Whose,
) -> Result<Ends, Exhausted> {
    let mut ends = Vec::new();
    for (place, stepped) in path_edges.places_of(scope, profile) {
        let left = match whose {
            Whose::All => leaving(moves, path_edges, place, stepped)?,
            Whose::Ended if has_ended(moves, path_edges, place) => {
                let total = path_edges.get(place).map(|growing| growing.total);
                vec![(Leave::Free, total.unwrap_or(Bdd::FALSE))]
            }
            Whose::Ended => Vec::new(),
        };
        for end in left {
            add_end(moves, path_edges, place, &mut ends, end)?;
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

/// The histories of threads with a first frame whose last context began so: per profile, how they
/// were left and the relation. Of all threads, or of those that have ended.
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
            for (leave, ends) in ends(moves, path_edges, (key.scope, inner), whose)? {
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

/// A thread that was left goes on. `histories` are those, the beginning of the new context
/// included, that schedules have brought about; `before` is the profile without the new context and
/// the way it was left.
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
