//! The value from which every report is made: JSON, SARIF, `JUnit` and the page.
//!
//! It says everything about the answers to some questions without a look at the program: what was
//! asked, the verdicts, and every run step by step ([`run`]), as it was executed. As JSON it is also
//! an [`Outcome`]: the evidence stands beside the run that is shown, so that `hardbop replay` and
//! `hardbop validate` read the same file. The members that belong to evidence are described
//! loosely in the schema: their form is that of the crate `evidence`, which knows no schemas.

mod follow;
mod number;
mod overflow;
mod relevance;
mod replayed;
mod run;
mod schema;
#[cfg(test)]
mod tests;
mod words;
mod written;

use hardbop_automata::PropertyText;
use hardbop_machine::Machine;
use hardbop_outcome::outcome::Printed;
use hardbop_outcome::{
    Answer, Asked, Bound, Certificate, Evidence, Limit, Outcome, Statistics, Support, SupportWord,
    Target, Verdict, VerdictWord,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;

pub(crate) use run::Runs;

pub use number::Number;
pub use overflow::{OverflowChecks, Undefined};
pub use replayed::{ReplayDocument, ReplayedRun};
pub use run::{
    Branch, Choice, LeftOut, Loop, Place, Run, RunEnding, Scope, Step, StepKind, Thread, Value,
};
pub use schema::{check_schema, coverage_schema, message_schema, replay_schema};
pub use written::Branches;

/// All answers of a command, with their runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "hardbop check --json")]
pub struct Document<'a> {
    /// Version of this form. New members may come without a new version.
    #[serde(rename = "hardbop-outcome")]
    pub version: u32,
    /// The engine that answered.
    pub engine: &'a str,
    /// One per item that was asked, in order.
    pub answers: Vec<AnswerReport<'a>>,
    /// Work counters in a fixed order.
    #[schemars(with = "Vec<(String, u64)>")]
    pub statistics: &'a Statistics,
    /// What an algorithm of the user printed, in order.
    #[serde(skip_serializing_if = "<[Printed]>::is_empty")]
    #[schemars(with = "Vec<schema::Printed>", default)]
    pub printed: &'a [Printed],
    /// Proofs of negative answers, unless they were written to a file.
    #[serde(skip_serializing_if = "<[Certificate]>::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>", default)]
    pub certificates: &'a [Certificate],
    /// The version of the tool.
    pub hardbop: &'a str,
    /// The file that all places are in.
    pub file: &'a str,
    /// The digest of the program, by which evidence of another program is told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Phases with their seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<Vec<(&'static str, f64)>>,
    /// The most resident memory, in KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_kib: Option<u64>,
    /// The limit at which the command was ended before it had answered everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<&'a str>,
}

/// The answer to one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AnswerReport<'a> {
    /// What was asked: a place or a property.
    #[serde(flatten)]
    #[schemars(with = "schema::Asked")]
    pub asked: &'a Asked,
    /// What was asked, in words.
    pub question: String,
    /// The verdict in one word.
    #[schemars(with = "schema::VerdictWord")]
    pub verdict: VerdictWord,
    /// What the verdict stands on, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::SupportWord>")]
    pub support: Option<SupportWord>,
    /// The bound up to which a negative verdict holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::Bound>")]
    pub up_to: Option<Bound>,
    /// Why nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::Limit>")]
    pub why: Option<&'a Limit>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why a negative answer has no certificate, where certificates are to be expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertified: Option<&'a str>,
    /// Whether an assertion holds only because no run gets to it, as far as that is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub vacuous: bool,
    /// Where the proof of a negative answer is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateReference>,
    /// The run that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// The same run as `hardbop replay` reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub evidence: Option<&'a Evidence>,
}

/// Where the proof of an answer is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CertificateReference {
    /// The file; without one the certificate stands in this document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its index in the list of certificates.
    pub index: usize,
    /// The digest of the program that it is about.
    pub program: String,
}

/// How a document is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentOptions<'a> {
    /// Whether runs are shown, and then with how many steps at most where calls are written out.
    pub most_steps: Option<u64>,
    /// The file to which the certificates were written.
    pub certificate_file: Option<&'a str>,
}

