//! Runs a process and watches it: time, memory, and the limits on both.
//!
//! Wall time is taken by polling, at intervals of a hundredth of the time so far; that is its
//! relative error. CPU time comes from the dead process before it is waited for, in the system's
//! steps of 10 ms. Peak memory is `VmHWM`, or the sum over a process and its children if that is
//! more, as last seen. Where there is no `/proc`, only wall time is known.
//!
//! On Linux every run is its own process group, so that its end or a limit ends everything that it
//! has started.

use super::scratch::Scratch;
use crate::exit::Failure;
use crate::input::plain_words;
use crate::interrupt::Patience;
use hardbop_bench::End;
use hardbop_bench::process_status::{self, Stat};
use hardbop_outcome::Interrupt as _;
use std::ffi::OsString;
use std::fs;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const SHORTEST_NAP: Duration = Duration::from_micros(200);
const LONGEST_NAP: Duration = Duration::from_millis(5);

/// What one run may spend.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time.
    pub time: Duration,
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
    #[cfg(target_os = "linux")]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let start = Instant::now();
    let Ok(child) = command.spawn() else {
        return Ok(Measured {
            end: End::NotStarted,
            wall: Duration::ZERO,
            cpu: None,
            peak_kib: None,
        });
    };
    let mut watch = Watch {
        child,
        start,
        cpu: None,
        peak_kib: None,
    };
    let end = watch.until_end(limits, patience);
    let wall = start.elapsed();
    let status = watch.end_group().map_err(|error| cannot_watch(&error))?;
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
    child: Child,
    start: Instant,
    cpu: Option<Duration>,
    peak_kib: Option<u64>,
}

impl Watch {
    /// Returns when the process has ended, or with the limit that it has hit.
    fn until_end(&mut self, limits: &Limits, patience: &Patience) -> Option<End> {
        loop {
            let stat = read_stat(self.child.id());
            self.cpu = stat.map_or(self.cpu, |stat| Some(stat.cpu));
            let has_ended = match stat {
                Some(stat) => stat.has_ended,
                None => !matches!(self.child.try_wait(), Ok(None)),
            };
            if has_ended {
                return None;
            }
            let resident_kib = self.look_at_memory();
            let elapsed = self.start.elapsed();
            if elapsed >= limits.time || patience.check().is_some() {
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
        let mut processes = vec![self.child.id()];
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

    /// Ends everything that is left of the process and its group, and only then waits for the
    /// process: until then no other process can have its number.
    fn end_group(&mut self) -> std::io::Result<ExitStatus> {
        if cfg!(target_os = "linux") {
            // The standard library can signal a child only, not a group; every Unix has a shell
            // that can.
            let script = format!("kill -s KILL -- -{}", self.child.id());
            let mut shell = Command::new("sh");
            shell.args(["-c", &script]).stdin(Stdio::null());
            // Without a shell the child itself is still ended below.
            let _ = shell.stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
        // Fails for a process that has ended, which is what is wanted.
        let _ = self.child.kill();
        self.child.wait()
    }
}

fn read_stat(process: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    process_status::stat(&text)
}

/// The children of a process, over all its threads.
fn children(process: u32) -> Vec<u32> {
    let mut children = Vec::new();
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return children;
    };
    for thread in threads.flatten() {
        if let Ok(text) = fs::read_to_string(thread.path().join("children")) {
            let ids = text.split_ascii_whitespace();
            children.extend(ids.filter_map(|id| id.parse::<u32>().ok()));
        }
    }
    children
}

fn end_of(status: ExitStatus) -> End {
    status.code().map_or(End::Crashed, End::Exited)
}
