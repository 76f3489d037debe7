//! The work on Bebop's T(N) is in proportion to N: four times the levels make four times the terms
//! and triples, and the solver, which goes over all clauses with each conflict, has few conflicts.

use hardbop_machine::from_text;
use hardbop_outcome::{Budget, Engine, Question, Silent};
use hardbop_satcheck::SatEngine;

/// The counters of the engine on a family with that many levels.
fn counters(family: &str, levels: u32) -> impl Fn(&str) -> u64 {
    let family = hardbop_families::find(family).expect("a family");
    let machine = from_text("tn.bp", &family.generate(levels, 0).text).unwrap();
    let question = Question::label(&machine, "reach");
    let engine = SatEngine::default();
    let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
    assert!(!outcome.answers[0].verdict.is_unknown());
    move |name| {
        let mut counters = outcome.statistics.iter();
        counters.find(|(other, _)| other == name).unwrap().1
    }
}

#[test]
fn terms_and_triples_grow_with_the_levels_and_conflicts_do_not() {
    for family in ["tn", "tn-safe"] {
        let (small, large) = (counters(family, 50), counters(family, 200));
        for name in ["function-terms", "triples", "sat-variables"] {
            let (small, large) = (small(name), large(name));
            // An exponent of 1.1.
            assert!(
                large * 100 <= small * 459,
                "{family}: {name}: {small}, {large}"
            );
        }
        assert!(large("sat-conflicts") < 10, "{family}");
    }
}
