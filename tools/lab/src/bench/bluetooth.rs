//! `hardbop-lab bench --bluetooth`: the table of Figure 3 of the Getafix paper, made again.
//!
//! Adders and stoppers against the number of context switches: whether the driver can fail; for the
//! direct engine its widest relation and all live nodes in BDD nodes, the time, and what a further
//! context switch costs (the ratio of work to that of one switch less); for the paper's formula,
//! which the calculus engine solves, the nodes of `Reach`, the time, and its work in BDD operations
//! as a multiple of the direct engine's. Every line is a separate question, asked from scratch.
//! Where the driver fails the search ends with the first run, so the last lines, about the repaired
//! driver with as many threads, show what a search without such an end costs.
//!
//! The formula grows faster with the bound, so it gets a share of the time limit only, and is not
//! asked about larger bounds once it has not answered. The second table says from how many switches
//! on each driver fails, by either.

use super::stopwatch::Stopwatch;
use hardbop_bench::{Align, Table, quantity};
use hardbop_calculus::decide_threads;
use hardbop_calculus::threads::ThreadBound;
use hardbop_cli::console::Console;
use hardbop_cli::exit::{Exit, Failure};
use hardbop_cli::interrupt::Patience;
use hardbop_families::bluetooth;
use hardbop_machine::{Machine, NodeId};
use hardbop_outcome::{
    Bound, Budget, Engine, Limit, Question, Silent, Statistics, Support, Verdict,
};
use hardbop_threads::BoundedEngine;
use std::time::Duration;

/// The configurations of the paper: adders and stoppers.
const CONFIGURATIONS: [(u32, u32); 4] = [(1, 1), (1, 2), (2, 1), (2, 2)];
/// The adders of the repaired driver, beside one stopper.
const REPAIRED_ADDERS: u32 = 3;
/// The formula gets the time limit divided by this.
const FORMULA_SHARE: u32 = 3;

/// A driver of the table.
struct Driver {
    adders: u32,
    stoppers: String,
    machine: Machine,
}

/// What one of the contenders says about a driver and a bound.
struct Found {
    /// Whether the driver fails; `None` if there was no answer within the limits.
    fails: Option<bool>,
    time: Duration,
    counters: Statistics,
}

/// The number of switches from which a driver fails, within the requested bounds.
#[derive(Clone, Copy, Default)]
struct Threshold {
    fails_from: Option<u32>,
    holds_up_to: Option<u32>,
}

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
        ("formula: Reach", Align::Right),
        ("time", Align::Right),
        ("work", Align::Right),
    ]);
    let mut thresholds = Table::new([
        ("adders", Align::Right),
        ("stoppers", Align::Left),
        ("direct engine", Align::Left),
        ("formula", Align::Left),
    ]);
    let formula_time = timeout / FORMULA_SHARE;
    let mut is_complete = true;
    for driver in drivers()? {
        let (mut direct_threshold, mut formula_threshold) = <(Threshold, Threshold)>::default();
        let mut work_before = None;
        let mut is_formula_asked = true;
        for bound in 0..=switches {
            let direct = ask_direct(&driver.machine, bound, timeout);
            direct_threshold.note(bound, direct.fails);
            is_complete &= direct.fails.is_some();
            let work = direct.counter("work");
            let growth = work_before.map(|before: u64| ratio(work, before));
            work_before = Some(work);
            let formula = is_formula_asked
                .then(|| ask_formula(&driver.machine, bound, formula_time))
                .transpose()?;
            let formula_fails = formula.as_ref().and_then(|found| found.fails);
            is_formula_asked = formula_fails.is_some();
            formula_threshold.note(bound, formula_fails);
            if let (Some(one), Some(other)) = (direct.fails, formula_fails)
                && one != other
            {
                return Err(Failure::Internal(format!(
                    "the formula and the direct engine differ on {} adders and {} stoppers with {bound} switches",
                    driver.adders, driver.stoppers
                )));
            }
            let mut cells = vec![
                driver.adders.to_string(),
                driver.stoppers.clone(),
                bound.to_string(),
                words(direct.fails).to_owned(),
                direct.counter("widest").to_string(),
                direct.counter("nodes").to_string(),
                quantity::time(direct.time),
                quantity::or_nothing(growth, quantity::ratio),
            ];
            cells.extend(formula_cells(formula.as_ref(), &direct, formula_time));
            table.row(cells);
        }
        thresholds.row([
            driver.adders.to_string(),
            driver.stoppers,
            direct_threshold.to_string(),
            formula_threshold.to_string(),
        ]);
    }
    console.print(&table.render());
    console.print("\n");
    console.print(&thresholds.render());
    Ok(if is_complete {
        Exit::Fine
    } else {
        Exit::Unknown
    })
}

