//! Which part of the news goes first.
//!
//! The order in which news is propagated is free, and it decides how often the same things are
//! visited. A place where ways of different lengths meet should be left when all of them have
//! arrived: rounds that always take everything visit it once for each length, and everything behind
//! it as well. So a round takes only the news with the smallest values of large enumerations, which
//! are program counters and the like. Whoever numbers places along the flow of control has them
//! visited in that order, as by Bebop's worklist.

use hardbop_bdd::{Bdd, Exhausted, Manager};

/// The tuples that go first, and the rest. `control` says which BDD variables are bits of large
/// enumerations; those that do not stand at the top have no say. News of up to `large` BDD nodes
/// goes all at once: order is worth nothing there.
pub(crate) fn split(
    manager: &mut Manager<'_>,
    control: &[bool],
    large: usize,
    news: Bdd,
) -> Result<(Bdd, Bdd), Exhausted> {
    let mut path = Vec::new();
    let mut at = news;
    let mut is_all = true;
    while let Some((level, low, high)) = manager.branch(at)
        && control[level as usize]
    {
        path.push((level, low.is_false()));
        is_all &= low.is_false() || high.is_false();
        at = if low.is_false() { high } else { low };
    }
    if is_all || !manager.is_larger(news, large) {
        return Ok((news, Bdd::FALSE));
    }
    let mut first = at;
    for &(level, is_set) in path.iter().rev() {
        let variable = manager.variable(level)?;
        first = manager.and(if is_set { variable } else { !variable }, first)?;
    }
    Ok((first, manager.diff(news, first)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A two-bit counter and a datum: bits 0 and 1 are control.
    const CONTROL: [bool; 3] = [true, true, false];

    fn tuple(manager: &mut Manager<'_>, values: [bool; 3]) -> Bdd {
        let literals = (0..3).map(|at| {
            let variable = manager.variable(at).expect("few nodes");
            if values[at as usize] {
                variable
            } else {
                !variable
            }
        });
        let literals = literals.collect();
        manager.and_all(literals).expect("few nodes")
    }

    #[test]
    fn the_smallest_place_goes_first_with_all_its_data() {
        let mut manager = Manager::new(1000);
        let one = tuple(&mut manager, [false, true, false]);
        let same_place = tuple(&mut manager, [false, true, true]);
        let later = tuple(&mut manager, [true, false, true]);
        let here = manager.or(one, same_place).expect("few nodes");
        let all = manager.or(here, later).expect("few nodes");
        assert_eq!(split(&mut manager, &CONTROL, 0, all), Ok((here, later)));
        assert_eq!(
            split(&mut manager, &CONTROL, 0, later),
            Ok((later, Bdd::FALSE))
        );
    }

    #[test]
    fn without_control_everything_goes_at_once() {
        let mut manager = Manager::new(1000);
        let datum = manager.variable(2).expect("few nodes");
        assert_eq!(
            split(&mut manager, &CONTROL, 0, datum),
            Ok((datum, Bdd::FALSE))
        );
    }
}
