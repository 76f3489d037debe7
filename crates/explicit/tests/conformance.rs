//! The explicit engine passes the suite that every engine must pass, with every certificate
//! checked.

use hardbop_explicit::{ExplicitEngine, Search};
use hardbop_machine::Machine;
use hardbop_outcome::{Certificate, NeverInterrupted};
use hardbop_testkit::Knobs;
use hardbop_testkit::conformance::{ConformanceConfig, conformance};

fn accept(machine: &Machine, certificate: &Certificate) -> Result<(), String> {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted)
        .map(|_| ())
        .map_err(|rejected| rejected.to_string())
}

fn check(search: Search, lazy: bool, seeds: u64) {
    let engine = ExplicitEngine {
        search,
        lazy,
        ..ExplicitEngine::default()
    };
    let mut config = ConformanceConfig::sequential(0..seeds);
    config.states = Some(20_000);
    let report = conformance(&engine, &accept, &config);
    assert!(report.has_passed(), "{report}");
    // Enumerating every value does not get to the end of a few programs.
    assert!(report.unknown == 0 || !lazy, "{report}");
    assert!(report.certificates > seeds, "{report}");
}

#[test]
fn depth_first_search_agrees_with_the_oracle_on_generated_programs() {
    check(Search::Dfs, true, 200);
}

#[test]
fn breadth_first_search_agrees_with_the_oracle_on_generated_programs() {
    check(Search::Bfs, true, 150);
}

#[test]
fn eager_depth_first_search_agrees_with_the_oracle_on_generated_programs() {
    check(Search::Dfs, false, 60);
}

#[test]
fn eager_breadth_first_search_agrees_with_the_oracle_on_generated_programs() {
    check(Search::Bfs, false, 60);
}

#[test]
fn programs_of_words_agree_with_the_oracle() {
    for search in [Search::Dfs, Search::Bfs] {
        let engine = ExplicitEngine {
            search,
            ..ExplicitEngine::default()
        };
        let mut config = ConformanceConfig::sequential(0..150);
        config.presets = vec![("words", Knobs::words())];
        config.states = Some(20_000);
        let report = conformance(&engine, &accept, &config);
        assert!(report.has_passed(), "{report}");
        assert!(report.certificates > 20, "{report}");
    }
}
