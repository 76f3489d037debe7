//! Questions to the portfolio, one after the other on a thread of their own.
//!
//! A check works on the version of the text that it was asked about. It ends at a limit or when it
//! is cancelled; what it found is kept as long as the text stays the same.

use crate::findings;
use crate::reading::Reading;
use hardbop_machine::Machine;
use hardbop_outcome::{
    Answer, Budget, Evidence, Interrupt, Limit, Question, Silent, Support, Target, Verdict,
};
use hardbop_portfolio::explain::explain;
use hardbop_portfolio::{Portfolio, coverage};
use lsp_types::{Diagnostic, DiagnosticSeverity, Uri};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    /// Can these places be reached?
    Targets(Vec<Target>),
    /// What can be reached at all?
    Coverage,
}

/// Something that a check has found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The place; none for what coverage says.
    pub target: Option<Target>,
    /// The verdict in one word.
    pub word: String,
    /// What to show in the text.
    pub diagnostic: Option<Diagnostic>,
}

/// What came of a check.
pub(crate) struct Checked {
    asked: Asked,
    pub found: Vec<Found>,
    /// One sentence for the user.
    pub summary: String,
}

impl Checked {
    /// Whether an earlier finding is about the same.
    pub(crate) fn replaces(&self, old: &Found) -> bool {
        match &self.asked {
            Asked::Coverage => old.target.is_none(),
            Asked::Targets(targets) => old.target.as_ref().is_some_and(|t| targets.contains(t)),
        }
    }
}

/// A limit that can also be pulled by hand.
pub(crate) struct Until {
    pub cancelled: Arc<AtomicBool>,
    pub limit: Box<dyn Interrupt + Send>,
}

impl Interrupt for Until {
    fn check(&self) -> Option<Limit> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        self.limit.check()
    }
}

/// Answers, or says why not.
pub(crate) fn check(
    reading: &Reading,
    uri: &Uri,
    asked: Asked,
    until: &Until,
    seconds: u32,
) -> Result<Checked, String> {
    let machine = reading.machine().ok_or("the program has errors")?;
    let budget = Budget {
        interrupt: until,
        ..Budget::unlimited()
    };
    let (found, summary) = match &asked {
        Asked::Coverage => {
            let covered = coverage(machine, None, &budget).map_err(|why| why.to_string())?;
            let shown = findings::of_coverage(reading, &covered.coverage);
            let summary = match (&covered.missed, shown.len()) {
                (Some(why), _) => format!("the result is incomplete: {why}"),
                (None, 0) => "everything can be reached".to_owned(),
                (None, 1) => "1 finding".to_owned(),
                (None, count) => format!("{count} findings"),
            };
            let found = shown.into_iter().map(|diagnostic| Found {
                target: None,
                word: String::new(),
                diagnostic: Some(diagnostic),
            });
            (found.collect(), summary)
        }
        Asked::Targets(targets) => {
            let question = Question::reach(targets.clone());
            let outcome = Portfolio::default().check(machine, &question, &budget, &mut Silent);
            let outcome = outcome.map_err(|why| why.to_string())?;
            let seconds = f64::from(seconds);
            let answers = outcome.answers.iter();
            let found: Vec<Found> = answers
                .map(|answer| found(reading, uri, machine, answer, &budget, seconds))
                .collect();
            let words: Vec<&str> = found.iter().map(|found| found.word.as_str()).collect();
            let summary = summary(&words);
            (found, summary)
        }
    };
    Ok(Checked {
        asked,
        found,
        summary,
    })
}

/// `VIOLATED`, or `2 HOLDS, 1 VIOLATED`.
fn summary(words: &[&str]) -> String {
    if let [only] = words {
        return (*only).to_owned();
    }
    let mut kinds = words.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let count = |kind: &&str| words.iter().filter(|word| *word == kind).count();
    let counts = kinds.iter().map(|kind| format!("{} {kind}", count(kind)));
    counts.collect::<Vec<_>>().join(", ")
}

fn found(
    reading: &Reading,
    uri: &Uri,
    machine: &Machine,
    answer: &Answer,
    budget: &Budget<'_>,
    seconds: f64,
) -> Found {
    let word = answer.word().to_string();
    let target = answer.target();
    let text = target.map_or_else(String::new, ToString::to_string);
    let is_assertion = target.is_some_and(Target::is_assertion);
    let (severity, message, related) = match &answer.verdict {
        Verdict::Yes(Support::Evidence(evidence)) => {
            let steps = match evidence {
                Evidence::Run(trace) => findings::run(machine, trace, &reading.lines, uri),
                Evidence::Lasso(_) | Evidence::ThreadLasso(_) | Evidence::Strategy(_) => Vec::new(),
            };
            let severity = if is_assertion {
                DiagnosticSeverity::ERROR
            } else {
                DiagnosticSeverity::INFORMATION
            };
            let count = steps.len();
            let message =
                format!("{word}: {text} (a run of {count} steps, see the related places)");
            (Some(severity), message, steps)
        }
        Verdict::Unknown(why) => {
            let why = explain(why, budget, Some(seconds));
            let message = format!("{word}: {text}: {why}");
            (Some(DiagnosticSeverity::WARNING), message, Vec::new())
        }
        // The editor asks about places, and a place is reached by a run.
        Verdict::Yes(_) | Verdict::No(_) => (None, String::new(), Vec::new()),
    };
    let diagnostic = severity.zip(target).map(|(severity, target)| Diagnostic {
        range: reading.lines.range(machine.node(target.node).span),
        severity: Some(severity),
        related_information: (!related.is_empty()).then_some(related),
        ..findings::plain(message)
    });
    Found {
        target: target.cloned(),
        word,
        diagnostic,
    }
}
