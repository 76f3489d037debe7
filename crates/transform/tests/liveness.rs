//! Fair loops as places: two engines for places agree with explicit search and with an obvious
//! decision procedure, and every run that is shown is one.
//!
//! `HARDBOP_LIVENESS_PROGRAMS` sets how many programs of each kind are tried.

#[path = "../../explicit/tests/properties/accepting.rs"]
mod accepting;
#[path = "../../explicit/tests/properties/formulas.rs"]
mod formulas;
#[path = "../../explicit/tests/properties/two_phase.rs"]
mod two_phase;

use formulas::random_formula;
use hardbop_automata::{Property, PropertyText};
use hardbop_explicit::ExplicitEngine;
use hardbop_interpreter::{letter_of_state, observe_lasso};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Engine, Evidence, Question, Silent, Support, Verdict};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::random::Random;
use hardbop_testkit::{Knobs, generate};
use hardbop_transform::liveness::WithLiveness;

/// More places than these are too many for the oracle.
const LIMIT: usize = 20_000;

fn property(machine: &Machine, text: &PropertyText) -> Property {
    Property::read(machine, text.clone()).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn ltl(machine: &Machine, formula: &str) -> Property {
    let formula = formula.to_owned();
    property(machine, &PropertyText::Ltl { formula })
}

/// Whether an engine finds a run that a property describes. The run is judged.
fn finds(engine: &dyn Engine, machine: &Machine, property: &Property) -> bool {
    let question = Question::property(property.clone());
    let outcome = engine.check(machine, &question, &Budget::unlimited(), &mut Silent);
    match &outcome.answers[0].verdict {
        Verdict::No(_) => false,
        Verdict::Yes(Support::Evidence(Evidence::Lasso(lasso))) => {
            let propositions = &property.automaton.propositions;
            let word = observe_lasso(machine, lasso, 1_000_000, |now, ended| {
                letter_of_state(machine, propositions, now, ended)
            });
            let word = word.unwrap_or_else(|error| panic!("no lasso: {error}\n{lasso:#?}"));
            assert!(property.describes(&word.stem, &word.cycle));
            true
        }
        other => panic!("{}: {other:?}", engine.name()),
    }
}

fn engines() -> [WithLiveness; 2] {
    let explicit = Box::new(ExplicitEngine::default());
    let summary = Box::new(SummaryEngine::default());
    [explicit as Box<dyn Engine>, summary].map(|engine| WithLiveness { engine })
}

fn check(name: &str, knobs: &Knobs, first: u64, count: u64) {
    let wanted = std::env::var("HARDBOP_LIVENESS_PROGRAMS");
    let count = wanted.map_or(count, |text| text.parse().expect("a number of programs"));
    let mut random = Random::new(first);
    let engines = engines();
    let (mut compared, mut violated, mut by_oracle) = (0, 0, 0);
    for seed in first..first + count {
        let text = generate(seed, knobs);
        let machine = from_text("generated.bp", &text).expect("the generator makes valid programs");
        if !machine.is_sequential() {
            continue;
        }
        let formula = random_formula(&mut random, &machine);
        let properties = [
            ltl(&machine, &formula),
            ltl(&machine, &format!("!({formula})")),
            property(&machine, &PropertyText::Nonterminating),
        ];
        for property in properties {
            let expected = finds(&ExplicitEngine::default(), &machine, &property);
            if let Some(other) = two_phase::accepts(&machine, &property.automaton, LIMIT) {
                assert_eq!(
                    other, expected,
                    "oracle: {name} {seed}: {}\n{text}",
                    property.text
                );
                by_oracle += 1;
            }
            for engine in &engines {
                let found = finds(engine, &machine, &property);
                let engine = engine.name();
                assert_eq!(
                    found, expected,
                    "{engine} {name} {seed}: {}\n{text}",
                    property.text
                );
            }
            compared += 1;
            violated += u64::from(expected);
        }
    }
    assert!(
        compared > count && by_oracle > count,
        "{by_oracle} of {compared}"
    );
    assert!(
        violated > count / 4 && compared - violated > count / 4,
        "{violated} of {compared}"
    );
}

#[test]
fn programs_without_recursion() {
    check("sequential", &Knobs::sequential(), 1000, 25);
}

#[test]
fn recursive_programs() {
    check("recursive", &Knobs::recursive(), 2000, 40);
}

#[test]
fn programs_with_integers() {
    check("integers", &Knobs::integers(), 3000, 25);
}
