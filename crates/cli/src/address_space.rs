//! A limit on the address space (`ulimit -v`).
//!
//! An allocation that the system refuses aborts a Rust process, and nothing in it can prevent that
//! without unsafe code. Two things make such a command end as UNKNOWN:
//!
//! - It works as if `--memory` were half of the address space, unless the user says less. The other
//!   half is for tables that double, for stacks, and for what the allocator sets aside.
//! - It works in a second process. Where an allocation fails nevertheless, that process is aborted,
//!   and the first one says what it no longer can.
//!
//! Signals go to the first process, which passes them on. If it is killed outright, the system ends
//! the second one.

use std::sync::LazyLock;

/// Bytes of address space that the process may have, if that is limited.
static LIMIT: LazyLock<Option<u64>> = LazyLock::new(|| {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    None
});

/// Bytes that a command may use where the address space is limited.
pub fn share() -> Option<u64> {
    LIMIT.map(|limit| limit / 2)
}

/// A limit that was hit, in the words of the shell.
pub fn in_words() -> String {
    let kib = LIMIT.unwrap_or_default() >> 10;
    format!("the limit on memory (ulimit -v {kib}) was reached")
}

/// How large a stack may be that hardly any program needs.
pub fn stack_size(wanted: usize) -> usize {
    let eighth = LIMIT.and_then(|limit| usize::try_from(limit / 8).ok());
    eighth.map_or(wanted, |eighth| eighth.min(wanted))
}

#[cfg(unix)]
pub use supervision::{end_as_if_refused, supervise};

#[cfg(not(unix))]
pub use unsupervised::{end_as_if_refused, supervise};

/// How the second process ended.
pub enum End {
    /// By itself, with this exit code.
    Exited(u8),
    /// It was refused memory.
    Refused,
}

#[cfg(unix)]
mod supervision {
    use super::{End, LIMIT};
    use crate::subprocess::Group;
    use rustix::process::{Pid, Signal, kill_process, set_parent_process_death_signal};
    use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    /// Tells the second process what it is.
    const VARIABLE: &str = "HARDBOP_SUPERVISED";
    const INTERVAL: Duration = Duration::from_millis(5);
    const SIGNALS: [(i32, Signal); 3] = [
        (SIGINT, Signal::INT),
        (SIGTERM, Signal::TERM),
        (SIGHUP, Signal::HUP),
    ];

    fn is_second() -> bool {
        std::env::var_os(VARIABLE).is_some()
    }

    /// Lets a second process do the work, if the address space is limited. `None` if this process
    /// is to do it.
    pub fn supervise() -> Option<End> {
        (*LIMIT)?;
        if is_second() {
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            return None;
        }
        let mut command = Command::new(std::env::current_exe().ok()?);
        command.args(std::env::args_os().skip(1)).env(VARIABLE, "1");
        let asked = SIGNALS.map(|(number, signal)| {
            let asked = Arc::new(AtomicBool::new(false));
            let _ = flag::register(number, asked.clone());
            (asked, signal)
        });
        let mut group = Group::start(&mut command).ok()?;
        while !group.has_ended() {
            for (asked, signal) in &asked {
                let process = i32::try_from(group.id()).ok().and_then(Pid::from_raw);
                if let Some(process) = process.filter(|_| asked.swap(false, Ordering::Relaxed)) {
                    let _ = kill_process(process, *signal);
                }
            }
            std::thread::sleep(INTERVAL);
        }
        let status = group.end().ok()?;
        Some(match (status.code(), status.signal()) {
            (Some(code), _) => End::Exited(u8::try_from(code).unwrap_or(u8::MAX)),
            (None, Some(SIGABRT)) => End::Refused,
            (None, signal) => End::Exited(u8::try_from(128 + signal.unwrap_or(0)).unwrap_or(128)),
        })
    }

    /// Ends the second process as the system does when it is refused memory. Does nothing in
    /// others.
    pub fn end_as_if_refused() {
        if LIMIT.is_some() && is_second() {
            std::process::abort();
        }
    }
}

#[cfg(not(unix))]
mod unsupervised {
    use super::End;

    /// There is no such limit.
    pub fn supervise() -> Option<End> {
        None
    }

    /// The same.
    pub fn end_as_if_refused() {}
}
