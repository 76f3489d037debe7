//! Stops everything from outside: the time limit, the memory limit and Ctrl-C.
//!
//! Engines do not look at the clock; they ask [`Interrupt::check`] every few thousand operations.
//! The first Ctrl-C lets them end with what they have, the second one ends the process.
//!
//! Commands without limits leave signals alone. While they run another program, [`Listening`] takes
//! the signals, so that the other program ends first.

use crate::faults;
use crate::limits::TimeAndMemory;
use crate::memory;
use hardbop_outcome::{Interrupt, Limit};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Whether the user has asked to stop. Looking at it for the first time begins to listen.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        // Without a handler a signal simply ends the process, which is good enough if one cannot
        // be installed. The order matters: only the second signal finds the flag set.
        let _ = flag::register_conditional_shutdown(signal, KILLED_BY_INTERRUPT, asked.clone());
        let _ = flag::register(signal, asked.clone());
    }
    asked
});

/// The signals that ask the process to end.
#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// The patience of the whole process, once it has begun.
static OF_PROCESS: OnceLock<Patience> = OnceLock::new();

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
        HAS_BEGUN_TO_LISTEN.store(true, Ordering::Relaxed);
        Self {
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            memory: None,
        }
    }

    /// Makes this the patience of the whole process; the first one given is kept.
    #[must_use]
    pub fn rule_process(self) -> Self {
        *OF_PROCESS.get_or_init(|| self)
    }

    /// The patience of the whole process; endless if it has no limits.
    pub fn of_process() -> Self {
        OF_PROCESS.get().copied().unwrap_or_else(Self::endless)
    }

    /// Bytes that may still be allocated.
    pub fn memory_left(&self) -> Option<usize> {
        let left = |limit: usize| limit.saturating_sub(memory::allocated());
        self.memory.map(left)
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
        if has_begun_to_listen() && INTERRUPTED.load(Ordering::Relaxed) {
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

/// Whether signals set [`INTERRUPTED`].
static HAS_BEGUN_TO_LISTEN: AtomicBool = AtomicBool::new(false);

fn has_begun_to_listen() -> bool {
    HAS_BEGUN_TO_LISTEN.load(Ordering::Relaxed)
}

/// As long as one lives, a signal that would end the process is only noted; it ends the process
/// when the last one is dropped.
#[derive(Debug)]
pub struct Listening(());

struct Ears {
    /// How many [`Listening`] there are.
    count: Mutex<usize>,
    /// There is none: a signal does what it usually does.
    is_deaf: Arc<AtomicBool>,
    /// The last signal that was noted; 0 if there was none.
    heard: Arc<AtomicUsize>,
}

static EARS: LazyLock<Ears> = LazyLock::new(|| {
    let ears = Ears {
        count: Mutex::new(0),
        is_deaf: Arc::new(AtomicBool::new(true)),
        heard: Arc::new(AtomicUsize::new(0)),
    };
    for signal in SIGNALS {
        let number = usize::try_from(signal).unwrap_or_default();
        // Without a handler a signal ends the process. The order matters: the default comes first.
        let _ = flag::register_conditional_default(signal, ears.is_deaf.clone());
        let _ = flag::register_usize(signal, ears.heard.clone(), number);
    }
    ears
});

impl Listening {
    /// Begins to listen. A command with limits does so already, and lets the first signal stop its
    /// engines; there is nothing to add to that.
    pub fn start() -> Option<Self> {
        if has_begun_to_listen() {
            return None;
        }
        let mut count = EARS.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        EARS.is_deaf.store(false, Ordering::SeqCst);
        Some(Self(()))
    }

    /// Whether a signal was noted.
    pub fn has_heard() -> bool {
        EARS.heard.load(Ordering::SeqCst) != 0
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut count = EARS.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count -= 1;
        if *count > 0 {
            return;
        }
        EARS.is_deaf.store(true, Ordering::SeqCst);
        let heard = EARS.heard.load(Ordering::SeqCst);
        if let Some(signal) = i32::try_from(heard).ok().filter(|&signal| signal != 0) {
            // Does not return for a signal that ends processes.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
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
