//! The engine agrees with the oracle on generated concurrent programs; its runs replay and its
//! certificates are accepted.

use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_testkit::conformance::{ConformanceConfig, conformance};
use hardbop_threads::{InterleavingEngine, Reductions};

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn explore(reductions: Reductions, seeds: std::ops::Range<u64>) {
    let engine = InterleavingEngine { reductions };
    let report = conformance(&engine, &accept, &ConformanceConfig::concurrent(seeds));
    assert!(report.has_passed(), "{report}");
}

#[test]
fn threads_of_generated_programs_are_explored_to_the_end() {
    explore(Reductions::ALL, 0..300);
}

#[test]
fn without_reductions_the_answers_are_the_same() {
    let none = Reductions {
        partial_order: false,
        symmetry: false,
    };
    explore(none, 300..400);
}
