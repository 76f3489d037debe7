//! Stops everything from outside: the time limit, the memory limit and Ctrl-C.
//!
//! Engines do not look at the clock; they ask [`Interrupt::check`] every few thousand operations.
//! The first Ctrl-C lets them end with what they have, the second one ends the process.

use crate::faults;
use crate::limits::TimeAndMemory;
use crate::memory;
use hardbop_outcome::{Interrupt, Limit};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// Whether the user has asked to stop. Looking at it for the first time begins to listen.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let asked = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
    #[cfg(not(unix))]
    let signals = [SIGINT, SIGTERM];
    for signal in signals {
        // Without a handler a signal simply ends the process, which is good enough if one cannot
        // be installed. The order matters: only the second signal finds the flag set.
        let _ = flag::register_conditional_shutdown(signal, KILLED_BY_INTERRUPT, asked.clone());
        let _ = flag::register(signal, asked.clone());
    }
    asked
});

/// What a shell expects of a process that Ctrl-C has ended.
const KILLED_BY_INTERRUPT: i32 = 130;

/// From now on a file that may not grow any more (`ulimit -f`) is an error of the write, which
/// cleans up, and not the end of the process.
pub fn survive_the_limit_on_files() {
    #[cfg(unix)]
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Number of polls of the limits: a measure of work for all engines.
static LOOKS: AtomicU64 = AtomicU64::new(0);

/// Number of polls of the limits so far.
pub fn looks() -> u64 {
    LOOKS.load(Ordering::Relaxed)
}

/// Bytes by which any limit may be exceeded for a moment.
const LITTLE: usize = 4 << 20;

/// The user's patience with one run.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    deadline: Option<Instant>,
    /// Bytes that the process may have allocated.
    memory: Option<usize>,
}

impl Patience {
    /// Starts the clock, and listens for Ctrl-C from now on.
    pub fn start(limits: &TimeAndMemory) -> Self {
        let bytes = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        Self {
            memory: limits.bytes().map(bytes),
            ..Self::for_at_most(limits.time)
        }
    }

    /// The same with a time limit only.
    pub fn for_at_most(limit: Option<Duration>) -> Self {
        LazyLock::force(&INTERRUPTED);
        Self {
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            memory: None,
        }
    }

    /// Without limits; Ctrl-C ends the process.
    pub fn endless() -> Self {
        Self {
            deadline: None,
            memory: None,
        }
    }

    /// Whether there is no time to wait for the next poll. Asks the system.
    pub fn is_memory_far_exceeded(&self) -> bool {
        let Some(limit) = self.memory else {
            return false;
        };
        memory::look();
        memory::exceeds(limit.saturating_add((limit / 32).max(LITTLE)))
    }

    /// The limit that has been reached.
    pub fn exceeded(&self) -> Option<Limit> {
        if INTERRUPTED.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        if self.memory.is_some_and(memory::exceeds) {
            return Some(Limit::Memory);
        }
        let is_over = |deadline| Instant::now() >= deadline;
        self.deadline.is_some_and(is_over).then_some(Limit::Time)
    }
}

impl Interrupt for Patience {
    fn check(&self) -> Option<Limit> {
        LOOKS.fetch_add(1, Ordering::Relaxed);
        faults::limit().or_else(|| self.exceeded())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_time_that_is_up_stops_an_engine() {
        let over = Patience::for_at_most(Some(Duration::ZERO));
        assert_eq!(over.check(), Some(Limit::Time));
        assert_eq!(Patience::for_at_most(None).check(), None);
        assert_eq!(Patience::for_at_most(Some(Duration::MAX)).check(), None);
    }
}
