//! `hardbop-lab table`: hardbop, and other tools beside it, on folders of programs with verdicts.
//!
//! Every run is a process of its own with limits on CPU time and memory, one after the other, so
//! that the figures of a busy machine differ little from those of a quiet one. A property is given
//! to hardbop as the competitions write it; what is read and shown is in `hardbop_bench::corpus`.

use crate::bench::measured_process::{self, Limits, Measured};
use crate::bench::scratch::Scratch;
use hardbop_bench::corpus::{self, CorpusResult, CorpusRow, CorpusTask};
use hardbop_bench::{End, Peer, Verdict};
use hardbop_cli::console::Console;
use hardbop_cli::exit::{Exit, Failure};
use hardbop_cli::files;
use hardbop_cli::input::plain_words;
use hardbop_cli::interrupt::Patience;
use hardbop_cli::limits::seconds;
use hardbop_outcome::Interrupt as _;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  hardbop-lab table corpus                            every folder with a verdicts.tsv
  hardbop-lab table corpus --only loop --cpu 6        only files whose name contains `loop`
  hardbop-lab table corpus -- --data-model ilp32      options for `hardbop check`
  hardbop-lab table clauses --peer 'z3=z3 {file} => unsat => sat'

A line of verdicts.tsv has a program, optionally a property (unreach-call, termination, no-overflow,
or the name of a .prp file beside the program), and `true` or `false` (also `sat`, `holds`,
`unreachable`; `?` if the verdict is not known), separated by tabs.

Exit codes: 0 nothing was wrong, 1 a verdict is WRONG or a run FAILED, 2 bad usage, 3 interrupted.";

/// Count right, wrong and unknown verdicts on folders of programs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Folders with a file `verdicts.tsv`, in them or below
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Only questions whose program or property contains this text [default: all]
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// CPU time of each run
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds, help_heading = "Limits")]
    cpu: Duration,
    /// Memory of each run
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 2000,
        help_heading = "Limits"
    )]
    memory: u64,
    /// Another tool: NAME=COMMAND with {file}, and `=> TEXT => OTHER` if TEXT in its output means
    /// that the property is violated and OTHER that it holds [default: none]
    #[arg(long = "peer", value_name = "NAME=COMMAND", value_parser = peer)]
    peers: Vec<Peer>,
    /// Write a line with tabs for every run to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    rows: Option<String>,
    /// Options of `hardbop check` for every program
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<String>,
}

fn peer(text: &str) -> Result<Peer, String> {
    let peer: Peer = text.parse().map_err(|error| format!("{error}"))?;
    let format = peer.formats().next();
    match format {
        None => Ok(peer),
        Some(format) => Err(format!("{{{format}}} is not available here, only {{file}}")),
    }
}

/// Runs the command.
pub fn run(console: &mut Console, arguments: &Arguments) -> Result<Exit, Failure> {
    let lab = Lab {
        hardbop: std::env::current_exe()
            .map_err(|error| Failure::Internal(format!("cannot find hardbop itself: {error}")))?,
        scratch: Scratch::new()?,
        patience: Patience::for_at_most(None),
        arguments,
    };
    let mut rows = Vec::new();
    for folder in &arguments.folders {
        for list in lists_below(folder)? {
            let text = read(&list)?;
            let here = list.parent().unwrap_or(folder);
            let tasks = corpus::tasks(&text).map_err(|why| about(&list, &why))?;
            for task in tasks.iter().filter(|task| arguments.wants(task)) {
                lab.answer(here, task, |row| {
                    console.note(row.line().trim_end());
                    rows.push(row);
                })?;
                if lab.patience.check().is_some() {
                    // The run that was cut short says nothing.
                    rows.pop();
                    return finish(console, arguments, &rows, Exit::Unknown);
                }
            }
        }
    }
    if rows.is_empty() {
        return Err(Failure::BadInput("no question is asked for".to_owned()));
    }
    let exit = if rows.iter().any(CorpusRow::is_alarming) {
        Exit::Found
    } else {
        Exit::Fine
    };
    finish(console, arguments, &rows, exit)
}

fn finish(
    console: &mut Console,
    arguments: &Arguments,
    rows: &[CorpusRow],
    exit: Exit,
) -> Result<Exit, Failure> {
    console.print(&corpus::report(rows));
    if let Some(file) = &arguments.rows {
        let lines: String = rows.iter().map(CorpusRow::line).collect();
        files::replace(file, &lines)?;
    }
    Ok(exit)
}

impl Arguments {
    fn wants(&self, task: &CorpusTask) -> bool {
        let property = task.property.as_deref().unwrap_or_default();
        let has = |text: &String| task.file.contains(text) || property == text;
        self.only.iter().all(has)
    }
}

/// Every `verdicts.tsv` in a folder or below it, in order.
fn lists_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut lists = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        let entries =
            fs::read_dir(&folder).map_err(|error| about(&folder, &plain_words(&error)))?;
        for entry in entries.flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                pending.push(entry.path());
            } else if entry.file_name() == "verdicts.tsv" {
                lists.push(entry.path());
            }
        }
    }
    lists.sort();
    if lists.is_empty() {
        return Err(about(folder, "there is no verdicts.tsv in it or below it"));
    }
    Ok(lists)
}

fn read(file: &Path) -> Result<String, Failure> {
    let bytes = fs::read(file).map_err(|error| about(file, &plain_words(&error)))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn about(file: &Path, why: &str) -> Failure {
    Failure::BadInput(format!("{}: {why}", file.display()))
}

/// What all runs share.
struct Lab<'a> {
    hardbop: PathBuf,
    scratch: Scratch,
    patience: Patience,
    arguments: &'a Arguments,
}

