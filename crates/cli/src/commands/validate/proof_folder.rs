//! A folder of proofs: for each condition its clauses (`000001.cnf`, DIMACS) and their refutation
//! (`000001.drat`, DRAT), and `index.txt`, which says what each is about.
//!
//! The index is written last. A folder without one belongs to a certificate that was rejected or
//! not checked to the end.

use crate::exit::Failure;
use crate::files;
use crate::input::plain_words;
use hardbop_checker::ProvedCondition;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is being filled.
pub struct ProofFolder {
    path: PathBuf,
    index: String,
    conditions: u64,
    steps: usize,
    /// The first thing that went wrong; nothing is written after it.
    failure: Option<Failure>,
}

impl ProofFolder {
    /// Makes the folder. One that has files in it already is refused.
    pub fn create(path: &str) -> Result<Self, Failure> {
        let cannot = |why: &str| Failure::BadInput(format!("cannot write proofs to {path}: {why}"));
        let made = fs::create_dir_all(path).and_then(|()| fs::read_dir(path));
        let mut entries = made.map_err(|error| cannot(&plain_words(&error)))?;
        if entries.next().is_some() {
            return Err(cannot("the folder is not empty"));
        }
        Ok(Self {
            path: Path::new(path).to_owned(),
            index: String::new(),
            conditions: 0,
            steps: 0,
            failure: None,
        })
    }

    /// Writes the proof of a condition.
    pub fn add(&mut self, proved: &ProvedCondition) {
        if self.failure.is_some() {
            return;
        }
        self.conditions += 1;
        let name = format!("{:06}", self.conditions);
        let excluded = &proved.excluded;
        let comments = [
            format!("Condition {name}. A model would show that this is possible:"),
            excluded.clone(),
        ];
        let clauses = proved.proof.dimacs(&comments);
        let written = self
            .write(&format!("{name}.cnf"), &clauses)
            .and_then(|()| self.write(&format!("{name}.drat"), &proved.proof.drat()));
        self.failure = written.err();
        self.steps += proved.proof.len();
        let _ = writeln!(self.index, "{name} {excluded}");
    }

    /// Writes the index, and says what was written.
    pub fn finish(mut self) -> Result<String, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.write("index.txt", &self.index)?;
        let (conditions, steps, path) = (self.conditions, self.steps, self.path.display());
        Ok(format!(
            "the proofs of {conditions} conditions ({steps} steps) are in {path}"
        ))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        files::replace(&self.path.join(name).to_string_lossy(), text)
    }
}
