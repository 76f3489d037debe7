//! `hardbop-lab bench --vera`: the experiments of the VERA paper (TACAS 2005, section 5.1), made again
//! with the explicit engine.
//!
//! Four tables: the buggy quicksort of Figure 6, the driver with the double lock, programs with
//! many uninitialised variables in the shape of the hard ones of Figure 5, and the speed on a
//! program with a million states. The first three have counts only, which are the same on every
//! machine. Every verdict is compared with the one that the family's construction guarantees, and
//! runs are judged as in `check`.

use hardbop_automata::PropertyText;
use hardbop_bench::{Align, Table, quantity};
use hardbop_cli::console::Console;
use hardbop_cli::exit::{Exit, Failure};
use hardbop_cli::interrupt::Patience;
use hardbop_cli::questions::read_property;
use hardbop_explicit::ExplicitEngine;
use hardbop_families::{KnownVerdict, RELEASED};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Answer, Budget, Engine, Limit, Question, Silent, Statistics, Support, Target, Verdict,
};
use hardbop_portfolio::judge_evidence;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Widths of the quicksort's integers, with the states that the paper reports.
const QUICKSORT: [(u32, &str); 6] = [
    (4, "95"),
    (6, "95"),
    (8, "95"),
    (10, "95"),
    (16, ""),
    (32, "95"),
];
/// Widths of the driver's process ids.
const DRIVER: [u32; 4] = [2, 4, 16, 32];
/// Numbers of locals: 16 as in `p-nbebop-test`, 36 as in `p-srdriver`.
const LOCALS: [u32; 4] = [4, 8, 16, 36];
/// A search that enumerates all values is given up beyond this many states.
const EAGER_LIMIT: u64 = 1_000_000;
/// The counters of this width have more than a million states.
const COUNTERS: u32 = 9;
/// Speed is measured this many times, with contenders taking turns; the fastest run of each counts.
const SPEED_ROUNDS: usize = 3;

/// What is asked of one program.
struct Experiment<'a> {
    timeout: Duration,
    console: &'a mut Console,
    /// The worst that has happened.
    exit: Exit,
}

/// What a search took.
struct Took {
    /// `None` if there was no answer within the limits.
    verdict: Option<KnownVerdict>,
    counters: Statistics,
    time: Duration,
}

impl Took {
    fn counter(&self, wanted: &str) -> u64 {
        self.counters.get(wanted).unwrap_or(0)
    }

    /// How many states, or that there are more.
    fn states(&self) -> String {
        let states = self.counter("states");
        match self.verdict {
            Some(_) => states.to_string(),
            None => format!(">{}", states.saturating_sub(1)),
        }
    }
}

/// Runs the command.
pub fn run(console: &mut Console, timeout: Duration) -> Result<Exit, Failure> {
    let mut experiment = Experiment {
        timeout,
        console,
        exit: Exit::Fine,
    };
    experiment.quicksort()?;
    experiment.driver()?;
    experiment.uninitialised()?;
    experiment.speed()?;
    Ok(experiment.exit)
}

