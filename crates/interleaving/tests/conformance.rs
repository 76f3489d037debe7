//! The engine agrees with the oracle on generated concurrent programs; its runs replay and its certificates are accepted.

use hardbop_interleaving::InterleavingEngine;
use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_testkit::conformance::{ConformanceConfig, conformance};

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

#[test]
fn threads_of_generated_programs_are_explored_to_the_end() {
    let report = conformance(
        &InterleavingEngine::default(),
        &accept,
        &ConformanceConfig::concurrent(0..400),
    );
    assert!(report.has_passed(), "{report}");
}
