//! The JSON form of answers to questions about runs: what `check --json` prints for properties, and `replay` reads.
//!
//! An answer has its question with it, the text of a monitor included, so that a run can be judged again without the files and options of
//! the time when it was found.

use super::{Answered, Asked, FoundRun, Question, RunsVerdict};
use crate::usage::UsageMembers;
use hardbop_outcome::{Lasso, Limit, ThreadLasso, Trace};
use serde::{Deserialize, Serialize};

/// Version of the form.
pub const VERSION: u32 = 1;
/// The member that such a file is known by.
pub const MARK: &str = "hardbop-properties";

/// All answers of one call.
#[derive(Debug, Serialize, Deserialize)]
pub struct PropertyOutcome {
    /// Version of this form.
    #[serde(rename = "hardbop-properties")]
    pub version: u32,
    /// Who answered.
    pub engine: String,
    /// The answers, in the order of the questions.
    pub answers: Vec<Answer>,
}

/// The answers, and on request what they took, which is never the same twice.
#[derive(Debug, Serialize)]
pub struct OutcomeAndUsage {
    /// The answers.
    #[serde(flatten)]
    pub outcome: PropertyOutcome,
    /// What they took.
    #[serde(flatten)]
    pub usage: Option<UsageMembers>,
}

/// The answer to one question.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The question in words.
    pub property: String,
    /// The question itself.
    pub question: Asked,
    /// The verdict.
    pub verdict: VerdictName,
    /// Why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Limit>,
    /// The infinite run that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasso: Option<Lasso>,
    /// The same of several threads.
    #[serde(
        default,
        rename = "thread-lasso",
        skip_serializing_if = "Option::is_none"
    )]
    pub thread_lasso: Option<ThreadLasso>,
    /// The finite run that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Counters of work.
    pub statistics: Vec<(String, u64)>,
}

/// A verdict by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictName {
    /// The property holds.
    Holds,
    /// It does not.
    Violated,
    /// There is no run as asked for.
    Unreachable,
    /// There is one.
    Reachable,
    /// Not known.
    Unknown,
}

impl Answer {
    /// The answer to a question.
    pub fn new(question: &Question, answer: Answered) -> Self {
        let (found, excluded) = if question.asks_for_run {
            (VerdictName::Reachable, VerdictName::Unreachable)
        } else {
            (VerdictName::Violated, VerdictName::Holds)
        };
        let mut json = Self {
            property: question.text.clone(),
            question: question.asked.clone(),
            verdict: excluded,
            why: None,
            lasso: None,
            thread_lasso: None,
            trace: None,
            statistics: answer.statistics,
        };
        match answer.verdict {
            RunsVerdict::Excluded => {}
            RunsVerdict::Unknown(why) => {
                json.verdict = VerdictName::Unknown;
                json.why = Some(why);
            }
            RunsVerdict::Found(run) => {
                json.verdict = found;
                let property = Some(question.text.clone());
                match run {
                    FoundRun::Lasso(lasso) => json.lasso = Some(Lasso { property, ..lasso }),
                    FoundRun::Threads(lasso) => {
                        json.thread_lasso = Some(ThreadLasso { property, ..lasso });
                    }
                    FoundRun::Trace(trace) => json.trace = Some(trace),
                }
            }
        }
        json
    }

    /// The run that was found; nothing if none was. An error if the verdict and the runs of a file do not fit.
    pub fn run(&self) -> Result<Option<FoundRun>, String> {
        let property = &self.property;
        let is_found = matches!(self.verdict, VerdictName::Violated | VerdictName::Reachable);
        let runs = [
            self.lasso.clone().map(FoundRun::Lasso),
            self.thread_lasso.clone().map(FoundRun::Threads),
            self.trace.clone().map(FoundRun::Trace),
        ];
        let mut runs = runs.into_iter().flatten();
        match (is_found, runs.next(), runs.next()) {
            (false, None, _) => Ok(None),
            (true, Some(run), None) => Ok(Some(run)),
            (true, None, _) => Err(format!("the answer about {property} has no run")),
            (true, _, Some(_)) => Err(format!("the answer about {property} has two runs")),
            (false, Some(_), _) => Err(format!(
                "the answer about {property} has a run, but says that none was found"
            )),
        }
    }
}
