//! The engine agrees with the oracle on generated concurrent programs; its runs replay and its
//! certificates are accepted.

use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_testkit::conformance::{ConformanceConfig, conformance};
use hardbop_threads::{Exploration, InterleavingEngine};

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn explore(exploration: Exploration, seeds: std::ops::Range<u64>) {
    let engine = InterleavingEngine {
        exploration,
        ..InterleavingEngine::default()
    };
    let report = conformance(&engine, &accept, &ConformanceConfig::concurrent(seeds));
    assert!(report.has_passed(), "{report}");
}

#[test]
fn threads_of_generated_programs_are_explored_to_the_end() {
    explore(Exploration::Auto, 0..200);
}

#[test]
fn the_explicit_exploration_proves_what_it_says() {
    explore(Exploration::Explicit, 200..300);
}

#[test]
fn the_symbolic_exploration_proves_what_it_says() {
    explore(Exploration::Symbolic, 300..400);
}
