//! The processes of a batch, a limited number at a time.
//!
//! Each has a pipe from the batch as its standard input. It ends when the pipe does, so a batch
//! that is killed leaves no process behind ([`end_with_parent`]).

use super::jobs::Job;
use super::records::{Record, Verdict};
use crate::exit::Exit;
use crate::subprocess;
use hardbop_automata::PropertyText;
use hardbop_outcome::{Target, VerdictWord};
use serde_json::Value;
use std::io::{self, Read};
use std::num::NonZeroUsize;
#[cfg(unix)]
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Tells a process that it belongs to a batch.
const VARIABLE: &str = "HARDBOP_BATCH";
/// What a shell expects of a process that was interrupted.
const INTERRUPTED: i32 = 130;
/// How often the table is refreshed.
const TICK: Duration = Duration::from_millis(200);
/// Longer messages are cut.
const MAX_MESSAGE: usize = 300;

/// Something that happened to a job.
pub(super) enum Event {
    Started(usize),
    Done(usize, Record),
    /// Time has passed.
    Tick,
}

/// In a process of a batch: ends it as soon as the batch has ended.
pub fn end_with_parent() {
    if std::env::var_os(VARIABLE).is_some() {
        std::thread::spawn(|| {
            // Nothing is ever sent.
            let _ = io::stdin().read(&mut [0]);
            subprocess::end_all();
            std::process::exit(INTERRUPTED);
        });
    }
}

/// Runs jobs, given by their numbers in order. `report` says whether to continue.
pub(super) fn run(
    jobs: &[Job],
    open: Vec<usize>,
    workers: NonZeroUsize,
    mut report: impl FnMut(Event) -> bool,
) {
    let count = workers.get().min(open.len());
    let open = Mutex::new(open.into_iter());
    let is_ended = AtomicBool::new(false);
    let (sender, events) = channel();
    std::thread::scope(|scope| {
        for _ in 0..count {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                while !is_ended.load(Ordering::Relaxed) {
                    let next = open.lock().expect("a panic ends the process").next();
                    let Some(number) = next else {
                        return;
                    };
                    let _ = sender.send(Event::Started(number));
                    let record = check(&jobs[number]);
                    let _ = sender.send(Event::Done(number, record));
                }
            });
        }
        drop(sender);
        loop {
            let event = match events.recv_timeout(TICK) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => Event::Tick,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if !report(event) {
                is_ended.store(true, Ordering::Relaxed);
            }
        }
    });
}

/// Checks one file in a separate process.
fn check(job: &Job) -> Record {
    let mut record = Record::of(job);
    let start = Instant::now();
    match process(job) {
        Ok(output) => understand(&mut record, &output),
        Err(error) => record.message = Some(format!("cannot start a process: {error}")),
    }
    record.seconds = start.elapsed().as_secs_f64();
    if record.verdict.is_empty() {
        let word = match record.exit() {
            Exit::Unknown => "UNKNOWN",
            Exit::BadInput => "ERROR",
            _ => "FAULT",
        };
        record.verdict.push_str(word);
    }
    record
}

fn process(job: &Job) -> io::Result<Output> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["check", "--json", "--quiet", "--color=never"])
        .args(&job.options)
        .args(["--", &job.file])
        .env(VARIABLE, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // Waiting would close it.
    let pipe = child.stdin.take();
    let output = child.wait_with_output();
    drop(pipe);
    output
}

fn understand(record: &mut Record, output: &Output) {
    let exit = exit_of(output);
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    record.exit = exit.code();
    let answers = outcome["answers"].as_array().cloned().unwrap_or_default();
    record.answers = answers.iter().map(verdict).collect();
    let limit = outcome["unknown"].as_str().map(str::to_owned);
    record.message = match exit {
        Exit::Fine | Exit::Found => None,
        Exit::Unknown if limit.is_some() => limit,
        Exit::Unknown if output.status.code().is_some() => unknown(&answers),
        _ => Some(first_error(output)),
    };
    // The answer that decides the exit code represents the file.
    let decides = |one: &&Verdict| match exit {
        Exit::Found => matches!(one.verdict.as_str(), "VIOLATED" | "REACHABLE"),
        Exit::Unknown => one.verdict == "UNKNOWN",
        _ => exit == Exit::Fine,
    };
    if let Some(one) = record.answers.iter().find(decides) {
        record.verdict = one.verdict.clone();
    } else if exit == Exit::Fine && outcome["answers"].is_array() && answers.is_empty() {
        // A property that nothing in the program can violate.
        record.verdict = VerdictWord::Holds.to_string();
    } else if matches!(exit, Exit::Fine | Exit::Found) {
        record.exit = Exit::Internal.code();
        record.message = Some("cannot read its outcome".to_owned());
    }
}

/// A process that the system has ended for want of memory is one that hit a limit: it was killed,
/// or was refused memory and ended itself.
fn exit_of(output: &Output) -> Exit {
    let Some(code) = output.status.code() else {
        let errors = String::from_utf8_lossy(&output.stderr);
        let is_refused = errors.contains("memory allocation of");
        #[cfg(unix)]
        let is_killed = output.status.signal() == Some(signal_hook::consts::SIGKILL);
        #[cfg(not(unix))]
        let is_killed = false;
        return if is_refused || is_killed {
            Exit::Unknown
        } else {
            Exit::Internal
        };
    };
    let all = [Exit::Fine, Exit::Found, Exit::BadInput, Exit::Unknown];
    let found = all.into_iter().find(|exit| code == i32::from(exit.code()));
    found.unwrap_or(Exit::Internal)
}

fn verdict(answer: &Value) -> Verdict {
    let target = serde_json::from_value::<Target>(answer["target"].clone());
    let property = serde_json::from_value::<PropertyText>(answer["property"].clone());
    let about = match (target, property) {
        (Ok(target), _) => target.to_string(),
        (_, Ok(property)) => property.to_string(),
        _ => String::new(),
    };
    Verdict {
        verdict: answer["verdict"].as_str().unwrap_or_default().to_owned(),
        about,
    }
}

/// The limit that the first answer without a verdict names.
fn unknown(answers: &[Value]) -> Option<String> {
    let open = answers
        .iter()
        .find(|answer| answer["verdict"] == "UNKNOWN")?;
    let limit = serde_json::from_value::<hardbop_outcome::Limit>(open["why"].clone());
    limit.ok().map(|limit| limit.to_string())
}

/// The first line of a process's complaints.
fn first_error(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let is_reason =
        |line: &&str| line.starts_with("error") || line.starts_with("memory allocation");
    let line = text.lines().find(is_reason);
    let ended = format!("the process ended with {}", output.status);
    let line = line.map_or(ended.as_str(), |line| line.trim_start_matches("error: "));
    line.chars().take(MAX_MESSAGE).collect()
}
