//! `hardbop bench --bluetooth`: the table of Figure 3 of the Getafix paper, made again.
//!
//! Adders and stoppers against the number of context switches: whether the driver can fail, the widest relation and all live nodes in
//! BDD nodes, the time, and what a further context switch costs (the ratio of work to that of one switch less). Every
//! line is a question of its own, asked from scratch. Where the driver fails the search ends with the first run, so the last
//! lines, about the repaired driver with as many threads, show what a search without such an end costs.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::interrupt::Patience;
use hardbop_bench::quantity;
use hardbop_bench::table::{Align, Table};
use hardbop_concurrent::{BoundedEngine, Question};
use hardbop_families::bluetooth;
use hardbop_machine::Machine;
use hardbop_outcome::{Budget, Engine, Outcome, Query, Silent, Verdict};
use std::time::{Duration, Instant};

/// The configurations of the paper: adders and stoppers.
const CONFIGURATIONS: [(u32, u32); 4] = [(1, 1), (1, 2), (2, 1), (2, 2)];
/// The adders of the repaired driver, beside one stopper.
const REPAIRED_ADDERS: u32 = 3;

/// Runs the command.
pub fn run(console: &mut Console, switches: u32, timeout: Duration) -> Result<Exit, Failure> {
    let mut table = Table::new([
        ("adders", Align::Right),
        ("stoppers", Align::Left),
        ("switches", Align::Right),
        ("fails", Align::Left),
        ("widest", Align::Right),
        ("nodes", Align::Right),
        ("time", Align::Right),
        ("growth", Align::Right),
    ]);
    let mut is_complete = true;
    let mut drivers: Vec<(u32, String, String)> = Vec::new();
    for (adders, stoppers) in CONFIGURATIONS {
        drivers.push((adders, stoppers.to_string(), bluetooth(adders, stoppers)));
    }
    if let Some(family) = hardbop_families::find("bluetooth-safe") {
        let repaired = family.generate(REPAIRED_ADDERS, 0).text;
        drivers.push((REPAIRED_ADDERS, "1 repaired".to_owned(), repaired));
    }
    for (adders, stoppers, text) in drivers {
        let machine = hardbop_machine::from_text("bluetooth.bp", &text);
        let machine =
            machine.map_err(|_| Failure::Internal("the driver is no program".to_owned()))?;
        let mut work_before = None;
        for bound in 0..=switches {
            let start = Instant::now();
            let outcome = ask(&machine, bound, timeout);
            let answer = match outcome.answers.first().map(|answer| &answer.verdict) {
                Some(Verdict::Reachable { .. }) => "yes",
                Some(Verdict::UnreachableUpTo { .. }) => "no",
                _ => "unknown",
            };
            is_complete &= answer != "unknown";
            let work = counter(&outcome, "work");
            let growth = work_before.map(|before: u64| ratio(work, before));
            work_before = Some(work);
            table.row([
                adders.to_string(),
                stoppers.clone(),
                bound.to_string(),
                answer.to_owned(),
                counter(&outcome, "widest").to_string(),
                counter(&outcome, "nodes").to_string(),
                quantity::time(start.elapsed()),
                quantity::or_nothing(growth, quantity::ratio),
            ]);
        }
    }
    console.print(&table.render());
    Ok(if is_complete {
        Exit::Fine
    } else {
        Exit::Unknown
    })
}

fn ask(machine: &Machine, switches: u32, timeout: Duration) -> Outcome {
    let engine = BoundedEngine {
        question: Question::Contexts(switches),
        ..BoundedEngine::default()
    };
    let patience = Patience::start(Some(timeout));
    let budget = Budget {
        interrupt: &patience,
        ..Budget::unlimited()
    };
    engine.check(machine, &Query::assertions(machine), &budget, &mut Silent)
}

/// A counter of the engine.
fn counter(outcome: &Outcome, name: &str) -> u64 {
    let found = outcome.statistics.iter().find(|(known, _)| known == name);
    found.map_or(0, |&(_, value)| value)
}

/// How many times as much.
#[allow(
    clippy::cast_precision_loss,
    reason = "a ratio that is shown with two digits needs no more"
)]
fn ratio(after: u64, before: u64) -> f64 {
    after as f64 / before.max(1) as f64
}
