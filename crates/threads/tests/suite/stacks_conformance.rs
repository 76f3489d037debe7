//! The engine agrees with the oracle on generated programs; its certificates are accepted.

use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_testkit::conformance::{ConformanceConfig, ConformanceReport, conformance};
use hardbop_threads::StacksEngine;

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn judged(config: &ConformanceConfig) -> ConformanceReport {
    let report = conformance(&StacksEngine, &accept, config);
    assert!(report.has_passed(), "{report}");
    report
}

#[test]
fn threads_of_generated_programs_are_judged_as_by_the_oracle() {
    judged(&ConformanceConfig::concurrent(0..30));
}

#[test]
fn programs_with_one_thread_are_too() {
    judged(&ConformanceConfig::sequential(0..20));
}
