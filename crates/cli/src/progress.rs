//! Who is searching and how far it has come: a live line on a terminal, or a line a second on
//! request, on standard error.
//!
//! Engines say what they do and count (`outcome::Progress`). All engines and checkers also poll the
//! limits every few thousand operations, so the number of polls shows that they advance. A separate
//! thread keeps the time; searches never wait for the terminal.

use crate::console::Console;
use crate::{interrupt, memory};
use clap::ValueEnum;
use hardbop_outcome::{Event, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Faster answers need no live line.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two states of the live line.
const TICK: Duration = Duration::from_millis(100);
/// The time between two lines.
const INTERVAL: Duration = Duration::from_secs(1);

/// Whether the live line is on the terminal.
static LIVE: AtomicBool = AtomicBool::new(false);

/// Clears the live line before the command is ended during a search.
pub fn clear_live_line() {
    if LIVE.swap(false, Ordering::Relaxed) {
        let _ = std::io::stderr().write_all(b"\r\x1b[2K");
    }
}

/// Whether to say how far an engine has come.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct ProgressArguments {
    /// How to show the progress of a search on standard error
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    progress: How,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum How {
    /// A live line on a terminal, nothing otherwise
    #[default]
    Auto,
    /// A line every second
    Lines,
    /// A JSON object per line, every second and at the end
    Json,
    /// Not at all
    None,
}

impl ProgressArguments {
    /// Begins to show what happens until the meter is dropped.
    pub fn meter(self, console: &Console) -> Meter {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let is_live = std::io::stderr().is_terminal() && !is_dumb && !console.is_quiet();
        Meter::new(match self.progress {
            How::Auto if !is_live => How::None,
            how => how,
        })
    }
}

/// What is known of the search at hand.
#[derive(Clone, Debug, Default)]
struct Standing {
    engine: String,
    phase: String,
    count: Option<(String, u64)>,
}

/// Shows what an engine says until it is dropped.
pub struct Meter {
    standing: Option<Arc<Mutex<Standing>>>,
    stop: Option<Sender<()>>,
    shower: Option<JoinHandle<()>>,
}

impl Meter {
    fn new(how: How) -> Self {
        if how == How::None {
            return Self {
                standing: None,
                stop: None,
                shower: None,
            };
        }
        let standing = Arc::new(Mutex::new(Standing::default()));
        let (stop, end) = mpsc::channel();
        let view = View {
            standing: Arc::clone(&standing),
            started: Instant::now(),
            looks: interrupt::looks(),
        };
        let shower = std::thread::Builder::new().spawn(move || match how {
            How::Auto => view.live(&end),
            _ => view.lines(&end, how == How::Json),
        });
        Self {
            standing: Some(standing),
            stop: Some(stop),
            shower: shower.ok(),
        }
    }

    /// Says what is being done where no engine speaks.
    pub fn phase(&mut self, name: &str) {
        self.event(Event::Phase(name));
    }
}

impl Progress for Meter {
    fn event(&mut self, event: Event<'_>) {
        let Some(standing) = &self.standing else {
            return;
        };
        let mut standing = standing.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Engine(engine) if engine == standing.engine => {}
            Event::Engine(engine) => {
                engine.clone_into(&mut standing.engine);
                standing.phase.clear();
                standing.count = None;
            }
            Event::Phase(phase) => {
                phase.clone_into(&mut standing.phase);
                standing.count = None;
            }
            Event::Count(what, count) => standing.count = Some((what.to_owned(), count)),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(shower) = self.shower.take() {
            // It has only to clear its line.
            let _ = shower.join();
        }
    }
}

/// What the thread that shows progress knows.
#[derive(Clone)]
struct View {
    standing: Arc<Mutex<Standing>>,
    started: Instant,
    /// Number of polls when the search began.
    looks: u64,
}

impl View {
    fn standing(&self) -> Standing {
        let standing = self.standing.lock();
        standing.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn work(&self) -> u64 {
        interrupt::looks().saturating_sub(self.looks)
    }

    /// Keeps one line up to date, once it is worth it.
    fn live(self, end: &mpsc::Receiver<()>) {
        if end.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        let view = self.clone();
        let text = move |_: &ProgressState, line: &mut dyn std::fmt::Write| {
            let _ = line.write_str(&view.text());
        };
        let style = ProgressStyle::with_template("{spinner} {search}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style.with_key("search", text));
        LIVE.store(true, Ordering::Relaxed);
        while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            bar.tick();
        }
        LIVE.store(false, Ordering::Relaxed);
        bar.finish_and_clear();
    }

    /// Writes a line every second, and the last state as JSON.
    fn lines(self, end: &mpsc::Receiver<()>, is_json: bool) {
        loop {
            let is_over = end.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout);
            if is_over && !is_json {
                return;
            }
            let line = if is_json {
                self.json()
            } else {
                format!("note: {}\n", self.text())
            };
            // Nothing can be done about a stream that is closed.
            let _ = std::io::stderr().write_all(line.as_bytes());
            if is_over {
                return;
            }
        }
    }

    fn text(&self) -> String {
        text(
            &self.standing(),
            self.work(),
            memory::megabytes(),
            self.started.elapsed(),
        )
    }

    fn json(&self) -> String {
        let Standing {
            engine,
            phase,
            count,
        } = self.standing();
        let count = count.map(|(what, count)| serde_json::json!({ "of": what, "number": count }));
        let line = serde_json::json!({ "progress": {
            "engine": engine,
            "phase": phase,
            "count": count,
            "work": self.work(),
            "memory-mb": memory::megabytes(),
            "seconds": self.started.elapsed().as_secs_f64(),
        }});
        format!("{line}\n")
    }
}

/// The state of a search in words.
fn text(standing: &Standing, work: u64, megabytes: usize, elapsed: Duration) -> String {
    let mut text = match (standing.engine.as_str(), standing.phase.as_str()) {
        ("", "") => "working".to_owned(),
        (name, "") | ("", name) => name.to_owned(),
        (engine, phase) => format!("{engine}: {phase}"),
    };
    if let Some((what, count)) = &standing.count {
        let _ = write!(text, ", {count} {what}");
    }
    let seconds = elapsed.as_secs();
    let _ = write!(text, ", work {work}, {megabytes} MB, {seconds} s");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_who_searches_and_how_far_it_has_come() {
        let mut meter = Meter {
            standing: Some(Arc::default()),
            stop: None,
            shower: None,
        };
        let shown = |meter: &Meter| {
            let standing = meter.standing.as_ref().expect("it is there").lock();
            let standing = standing.expect("nobody panicked").clone();
            text(&standing, 7, 12, Duration::from_millis(2500))
        };
        assert_eq!(shown(&meter), "working, work 7, 12 MB, 2 s");
        meter.event(Event::Engine("explicit"));
        meter.event(Event::Phase("search"));
        meter.event(Event::Count("states", 5000));
        let line = "explicit: search, 5000 states, work 7, 12 MB, 2 s";
        assert_eq!(shown(&meter), line);
        meter.event(Event::Engine("explicit"));
        assert_eq!(shown(&meter), line);
        meter.event(Event::Engine("sat"));
        assert_eq!(shown(&meter), "sat, work 7, 12 MB, 2 s");
    }
}
