//! The SAT engine passes the suite that every engine must pass, with every certificate checked.

use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_satcheck::{SatEngine, Split, Tracking};
use hardbop_testkit::conformance::{ConformanceConfig, conformance};
use std::ops::Range;

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn check(engine: SatEngine, seeds: Range<u64>) {
    let report = conformance(&engine, &accept, &ConformanceConfig::sequential(seeds));
    assert!(report.has_passed(), "{report}");
    assert_eq!(report.unknown, 0, "{report}");
    assert!(report.certificates > 0 && report.reachable > 0, "{report}");
}

#[test]
fn the_engine_agrees_with_the_oracle_on_generated_programs() {
    check(SatEngine::default(), 0..200);
}

#[test]
fn all_variables_at_once_agree_with_the_oracle_on_generated_programs() {
    let engine = SatEngine {
        tracking: Tracking::All,
        ..SatEngine::default()
    };
    check(engine, 0..200);
}

#[test]
fn explicit_arguments_agree_with_the_oracle_on_generated_programs() {
    let engine = SatEngine {
        split: Split::Always,
        tracking: Tracking::All,
        ..SatEngine::default()
    };
    check(engine, 0..60);
}

#[test]
fn names_for_nearly_everything_agree_with_the_oracle_on_generated_programs() {
    let engine = SatEngine {
        split: Split::Never,
        name_nodes: 2,
        tracking: Tracking::All,
        ..SatEngine::default()
    };
    check(engine, 0..60);
}
