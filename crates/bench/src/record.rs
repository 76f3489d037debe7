//! What was seen: one [`Sample`] per run, one [`Record`] per contender and case.

use crate::case::Case;
use crate::check_output::Usage;
use crate::verdict::{Judgement, Verdict};
use std::time::Duration;

/// One run of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// How it ended.
    pub end: End,
    /// Time from start to end.
    pub wall: Duration,
    /// User and system time, in steps of 10 ms; nothing where the system does not say.
    pub cpu: Option<Duration>,
    /// The most resident memory seen; nothing where the system does not say.
    pub peak_kib: Option<u64>,
    /// The verdict that was read from its output.
    pub verdict: Option<Verdict>,
    /// Its counters of work, in the order given.
    pub work: Vec<(String, u64)>,
    /// Its phases with their times, in the order given.
    pub phases: Vec<(String, Duration)>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
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
}

impl End {
    /// The word in tables: the exit code of a process that ended by itself.
    pub(crate) fn word(&self) -> String {
        match self {
            End::Exited(code) => code.to_string(),
            End::Crashed => "crash".to_owned(),
            End::TimedOut => "t/o".to_owned(),
            End::OutOfMemory => "m/o".to_owned(),
            End::NotStarted => "not found".to_owned(),
            End::Skipped => "skipped".to_owned(),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An engine of hardbop, whose exit codes are known.
    Engine,
    /// The front end of hardbop, which gives no verdict.
    FrontEnd,
    /// Another program. Its exit codes mean nothing here.
    Peer,
}

/// All runs of one contender on one case.
#[derive(Clone, Debug)]
pub struct Record {
    /// What was asked.
    pub case: Case,
    /// Who was asked.
    pub contender: String,
    /// What kind of contender that is.
    pub kind: Kind,
    /// The runs, in order; at least one.
    pub samples: Vec<Sample>,
}

impl Record {
    /// The run that tables show: the fastest complete one, since other work on the machine can only
    /// make runs slower; the first one if none is complete.
    pub fn best(&self) -> &Sample {
        let complete = self.samples.iter().filter(|sample| sample.is_complete());
        let fastest = complete.min_by_key(|sample| sample.wall);
        fastest.unwrap_or_else(|| self.samples.first().expect("a record has a sample"))
    }

    /// Whether one run was right.
    pub fn judge(&self, sample: &Sample) -> Judgement {
        match (&sample.end, self.kind) {
            (End::TimedOut | End::OutOfMemory | End::Skipped, _) => Judgement::NoAnswer,
            (End::Crashed | End::NotStarted, _) => Judgement::Failed,
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

    /// Whether the figures are those of an answer. A run that gave up or failed early must not look
    /// fast.
    pub(crate) fn is_answered(&self) -> bool {
        let is_none = matches!(self.judgement(), Judgement::Failed | Judgement::NoAnswer);
        self.best().is_complete() && !is_none
    }

    /// Whether all complete runs counted the same work, as a deterministic engine does.
    pub(crate) fn is_steady(&self) -> bool {
        let mut complete = self.samples.iter().filter(|sample| sample.is_complete());
        let first = complete.next();
        complete.all(|sample| Some(&sample.work) == first.map(|first| &first.work))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::case::Source;

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
                source: Source::File(String::new()),
            },
            contender: contender.to_owned(),
            kind: Kind::Engine,
            samples: millis.iter().map(|&millis| sample(millis)).collect(),
        }
    }

    #[test]
    fn the_fastest_complete_run_is_shown() {
        let mut record = record("tn", 10, "summary", &[15, 12, 19]);
        record.samples.push(Sample::ended(End::TimedOut));
        assert_eq!(record.best().wall, Duration::from_millis(12));
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
    fn different_counters_in_equal_runs_are_noticed() {
        assert!(record("tn", 10, "summary", &[15, 15]).is_steady());
        assert!(!record("tn", 10, "summary", &[15, 16]).is_steady());
    }
}
