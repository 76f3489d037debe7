//! What a command has spent, for `--stats`: the time of each phase, and the most memory.

use serde::Serialize;
use std::time::{Duration, Instant};

/// A stopwatch with a list of phases.
#[derive(Clone, Debug)]
pub struct Usage {
    phase_start: Instant,
    phases: Vec<(&'static str, Duration)>,
}

/// Usage as members of a JSON object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UsageMembers {
    /// Phases with their seconds.
    pub times: Vec<(&'static str, f64)>,
    /// The most resident memory so far; nothing where the system does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_kib: Option<u64>,
}

impl Usage {
    /// Starts the first phase.
    pub fn start() -> Self {
        Self {
            phase_start: Instant::now(),
            phases: Vec::new(),
        }
    }

    /// Ends a phase, which starts the next one; gives how long it took. Phases of the same name are
    /// added up.
    pub fn end_phase(&mut self, name: &'static str) -> Duration {
        let now = Instant::now();
        let time = now - self.phase_start;
        self.phase_start = now;
        let mut phases = self.phases.iter_mut();
        match phases.find(|(other, _)| *other == name) {
            Some((_, total)) => *total += time,
            None => self.phases.push((name, time)),
        }
        time
    }

    /// The time of a phase that has ended.
    pub fn time_of(&self, phase: &str) -> Option<Duration> {
        let mut phases = self.phases.iter();
        let (_, time) = phases.find(|(name, _)| *name == phase)?;
        Some(*time)
    }

    /// For JSON output.
    pub fn members(&self) -> UsageMembers {
        let seconds = |(name, time): &(&'static str, Duration)| (*name, time.as_secs_f64());
        UsageMembers {
            times: self.phases.iter().map(seconds).collect(),
            peak_kib: peak_kib(),
        }
    }

    /// For people: a name and a figure per line.
    pub fn lines(&self) -> Vec<(String, String)> {
        let mut lines: Vec<(String, String)> = self
            .phases
            .iter()
            .map(|(name, time)| {
                let seconds = format!("{:.3}", time.as_secs_f64());
                (format!("seconds for {name}"), seconds)
            })
            .collect();
        let peak = peak_kib().map(|kib| ("peak memory (KiB)".to_owned(), kib.to_string()));
        lines.extend(peak);
        lines
    }
}

fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    crate::process_status::memory(&status).map(|memory| memory.peak_kib)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_each_other_in_order() {
        let mut usage = Usage::start();
        usage.end_phase("parse");
        std::thread::sleep(Duration::from_millis(2));
        usage.end_phase("check");
        let members = usage.members();
        let names: Vec<&str> = members.times.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["parse", "check"]);
        assert!(members.times[1].1 >= 0.002);
        assert!(usage.time_of("check") >= Some(Duration::from_millis(2)));
        assert_eq!(usage.time_of("lower"), None);
        assert_eq!(usage.lines()[0].0, "seconds for parse");
        let again = usage.end_phase("check");
        assert_eq!(usage.members().times.len(), 2);
        assert!(usage.time_of("check") >= Some(again + Duration::from_millis(2)));
    }
}
