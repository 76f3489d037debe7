//! Which seeds a test runs: its own, or those that a person asks for.
//!
//! `HARDBOP_SEED=1000000 HARDBOP_PROGRAMS=50000 cargo test -p hardbop-testkit` runs 50,000 programs
//! of each kind from that seed on. Tests leave out their minimal counts then: a person may ask for
//! a single program.

use std::ops::Range;

/// The seeds to run, and whether a person asked for them.
pub fn seeds(usual: u64) -> (Range<u64>, bool) {
    let number = |name: &str| -> Option<u64> { std::env::var(name).ok()?.parse().ok() };
    let (first, count) = (number("HARDBOP_SEED"), number("HARDBOP_PROGRAMS"));
    let by_hand = first.is_some() || count.is_some();
    let first = first.unwrap_or(0);
    // A seed alone means that one program.
    let count = count.unwrap_or(if by_hand { 1 } else { usual });
    (first..first.saturating_add(count), by_hand)
}
