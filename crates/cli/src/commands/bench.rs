//! `hardbop bench`: engines, and other programs beside them, on generated programs whose verdict is
//! known.
//!
//! Every run is a process of its own, this very executable for hardbop's engines: memory is
//! measured from scratch, a crash is a line in the table, and a peer is treated exactly alike.
//! Contenders take turns on every case, so that whatever else the machine does hits them all. What
//! is run and what is shown is decided in `hardbop-bench`.

mod bluetooth;
mod getafix;
mod leino;
mod measured_process;
mod programs;
mod scratch;
mod session;
mod vera;

use crate::console::Console;
use crate::engine_arguments as engines;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::limits::seconds;
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use hardbop_bench::report::{self, Tally};
use hardbop_bench::{
    Case, End, FRONT_END_FAMILY, FRONT_END_SIZES, Measure, Peer, Record, Sample, Suite, auto_table,
};
use hardbop_families::{Family, KnownVerdict};
use hardbop_machine::Machine;
use hardbop_outcome::Outcome;
use measured_process::Limits;
use programs::Programs;
use session::{Contender, Session};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  hardbop bench                                             every family, small sizes
  hardbop bench --family tn --sizes 100,200,400 --repeat 3
  hardbop bench --family tn --peer 'moped=moped {file} {label} => YES' --compare
  hardbop bench --program lock.bp --reach ERROR --expect unreachable
  hardbop bench --frontend                                  from text to machine, no engine
  hardbop bench --getafix                                   Figure 2 of the Getafix paper
  hardbop bench --bluetooth                                 Figure 3 of the Getafix paper
  hardbop bench --leino                                     Figure 3 of Leino's paper
  hardbop bench --vera                                      the experiments of the VERA paper

Exit codes: 0 fine, 1 a verdict is WRONG, 2 bad usage, 3 interrupted, 4 hardbop itself failed.";

