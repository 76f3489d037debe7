//! The results of a batch: one line of JSON for each file, written whole and at once.
//!
//! A batch may be killed at any moment. A line that was being written then has no end; it is
//! dropped when the batch is resumed, and its file is checked again. A line counts only for the
//! same file with the same bytes, the same options and the same version of hardbop.

use super::jobs::Job;
use crate::exit::{Exit, Failure};
use crate::faults::Disturbed;
use crate::input::plain_words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};

/// Version of the lines.
const VERSION: u32 = 1;

/// The result of checking a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(rename = "hardbop-result")]
    pub version: u32,
    /// The version of the tool.
    pub hardbop: String,
    pub file: String,
    pub options: Vec<String>,
    /// Digest of the checked bytes; `None` if they could not be read.
    pub digest: Option<String>,
    pub exit: u8,
    /// The verdict about the file in a word.
    pub verdict: String,
    /// The verdict about each place or property.
    pub answers: Vec<Verdict>,
    /// What went wrong, or why something is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    pub seconds: f64,
}

/// A verdict about a place or a property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Verdict {
    pub verdict: String,
    pub about: String,
}

impl Record {
    /// The result of a job, of which nothing is known yet.
    pub(super) fn of(job: &Job) -> Self {
        Self {
            version: VERSION,
            hardbop: env!("CARGO_PKG_VERSION").to_owned(),
            file: job.file.clone(),
            options: job.options.clone(),
            digest: job.digest(),
            exit: Exit::Internal.code(),
            verdict: String::new(),
            answers: Vec::new(),
            message: None,
            seconds: 0.0,
        }
    }

    pub(super) fn exit(&self) -> Exit {
        let all = [Exit::Fine, Exit::Found, Exit::BadInput, Exit::Unknown];
        let found = all.into_iter().find(|exit| exit.code() == self.exit);
        found.unwrap_or(Exit::Internal)
    }

    /// Whether a result for the file and options of a job still holds.
    fn is_of(&self, job: &Job) -> bool {
        self.version == VERSION
            && self.hardbop == env!("CARGO_PKG_VERSION")
            && self.digest.is_some()
            && self.digest == job.digest()
    }
}

/// The results so far, and the file that they go to.
pub(super) struct Records {
    name: String,
    file: Option<File>,
    /// The last result of each file with its options.
    known: BTreeMap<(String, Vec<String>), Record>,
}

impl Records {
    /// Results that go nowhere.
    pub(super) fn in_memory() -> Self {
        Self {
            name: String::new(),
            file: None,
            known: BTreeMap::new(),
        }
    }

    /// Results that go to a file: a new one, or one that has some already.
    pub(super) fn open(name: &str, resume: bool) -> Result<Self, Failure> {
        let cannot = |what: &str, error: &io::Error| {
            Failure::BadInput(format!("cannot {what} {name}: {}", plain_words(error)))
        };
        let mut options = OpenOptions::new();
        options.read(true).append(true);
        let opened = if resume {
            options.create(true).open(name)
        } else {
            options.create_new(true).open(name)
        };
        let mut file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::BadInput(format!(
                "{name} already exists; pass --resume to continue it"
            )),
            _ => cannot("write", &error),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|error| cannot("read", &error))?;
        let whole = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        let mut known = BTreeMap::new();
        for (number, line) in bytes[..whole]
            .split_inclusive(|&byte| byte == b'\n')
            .enumerate()
        {
            let record: Record = serde_json::from_slice(line).map_err(|_| {
                let line = number + 1;
                Failure::BadInput(format!(
                    "{name}:{line} is not a result; nothing was changed"
                ))
            })?;
            known.insert((record.file.clone(), record.options.clone()), record);
        }
        if whole < bytes.len() {
            // The last line has no end: the batch was killed while it was written.
            if !bytes[whole..].starts_with(b"{") {
                let why = format!("{name} is not a file of results; nothing was changed");
                return Err(Failure::BadInput(why));
            }
            file.set_len(whole as u64)
                .map_err(|error| cannot("write", &error))?;
        }
        Ok(Self {
            name: name.to_owned(),
            file: Some(file),
            known,
        })
    }

    /// The last result of a job, if it still holds.
    pub(super) fn find(&self, job: &Job) -> Option<Record> {
        let record = self.known.get(&(job.file.clone(), job.options.clone()))?;
        record.is_of(job).then(|| record.clone())
    }

    /// Adds a result. It is with the system when this returns, whole.
    pub(super) fn add(&mut self, record: &Record) -> Result<(), Failure> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let line = serde_json::to_string(record).map(|line| format!("{line}\n"));
        let line = line.map_err(|error| Failure::Internal(format!("internal error: {error}")))?;
        let mut file = Disturbed(file);
        let written = file.write_all(line.as_bytes()).and_then(|()| file.flush());
        written.map_err(|error| {
            let name = &self.name;
            Failure::BadInput(format!("cannot write {name}: {}", plain_words(&error)))
        })
    }
}
