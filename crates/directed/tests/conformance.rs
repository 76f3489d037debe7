//! The engine passes the suite that every engine must pass, with every certificate checked.

use hardbop_directed::DirectedEngine;
use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, Engine, NeverInterrupted};
use hardbop_testkit::conformance::{ConformanceConfig, conformance};
use std::ops::Range;

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn check(engine: &dyn Engine, seeds: Range<u64>) {
    let report = conformance(engine, &accept, &ConformanceConfig::sequential(seeds));
    assert!(report.has_passed(), "{report}");
    assert_eq!(report.unknown, 0, "{report}");
    assert!(report.certificates > 0 && report.reachable > 0, "{report}");
}

#[test]
fn the_engine_agrees_with_the_oracle_on_generated_programs() {
    check(&DirectedEngine, 0..200);
}
