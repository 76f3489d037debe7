//! The facts engine passes the suite that every engine must pass, with every certificate checked.

use hardbop_facts::FactsEngine;
use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_testkit::conformance::{ConformanceConfig, conformance};

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

#[test]
fn proofs_are_right_on_generated_programs() {
    let config = ConformanceConfig::sequential(0..60);
    let report = conformance(&FactsEngine, &accept, &config);
    assert!(report.has_passed(), "{report}");
    assert!(
        report.certificates > 30 && report.reachable == 0,
        "{report}"
    );
}
