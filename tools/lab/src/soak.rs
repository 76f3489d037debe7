//! `hardbop-lab soak`: looks for faults of hardbop itself, with random programs and questions.

mod c_compiler;

use c_compiler::{CPrograms, Campaign};
use hardbop_cli::STACK_SIZE;
use hardbop_cli::console::Console;
use hardbop_cli::exit::{Exit, Failure};
use hardbop_cli::files;
use hardbop_cli::interrupt::Patience;
use hardbop_cli::limits::TimeAndMemory;
use hardbop_cli::panic;
use hardbop_cli::progress::ProgressArguments;
use hardbop_outcome::{Event, Interrupt, Limit, Progress};
use hardbop_soak::{Case, Complaint, Tally};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  hardbop-lab soak                                a minute of random programs
  hardbop-lab soak --seconds 7200 --seed 42       two hours, other programs
  hardbop-lab soak --cases 1 --seed 1337          repeat one case
  hardbop-lab soak --c programs                   compare C programs with the compiler `cc`

Ctrl-C and limits end it with the counts so far.
Exit codes: 0 nothing was found, 2 bad usage, 3 interrupted, 4 a fault of hardbop was found.";

/// How long a case may take to notice a limit.
const GRACE: Duration = Duration::from_secs(2);
/// How long a fault is made smaller.
const SHRINKING: Duration = Duration::from_mins(1);

/// Search for bugs in hardbop itself with random programs and questions
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Stop after this many seconds [default: 60, or no limit with --cases]
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// Stop after this many programs [default: no limit]
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// Stop when the process uses this much memory [default: no limit]
    #[arg(long, value_name = "MB", help_heading = "Limits")]
    memory: Option<u64>,
    /// The number of the first program; the others follow it
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Compare the C front end with the C compiler (`cc`) instead of engines with each other
    #[arg(long, value_enum, value_name = "PROGRAMS")]
    c: Option<CPrograms>,
    /// Folder for minimized programs that reveal a bug
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = ".",
        help_heading = "Output"
    )]
    save: PathBuf,
    #[command(flatten)]
    progress: ProgressArguments,
}

/// What the thread that examines cases tells.
type News = (Case, Result<Tally, Complaint>);

/// Runs the command. Cases are examined on a separate thread, so that one that does not notice
/// a limit cannot keep back the counts of all others.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    // A panic is a fault, and the search continues.
    panic::report_only();
    let seconds = match (arguments.seconds, arguments.cases) {
        (None, None) => Some(60),
        (seconds, _) => seconds,
    };
    let patience = Patience::start(&TimeAndMemory {
        time: seconds.map(Duration::from_secs),
        memory: arguments.memory,
    });
    let (seed, cases) = (arguments.seed, arguments.cases.unwrap_or(u64::MAX));
    let patience = Arc::new(Lasting {
        patience,
        is_memory_used_up: AtomicBool::new(false),
    });
    if let Some(programs) = arguments.c {
        let campaign = Campaign {
            programs,
            seed,
            cases,
            save: &arguments.save,
        };
        let mut meter = arguments.progress.meter(console);
        meter.event(Event::Engine("soak"));
        return campaign.run(console, &mut meter, &patience);
    }
    let (sender, news) = mpsc::sync_channel(0);
    let examiner = thread::Builder::new().stack_size(STACK_SIZE);
    let shared = Arc::clone(&patience);
    let examiner = examiner.spawn(move || examine(seed, cases, &shared, &sender));
    examiner.map_err(|error| Failure::BadInput(format!("cannot start a thread: {error}")))?;

    let mut meter = arguments.progress.meter(console);
    meter.event(Event::Engine("soak"));
    let mut tally = Tally::default();
    let (mut programs, mut faults) = (0, 0);
    while let Some((case, result)) = next(&news, &patience) {
        match result {
            Ok(more) => tally.add(&more),
            Err(complaint) => {
                faults += 1;
                let file = save(&case, &complaint, &arguments.save)?;
                let Complaint { demand, what } = complaint;
                console.print(&format!(
                    "seed {}: violated: {demand}: {what} ({file})\n",
                    case.seed
                ));
                // The fault must not be lost if the system ends the process.
                console.flush();
            }
        }
        programs += 1;
        meter.event(Event::Count("programs", programs));
    }
    drop(meter);
    for (what, count) in tally.figures() {
        console.print(&format!("{count:>9}  {what}\n"));
    }
    console.print(&format!("{faults:>9}  faults\n"));
    match (faults, patience.check()) {
        (0, Some(Limit::Interrupted | Limit::Memory)) => Ok(Exit::Unknown),
        (0, _) => Ok(Exit::Fine),
        _ => Ok(Exit::Internal),
    }
}

/// Patience that remembers that memory had run out, which is over when the case at hand has ended.
struct Lasting {
    patience: Patience,
    is_memory_used_up: AtomicBool,
}

impl Interrupt for Lasting {
    fn check(&self) -> Option<Limit> {
        if self.is_memory_used_up.load(Ordering::Relaxed) {
            return Some(Limit::Memory);
        }
        let limit = self.patience.check();
        if limit == Some(Limit::Memory) {
            self.is_memory_used_up.store(true, Ordering::Relaxed);
        }
        limit
    }
}

/// Examines one case after the other until a limit is reached.
fn examine(seed: u64, cases: u64, patience: &Lasting, sender: &SyncSender<News>) {
    for number in 0..cases {
        if patience.check().is_some() {
            return;
        }
        let case = Case::of(seed.wrapping_add(number));
        let result = case.examine(patience);
        if sender.send((case, result)).is_err() {
            return;
        }
    }
}

/// The result of the next case. Nothing once all are done, or when a limit has been reached and the
/// case at hand does not end.
fn next(news: &Receiver<News>, patience: &Lasting) -> Option<News> {
    loop {
        match news.recv_timeout(GRACE) {
            Ok(news) => return Some(news),
            Err(RecvTimeoutError::Timeout) if patience.check().is_none() => {}
            Err(_) => return None,
        }
    }
}

/// Writes a small program that shows the fault, and says where.
fn save(case: &Case, complaint: &Complaint, folder: &Path) -> Result<String, Failure> {
    let time = Patience::for_at_most(Some(SHRINKING));
    let small = case.shrunk(complaint, &time);
    let file = folder.join(format!("soak-{}.bp", case.seed));
    let file = file.to_string_lossy().into_owned();
    let Complaint { demand, what } = complaint;
    // What was seen may have several lines, and a comment has one.
    let what = what.lines().next().unwrap_or_default();
    let seed = case.seed;
    let text = format!(
        "// Not so that {demand}: {what}\n// hardbop-lab soak --cases 1 --seed {seed}\n{}",
        small.text
    );
    files::replace(&file, &text)?;
    Ok(file)
}
