//! The time that a search takes within this process, for the tables of the papers.
//!
//! On a busy machine the clock says little, so this is the CPU time of the thread that asks, where
//! the system tells it (`/proc/thread-self/schedstat` on Linux).
//! Elsewhere it is what the clock says. Engines that are asked alone search on one thread.

use std::time::{Duration, Instant};

/// A time that began.
pub(super) struct Stopwatch {
    began: Instant,
    cpu: Option<Duration>,
}

impl Stopwatch {
    /// Begins now.
    pub(super) fn start() -> Self {
        Self {
            began: Instant::now(),
            cpu: cpu_time(),
        }
    }

    /// The CPU time since then, or else the time on the clock.
    pub(super) fn elapsed(&self) -> Duration {
        match (self.cpu, cpu_time()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.began.elapsed(),
        }
    }
}

/// The CPU time of this thread so far.
fn cpu_time() -> Option<Duration> {
    // What a thread has used since it was last interrupted is counted when it gives way.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    nanoseconds(&text).map(Duration::from_nanos)
}

/// The first of three numbers: time on a processor, time of waiting, how often it ran.
fn nanoseconds(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_is_the_time_on_a_processor() {
        assert_eq!(nanoseconds("1234567 89 10\n"), Some(1_234_567));
        assert_eq!(nanoseconds(""), None);
    }

    #[test]
    fn work_takes_time_and_waiting_does_not() {
        let watch = Stopwatch::start();
        let Some(_) = watch.cpu else {
            return;
        };
        std::thread::sleep(Duration::from_millis(200));
        let idle = watch.elapsed();
        assert!(idle < Duration::from_millis(100), "{idle:?}");
        let began = Instant::now();
        let mut sum = 0_u64;
        while began.elapsed() < Duration::from_secs(10)
            && watch.elapsed() < idle + Duration::from_millis(20)
        {
            sum = (0..100_000_u64).fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
        }
        assert!(watch.elapsed() >= idle + Duration::from_millis(20), "{sum}");
    }
}
