//! Stops everything from outside: the time limit, the memory limit and Ctrl-C.
//!
//! Engines do not look at the clock; they ask [`Interrupt::check`] every few thousand operations.
//! The first Ctrl-C lets them end with what they have, the second one ends the process.

use crate::limits::TimeAndMemory;
use crate::memory;
use hardbop_outcome::{Interrupt, Limit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell expects of a process that Ctrl-C has ended.
const KILLED_BY_INTERRUPT: i32 = 130;

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
        // Without a handler Ctrl-C simply ends the process, which is good enough if one cannot be
        // installed.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(KILLED_BY_INTERRUPT);
            }
        });
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

    /// Whether there is no time to wait for somebody to notice. Asks the system.
    pub fn is_memory_far_exceeded(&self) -> bool {
        let Some(limit) = self.memory else {
            return false;
        };
        memory::look();
        memory::exceeds(limit.saturating_add((limit / 32).max(LITTLE)))
    }
}

impl Interrupt for Patience {
    fn check(&self) -> Option<Limit> {
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
