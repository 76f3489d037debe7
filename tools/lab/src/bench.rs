//! `hardbop-lab bench`: engines, and other programs beside them, on generated programs whose verdict is
//! known.
//!
//! Every run is a separate process, this very executable for hardbop's engines: memory is
//! measured from scratch, a crash is a line in the table, and a peer is treated exactly alike.
//! Contenders take turns on every case, so that whatever else the machine does hits them all. What
//! is run and what is shown is decided in `hardbop-bench`.

mod bluetooth;
mod getafix;
mod host;
mod instructions;
mod leino;
pub mod measured_process;
mod outputs;
mod peers;
mod plan;
mod programs;
pub mod scratch;
mod session;
mod stopwatch;
mod vera;

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use hardbop_bench::{Case, End, Measure, Record, Run, Sample, Suite, quantity, report};
use hardbop_cli::console::Console;
use hardbop_cli::exit::{Exit, Failure};
use hardbop_cli::limits::seconds;
use hardbop_families::KnownVerdict;
use hardbop_machine::Machine;
use hardbop_outcome::Outcome;
use instructions::Counter;
use measured_process::Limits;
use programs::Programs;
use session::{Contender, Session};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  hardbop-lab bench                                             every family, small sizes
  hardbop-lab bench --family tn --sizes 100,200,400 --repeat 3
  hardbop-lab bench --family tn --peer 'moped=moped {file} {label} => YES' --compare
  hardbop-lab bench --family tn --peer z3 --peer moped --html tn.html
  hardbop-lab bench --instructions --json new.json --against old.json   report slowdowns
  hardbop-lab bench --suite page --timeout 4 --page docs/performance.md
  hardbop-lab bench --program lock.bp --reach ERROR --expect unreachable
  hardbop-lab bench --frontend                                  the front end, no engine
  hardbop-lab bench --getafix                                   Figure 2 of the Getafix paper
  hardbop-lab bench --bluetooth                                 Figure 3 of the Getafix paper
  hardbop-lab bench --leino                                     Figure 3 of Leino's paper
  hardbop-lab bench --vera                                      the experiments of the VERA paper

Exit codes: 0 fine, 1 a verdict is WRONG or something is slower than in --against, 2 bad usage,
3 interrupted, 4 hardbop itself failed.";

/// Options that say what is run, which `--from` has no use for.
const RUNNING: [&str; 12] = [
    "frontend",
    "families",
    "sizes",
    "seeds",
    "suite",
    "program",
    "engines",
    "peers",
    "all_peers",
    "instructions",
    "memory",
    "repeat",
];
/// Options of a measurement, which the tables of the papers have no use for.
const MEASURING: [&str; 20] = [
    "frontend",
    "families",
    "sizes",
    "seeds",
    "suite",
    "program",
    "engines",
    "peers",
    "all_peers",
    "instructions",
    "memory",
    "repeat",
    "auto",
    "compare",
    "from",
    "against",
    "csv",
    "json",
    "html",
    "page",
];

