//! The work on Bebop's T(N) is in proportion to N: four times the levels make four times the terms
//! and triples, and the solver, which goes over all clauses with each conflict, has few conflicts.

use hardbop_machine::from_text;
use hardbop_outcome::{Budget, Engine, Question, Silent};
use hardbop_satcheck::SatEngine;

/// The counters of the engine on a family with that many levels, each of which may ask for the
/// opposite value of `g`.
fn counters(family: &str, levels: u32, is_opposite: bool) -> impl Fn(&str) -> u64 {
    let family = hardbop_families::find(family).expect("a family");
    let mut text = family.generate(levels, 0).text;
    if is_opposite {
        let asks = text.matches("if (g) then").count();
        assert!(asks >= levels as usize, "{asks}");
        text = text.replace("if (g) then", "if (!g) then");
    }
    let machine = from_text("tn.bp", &text).unwrap();
    let question = Question::label(&machine, "reach");
    let engine = SatEngine::default();
    let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
    assert!(!outcome.answers[0].verdict.is_unknown());
    move |name| outcome.statistics.get(name).unwrap()
}

#[test]
fn terms_and_triples_grow_with_the_levels_and_conflicts_do_not() {
    for (family, is_opposite) in [
        ("tn", false),
        ("tn", true),
        ("tn-safe", false),
        ("tn-safe", true),
    ] {
        let small = counters(family, 50, is_opposite);
        let large = counters(family, 200, is_opposite);
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
