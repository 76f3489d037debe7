//! The summary engine passes the suite that every engine must pass, with every certificate checked.

use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_summary::{Direction, SummaryEngine};
use hardbop_testkit::conformance::{ConformanceConfig, conformance};

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn check(direction: Direction, first_turn: Option<u64>) {
    let engine = SummaryEngine {
        direction,
        first_turn,
        ..SummaryEngine::default()
    };
    let report = conformance(&engine, &accept, &ConformanceConfig::sequential(0..200));
    assert!(report.has_passed(), "{report}");
    assert!(report.to_string().contains("0 unknown"), "{report}");
}

#[test]
fn the_forward_search_agrees_with_the_oracle_on_generated_programs() {
    check(Direction::Forward, None);
}

#[test]
fn the_backward_search_agrees_with_the_oracle_on_generated_programs() {
    check(Direction::Backward, None);
}

#[test]
fn searches_in_turns_agree_with_the_oracle_on_generated_programs() {
    check(Direction::Auto, None);
}

#[test]
fn searches_that_are_interrupted_all_the_time_agree_with_the_oracle_on_generated_programs() {
    check(Direction::Auto, Some(7));
}
