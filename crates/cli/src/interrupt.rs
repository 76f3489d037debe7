//! Stops engines from outside: the time limit and Ctrl-C.
//!
//! Engines do not look at the clock; they ask [`Interrupt::check`] every few thousand operations. The first Ctrl-C lets
//! them end with what they have, the second one ends the process.

use hardbop_outcome::{Interrupt, Limit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell expects of a process that Ctrl-C has ended.
const KILLED_BY_INTERRUPT: i32 = 130;

/// The user's patience with one run.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    deadline: Option<Instant>,
}

impl Patience {
    /// Starts the clock, and listens for Ctrl-C from now on.
    pub fn start(limit: Option<Duration>) -> Self {
        // Without a handler Ctrl-C simply ends the process, which is good enough if one cannot be installed.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(KILLED_BY_INTERRUPT);
            }
        });
        Self {
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
        }
    }
}

impl Interrupt for Patience {
    fn check(&self) -> Option<Limit> {
        if INTERRUPTED.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
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
        let over = Patience::start(Some(Duration::ZERO));
        assert_eq!(over.check(), Some(Limit::Time));
        assert_eq!(Patience::start(None).check(), None);
        assert_eq!(Patience::start(Some(Duration::MAX)).check(), None);
    }
}
