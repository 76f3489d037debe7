//! Runs a process and watches it: time, memory, and the limits on both.
//!
//! Wall time is taken by polling, at intervals of a hundredth of the time so far; that is its
//! relative error. CPU time comes from the dead process before it is waited for, in the system's
//! steps of 10 ms. Peak memory is `VmHWM`, or the sum over a process and its children if that is
//! more, as last seen. Where there is no `/proc`, only wall time is known.
//!
//! Every run is its own process group, so that its end or a limit ends everything that it
//! has started.

use super::scratch::Scratch;
use hardbop_bench::End;
use hardbop_cli::exit::Failure;
use hardbop_cli::input::plain_words;
use hardbop_cli::interrupt::Patience;
use hardbop_cli::process_status::{self, Stat};
use hardbop_cli::subprocess::{Group, children};
use hardbop_outcome::Interrupt as _;
use std::ffi::OsString;
use std::fs;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const SHORTEST_NAP: Duration = Duration::from_micros(200);
const LONGEST_NAP: Duration = Duration::from_millis(5);

/// What one run may spend.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time.
    pub time: Duration,
    /// User and system time, where the system says how much that is.
    pub cpu: Option<Duration>,
    /// Resident memory of the process and its children.
    pub memory_kib: Option<u64>,
}

/// What one run has spent.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How it ended.
    pub end: End,
    /// From start to end.
    pub wall: Duration,
    /// User and system time.
    pub cpu: Option<Duration>,
    /// The most resident memory seen.
    pub peak_kib: Option<u64>,
}

/// Runs a command to its end or to a limit. Its output is then in the scratch directory.
pub fn run(
    words: &[OsString],
    scratch: &Scratch,
    limits: &Limits,
    patience: &Patience,
) -> Result<Measured, Failure> {
    let (output, messages) = scratch.streams().map_err(|error| cannot_watch(&error))?;
    let (program, arguments) = words.split_first().expect("a command has a first word");
    let mut command = Command::new(program);
    command.args(arguments);
    command.stdin(Stdio::null()).stdout(output).stderr(messages);
    let start = Instant::now();
    let Ok(group) = Group::start(&mut command) else {
        return Ok(Measured {
            end: End::NotStarted,
            wall: Duration::ZERO,
            cpu: None,
            peak_kib: None,
        });
    };
    let mut watch = Watch {
        group,
        start,
        cpu: None,
        peak_kib: None,
    };
    let end = watch.until_end(limits, patience);
    let wall = start.elapsed();
    let status = watch.group.end().map_err(|error| cannot_watch(&error))?;
    Ok(Measured {
        end: end.unwrap_or_else(|| end_of(status)),
        wall,
        cpu: watch.cpu,
        peak_kib: watch.peak_kib,
    })
}

fn cannot_watch(error: &std::io::Error) -> Failure {
    Failure::BadInput(format!("cannot watch a run: {}", plain_words(error)))
}

/// A process that is being watched.
struct Watch {
    group: Group,
    start: Instant,
    cpu: Option<Duration>,
    peak_kib: Option<u64>,
}

impl Watch {
    /// Returns when the process has ended, or with the limit that it has hit.
    fn until_end(&mut self, limits: &Limits, patience: &Patience) -> Option<End> {
        loop {
            let stat = read_stat(self.group.id());
            self.cpu = stat.map_or(self.cpu, |stat| Some(stat.cpu));
            let has_ended = match stat {
                Some(stat) => stat.has_ended,
                None => self.group.has_ended(),
            };
            if has_ended {
                return None;
            }
            let resident_kib = self.look_at_memory();
            let elapsed = self.start.elapsed();
            let is_spent = limits.cpu.is_some_and(|limit| self.cpu >= Some(limit));
            if elapsed >= limits.time || is_spent || patience.check().is_some() {
                return Some(End::TimedOut);
            }
            if limits.memory_kib.is_some_and(|limit| resident_kib > limit) {
                return Some(End::OutOfMemory);
            }
            let nap = (elapsed / 100).clamp(SHORTEST_NAP, LONGEST_NAP);
            std::thread::sleep(nap.min(limits.time.saturating_sub(elapsed)));
        }
    }

    /// Updates the peak, and says how much memory is in use now.
    fn look_at_memory(&mut self) -> u64 {
        let mut resident_kib = 0;
        let mut processes = vec![self.group.id()];
        while let Some(process) = processes.pop() {
            let status = fs::read_to_string(format!("/proc/{process}/status"));
            if let Some(memory) = status.ok().and_then(|text| process_status::memory(&text)) {
                resident_kib += memory.resident_kib;
                self.peak_kib = self.peak_kib.max(Some(memory.peak_kib));
            }
            processes.extend(children(process));
        }
        if resident_kib > 0 {
            self.peak_kib = self.peak_kib.max(Some(resident_kib));
        }
        resident_kib
    }
}

fn read_stat(process: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    process_status::stat(&text)
}

fn end_of(status: ExitStatus) -> End {
    status.code().map_or(End::Crashed, End::Exited)
}
