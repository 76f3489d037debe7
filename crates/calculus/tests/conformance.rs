//! Every algorithm passes the suite that every engine must pass, with all runs replayed and all
//! certificates checked.

use hardbop_calculus::{Algorithm, CalculusEngine, Scouting};
use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::conformance::{ConformanceConfig, conformance};
use std::sync::Arc;

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn check(name: &str, seeds: u64) {
    check_with(name, Scouting::Auto, seeds);
}

fn check_with(name: &str, scouting: Scouting, seeds: u64) {
    let algorithm = Algorithm::built_in(name).expect("the name of an algorithm");
    let engine = CalculusEngine {
        algorithm,
        scouting,
        evidence: Arc::new(SummaryEngine::default()),
    };
    let report = conformance(&engine, &accept, &ConformanceConfig::sequential(0..seeds));
    assert!(report.has_passed(), "{report}");
    assert!(report.to_string().contains("0 unknown"), "{report}");
}

#[test]
fn entry_forward_agrees_with_the_oracle_on_generated_programs() {
    check("entry-forward", 100);
}

#[test]
fn entry_forward_split_agrees_with_the_oracle_on_generated_programs() {
    check("entry-forward-split", 100);
}

#[test]
fn entry_forward_opt_agrees_with_the_oracle_on_generated_programs() {
    check("entry-forward-opt", 100);
}

#[test]
fn summary_agrees_with_the_oracle_on_generated_programs() {
    check("summary", 25);
}

#[test]
fn scouts_of_every_kind_agree_with_the_oracle_on_generated_programs() {
    for name in ["entry-forward", "entry-forward-split", "entry-forward-opt"] {
        check_with(name, Scouting::Always, 40);
    }
}

#[test]
fn min_entry_exit_agrees_with_the_oracle_on_generated_programs() {
    check("min-entry-exit", 25);
}

#[test]
fn backward_agrees_with_the_oracle_on_generated_programs() {
    check("backward", 25);
}
