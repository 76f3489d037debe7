//! Runs another program, such as the C preprocessor, within limits.
//!
//! Each run is its own process group, so that ending it ends everything that it has started. The
//! group is killed when the run exceeds a limit on time, memory or output, when hardbop itself
//! reaches a limit, on Ctrl-C, and before hardbop ends for any other reason: [`end_all`] is called
//! by the panic hook and the watchdog. Ctrl-C in a terminal does not reach another group, so a
//! command that leaves signals alone listens as long as a run lasts ([`Listening`]).
//!
//! Memory is what the processes of the group have resident, summed up every few milliseconds. A
//! hardbop that is killed outright cannot end anything. For that case the processes also get a
//! limit on CPU time and address space from the system, which ends them soon after.

mod group;

use group::resident_kib;
pub use group::{Group, children, end_all};

use crate::interrupt::Listening;
use hardbop_outcome::Limit;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const SHORTEST_NAP: Duration = Duration::from_micros(200);
const LONGEST_NAP: Duration = Duration::from_millis(5);

/// How long the output of a group that was killed may stay open: a process can leave its group.
const PATIENCE_WITH_PIPES: Duration = Duration::from_secs(1);

/// What a run may spend.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time.
    pub time: Duration,
    /// Bytes of memory of all processes of the group.
    pub memory: u64,
    /// Bytes written to standard output and standard error together.
    pub output: u64,
    /// Whether the system is to limit the address space, too. Programs with a sanitizer reserve
    /// terabytes.
    pub has_small_address_space: bool,
}

/// What a run has written, and how it ended.
#[derive(Debug)]
pub struct Captured {
    /// How the first process of the group ended.
    pub status: ExitStatus,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// Why a run has no result.
#[derive(Debug)]
pub enum Failed {
    /// There is no such program.
    NotFound,
    /// The system refuses something.
    System(io::Error),
    /// It took longer than its limit.
    Time(Duration),
    /// It used more bytes of memory than its limit.
    Memory(u64),
    /// It wrote more bytes than its limit.
    Output(u64),
    /// hardbop itself has reached a limit, or was asked to stop.
    Interrupted(Limit),
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound => write!(f, "there is no such program"),
            Self::System(error) => write!(f, "{}", crate::input::plain_words(error)),
            Self::Time(limit) => write!(f, "it took longer than {} s", limit.as_secs_f64()),
            Self::Memory(limit) => write!(f, "it used more than {} MB of memory", limit >> 20),
            Self::Output(limit) => write!(f, "it wrote more than {} MB", limit >> 20),
            Self::Interrupted(limit) => write!(f, "{limit}"),
        }
    }
}

/// Runs a command on an input. `exceeded` says whether hardbop itself has to stop.
pub fn run(
    mut command: Command,
    input: Vec<u8>,
    limits: &Limits,
    exceeded: impl Fn() -> Option<Limit>,
) -> Result<Captured, Failed> {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let listening = Listening::start();
    let start = Instant::now();
    let mut group = Group::start(&mut command).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failed::NotFound,
        _ => Failed::System(error),
    })?;
    group.limit_in_system(limits);
    let written = Arc::new(AtomicU64::new(0));
    let stdin = group.child().stdin.take();
    // A program that gives up early closes its end; what it says then is what counts.
    std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let stdout = read(group.child().stdout.take(), limits.output, written.clone());
    let stderr = read(group.child().stderr.take(), limits.output, written.clone());
    loop {
        if group.has_ended() {
            break;
        }
        let elapsed = start.elapsed();
        if let Some(limit) = exceeded() {
            return Err(Failed::Interrupted(limit));
        }
        if listening.is_some() && Listening::has_heard() {
            return Err(Failed::Interrupted(Limit::Interrupted));
        }
        if elapsed >= limits.time {
            return Err(Failed::Time(limits.time));
        }
        if written.load(Ordering::Relaxed) > limits.output {
            return Err(Failed::Output(limits.output));
        }
        if resident_kib(group.id()).saturating_mul(1 << 10) > limits.memory {
            return Err(Failed::Memory(limits.memory));
        }
        let nap = (elapsed / 100).clamp(SHORTEST_NAP, LONGEST_NAP);
        std::thread::sleep(nap.min(limits.time.saturating_sub(elapsed)));
    }
    let status = group.end().map_err(Failed::System)?;
    let collect =
        |pipe: &Receiver<io::Result<Vec<u8>>>| match pipe.recv_timeout(PATIENCE_WITH_PIPES) {
            Ok(read) => read.map_err(Failed::System),
            Err(_) => Err(Failed::System(ErrorKind::TimedOut.into())),
        };
    let (stdout, stderr) = (collect(&stdout)?, collect(&stderr)?);
    if written.load(Ordering::Relaxed) > limits.output {
        return Err(Failed::Output(limits.output));
    }
    Ok(Captured {
        status,
        stdout,
        stderr,
    })
}

/// Reads a stream to its end, or a little past the limit, on another thread.
fn read(
    stream: Option<impl Read + Send + 'static>,
    limit: u64,
    written: Arc<AtomicU64>,
) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = || -> io::Result<()> {
            let Some(mut stream) = stream else {
                return Ok(());
            };
            let mut piece = vec![0; 1 << 16];
            loop {
                let length = match stream.read(&mut piece) {
                    Ok(0) => return Ok(()),
                    Ok(length) => length,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                let before = written.fetch_add(length as u64, Ordering::Relaxed);
                if before + length as u64 > limit {
                    // Closing the stream stops a writer, even one that has left the group.
                    return Ok(());
                }
                bytes.extend_from_slice(&piece[..length]);
            }
        };
        let result = read();
        // The thread is not joined once the run has failed.
        let _ = sender.send(result.map(|()| bytes));
    });
    receiver
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
