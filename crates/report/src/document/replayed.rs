//! What a replay shows, as a value: runs that were executed, and what each was found to be.

use super::run::{Run, Runs};
use super::{schema, words_of};
use hardbop_machine::Machine;
use hardbop_outcome::{Asked, Evidence};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;

/// Version of the JSON form.
const VERSION: u32 = 1;

/// The runs of a file that were replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(title = "hardbop replay --json")]
pub struct ReplayDocument<'a> {
    /// Version of this form. New members may come without a new version.
    #[serde(rename = "hardbop-replay")]
    pub version: u32,
    /// The version of the tool.
    pub hardbop: &'a str,
    /// The file that all places are in.
    pub file: &'a str,
    /// The digest of the program.
    pub program: String,
    /// The runs, in order.
    pub runs: Vec<ReplayedRun<'a>>,
}

/// A run that was replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplayedRun<'a> {
    /// What it answers.
    #[serde(flatten)]
    #[schemars(with = "Option<schema::Asked>")]
    pub asked: Option<&'a Asked>,
    /// What it was found to be, in words.
    pub verdict: String,
    /// The run; nothing with `--trace none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

impl<'a> ReplayDocument<'a> {
    /// A document without runs.
    pub fn new(machine: &'a Machine, hardbop: &'a str) -> Self {
        Self {
            version: VERSION,
            hardbop,
            file: machine.source.name(),
            program: machine.digest().to_owned(),
            runs: Vec::new(),
        }
    }

    /// Adds a run, with at most that many steps where calls are written out.
    pub fn add(
        &mut self,
        machine: &Machine,
        evidence: &Evidence,
        asked: Option<&'a Asked>,
        verdict: String,
        most_steps: Option<u64>,
    ) -> Result<(), String> {
        let words = asked.map_or_else(HashSet::new, words_of);
        let shown = |most| Runs::new(machine, most).run(evidence, &words);
        self.runs.push(ReplayedRun {
            asked,
            verdict,
            run: most_steps.map(shown).transpose()?,
        });
        Ok(())
    }

    /// As indented JSON with a newline at the end.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(format!("{}\n", serde_json::to_string_pretty(self)?))
    }
}
