//! What was seen: one [`Sample`] per run, one [`Record`] per contender and case.

use crate::case::Case;
use crate::check_output::Usage;
use crate::verdict::{Judgement, Verdict};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One run of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// How it ended.
    pub end: End,
    /// Time from start to end.
    #[serde(with = "crate::run::seconds")]
    pub wall: Duration,
    /// User and system time, in steps of 10 ms; nothing where the system does not say.
    #[serde(default, with = "crate::run::optional_seconds")]
    pub cpu: Option<Duration>,
    /// The most resident memory seen; nothing where the system does not say.
    pub peak_kib: Option<u64>,
    /// The verdict that was read from its output.
    pub verdict: Option<Verdict>,
    /// Its counters of work, in the order given.
    #[serde(default)]
    pub work: Vec<(String, u64)>,
    /// Its phases with their times, in the order given. Not in files: they are by its own clock, in
    /// wall time.
    #[serde(skip)]
    pub phases: Vec<(String, Duration)>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// By itself, with an exit code by which a known peer says that it has failed.
    Failed(i32),
    /// By a signal that the benchmark did not send.
    Crashed,
    /// Stopped at the time limit.
    TimedOut,
    /// Stopped at the memory limit.
    OutOfMemory,
    /// It could not be started.
    NotStarted,
    /// Not run, because a smaller member of the series has hit a limit.
    Skipped,
    /// Not run, because the contender does not take such a program or question.
    Unsuited,
}

impl End {
    /// The word in tables: the exit code of a process that ended by itself.
    pub fn word(&self) -> String {
        match self {
            End::Exited(code) => code.to_string(),
            End::Failed(code) => format!("error {code}"),
            End::Crashed => "crash".to_owned(),
            End::TimedOut => "t/o".to_owned(),
            End::OutOfMemory => "m/o".to_owned(),
            End::NotStarted => "not found".to_owned(),
            End::Skipped => "skipped".to_owned(),
            End::Unsuited => "n/a".to_owned(),
        }
    }
}

impl Sample {
    /// A run of which nothing is known but how it ended.
    pub fn ended(end: End) -> Self {
        Self {
            end,
            wall: Duration::ZERO,
            cpu: None,
            peak_kib: None,
            verdict: None,
            work: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// Adds what the process itself says that it has spent.
    pub fn take_usage(&mut self, usage: Usage) {
        self.phases = usage.phases;
        self.peak_kib = self.peak_kib.max(usage.peak_kib);
    }

    /// The same run with the cost of an earlier one that gave no answer.
    #[must_use]
    pub fn after(mut self, earlier: &Self) -> Self {
        self.wall += earlier.wall;
        self.cpu = self.cpu.zip(earlier.cpu).map(|(now, then)| now + then);
        self.peak_kib = self.peak_kib.max(earlier.peak_kib);
        self
    }

    /// Whether the process ended by itself, so that its figures mean something.
    pub(crate) fn is_complete(&self) -> bool {
        matches!(self.end, End::Exited(_))
    }

    /// Whether a limit stopped it, or would have.
    pub fn hit_limit(&self) -> bool {
        matches!(self.end, End::TimedOut | End::OutOfMemory | End::Skipped)
    }
}

/// What kind of contender a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An engine of hardbop, whose exit codes are known.
    Engine,
    /// The front end of hardbop, which gives no verdict.
    FrontEnd,
    /// Another program. Its exit codes mean nothing here.
    Peer,
}

/// All runs of one contender on one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What was asked.
    pub case: Case,
    /// Who was asked.
    pub contender: String,
    /// What kind of contender that is.
    pub kind: Kind,
    /// The runs, in order; at least one.
    pub samples: Vec<Sample>,
    /// The instructions of a further run, where they were counted.
    pub instructions: Option<u64>,
}

impl Record {
    /// The run that tables show: the fastest complete one, since other work on the machine can only
    /// make runs slower; the first one if none is complete.
    pub fn best(&self) -> &Sample {
        let complete = self.samples.iter().filter(|sample| sample.is_complete());
        let fastest = complete.min_by_key(|sample| sample.wall);
        fastest.unwrap_or_else(|| self.samples.first().expect("a record has a sample"))
    }

    /// The median of the wall times of complete runs, and their spread: the median of the
    /// distances from it. One slow run among several changes neither.
    pub(crate) fn median_and_spread(&self) -> Option<(f64, f64)> {
        let complete = self.samples.iter().filter(|sample| sample.is_complete());
        let times: Vec<f64> = complete.map(|sample| sample.wall.as_secs_f64()).collect();
        let middle = median(times.clone())?;
        let distances = times.iter().map(|time| (time - middle).abs());
        Some((middle, median(distances.collect())?))
    }

    /// Whether one run was right.
    pub fn judge(&self, sample: &Sample) -> Judgement {
        match (&sample.end, self.kind) {
            (End::TimedOut | End::OutOfMemory | End::Skipped, _) => Judgement::NoAnswer,
            (End::Unsuited, _) => Judgement::NotJudged,
            (End::Failed(_) | End::Crashed | End::NotStarted, _) => Judgement::Failed,
            // 0, 1 and 3 are answers, 2 and 4 are not; 101 is a panic.
            (End::Exited(code), Kind::Engine) if !matches!(code, 0 | 1 | 3) => Judgement::Failed,
            (End::Exited(_), Kind::Engine) if sample.verdict.is_none() => Judgement::Failed,
            (End::Exited(code), Kind::FrontEnd) if *code != 0 => Judgement::Failed,
            _ => Judgement::of(sample.verdict, self.case.expected),
        }
    }

