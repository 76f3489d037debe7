//! Batches: `hardbop check` of several files, of folders, or of a project.
//!
//! Each file is checked by a separate process, the same executable with one file: limits, crashes
//! and memory stay with that file. [`jobs`] lists what is to be checked, from the command line and
//! from `hardbop.toml` ([`project`]); [`workers`] runs the processes; [`records`] keeps their
//! results, one line each, so that a killed batch can be resumed; [`table`]
//! shows it. Lines come in the order of the jobs, however many run at once.

mod jobs;
mod project;
mod records;
mod settings;
mod table;
mod workers;

pub use workers::end_with_parent;

use crate::console::Console;
use crate::exit::{Exit, Failure};
use records::Records;
use settings::Known;
use std::num::NonZeroUsize;
use std::path::Path;
use table::Table;
use workers::Event;

/// What makes a check a batch.
#[derive(Clone, Debug, clap::Args)]
pub struct BatchArguments {
    /// More programs or folders; in a folder, the project in its `hardbop.toml` is checked or,
    /// without one, every program
    #[arg(index = 2, value_name = "FILE|DIR")]
    more: Vec<String>,
    /// Check N files at the same time [default: 1]
    #[arg(short = 'j', long, value_name = "N", help_heading = "Batches")]
    workers: Option<NonZeroUsize>,
    /// Write results to a file, one JSON object per line
    #[arg(long, value_name = "FILE", help_heading = "Batches")]
    out: Option<String>,
    /// Resume from the --out file, skipping checks that it already contains
    #[arg(long, requires = "out", help_heading = "Batches")]
    resume: bool,
}

impl BatchArguments {
    /// Whether more is asked for than to check `first`. Without any file the project of the current
    /// folder is meant.
    pub fn is_batch(&self, first: &str) -> bool {
        first.is_empty()
            || !self.more.is_empty()
            || self.workers.is_some()
            || self.out.is_some()
            || Path::new(first).is_dir()
    }
}

/// Reads the text of a `hardbop.toml` in a folder. Returns how many checks it asks for, or the
/// message about what is wrong. Patterns of files are not expanded.
pub fn read_project(text: &str, folder: &Path) -> Result<usize, String> {
    let checks = project::parse(text, folder, &Known::new());
    let message = |failure: Failure| failure.message().unwrap_or_default().to_owned();
    checks.map(|checks| checks.len()).map_err(message)
}

/// Checks a batch. The exit code is the worst of its files.
pub fn run(
    console: &mut Console,
    first: &str,
    arguments: &BatchArguments,
) -> Result<Exit, Failure> {
    let paths: Vec<&str> = std::iter::once(first)
        .filter(|path| !path.is_empty())
        .chain(arguments.more.iter().map(String::as_str))
        .collect();
    let jobs = jobs::list(&paths)?;
    let mut records = match &arguments.out {
        Some(file) => Records::open(file, arguments.resume)?,
        None => Records::in_memory(),
    };
    let mut table = Table::new(&jobs);
    let mut open = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        match records.find(job) {
            Some(record) => table.finish(console, number, record),
            None => open.push(number),
        }
    }
    let workers = arguments.workers.unwrap_or(NonZeroUsize::MIN);
    let mut trouble = None;
    workers::run(&jobs, open, workers, |event| {
        match event {
            Event::Started(number) => table.start(console, number),
            Event::Tick => table.tick(console),
            Event::Done(number, record) => {
                if let Err(failure) = records.add(&record) {
                    trouble.get_or_insert(failure);
                }
                table.finish(console, number, record);
            }
        }
        trouble.is_none()
    });
    if let Some(failure) = trouble {
        return Err(failure);
    }
    Ok(table.end(console))
}

/// The exit code of a batch: an internal error outweighs bad input, that a violation, that
/// something unknown, and that what is fine.
fn worst(exits: impl IntoIterator<Item = Exit>) -> Exit {
    let weight = |exit: &Exit| match exit {
        Exit::Fine => 0,
        Exit::Unknown => 1,
        Exit::Found => 2,
        Exit::BadInput => 3,
        Exit::Internal => 4,
    };
    exits.into_iter().max_by_key(weight).unwrap_or(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_file_decides() {
        let codes = |exits: &[Exit]| worst(exits.iter().copied()).code();
        assert_eq!(codes(&[]), 0);
        assert_eq!(codes(&[Exit::Fine, Exit::Unknown]), 3);
        assert_eq!(codes(&[Exit::Unknown, Exit::Found, Exit::Fine]), 1);
        assert_eq!(codes(&[Exit::BadInput, Exit::Found]), 2);
        assert_eq!(codes(&[Exit::Internal, Exit::BadInput]), 4);
    }
}
