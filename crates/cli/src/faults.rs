//! Faults on request, for tests: the K-th poll of the limits says that one is exceeded, or the K-th
//! write fails.
//!
//! `HARDBOP_FAULT=KIND:K` in the environment, with the kinds of [`Kind::parse`]. Tests try every K
//! (`crates/cli/tests/faults.rs`), as those of `SQLite` do. A command that was told so names at its
//! end how many looks and writes there were. A fault occurs where the operating system or the clock
//! could have said the same: it can turn an answer into UNKNOWN or an error, and never into another
//! answer. Without the variable a look or a write costs one load more.

use hardbop_outcome::Limit;
use std::io::{self, ErrorKind, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

static FAULT: LazyLock<Option<Fault>> = LazyLock::new(|| {
    let wish = std::env::var("HARDBOP_FAULT").ok()?;
    let (kind, number) = wish.split_once(':')?;
    Some(Fault {
        kind: Kind::parse(kind)?,
        number: number.parse().ok()?,
        looks: AtomicU64::new(0),
        writes: AtomicU64::new(0),
    })
});

struct Fault {
    kind: Kind,
    number: u64,
    looks: AtomicU64,
    writes: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// From the K-th look on.
    Time,
    /// At the K-th look only: memory may be given back.
    Memory,
    /// From the K-th look on.
    Interrupt,
    /// The disk is full from the K-th write on.
    Full,
    /// The reader has gone from the K-th write on.
    Pipe,
    /// The K-th write fails, later ones succeed.
    Device,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "time" => Self::Time,
            "memory" => Self::Memory,
            "interrupt" => Self::Interrupt,
            "full" => Self::Full,
            "pipe" => Self::Pipe,
            "device" => Self::Device,
            _ => return None,
        })
    }
}

impl Fault {
    /// Counts an opportunity; whether the fault happens at it.
    fn happens(&self, count: &AtomicU64) -> bool {
        let now = count.fetch_add(1, Ordering::Relaxed) + 1;
        let goes_on = !matches!(self.kind, Kind::Memory | Kind::Device);
        self.number != 0 && (now == self.number || (goes_on && now > self.number))
    }
}

/// The limit that is to be hit at this look, if any.
pub fn limit() -> Option<Limit> {
    let fault = FAULT.as_ref()?;
    let happens = fault.happens(&fault.looks);
    let limit = match fault.kind {
        Kind::Time => Limit::Time,
        Kind::Memory => Limit::Memory,
        Kind::Interrupt => Limit::Interrupted,
        Kind::Full | Kind::Pipe | Kind::Device => return None,
    };
    happens.then_some(limit)
}

/// Called before every operation that changes a file or a stream.
pub fn before_write() -> io::Result<()> {
    let Some(fault) = FAULT.as_ref() else {
        return Ok(());
    };
    let happens = fault.happens(&fault.writes);
    let error = match fault.kind {
        Kind::Full => ErrorKind::StorageFull,
        Kind::Pipe => ErrorKind::BrokenPipe,
        Kind::Device => ErrorKind::Other,
        Kind::Time | Kind::Memory | Kind::Interrupt => return Ok(()),
    };
    if happens { Err(error.into()) } else { Ok(()) }
}

/// What there was to disturb, if a fault was asked for.
pub fn summary() -> Option<String> {
    let fault = FAULT.as_ref()?;
    let [looks, writes] = [&fault.looks, &fault.writes].map(|count| count.load(Ordering::Relaxed));
    Some(format!("faults: {looks} looks, {writes} writes\n"))
}

/// A stream or file whose writes may fail. The write before the one that fails is short, as when a
/// disk fills up.
pub struct Disturbed<W>(pub W);

impl<W: Write> Write for Disturbed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        before_write()?;
        let is_short = FAULT.as_ref().is_some_and(|fault| {
            let done = fault.writes.load(Ordering::Relaxed);
            done + 1 == fault.number && bytes.len() > 1
        });
        let length = if is_short {
            bytes.len() / 2
        } else {
            bytes.len()
        };
        self.0.write(&bytes[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