impl Lab<'_> {
    /// Runs hardbop and every peer on a task.
    fn answer(
        &self,
        folder: &Path,
        task: &CorpusTask,
        mut say: impl FnMut(CorpusRow),
    ) -> Result<(), Failure> {
        let row = |contender: &str, result, measured: Option<&Measured>| CorpusRow {
            group: group(folder, task),
            task: task.clone(),
            contender: contender.to_owned(),
            result,
            cpu: measured.and_then(|of| of.cpu).unwrap_or_default(),
        };
        let file = folder.join(&task.file);
        match self.property_options(&file, task)? {
            Err(why) => say(row("hardbop", CorpusResult::Refused(why), None)),
            Ok(options) => {
                let mut words: Vec<OsString> = vec![self.hardbop.clone().into(), "check".into()];
                words.extend(["--quiet", "--trace", "none"].map(OsString::from));
                words.extend(options.into_iter().map(OsString::from));
                words.extend(self.arguments.options.iter().map(OsString::from));
                words.push(file.clone().into());
                let measured = self.measure(&words)?;
                let result = self.hardbop_result(&measured)?;
                say(row("hardbop", result, Some(&measured)));
            }
        }
        for peer in &self.arguments.peers {
            let words = peer.command(|name| (name == "file").then(|| file.display().to_string()));
            let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
            let measured = self.measure(&words)?;
            let result = self.peer_result(peer, &measured)?;
            say(row(&peer.name, result, Some(&measured)));
        }
        Ok(())
    }

    fn measure(&self, words: &[OsString]) -> Result<Measured, Failure> {
        let limits = Limits {
            // A process that waits spends no CPU time, and must end nevertheless.
            time: self.arguments.cpu * 4 + Duration::from_secs(10),
            cpu: Some(self.arguments.cpu),
            memory_kib: Some(self.arguments.memory.saturating_mul(1024)),
        };
        measured_process::run(words, &self.scratch, &limits, &self.patience)
    }

    /// The options that ask for the property of a task, or why there are none.
    fn property_options(
        &self,
        file: &Path,
        task: &CorpusTask,
    ) -> Result<Result<Vec<String>, String>, Failure> {
        let Some(property) = task.property.as_deref() else {
            return Ok(Ok(Vec::new()));
        };
        let formula = match property {
            "unreach-call" => {
                let text = read(file)?;
                let errors = ["reach_error", "__VERIFIER_error"];
                let error = errors.iter().find(|name| text.contains(**name));
                match error {
                    Some(function) => format!("G ! call({function}())"),
                    None => return Ok(Ok(Vec::new())),
                }
            }
            "termination" => "F end".to_owned(),
            "no-overflow" => "G ! overflow".to_owned(),
            _ => {
                let folder = file.parent().unwrap_or(Path::new("."));
                let named = folder.join(format!("{property}.prp"));
                let beside = |ending: &str| PathBuf::from(format!("{}{ending}", file.display()));
                let found = [beside(".prp"), file.with_extension("prp"), named];
                return Ok(match found.iter().find(|file| file.is_file()) {
                    Some(file) => Ok(vec!["--property".to_owned(), file.display().to_string()]),
                    None => Err(format!("there is no file for the property {property}")),
                });
            }
        };
        let text = format!("CHECK( init(main()), LTL({formula}) )\n");
        let file = self.scratch.write_property(&text)?;
        Ok(Ok(vec!["--property".to_owned(), file]))
    }

    fn hardbop_result(&self, measured: &Measured) -> Result<CorpusResult, Failure> {
        let code = match stopped(measured) {
            Ok(code) => code,
            Err(result) => return Ok(result),
        };
        let messages = self.scratch.messages()?;
        let first = messages.lines().find(|line| !line.trim().is_empty());
        let first = first.unwrap_or_default();
        Ok(match code {
            0 => CorpusResult::Answered(true),
            1 => CorpusResult::Answered(false),
            2 => CorpusResult::Refused(first.to_owned()),
            3 => {
                let output = self.scratch.output()?;
                let unknown = output.lines().find_map(reason_of_unknown);
                CorpusResult::Unknown(unknown.unwrap_or(first).to_owned())
            }
            code => CorpusResult::Failed(format!("exit code {code}: {first}")),
        })
    }

    fn peer_result(&self, peer: &Peer, measured: &Measured) -> Result<CorpusResult, Failure> {
        let code = match stopped(measured) {
            Ok(code) => code,
            Err(result) => return Ok(result),
        };
        let output = self.scratch.output()?;
        Ok(match peer.verdict(&output, code) {
            Some(Verdict::Reachable) => CorpusResult::Answered(false),
            Some(Verdict::Unreachable) => CorpusResult::Answered(true),
            _ => CorpusResult::Unknown("no verdict".to_owned()),
        })
    }
}

/// The exit code of a run that was not stopped.
fn stopped(measured: &Measured) -> Result<i32, CorpusResult> {
    match &measured.end {
        End::Exited(code) => Ok(*code),
        End::TimedOut => Err(CorpusResult::Unknown("out of time".to_owned())),
        End::OutOfMemory => Err(CorpusResult::Unknown("out of memory".to_owned())),
        end => Err(CorpusResult::Failed(end.word())),
    }
}

/// What a line `UNKNOWN … : why` gives as its reason.
fn reason_of_unknown(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("UNKNOWN")?;
    rest.rsplit_once(": ").map(|(_, why)| why.trim())
}

/// The group of a task: the folder of its program, or that of the list.
fn group(folder: &Path, task: &CorpusTask) -> String {
    let group = Path::new(&task.file).parent().map(Path::display);
    let group = group.map(|group| group.to_string()).unwrap_or_default();
    if !group.is_empty() {
        return group;
    }
    let name = folder.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
