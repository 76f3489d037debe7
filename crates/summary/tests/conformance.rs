//! The summary engine passes the suite that every engine must pass, with every certificate checked.

use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::conformance::{ConformanceConfig, conformance};

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

#[test]
fn the_search_agrees_with_the_oracle_on_generated_programs() {
    let config = ConformanceConfig::sequential(0..200);
    let report = conformance(&SummaryEngine::default(), &accept, &config);
    assert!(report.has_passed(), "{report}");
    assert!(report.to_string().contains("0 unknown"), "{report}");
}