impl<'a> Document<'a> {
    /// What is known without the program, and without any run.
    pub fn bare(outcome: &'a Outcome, hardbop: &'a str, file: &'a str) -> Self {
        let options = DocumentOptions::default();
        Self {
            version: outcome.version,
            engine: &outcome.engine,
            answers: outcome
                .answers
                .iter()
                .map(|answer| AnswerReport::new(outcome, answer, options))
                .collect(),
            statistics: &outcome.statistics,
            printed: &outcome.printed,
            certificates: &outcome.certificates,
            hardbop,
            file,
            program: None,
            times: None,
            peak_kib: None,
            unknown: None,
        }
    }

    /// All answers about a program. Runs are replayed; an error says which is not one.
    pub fn new(
        machine: &'a Machine,
        outcome: &'a Outcome,
        hardbop: &'a str,
        options: DocumentOptions<'_>,
    ) -> Result<Self, String> {
        let mut document = Self::bare(outcome, hardbop, machine.source.name());
        document.program = Some(machine.digest().to_owned());
        if options.certificate_file.is_some() {
            document.certificates = &[];
        }
        let mut evidence = outcome.answers.iter().filter_map(|a| a.verdict.evidence());
        let has_runs = evidence.any(Evidence::has_run);
        let runs = options.most_steps.filter(|_| has_runs);
        let runs = runs.map(|most| Runs::new(machine, most));
        for (report, answer) in document.answers.iter_mut().zip(&outcome.answers) {
            *report = AnswerReport::new(outcome, answer, options);
            let evidence = answer.verdict.evidence().filter(|e| e.has_run());
            if let (Some(runs), Some(evidence)) = (&runs, evidence) {
                report.run = Some(runs.run(evidence, &words_of(&answer.asked))?);
            }
        }
        Ok(document)
    }

    /// As indented JSON with a newline at the end.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(format!("{}\n", serde_json::to_string_pretty(self)?))
    }
}

impl<'a> AnswerReport<'a> {
    fn new(outcome: &'a Outcome, answer: &'a Answer, options: DocumentOptions<'_>) -> Self {
        let verdict = &answer.verdict;
        let why = match verdict {
            Verdict::Unknown(limit) => Some(limit),
            Verdict::Yes(_) | Verdict::No(_) => None,
        };
        let up_to = match verdict.support() {
            Some(Support::UpTo(bound)) => Some(*bound),
            _ => None,
        };
        let proof = match (answer.target(), verdict.support()) {
            (Some(target), Some(Support::Certificate)) => certificate_of(outcome, target),
            (None, Some(Support::Certificate)) => {
                let property = answer.asked.to_string();
                let mut certificates = outcome.certificates.iter();
                certificates.position(|one| one.property.as_ref() == Some(&property))
            }
            _ => None,
        };
        Self {
            asked: &answer.asked,
            question: answer.asked.to_string(),
            verdict: answer.word(),
            support: verdict.support().map(Support::word),
            up_to,
            why,
            reason: why.map(ToString::to_string),
            uncertified: verdict.why_uncertified(),
            vacuous: answer.vacuous,
            certificate: proof.map(|index| CertificateReference {
                file: options.certificate_file.map(str::to_owned),
                index,
                program: outcome.certificates[index].program.clone(),
            }),
            run: None,
            evidence: verdict.evidence(),
        }
    }
}

/// The index of the certificate that excludes a target.
fn certificate_of(outcome: &Outcome, target: &Target) -> Option<usize> {
    let mut certificates = outcome.certificates.iter();
    certificates.position(|one| one.property.is_none() && one.targets.contains(target))
}

/// The words that a property is written in, among them every variable that it looks at.
pub(crate) fn words_of(asked: &Asked) -> HashSet<&str> {
    let text = match asked {
        Asked::Property(PropertyText::Ltl { formula } | PropertyText::Ctl { formula }) => formula,
        Asked::Property(PropertyText::Monitor { text, .. } | PropertyText::Hoa { text, .. }) => {
            text
        }
        Asked::Property(_) | Asked::Target(_) => return HashSet::new(),
    };
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_in_word(c))
        .filter(|word| !word.is_empty())
        .collect()
}
