//! The SAT engine passes the suite that every engine must pass, with every certificate checked.

use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, Engine, NeverInterrupted};
use hardbop_satcheck::{SatEngine, Split};
use hardbop_testkit::conformance::{ConformanceConfig, conformance};
use hardbop_transform::hide::FewVariables;
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
    check(&SatEngine::default(), 0..200);
}

#[test]
fn few_variables_first_agree_with_the_oracle_on_generated_programs() {
    let engine = FewVariables {
        engine: Box::new(SatEngine::default()),
        tries_all: false,
    };
    check(&engine, 0..200);
}

#[test]
fn explicit_arguments_agree_with_the_oracle_on_generated_programs() {
    let engine = SatEngine {
        split: Split::Always,
        ..SatEngine::default()
    };
    check(&engine, 0..60);
}

#[test]
fn explicit_arguments_but_initial_values_agree_with_the_oracle_on_generated_programs() {
    let engine = SatEngine {
        split: Split::Initial,
        ..SatEngine::default()
    };
    check(&engine, 0..60);
}

#[test]
fn names_for_nearly_everything_agree_with_the_oracle_on_generated_programs() {
    let engine = SatEngine {
        split: Split::Never,
        name_nodes: 2,
        ..SatEngine::default()
    };
    check(&engine, 0..60);
}