/// Measure engines and other tools on programs with known verdicts
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
    /// Sizes and seeds of the families [default: quick]
    #[arg(long, value_enum)]
    suite: Option<SuiteName>,
    #[command(flatten)]
    programs: Programs,
    /// An engine to measure, optionally with its options, as in 'explicit --eager' [default: auto]
    #[arg(long = "engine", value_name = "NAME", value_parser = plan::engine_with_options)]
    engines: Vec<String>,
    /// Another tool to measure: z3, clingo, moped, cbmc or mucke, or NAME=COMMAND with {file},
    /// {label} and formats of `export` such as {chc}, and `=> TEXT` if TEXT in its output means
    /// reachable (`=> TEXT => OTHER` if OTHER means unreachable)
    #[arg(long = "peer", value_name = "NAME[=COMMAND]", value_parser = peers::choice)]
    peers: Vec<peers::Choice>,
    /// Measure all of z3, clingo, moped, cbmc and mucke that are installed
    #[arg(long = "peers")]
    all_peers: bool,
    /// Also count the instructions of every answer, with `perf stat` or Valgrind
    #[arg(long)]
    instructions: bool,
    /// Stop each run after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, help_heading = "Limits")]
    timeout: Duration,
    /// Stop each run when it uses this much memory [default: no limit]
    #[arg(long, value_name = "MB", help_heading = "Limits")]
    memory: Option<u64>,
    /// Run everything this many times; tables show the fastest run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Show contenders side by side, with their ratio to the first
    #[arg(long, value_enum, value_name = "MEASURE", num_args = 0..=1, require_equals = true, default_missing_value = "wall")]
    compare: Option<MeasureName>,
    /// Show the runs of a file written by --json, without running anything
    #[arg(long, value_name = "FILE", conflicts_with_all = RUNNING)]
    from: Option<String>,
    /// Report slowdowns relative to a file written by --json
    #[arg(long, value_name = "FILE")]
    against: Option<String>,
    /// Percent by which work and instructions may grow with --against
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 2.0,
        requires = "against"
    )]
    tolerance: f64,
    #[command(flatten)]
    output: OutputArguments,
    /// Measure the front end, from text to machine, instead of engines
    #[arg(long, conflicts_with_all = ["engines", "peers", "all_peers", "suite"])]
    frontend: bool,
    /// Show Figure 3 of the Getafix paper instead: the Bluetooth driver with different numbers of
    /// adders and stoppers, for up to K context switches (6 if K is omitted)
    #[arg(long, value_name = "K", num_args = 0..=1, default_missing_value = "6", group = "paper", conflicts_with_all = MEASURING)]
    bluetooth: Option<u32>,
    /// Show Figure 2 of the Getafix paper instead: its two algorithms as formulas, and the summary
    /// engine
    #[arg(long, group = "paper", conflicts_with_all = MEASURING)]
    getafix: bool,
    /// Show Figure 3 of Leino's paper instead: function terms of drivers of the paper's sizes
    #[arg(long, group = "paper", conflicts_with_all = MEASURING)]
    leino: bool,
    /// Compare the portfolio with each engine alone, and report where it exceeds its time guarantee
    #[arg(long, conflicts_with_all = ["frontend", "engines", "peers", "all_peers"])]
    auto: bool,
    /// Show the tables of the VERA paper instead: quicksort, the double lock, uninitialised
    /// variables, and the speed of the explicit engine
    #[arg(long, group = "paper", conflicts_with_all = MEASURING)]
    vera: bool,
}

/// The files that are written.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
struct OutputArguments {
    /// Write every run to a CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<String>,
    /// Write every run to a JSON file, for --against and --from
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
    /// Write an HTML page with tables and plots
    #[arg(long, value_name = "FILE")]
    html: Option<String>,
    /// Write the page as Markdown to NAME.md, and its plots to the folder NAME
    #[arg(long, value_name = "NAME.md", value_parser = markdown_file)]
    page: Option<String>,
}

