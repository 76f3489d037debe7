//! `--progress`: how far an engine has come, on standard error, at most once a second.

use crate::console::Console;
use hardbop_outcome::{Event, Progress};
use std::time::{Duration, Instant};

/// The time between two lines.
const INTERVAL: Duration = Duration::from_secs(1);

/// Whether to say how far an engine has come.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ProgressArguments {
    /// Say now and then how far the search has come
    #[arg(long)]
    progress: bool,
}

impl ProgressArguments {
    /// Says as much as is wanted.
    pub fn meter(self, console: &mut Console) -> Meter<'_> {
        Meter::new(console, self.progress)
    }
}

/// Passes on what an engine says, if the user wants to hear it.
pub struct Meter<'c> {
    console: Option<&'c mut Console>,
    engine: String,
    phase: String,
    started: Instant,
    last: Instant,
}

impl<'c> Meter<'c> {
    /// Begins to measure; without `wanted` nothing is said.
    fn new(console: &'c mut Console, wanted: bool) -> Self {
        let now = Instant::now();
        Self {
            console: wanted.then_some(console),
            engine: String::new(),
            phase: String::new(),
            started: now,
            last: now,
        }
    }
}

impl Progress for Meter<'_> {
    fn event(&mut self, event: Event<'_>) {
        let Some(console) = &mut self.console else {
            return;
        };
        match event {
            Event::Engine(engine) => engine.clone_into(&mut self.engine),
            Event::Phase(phase) => phase.clone_into(&mut self.phase),
            Event::Count(what, count) => {
                let now = Instant::now();
                if now - self.last >= INTERVAL {
                    self.last = now;
                    let phase = format!("{} {}", self.engine, self.phase);
                    console.note(&line(phase.trim(), what, count, now - self.started));
                }
            }
        }
    }
}

fn line(phase: &str, what: &str, count: u64, elapsed: Duration) -> String {
    let colon = if phase.is_empty() { "" } else { ": " };
    let seconds = elapsed.as_secs();
    let rate = (u128::from(count) * 1000)
        .checked_div(elapsed.as_millis())
        .map_or_else(String::new, |rate| format!(", {rate} per second"));
    format!("{phase}{colon}{count} {what} after {seconds} s{rate}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_much_and_how_fast() {
        let elapsed = Duration::from_millis(2500);
        let expected = "search: 5000 states after 2 s, 2000 per second";
        assert_eq!(line("search", "states", 5000, elapsed), expected);
        assert_eq!(line("", "nodes", 7, Duration::ZERO), "7 nodes after 0 s");
    }

    #[test]
    fn nothing_is_said_before_a_second_has_passed_or_to_those_who_did_not_ask() {
        let mut console = Console::new(
            crate::console::ColourChoice::Never,
            crate::console::MessageFormat::Human,
            true,
        );
        let mut meter = Meter::new(&mut console, true);
        meter.event(Event::Phase("search"));
        let before = meter.last;
        meter.event(Event::Count("states", 1));
        assert_eq!(meter.last, before);
        meter.last = meter.last.checked_sub(INTERVAL).unwrap_or(before);
        meter.event(Event::Count("states", 2));
        assert!(meter.last >= before);
        assert!(Meter::new(&mut console, false).console.is_none());
    }
}