fn drivers() -> Result<Vec<Driver>, Failure> {
    let mut drivers: Vec<(u32, String, String)> = Vec::new();
    for (adders, stoppers) in CONFIGURATIONS {
        drivers.push((adders, stoppers.to_string(), bluetooth(adders, stoppers)));
    }
    if let Some(family) = hardbop_families::find("bluetooth-safe") {
        let repaired = family.generate(REPAIRED_ADDERS, 0).text;
        drivers.push((REPAIRED_ADDERS, "1 repaired".to_owned(), repaired));
    }
    let machines = drivers.into_iter().map(|(adders, stoppers, text)| {
        let machine = hardbop_machine::from_text("bluetooth.bp", &text);
        let machine = machine
            .map_err(|_| Failure::Internal("the driver is not a valid program".to_owned()))?;
        Ok(Driver {
            adders,
            stoppers,
            machine,
        })
    });
    machines.collect()
}

fn ask_direct(machine: &Machine, switches: u32, timeout: Duration) -> Found {
    let question = Question::assertions(machine).within(Bound::ContextSwitches(switches));
    let patience = Patience::for_at_most(Some(timeout));
    let budget = Budget {
        interrupt: &patience,
        ..Budget::unlimited()
    };
    let start = Stopwatch::start();
    let outcome = BoundedEngine.check(machine, &question, &budget, &mut Silent);
    let fails = match outcome.answers.first().map(|answer| &answer.verdict) {
        Some(Verdict::Yes(_)) => Some(true),
        Some(Verdict::No(Support::UpTo(_))) => Some(false),
        _ => None,
    };
    Found {
        fails,
        time: start.elapsed(),
        counters: outcome.statistics,
    }
}

fn ask_formula(machine: &Machine, switches: u32, timeout: Duration) -> Result<Found, Failure> {
    let patience = Patience::for_at_most(Some(timeout));
    let budget = Budget {
        interrupt: &patience,
        ..Budget::unlimited()
    };
    let start = Stopwatch::start();
    let bound = ThreadBound::Contexts(switches);
    let nodes: Vec<NodeId> = machine.assertions.iter().map(|a| a.failure).collect();
    let decided = decide_threads(machine, &nodes, bound, &budget);
    let (fails, counters) = match decided {
        Ok(decided) => {
            let fails = decided.is_reached.into_iter().next();
            (fails, decided.statistics)
        }
        Err(Limit::Declined { what }) => {
            return Err(Failure::Internal(format!(
                "the formula does not support {what}"
            )));
        }
        Err(_) => (None, Statistics::default()),
    };
    Ok(Found {
        fails,
        time: start.elapsed(),
        counters,
    })
}

impl Found {
    fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).unwrap_or(0)
    }
}

/// Size, time and ratio of the formula; of one that ran out of time the limit, of one that was not
/// asked nothing.
fn formula_cells(formula: Option<&Found>, direct: &Found, limit: Duration) -> [String; 3] {
    match formula {
        Some(found) if found.fails.is_some() => {
            let times = ratio(found.counter("bdd-work"), direct.counter("work"));
            [
                found.counter("reached-nodes").to_string(),
                quantity::time(found.time),
                quantity::ratio(times),
            ]
        }
        Some(_) => [
            quantity::NOTHING.to_owned(),
            format!(">{}", quantity::time(limit)),
            quantity::NOTHING.to_owned(),
        ],
        None => ["not asked", quantity::NOTHING, quantity::NOTHING].map(str::to_owned),
    }
}

impl Threshold {
    fn note(&mut self, switches: u32, fails: Option<bool>) {
        match fails {
            Some(true) => {
                self.fails_from.get_or_insert(switches);
            }
            Some(false) => self.holds_up_to = Some(switches),
            None => {}
        }
    }
}

impl std::fmt::Display for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.fails_from, self.holds_up_to) {
            (Some(switches), _) => write!(f, "fails from {switches} on"),
            (None, Some(switches)) => write!(f, "holds up to {switches}"),
            (None, None) => f.write_str(quantity::NOTHING),
        }
    }
}

fn words(fails: Option<bool>) -> &'static str {
    match fails {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    }
}

/// How many times as much.
#[allow(
    clippy::cast_precision_loss,
    reason = "a ratio that is shown with two digits needs no more"
)]
fn ratio(after: u64, before: u64) -> f64 {
    after as f64 / before.max(1) as f64
}
