//! What a run of the suite found, and how a person reads it.

use super::judge::{Counts, Disagreement};
use std::fmt;

/// What a run of the suite found. The counts show whether it tested anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConformanceReport {
    /// The engine.
    pub engine: String,
    /// Programs that were judged.
    pub programs: u64,
    /// Programs that the engine does not take.
    pub skipped: u64,
    /// Targets for which the oracle knew the answer.
    pub exact: u64,
    /// Targets that the engine called reachable; each trace was replayed.
    pub reachable: u64,
    /// Targets that the engine called unreachable.
    pub unreachable: u64,
    /// Targets for which the engine had no answer.
    pub unknown: u64,
    /// Certificates that were accepted.
    pub certificates: u64,
    /// Programs on which something was wrong.
    pub mismatches: Vec<Mismatch>,
}

/// A program on which something was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The preset it was generated with.
    pub preset: String,
    /// Its seed.
    pub seed: u64,
    /// What is wrong, on the shrunk program.
    pub disagreement: Disagreement,
    /// The program as generated.
    pub program: String,
    /// The smallest program on which the same kind of thing is wrong.
    pub shrunk: String,
}

impl ConformanceReport {
    pub(super) fn new(engine: &str) -> Self {
        Self {
            engine: engine.to_owned(),
            programs: 0,
            skipped: 0,
            exact: 0,
            reachable: 0,
            unreachable: 0,
            unknown: 0,
            certificates: 0,
            mismatches: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, counts: Counts) {
        self.programs += 1;
        self.exact += counts.exact;
        self.reachable += counts.reachable;
        self.unreachable += counts.unreachable;
        self.unknown += counts.unknown;
        self.certificates += counts.certificates;
    }

    /// Whether nothing was wrong.
    pub fn has_passed(&self) -> bool {
        self.mismatches.is_empty()
    }
}

impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} programs ({} skipped), {} exact answers of the oracle; {} reachable, {} unreachable, {} unknown, \
             {} certificates, {} mismatches",
            self.engine,
            self.programs,
            self.skipped,
            self.exact,
            self.reachable,
            self.unreachable,
            self.unknown,
            self.certificates,
            self.mismatches.len()
        )?;
        for mismatch in &self.mismatches {
            let Mismatch { preset, seed, .. } = mismatch;
            writeln!(
                f,
                "\npreset {preset}, seed {seed}: {}",
                mismatch.disagreement.what
            )?;
            write!(f, "{}", mismatch.shrunk)?;
        }
        Ok(())
    }
}
