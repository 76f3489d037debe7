//! Reads what Linux says about a process: `/proc/<pid>/stat` and `/proc/<pid>/status`, given as
//! text.
//!
//! A process that has ended but has not been waited for still shows its CPU time, so that figure is
//! complete; it counts in clock ticks of 10 ms. Its memory is gone by then: the peak is the last
//! value seen before the end.

use std::time::Duration;

/// `USER_HZ`: the unit of times in `/proc`, the same on every architecture that Rust's standard
/// library supports.
const TICKS_PER_SECOND: u64 = 100;

/// The figures of `/proc/<pid>/stat` that a benchmark needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The process has ended and waits to be waited for.
    pub has_ended: bool,
    /// User and system time of the process and of those children that it has waited for.
    pub cpu: Duration,
}

/// The figures of `/proc/<pid>/status` that a benchmark needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Resident memory now, in KiB.
    pub resident_kib: u64,
    /// The most resident memory so far, in KiB.
    pub peak_kib: u64,
}

/// Reads `/proc/<pid>/stat`.
pub fn stat(text: &str) -> Option<Stat> {
    // The second field is the command in parentheses and may itself hold blanks and parentheses.
    let (_, after_command) = text.rsplit_once(')')?;
    // Fields are counted from 1 in the manual; the first one here is field 3, the state.
    let fields: Vec<&str> = after_command.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let mut ticks = 0;
    // utime, stime, cutime, cstime.
    for number in 14..=17 {
        ticks += field(number)?.parse::<u64>().ok()?;
    }
    // A process whose first thread has ended before the others looks dead, but is not.
    let threads: u64 = field(20)?.parse().ok()?;
    Some(Stat {
        has_ended: matches!(field(3)?, "Z" | "X") && threads <= 1,
        cpu: Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND),
    })
}

/// Reads `/proc/<pid>/status`; nothing for a process that has ended.
pub fn memory(text: &str) -> Option<Memory> {
    let kib_of = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    };
    Some(Memory {
        resident_kib: kib_of("VmRSS:")?,
        peak_kib: kib_of("VmHWM:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_may_hold_blanks_and_parentheses() {
        let text = "18645 (a) R (b) Z 1 1 1 0 -1 41 101 0 0 0 7 5 2 1 20 0 1 0 201005 0 0 18446744073709551615";
        let expected = Stat {
            has_ended: true,
            cpu: Duration::from_millis(150),
        };
        assert_eq!(stat(text), Some(expected));
        let running = text.replace("20 0 1 0", "20 0 2 0");
        assert!(!stat(&running).expect("all fields are there").has_ended);
        assert_eq!(stat("18645 (cut"), None);
    }

    #[test]
    fn memory_is_read_from_a_living_process_only() {
        let text = "Name:\tx\nVmPeak:\t 9000 kB\nVmHWM:\t    1896 kB\nVmRSS:\t    1500 kB\n";
        let expected = Memory {
            resident_kib: 1500,
            peak_kib: 1896,
        };
        assert_eq!(memory(text), Some(expected));
        assert_eq!(memory("Name:\tx\nState:\tZ (zombie)\n"), None);
    }
}