fn markdown_file(text: &str) -> Result<String, &'static str> {
    match text.strip_suffix(".md") {
        Some(name) if !name.is_empty() => Ok(text.to_owned()),
        _ => Err("the name of a page ends in .md"),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SuiteName {
    /// Every family at its two smallest sizes, one seed.
    Quick,
    /// Every family at all its sizes, two seeds.
    Full,
    /// The contents of docs/performance.md: its families, engines, known peers, and instructions.
    Page,
}

impl From<SuiteName> for Suite {
    fn from(name: SuiteName) -> Self {
        match name {
            SuiteName::Quick => Suite::Quick,
            SuiteName::Full => Suite::Full,
            SuiteName::Page => Suite::Page,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MeasureName {
    /// Time from start to end.
    Wall,
    /// User and system time.
    Cpu,
    /// Peak resident memory.
    Memory,
    /// Instructions, with --instructions.
    Instructions,
}

impl From<MeasureName> for Measure {
    fn from(name: MeasureName) -> Self {
        match name {
            MeasureName::Wall => Measure::Wall,
            MeasureName::Cpu => Measure::Cpu,
            MeasureName::Memory => Measure::Memory,
            MeasureName::Instructions => Measure::Instructions,
        }
    }
}

impl Arguments {
    /// Whether the suite is that of the page about performance.
    fn is_page(&self) -> bool {
        self.suite == Some(SuiteName::Page)
    }
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
    if let Some(file) = &arguments.from {
        return outputs::finish(console, arguments, &outputs::read(file)?, false);
    }
    // What cannot be used is said before anything long is begun.
    if let Some(file) = &arguments.against {
        outputs::read(file)?;
    }
    let cases = plan::cases(arguments)?;
    let (contenders, absent) = plan::contenders(arguments)?;
    let session = Session::new(Limits {
        time: arguments.timeout,
        cpu: None,
        memory_kib: arguments
            .memory
            .map(|megabytes| megabytes.saturating_mul(1024)),
    })?;
    let counter = match (arguments.instructions, arguments.is_page()) {
        (true, _) => Some(Counter::find()),
        (false, true) => Some(Counter::find_quick()),
        (false, false) => None,
    };
    let mut run = Run {
        hardbop: env!("CARGO_PKG_VERSION").to_owned(),
        host: host::describe(),
        command: command_line(),
        counted_by: match &counter {
            None => String::new(),
            Some(Ok(counter)) => counter.sentence().to_owned(),
            Some(Err(why)) => why.clone(),
        },
        limits: format!(
            "Every run was stopped after {}; the fastest of {} is shown.",
            quantity::time(arguments.timeout),
            arguments.repeat
        ),
        absent,
        ..Run::new()
    };
    let counter = counter.and_then(Result::ok);
    for case in cases {
        let interrupted = measure(console, arguments, &session, &contenders, &case, &mut run)?;
        if interrupted {
            run.is_incomplete = true;
            return outputs::finish(console, arguments, &run, true);
        }
        let from = run.records.len() - contenders.len();
        for (offset, contender) in contenders.iter().enumerate() {
            let record = &mut run.records[from + offset];
            if let Some(counter) = counter.filter(|_| record.is_answered()) {
                // Wall time says little about the work on a busy machine.
                let spent = record.best().cpu.unwrap_or(record.best().wall);
                record.instructions = session.count(contender, &case, counter, spent)?;
            }
            console.note(&report::progress_line(record));
        }
    }
    outputs::finish(console, arguments, &run, false)
}

/// Adds the records of one case; whether the user has asked to stop, so that there are none.
fn measure(
    console: &mut Console,
    arguments: &Arguments,
    session: &Session,
    contenders: &[Contender],
    case: &Case,
    run: &mut Run,
) -> Result<bool, Failure> {
    let from = run.records.len();
    session.prepare(case, contenders, |message| console.note(message))?;
    for contender in contenders {
        run.records.push(Record {
            case: case.clone(),
            contender: contender.name().to_owned(),
            kind: contender.kind(),
            samples: Vec::new(),
            instructions: None,
        });
    }
    for _ in 0..arguments.repeat {
        for (offset, contender) in contenders.iter().enumerate() {
            let sample = if is_hopeless(&run.records, from + offset) {
                Sample::ended(End::Skipped)
            } else {
                let sample = session.sample(contender, case)?;
                // Where every engine is tried on everything, some decline.
                let tries_all = arguments.auto || arguments.is_page();
                if tries_all && sample.end == End::Exited(DECLINED) {
                    Sample::ended(End::Unsuited)
                } else {
                    sample
                }
            };
            run.records[from + offset].samples.push(sample);
        }
        if session.is_interrupted() {
            // The run that was cut short says nothing.
            run.records.truncate(from);
            return Ok(true);
        }
    }
    Ok(false)
}

/// The exit code of an engine that does not take a question.
const DECLINED: i32 = 2;

/// The command as the user gave it.
fn command_line() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    format!("hardbop-lab {}", words.join(" "))
}

/// A generated program as a machine.
fn instance_machine(name: &str, text: &str) -> Result<Machine, Failure> {
    let machine = hardbop_machine::from_text(name, text);
    machine.map_err(|_| Failure::Internal(format!("the program {name} is not valid")))
}

/// A counter of a search.
fn counter(outcome: &Outcome, name: &str) -> u64 {
    outcome.statistics.get(name).unwrap_or(0)
}

/// Whether some target is reached; `None` if that is unknown.
fn verdict(outcome: &Outcome) -> Option<KnownVerdict> {
    let mut verdict = Some(KnownVerdict::Unreachable);
    for answer in &outcome.answers {
        if answer.verdict.is_yes() {
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