/// Measure engines and other programs on programs with known verdicts
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "flags of the command line are independent"
)]
pub struct Arguments {
    /// A family of generated programs, see `hardbop generate --list` [default: all]
    #[arg(long = "family", value_name = "NAME", value_parser = PossibleValuesParser::new(family_names()))]
    families: Vec<String>,
    /// Sizes of the generated programs [default: the suite's]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    sizes: Vec<u32>,
    /// Seeds of the generated programs [default: the suite's]
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    seeds: Vec<u64>,
    /// Which sizes and seeds the families get [default: quick]
    #[arg(long, value_enum)]
    suite: Option<SuiteName>,
    #[command(flatten)]
    programs: Programs,
    /// An engine to measure, with options of its own if need be, as in 'explicit --eager' [default:
    /// auto]
    #[arg(long = "engine", value_name = "NAME", value_parser = engine_with_options)]
    engines: Vec<String>,
    /// Another program to measure: NAME=COMMAND with {file} and {label}, and `=> TEXT` if TEXT in
    /// its output means reachable (`=> TEXT => OTHER` if OTHER means unreachable)
    #[arg(long = "peer", value_name = "NAME=COMMAND")]
    peers: Vec<Peer>,
    /// Stop each run after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, help_heading = "Limits")]
    timeout: Duration,
    /// Stop each run beyond this much memory [default: no limit]
    #[arg(long, value_name = "MB", help_heading = "Limits")]
    memory: Option<u64>,
    /// Run everything this many times; tables show the fastest run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Show contenders side by side, with their ratio to the first
    #[arg(long, value_enum, value_name = "MEASURE", num_args = 0..=1, require_equals = true, default_missing_value = "wall")]
    compare: Option<MeasureName>,
    /// Write every run to a CSV file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<String>,
    /// Measure the way from text to machine instead of engines
    #[arg(long, conflicts_with_all = ["engines", "peers", "suite"])]
    frontend: bool,
    /// Show Figure 3 of the Getafix paper instead: adders and stoppers of the Bluetooth driver
    /// against up to K context switches, 6 unless said otherwise
    #[arg(long, value_name = "K", num_args = 0..=1, default_missing_value = "6", conflicts_with_all = ["frontend", "families", "engines", "peers", "suite", "csv"])]
    bluetooth: Option<u32>,
    /// Show Figure 2 of the Getafix paper instead: its two algorithms as formulas, and the summary
    /// engine
    #[arg(long, conflicts_with_all = ["frontend", "families", "engines", "peers", "suite", "csv", "bluetooth", "vera"])]
    getafix: bool,
    /// Show Figure 3 of Leino's paper instead: function terms of drivers of the paper's sizes
    #[arg(long, conflicts_with_all = ["frontend", "families", "engines", "peers", "suite", "csv", "bluetooth", "vera", "getafix"])]
    leino: bool,
    /// Put the portfolio beside every engine alone, and say where it takes more than promised
    #[arg(long, conflicts_with_all = ["frontend", "engines", "peers"])]
    auto: bool,
    /// Show the tables of the VERA paper instead: quicksort, the double lock, uninitialised
    /// variables, and the speed of the explicit engine
    #[arg(long, conflicts_with_all = ["frontend", "families", "engines", "peers", "suite", "csv", "bluetooth"])]
    vera: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SuiteName {
    /// Every family at its two smallest sizes, one seed.
    Quick,
    /// Every family at all its sizes, two seeds.
    Full,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MeasureName {
    /// Time from start to end.
    Wall,
    /// User and system time.
    Cpu,
    /// The most resident memory.
    Memory,
}

fn family_names() -> impl Iterator<Item = &'static str> {
    hardbop_families::all().iter().map(|family| family.name)
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    if let Some(switches) = arguments.bluetooth {
        return bluetooth::run(console, switches, arguments.timeout);
    }
    if arguments.vera {
        return vera::run(console, arguments.timeout);
    }
    if arguments.getafix {
        return getafix::run(console, arguments.timeout);
    }
    if arguments.leino {
        return leino::run(console, arguments.timeout);
    }
    let cases = cases(arguments)?;
    let contenders = contenders(arguments)?;
    let session = Session::new(Limits {
        time: arguments.timeout,
        memory_kib: arguments
            .memory
            .map(|megabytes| megabytes.saturating_mul(1024)),
    })?;
    let mut records: Vec<Record> = Vec::new();
    for case in cases {
        let from = records.len();
        let file = session.file_of(&case)?;
        for contender in &contenders {
            records.push(Record {
                case: case.clone(),
                contender: contender.name().to_owned(),
                kind: contender.kind(),
                samples: Vec::new(),
            });
        }
        for _ in 0..arguments.repeat {
            for (offset, contender) in contenders.iter().enumerate() {
                let sample = if is_hopeless(&records, from + offset) {
                    Sample::ended(End::Skipped)
                } else {
                    let sample = session.sample(contender, &file, &case)?;
                    // Every engine is tried on everything, so some decline.
                    let declines = arguments.auto && sample.end == End::Exited(DECLINED);
                    if declines {
                        Sample::ended(End::Skipped)
                    } else {
                        sample
                    }
                };
                records[from + offset].samples.push(sample);
            }
            if session.is_interrupted() {
                // The run that was cut short says nothing.
                records.truncate(from);
                return finish(console, arguments, &records, true);
            }
        }
        for record in &records[from..] {
            console.note(&report::progress_line(record));
        }
    }
    finish(console, arguments, &records, false)
}

fn finish(
    console: &mut Console,
    arguments: &Arguments,
    records: &[Record],
    interrupted: bool,
) -> Result<Exit, Failure> {
    let measure = arguments.compare.map(|name| match name {
        MeasureName::Wall => Measure::Wall,
        MeasureName::Cpu => Measure::Cpu,
        MeasureName::Memory => Measure::Memory,
    });
    console.print(&report::render(records, measure));
    if let Some(file) = &arguments.csv {
        files::replace(file, &hardbop_bench::csv::render(records))?;
    }
    let tally = Tally::of(records);
    if arguments.auto {
        let (table, broken) = auto_table::render(records);
        console.print(&format!(
            "\nThe portfolio beside the best single engine (at most 3 times with one job, 2 with \
             two, plus 50 ms)\n{table}promises not kept: {broken}\n"
        ));
    }
    Ok(if tally.wrong > 0 {
        Exit::Found
    } else if tally.own_failures > 0 {
        Exit::Internal
    } else if interrupted {
        Exit::Unknown
    } else {
        Exit::Fine
    })
}

/// A generated program as a machine.
fn instance_machine(name: &str, text: &str) -> Result<Machine, Failure> {
    let machine = hardbop_machine::from_text(name, text);
    machine.map_err(|_| Failure::Internal(format!("the program {name} is not valid")))
}

/// A counter of a search.
fn counter(outcome: &Outcome, name: &str) -> u64 {
    let mut counters = outcome.statistics.iter();
    counters.find(|(known, _)| known == name).map_or(0, |c| c.1)
}

/// Whether some target is reached; nothing if that is not known.
fn verdict(outcome: &Outcome) -> Option<KnownVerdict> {
    let mut verdict = Some(KnownVerdict::Unreachable);
    for answer in &outcome.answers {
        if answer.verdict.is_found() {
            return Some(KnownVerdict::Reachable);
        }
        if answer.verdict.is_unknown() {
            verdict = None;
        }
    }
    verdict
}

/// Whether a smaller member of the same series was too much for the same contender, or this very
/// one was a moment ago.
fn is_hopeless(records: &[Record], index: usize) -> bool {
    let record = &records[index];
    records[..=index].iter().any(|other| {
        let is_same = other.contender == record.contender && other.kind == record.kind;
        let is_smaller = other.case.is_same_series(&record.case) || std::ptr::eq(other, record);
        is_same && is_smaller && other.samples.iter().any(Sample::hit_limit)
    })
}

fn cases(arguments: &Arguments) -> Result<Vec<Case>, Failure> {
    let suite = match arguments.suite {
        Some(SuiteName::Full) => Suite::Full,
        Some(SuiteName::Quick) | None => Suite::Quick,
    };
    let mut families: Vec<&'static Family> = Vec::new();
    for name in &arguments.families {
        let known = hardbop_families::find(name);
        families.push(known.expect("only names of families are possible values"));
    }
    let asks_for_files_only = !arguments.programs.is_empty() && arguments.suite.is_none();
    if families.is_empty() && !asks_for_files_only {
        families = if arguments.frontend {
            hardbop_families::find(FRONT_END_FAMILY)
                .into_iter()
                .collect()
        } else {
            suite.families()
        };
    }
    let given_or = |given: &[u32], default: &[u32]| {
        let chosen = if given.is_empty() { default } else { given };
        chosen.to_vec()
    };
    let mut cases = Vec::new();
    for family in families {
        let default = if arguments.frontend {
            &FRONT_END_SIZES[..]
        } else {
            suite.sizes(family)
        };
        let sizes = given_or(&arguments.sizes, default);
        let seeds = match &arguments.seeds[..] {
            [] if arguments.frontend => Suite::Quick.seeds(),
            [] => suite.seeds(),
            given => given,
        };
        cases.extend(Case::members(family, &sizes, seeds));
    }
    cases.extend(arguments.programs.cases()?);
    if arguments.frontend {
        cases = cases.into_iter().map(Case::without_question).collect();
    }
    Ok(cases)
}

/// The exit code of an engine that does not take a question.
const DECLINED: i32 = 2;

/// Engines that never are the best, left out of `--auto`.
const SLOW: [&str; 3] = ["calculus", "tabulation", "brute-force"];

/// The name of an engine and perhaps options of `hardbop check`.
fn engine_with_options(text: &str) -> Result<String, String> {
    let name = text.split_whitespace().next().unwrap_or_default();
    if engines::names().any(|known| known == name) {
        return Ok(text.to_owned());
    }
    let names: Vec<&str> = engines::names().collect();
    Err(format!("the engines are {}", names.join(", ")))
}

fn contenders(arguments: &Arguments) -> Result<Vec<Contender>, Failure> {
    if arguments.frontend {
        return Ok(vec![Contender::FrontEnd]);
    }
    let mut contenders: Vec<Contender> = Vec::new();
    let default = if arguments.auto {
        let every = engines::names().skip(1).filter(|name| !SLOW.contains(name));
        let portfolio = [auto_table::AUTO, auto_table::AUTO_TWO_JOBS];
        every.chain(portfolio).map(str::to_owned).collect()
    } else {
        vec![engines::AUTO.to_owned()]
    };
    let engines = if arguments.engines.is_empty() {
        &default[..]
    } else {
        &arguments.engines[..]
    };
    contenders.extend(engines.iter().cloned().map(Contender::Engine));
    contenders.extend(arguments.peers.iter().cloned().map(Contender::Peer));
    for (position, contender) in contenders.iter().enumerate() {
        let name = contender.name();
        if contenders[..position]
            .iter()
            .any(|other| other.name() == name)
        {
            return Err(Failure::BadInput(format!(
                "two contenders are called {name}"
            )));
        }
    }
    Ok(contenders)
}
