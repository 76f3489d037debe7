//! A whole benchmark as a value, and as a JSON file that a later version can read again.
//!
//! Members that a version does not know are skipped, and members that an older one did not write
//! are filled in where that makes sense; only another [`FORMAT`] is refused.

use crate::record::Record;
use serde::{Deserialize, Serialize};

/// The version of the format, the value of its first member.
const FORMAT: u32 = 1;

/// What was measured, where, and under which limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The version of the format; [`Run::new`] fills it in.
    #[serde(rename = "hardbop-bench")]
    pub format: u32,
    /// The version of hardbop.
    pub hardbop: String,
    /// The processor, its cores and the operating system, in words.
    #[serde(default)]
    pub host: String,
    /// The command line that made it.
    #[serde(default)]
    pub command: String,
    /// How instructions were counted, or why they were not.
    #[serde(default)]
    pub counted_by: String,
    /// The limits of every run, in words.
    #[serde(default)]
    pub limits: String,
    /// Whether it was ended before all programs were measured.
    #[serde(default)]
    pub is_incomplete: bool,
    /// Peers that were asked for and could not be run, each with the reason.
    #[serde(default)]
    pub absent: Vec<(String, String)>,
    /// What was seen, in the order of the cases, the contenders of a case together.
    pub records: Vec<Record>,
}

/// Why a file is not a benchmark that can be read.
#[derive(Debug, thiserror::Error)]
pub enum BadRun {
    /// Not JSON, or a member is missing.
    #[error("it is not the JSON of `hardbop-lab bench --json`: {0}")]
    NotRead(#[from] serde_json::Error),
    /// Written by a version with another format.
    #[error("its format is {0}, and this version reads {FORMAT}")]
    OtherFormat(u32),
    /// A record without a run has nothing to show.
    #[error("the record of {contender} on {case} has no runs")]
    NoRuns {
        /// The contender.
        contender: String,
        /// The program.
        case: String,
    },
}

impl Run {
    /// A run in the present format, with nothing in it.
    pub fn new() -> Self {
        Self {
            format: FORMAT,
            ..Self::default()
        }
    }

    /// The file.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads a file.
    pub fn from_json(text: &str) -> Result<Self, BadRun> {
        // The format first: in another one the rest may look different.
        #[derive(Deserialize)]
        struct Head {
            #[serde(rename = "hardbop-bench")]
            format: u32,
        }
        let Head { format } = serde_json::from_str(text)?;
        if format != FORMAT {
            return Err(BadRun::OtherFormat(format));
        }
        let run: Self = serde_json::from_str(text)?;
        if let Some(empty) = run.records.iter().find(|record| record.samples.is_empty()) {
            return Err(BadRun::NoRuns {
                contender: empty.contender.clone(),
                case: empty.case.title(),
            });
        }
        Ok(run)
    }
}

/// Times as seconds: a person reads the file too.
pub(crate) mod seconds {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use std::time::Duration;

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_secs_f64())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// The same for a time that is not always known.
pub(crate) mod optional_seconds {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};
    use std::time::Duration;

    #[allow(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(|time| time.as_secs_f64()).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(from)?;
        let time = seconds.map(Duration::try_from_secs_f64).transpose();
        time.map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    fn run() -> Run {
        let mut first = record("tn", 10, "summary", &[12, 15]);
        first.instructions = Some(7_000_000);
        Run {
            hardbop: "0.1.0".to_owned(),
            absent: vec![("cbmc".to_owned(), "not found".to_owned())],
            records: vec![first],
            ..Run::new()
        }
    }

    #[test]
    fn a_run_is_read_as_it_was_written() {
        let text = run().to_json().expect("a run can be written");
        assert!(text.contains("\"wall\": 0.012"), "{text}");
        assert_eq!(Run::from_json(&text).expect("it was just written"), run());
    }

    #[test]
    fn a_file_of_an_older_version_is_read_and_one_of_another_format_refused() {
        let old = r#"{"hardbop-bench":1,"hardbop":"0.0.9","forgotten":{"x":1},"records":[
            {"case":{"name":"tn","size":50,"seed":1,"label":"reach","options":[],
                     "expected":"reachable"},
             "contender":"summary","kind":"engine",
             "samples":[{"end":{"exited":1},"wall":0.5,"verdict":"reachable"}]}]}"#;
        let run = Run::from_json(old).expect("only needed members are needed");
        assert_eq!(run.records[0].best().wall.as_millis(), 500);
        assert_eq!(run.records[0].best().peak_kib, None);
        let error = |text: &str| Run::from_json(text).expect_err("refused").to_string();
        let newer = old.replace("\"hardbop-bench\":1", "\"hardbop-bench\":2");
        assert!(error(&newer).contains("format is 2"));
        assert!(error("[]").contains("--json"));
        let empty = r#"{"hardbop-bench":1,"hardbop":"x","records":[{"case":{"name":"a.bp",
            "options":[]},"contender":"sat","kind":"engine","samples":[]}]}"#;
        assert!(error(empty).contains("sat on a.bp has no runs"));
    }
}