impl Experiment<'_> {
    fn quicksort(&mut self) -> Result<(), Failure> {
        let mut table = Table::new([
            ("bits", Align::Right),
            ("states to a cycle", Align::Right),
            ("VERA", Align::Right),
            ("states to an end", Align::Right),
        ]);
        for (width, vera) in QUICKSORT {
            let machine = member("quicksort", width)?;
            let cycle = self.ask_about_runs(
                &machine,
                PropertyText::Nonterminating,
                KnownVerdict::Reachable,
            )?;
            let end =
                self.ask_about_runs(&machine, PropertyText::Terminates, KnownVerdict::Reachable)?;
            table.row([
                width.to_string(),
                cycle.states(),
                vera.to_owned(),
                end.states(),
            ]);
        }
        self.show("Buggy quicksort (Figure 6)", &table);
        Ok(())
    }

    fn driver(&mut self) -> Result<(), Failure> {
        let mut table = Table::new([
            ("bits", Align::Right),
            ("double lock", Align::Right),
            ("repaired: none", Align::Right),
            ("every lock is released", Align::Right),
        ]);
        let engine = ExplicitEngine::default();
        let released = PropertyText::Ltl {
            formula: RELEASED.to_owned(),
        };
        for width in DRIVER {
            let faulty = member("double-lock", width)?;
            let repaired = member("double-lock-safe", width)?;
            let [asked, not_found] = [&faulty, &repaired].map(labels);
            let (yes, no) = (KnownVerdict::Reachable, KnownVerdict::Unreachable);
            let found = self.ask(&engine, &faulty, &asked, yes, None)?;
            let excluded = self.ask(&engine, &repaired, &not_found, no, None)?;
            let released =
                self.ask_about_runs(&faulty, released.clone(), KnownVerdict::Unreachable)?;
            table.row([
                width.to_string(),
                found.states(),
                excluded.states(),
                released.states(),
            ]);
        }
        let title = "Driver with a double lock, states (VERA: 15 at 4 bits; the last column ended at 2 bits only)";
        self.show(title, &table);
        Ok(())
    }

    fn uninitialised(&mut self) -> Result<(), Failure> {
        let mut table = Table::new([
            ("locals", Align::Right),
            ("reachable", Align::Right),
            ("eager", Align::Right),
            ("exhaustive", Align::Right),
            ("eager", Align::Right),
        ]);
        let lazy = ExplicitEngine::default();
        let eager = ExplicitEngine {
            lazy: false,
            ..lazy
        };
        for locals in LOCALS {
            let mut row = vec![locals.to_string()];
            for (family, known) in [
                ("uninitialised", KnownVerdict::Reachable),
                ("uninitialised-safe", KnownVerdict::Unreachable),
            ] {
                let machine = member(family, locals)?;
                let asked = match known {
                    KnownVerdict::Reachable => failing(&machine),
                    KnownVerdict::Unreachable => Question::assertions(&machine),
                };
                let took = self.ask(&lazy, &machine, &asked, known, None)?;
                row.push(took.states());
                let took = self.ask(&eager, &machine, &asked, known, Some(EAGER_LIMIT))?;
                row.push(took.states());
            }
            table.row(row);
        }
        let title = "Many uninitialised variables (Figure 5), states; eager: all values enumerated, as VERA did";
        self.show(title, &table);
        Ok(())
    }

    fn speed(&mut self) -> Result<(), Failure> {
        let mut table = Table::new([
            ("jobs", Align::Right),
            ("states", Align::Right),
            ("bytes per state", Align::Right),
            ("time", Align::Right),
            ("states per second", Align::Right),
            ("speed-up", Align::Right),
        ]);
        let machine = member("counters-safe", COUNTERS)?;
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let mut contenders = vec![NonZeroUsize::MIN];
        contenders.extend((cores.get() > 1).then_some(cores));
        let mut best: Vec<Option<Took>> = contenders.iter().map(|_| None).collect();
        for _ in 0..SPEED_ROUNDS {
            for (&jobs, best) in contenders.iter().zip(&mut best) {
                let engine = ExplicitEngine {
                    jobs,
                    ..ExplicitEngine::default()
                };
                let known = KnownVerdict::Unreachable;
                let took = self.ask(&engine, &machine, &labels(&machine), known, None)?;
                if best.as_ref().is_none_or(|best| took.time < best.time) {
                    *best = Some(took);
                }
            }
        }
        let mut alone: Option<Duration> = None;
        for (jobs, took) in contenders.iter().zip(best.iter().flatten()) {
            let states = took.counter("states");
            let speed = u128::from(states) * 1_000_000 / took.time.as_micros().max(1);
            let ratio = alone.map(|alone| alone.as_secs_f64() / took.time.as_secs_f64());
            alone.get_or_insert(took.time);
            table.row([
                jobs.to_string(),
                states.to_string(),
                took.counter("bytes-per-state").to_string(),
                quantity::time(took.time),
                speed.to_string(),
                quantity::or_nothing(ratio, quantity::ratio),
            ]);
        }
        self.show("Speed, the certificate included", &table);
        Ok(())
    }

    fn show(&mut self, title: &str, table: &Table) {
        self.console
            .print(&format!("{title}\n{}\n", table.render()));
        self.console.flush();
    }

    /// Asks about places or runs of a program.
    fn ask(
        &mut self,
        engine: &ExplicitEngine,
        machine: &Machine,
        question: &Question,
        known: KnownVerdict,
        states: Option<u64>,
    ) -> Result<Took, Failure> {
        let patience = Patience::for_at_most(Some(self.timeout));
        let budget = Budget {
            states,
            interrupt: &patience,
            ..Budget::unlimited()
        };
        let started = Instant::now();
        let outcome = engine.check(machine, question, &budget, &mut Silent);
        let time = started.elapsed();
        let mut verdict = Some(KnownVerdict::Unreachable);
        for answer in &outcome.answers {
            match &answer.verdict {
                Verdict::Yes(Support::Evidence(evidence)) => {
                    let judged = judge_evidence(machine, question, &answer.asked, evidence);
                    judged.map_err(|why| rejected(&why))?;
                    verdict = Some(KnownVerdict::Reachable);
                    break;
                }
                Verdict::No(_) => {}
                Verdict::Yes(_) => verdict = Some(KnownVerdict::Reachable),
                Verdict::Unknown(why) => {
                    self.interrupted(why);
                    verdict = None;
                }
            }
        }
        self.judge(verdict, known);
        Ok(Took {
            verdict,
            counters: outcome.statistics,
            time,
        })
    }

    /// Asks about whole runs.
    fn ask_about_runs(
        &mut self,
        machine: &Machine,
        text: PropertyText,
        known: KnownVerdict,
    ) -> Result<Took, Failure> {
        let property = read_property(self.console, machine, text)?;
        let question = property;
        self.ask(&ExplicitEngine::default(), machine, &question, known, None)
    }

    /// A limit on states is part of the experiment; others are not.
    fn interrupted(&mut self, why: &Limit) {
        if *why != Limit::States && self.exit == Exit::Fine {
            self.exit = Exit::Unknown;
        }
    }

    fn judge(&mut self, verdict: Option<KnownVerdict>, known: KnownVerdict) {
        if verdict.is_some_and(|verdict| verdict != known) {
            self.console
                .note("WRONG: the next table has a verdict that cannot be");
            self.exit = Exit::Found;
        }
    }
}

fn rejected(why: &dyn std::fmt::Display) -> Failure {
    Failure::Internal(format!(
        "internal error: the answer of engine explicit was rejected: {why}"
    ))
}

/// All labels of a program.
fn labels(machine: &Machine) -> Question {
    let labels = machine.labels.iter();
    let targets = labels.flat_map(|label| Target::labels(machine, &label.name));
    Question::reach(targets.collect())
}

/// The first assertion that can fail: to find one is another matter than to settle all.
fn failing(machine: &Machine) -> Question {
    let all = Question::assertions(machine);
    let outcome = ExplicitEngine::default().check(machine, &all, &Budget::unlimited(), &mut Silent);
    let mut answers = outcome.answers.iter();
    let first = answers.find(|answer| answer.verdict.is_yes());
    let target = first.and_then(Answer::target).cloned();
    Question::reach(target.into_iter().collect())
}

fn member(family: &str, size: u32) -> Result<Machine, Failure> {
    let found = hardbop_families::find(family);
    let text = found.map(|family| family.generate(size, 0).text);
    let machine = text.and_then(|text| from_text(family, &text).ok());
    machine.ok_or_else(|| Failure::Internal(format!("family {family} has no valid member {size}")))
}
