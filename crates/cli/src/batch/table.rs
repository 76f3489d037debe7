//! What a batch shows: a line for each job in the order of the jobs, and at the end a count.
//!
//! On a terminal the running jobs and a count are below the lines and are redrawn; in a pipe
//! there are only the lines, each as soon as those before it are known.

use super::jobs::Job;
use super::records::Record;
use super::worst;
use crate::console::Console;
use crate::exit::Exit;
use std::collections::BTreeMap;
use std::io::{IsTerminal, stdout};
use std::time::Instant;

/// Width of a terminal that does not say.
const WIDTH: usize = 80;

pub(super) struct Table {
    /// What each job is called: its file, with the options where a file is checked more than once.
    names: Vec<String>,
    /// Results that have not been shown, by job.
    done: BTreeMap<usize, Record>,
    /// The next job to show.
    next: usize,
    running: BTreeMap<usize, Instant>,
    /// How often each verdict was given.
    counts: BTreeMap<String, usize>,
    exits: Vec<Exit>,
    /// Lines that are redrawn; nothing in a pipe.
    live: Option<usize>,
}

impl Table {
    pub(super) fn new(jobs: &[Job]) -> Self {
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for job in jobs {
            *times.entry(&job.file).or_default() += 1;
        }
        let name = |job: &Job| match times[job.file.as_str()] {
            1 => job.file.clone(),
            _ => job.with_options(),
        };
        let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
        Self {
            names: jobs.iter().map(name).collect(),
            done: BTreeMap::new(),
            next: 0,
            running: BTreeMap::new(),
            counts: BTreeMap::new(),
            exits: Vec::new(),
            live: (stdout().is_terminal() && !is_dumb).then_some(0),
        }
    }

    pub(super) fn start(&mut self, console: &mut Console, number: usize) {
        self.running.insert(number, Instant::now());
        self.tick(console);
    }

    pub(super) fn finish(&mut self, console: &mut Console, number: usize, record: Record) {
        self.running.remove(&number);
        self.exits.push(record.exit());
        *self.counts.entry(record.verdict.clone()).or_default() += 1;
        self.done.insert(number, record);
        self.erase(console);
        while let Some(record) = self.done.remove(&self.next) {
            console.print(&line(&self.names[self.next], &record));
            self.next += 1;
        }
        self.draw(console);
        console.flush();
    }

    /// Shows how far it has come, on a terminal.
    pub(super) fn tick(&mut self, console: &mut Console) {
        if self.live.is_some() {
            self.erase(console);
            self.draw(console);
            console.flush();
        }
    }

    fn erase(&mut self, console: &mut Console) {
        if let Some(lines) = self.live.as_mut().filter(|lines| **lines > 0) {
            console.print(&format!("\x1b[{lines}A\x1b[J"));
            *lines = 0;
        }
    }

    fn draw(&mut self, console: &mut Console) {
        if self.live.is_none() {
            return;
        }
        let columns = terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
        let width = columns.unwrap_or(WIDTH).max(2) - 1;
        let mut lines = Vec::new();
        for (&number, since) in &self.running {
            let seconds = since.elapsed().as_secs();
            lines.push(format!("… {seconds:>6} s    {}", self.names[number]));
        }
        lines.push(format!("{} of {}", self.exits.len(), self.summary()));
        for line in &lines {
            let cut: String = line.chars().take(width).collect();
            console.print(&format!("{cut}\n"));
        }
        self.live = Some(lines.len());
    }

    /// `12 files: 9 HOLDS, 3 VIOLATED`
    fn summary(&self) -> String {
        let total = self.names.len();
        let noun = if total == 1 { "check" } else { "checks" };
        let counts = self
            .counts
            .iter()
            .map(|(verdict, count)| format!("{count} {verdict}"));
        let counts: Vec<String> = counts.collect();
        if counts.is_empty() {
            return format!("{total} {noun}");
        }
        format!("{total} {noun}: {}", counts.join(", "))
    }

    /// Ends the table; gives the exit code.
    pub(super) fn end(mut self, console: &mut Console) -> Exit {
        self.erase(console);
        console.print(&format!("{}\n", self.summary()));
        worst(self.exits)
    }
}

fn line(name: &str, record: &Record) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for answer in &record.answers {
        *counts.entry(&answer.verdict).or_default() += 1;
    }
    let several = (record.answers.len() > 1).then(|| {
        let counts = counts
            .iter()
            .map(|(verdict, count)| format!("{count} {verdict}"));
        counts.collect::<Vec<_>>().join(", ")
    });
    let about: Vec<&str> = several
        .iter()
        .chain(&record.message)
        .map(String::as_str)
        .collect();
    let about = if about.is_empty() {
        String::new()
    } else {
        format!(": {}", about.join("; "))
    };
    format!("{:<12} {name}{about}\n", record.verdict)
}