    /// The gravest judgement of all runs: one wrong answer among many right ones is still wrong.
    pub(crate) fn judgement(&self) -> Judgement {
        let judgements: Vec<Judgement> = self
            .samples
            .iter()
            .map(|sample| self.judge(sample))
            .collect();
        let gravest_first = [
            Judgement::Wrong,
            Judgement::Failed,
            Judgement::NoAnswer,
            Judgement::Right,
        ];
        let found = gravest_first
            .into_iter()
            .find(|grave| judgements.contains(grave));
        found.unwrap_or(Judgement::NotJudged)
    }

    /// Whether the figures are those of an answer. A run that was wrong, gave up or failed early
    /// must not look fast.
    pub fn is_answered(&self) -> bool {
        let is_answer = matches!(self.judgement(), Judgement::Right | Judgement::NotJudged);
        self.best().is_complete() && is_answer
    }

    /// Whether all complete runs counted the same work, as a deterministic engine does.
    pub(crate) fn is_steady(&self) -> bool {
        let mut complete = self.samples.iter().filter(|sample| sample.is_complete());
        let first = complete.next();
        complete.all(|sample| Some(&sample.work) == first.map(|first| &first.work))
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    let upper = *values.get(half)?;
    let lower = if values.len().is_multiple_of(2) {
        values[half - 1]
    } else {
        upper
    };
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A complete run that takes this many milliseconds and finds the label.
    pub(crate) fn sample(millis: u64) -> Sample {
        Sample {
            wall: Duration::from_millis(millis),
            cpu: Some(Duration::from_millis(millis / 10 * 10)),
            peak_kib: Some(2048),
            verdict: Some(Verdict::Reachable),
            work: vec![("edges".to_owned(), millis), ("rounds".to_owned(), 3)],
            ..Sample::ended(End::Exited(1))
        }
    }

    /// A record with runs that take this many milliseconds; the expected verdict is the one seen.
    pub(crate) fn record(name: &str, size: u32, contender: &str, millis: &[u64]) -> Record {
        Record {
            case: Case {
                name: name.to_owned(),
                size: Some(size),
                seed: Some(1),
                label: Some("L".to_owned()),
                options: vec!["--reach".to_owned(), "L".to_owned()],
                expected: Some(Verdict::Reachable),
            },
            contender: contender.to_owned(),
            kind: Kind::Engine,
            samples: millis.iter().map(|&millis| sample(millis)).collect(),
            instructions: None,
        }
    }

    #[test]
    fn the_fastest_complete_run_is_shown() {
        let mut record = record("tn", 10, "summary", &[15, 12, 19]);
        record.samples.push(Sample::ended(End::TimedOut));
        assert_eq!(record.best().wall, Duration::from_millis(12));
    }

    #[test]
    fn one_slow_run_changes_neither_median_nor_spread() {
        let rounded = |millis: &[u64]| {
            let found = record("tn", 10, "summary", millis).median_and_spread();
            found.map(|(middle, spread)| ((middle * 1e3).round(), (spread * 1e3).round()))
        };
        assert_eq!(rounded(&[12, 10, 900, 14, 13]), Some((13.0, 1.0)));
        assert_eq!(rounded(&[10, 20]), Some((15.0, 5.0)));
        assert_eq!(rounded(&[]), None);
    }

    #[test]
    fn one_wrong_run_makes_a_record_wrong() {
        let mut record = record("tn", 10, "summary", &[15, 12]);
        assert_eq!(record.judgement(), Judgement::Right);
        record.samples.push(Sample::ended(End::TimedOut));
        assert_eq!(record.judgement(), Judgement::NoAnswer);
        record.samples[1].verdict = Some(Verdict::Unreachable);
        assert_eq!(record.judgement(), Judgement::Wrong);
    }

    #[test]
    fn an_engine_that_panics_or_says_nothing_has_failed_but_a_peer_may() {
        let mut record = record("tn", 10, "summary", &[15]);
        record.samples[0].end = End::Exited(101);
        assert_eq!(record.judgement(), Judgement::Failed);
        record.samples[0] = Sample::ended(End::Exited(0));
        assert_eq!(record.judgement(), Judgement::Failed);
        record.kind = Kind::Peer;
        assert_eq!(record.judgement(), Judgement::NotJudged);
    }

    #[test]
    fn a_known_peer_that_fails_is_told_from_one_that_gives_up() {
        let mut record = record("tn", 10, "cbmc", &[15]);
        record.kind = Kind::Peer;
        record.samples[0] = Sample::ended(End::Failed(6));
        assert_eq!(record.judgement(), Judgement::Failed);
        assert!(!record.is_answered());
        assert_eq!(record.best().end.word(), "error 6");
    }

    #[test]
    fn runs_that_gave_no_answer_are_paid_for_by_the_last_one() {
        let mut earlier = sample(200);
        earlier.verdict = Some(Verdict::Unknown);
        earlier.peak_kib = Some(9000);
        let both = sample(50).after(&earlier);
        assert_eq!(both.wall, Duration::from_millis(250));
        assert_eq!(both.cpu, Some(Duration::from_millis(250)));
        assert_eq!(both.peak_kib, Some(9000));
        assert_eq!(both.verdict, Some(Verdict::Reachable));
    }

    #[test]
    fn different_counters_in_equal_runs_are_noticed() {
        assert!(record("tn", 10, "summary", &[15, 15]).is_steady());
        assert!(!record("tn", 10, "summary", &[15, 16]).is_steady());
    }
}
