//! `hardbop soak`: looks for faults of hardbop itself, with random programs and questions.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::interrupt::Patience;
use crate::panic;
use hardbop_outcome::{Interrupt, Limit};
use hardbop_soak::{Case, Complaint, Tally};
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  hardbop soak                                a minute of random programs
  hardbop soak --seconds 7200 --seed 42       two hours of others
  hardbop soak --cases 1 --seed 1337          one case once more

Exit codes: 0 nothing was found, 2 bad usage, 3 interrupted, 4 a fault of hardbop was found.";

/// How long a fault is made smaller.
const SHRINKING: Duration = Duration::from_mins(1);

/// Look for faults of hardbop itself: random programs and questions, asked in every way
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Stop after this many seconds [default: 60, or no limit with --cases]
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// Stop after this many programs [default: no limit]
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// The number of the first program; the others are counted from there
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Where programs that show a fault are written, made as small as they get
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = ".",
        help_heading = "Output"
    )]
    save: PathBuf,
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    // A panic is a fault that was found, and the search goes on.
    panic::report_only();
    let seconds = match (arguments.seconds, arguments.cases) {
        (None, None) => Some(60),
        (seconds, _) => seconds,
    };
    let time = Patience::for_at_most(seconds.map(Duration::from_secs));
    let mut tally = Tally::default();
    let mut faults = 0;
    for number in 0..arguments.cases.unwrap_or(u64::MAX) {
        if time.check().is_some() {
            break;
        }
        let case = Case::of(arguments.seed.wrapping_add(number));
        match case.examine(&time) {
            Ok(more) => tally.add(&more),
            Err(complaint) => {
                faults += 1;
                let file = save(&case, &complaint, &arguments.save)?;
                let Complaint { demand, what } = complaint;
                console.print(&format!(
                    "seed {}: not so that {demand}: {what} ({file})\n",
                    case.seed
                ));
            }
        }
    }
    for (what, count) in tally.figures() {
        console.print(&format!("{count:>9}  {what}\n"));
    }
    console.print(&format!("{faults:>9}  faults\n"));
    match (faults, time.check()) {
        (0, Some(Limit::Interrupted)) => Ok(Exit::Unknown),
        (0, _) => Ok(Exit::Fine),
        _ => Ok(Exit::Internal),
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
        "// Not so that {demand}: {what}\n// hardbop soak --cases 1 --seed {seed}\n{}",
        small.text
    );
    files::replace(&file, &text)?;
    Ok(file)
}
