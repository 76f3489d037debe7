//! Work counters of searches, added up in the ledger of a question.

use crate::backward::Backward;
use crate::forward::Forward;
use hardbop_outcome::Ledger;

/// Counts a forward search.
pub(crate) fn forward(ledger: &mut Ledger<'_>, name: &str, search: &Forward<'_, '_>) {
    let peak = search.manager.peak() as u64;
    count(
        ledger,
        name,
        [search.widest(), search.visits, search.manager.work(), peak],
    );
}

/// Counts a backward search.
pub(crate) fn backward(ledger: &mut Ledger<'_>, search: &Backward<'_, '_>) {
    let peak = search.manager.peak() as u64;
    let counts = [search.widest(), search.visits, search.manager.work(), peak];
    count(ledger, "backward", counts);
}

fn count(ledger: &mut Ledger<'_>, name: &str, [widest, visits, work, peak]: [u64; 4]) {
    ledger.count(&format!("{name}-widest-relation"), widest, u64::max);
    ledger.count(&format!("{name}-visits"), visits, |a, b| a + b);
    ledger.count(&format!("{name}-bdd-work"), work, |a, b| a + b);
    ledger.count(&format!("{name}-peak-bdd-nodes"), peak, u64::max);
}

/// BDD work of all searches that have been counted.
pub(crate) fn work(ledger: &Ledger<'_>) -> u64 {
    let counts = ledger.statistics.iter();
    let work = counts.filter(|(name, _)| name.ends_with("-bdd-work"));
    work.map(|(_, work)| work).sum()
}
