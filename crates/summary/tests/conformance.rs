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
fn the_summary_engine_agrees_with_the_oracle_on_generated_programs() {
    let report = conformance(&SummaryEngine, &accept, &ConformanceConfig::sequential(0..250));
    assert!(report.mismatches.is_empty(), "{report}");
    println!("{report}");
}
