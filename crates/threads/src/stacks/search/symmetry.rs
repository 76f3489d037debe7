//! Threads that change seats.

use crate::stacks::encoding::seats::Seats;
use hardbop_bdd::{Bdd, Exhausted, Manager};
use hardbop_outcome::certificate::View;
use hardbop_symbolic::Plans;

/// A set that does not change when threads other than that at `seat`, the first of those with its
/// entry, are exchanged: with all that exchanging that thread too makes of it.
pub(crate) fn with_exchanges(
    manager: &mut Manager<'_>,
    plans: &mut Plans,
    seats: &Seats,
    view: &View,
    seat: usize,
    set: Bdd,
) -> Result<Bdd, Exhausted> {
    let mut all = set;
    for other in seat + 1..view.threads.len() {
        if view.threads[other] != view.threads[seat] {
            break;
        }
        let (one, two) = (seat as u32, other as u32);
        let mut actions = seats.moved(one, two);
        actions.extend(seats.moved(two, one));
        let plan = plans.get(manager, actions);
        let exchanged = manager.project(set, &plan)?;
        all = manager.or(all, exchanged)?;
    }
    Ok(all)
}

/// A set with its threads moved to other seats: that at the `i`th to `to[i]`.
pub(crate) fn seated(
    manager: &mut Manager<'_>,
    plans: &mut Plans,
    seats: &Seats,
    set: Bdd,
    to: &[u32],
) -> Result<Bdd, Exhausted> {
    let mut actions = Vec::new();
    for (from, &to) in (0..).zip(to) {
        if from != to {
            actions.extend(seats.moved(from, to));
        }
    }
    if actions.is_empty() {
        return Ok(set);
    }
    let plan = plans.get(manager, actions);
    manager.project(set, &plan)
}
