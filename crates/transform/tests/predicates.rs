//! Predicates pass the suite that every engine must pass, with nothing kept, with Booleans kept and
//! with small integers kept: verdicts are those of the oracles, runs replay, certificates are
//! accepted.
//!
//! `HARDBOP_SEED=1000 HARDBOP_PROGRAMS=20000 cargo test --release -p hardbop-transform --test predicates`
//! runs other programs.

#[path = "../../testkit/tests/seeds/mod.rs"]
mod seeds;

use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::Knobs;
use hardbop_testkit::conformance::{ConformanceConfig, ConformanceReport, conformance};
use hardbop_transform::predicates::WithPredicates;
use seeds::seeds;

/// Programs of each preset for each width.
const PROGRAMS: u64 = 250;

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

/// The suite with variables of at most this many bits kept.
fn suite(widest: u32) -> ConformanceReport {
    let engine = WithPredicates {
        engine: Box::new(SummaryEngine::default()),
        widest,
    };
    let mut config = ConformanceConfig::sequential(seeds(PROGRAMS).0);
    config.presets.push(("words", Knobs::words()));
    let report = conformance(&engine, &accept, &config);
    assert!(report.has_passed(), "{report}");
    report
}

#[test]
fn predicates_about_everything_keep_verdicts_and_evidence_comes_back() {
    let report = suite(0);
    eprintln!("{report}");
}

#[test]
fn predicates_beside_booleans_keep_verdicts_and_evidence_comes_back() {
    let report = suite(1);
    eprintln!("{report}");
}

#[test]
fn predicates_beside_small_integers_keep_verdicts_and_evidence_comes_back() {
    let report = suite(2);
    eprintln!("{report}");
}
