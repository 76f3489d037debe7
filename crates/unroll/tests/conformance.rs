//! The engine passes the suite that every engine must pass, with every certificate checked.

use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, Engine, NeverInterrupted};
use hardbop_testkit::conformance::{ConformanceConfig, conformance};
use hardbop_unroll::UnrollEngine;
use std::ops::Range;

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn check(engine: &dyn Engine, seeds: Range<u64>) {
    // Most generated programs have loops that never end: unrolling them continues until the limit.
    let mut config = ConformanceConfig::sequential(seeds);
    config.states = Some(2_000);
    let report = conformance(engine, &accept, &config);
    assert!(report.has_passed(), "{report}");
    assert!(report.certificates > 0 && report.reachable > 0, "{report}");
}

#[test]
fn the_engine_agrees_with_the_oracle_on_generated_programs() {
    check(&UnrollEngine, 0..100);
}
