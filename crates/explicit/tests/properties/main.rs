//! Verdicts on infinite runs agree with two independent computations, and every run that is shown
//! is one: it is replayed, and the property is evaluated on it by its definition.

mod accepting;
mod configurations;
mod formulas;
mod two_phase;

use configurations::letter;
use formulas::random_formula;
use hardbop_automata::{Property, PropertyText};
use hardbop_explicit::ExplicitEngine;
use hardbop_interpreter::observe_lasso;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Engine, Evidence, Outcome, Question, Silent, Support, Verdict};
use hardbop_testkit::random::Random;
use hardbop_testkit::{Knobs, generate};

/// More places than these are too many for an oracle.
const LIMIT: usize = 20_000;

fn ltl(machine: &Machine, formula: &str) -> Property {
    let text = PropertyText::Ltl {
        formula: formula.to_owned(),
    };
    Property::read(machine, text).unwrap_or_else(|errors| panic!("{formula}: {errors:?}"))
}

fn ask(machine: &Machine, property: &Property, lazy: bool) -> Outcome {
    let engine = ExplicitEngine {
        lazy,
        ..ExplicitEngine::default()
    };
    let question = Question::property(property.clone());
    engine.check(machine, &question, &Budget::unlimited(), &mut Silent)
}

/// Whether all runs satisfy a formula. A counterexample is checked.
fn holds(machine: &Machine, property: &Property, lazy: bool) -> bool {
    match &ask(machine, property, lazy).answers[0].verdict {
        Verdict::No(_) => true,
        Verdict::Yes(Support::Evidence(Evidence::Lasso(lasso))) => {
            let word = observe_lasso(machine, lasso, 1_000_000, |now, ended| {
                letter(machine, &property.automaton, now, ended)
            });
            let word = word.unwrap_or_else(|error| panic!("no lasso: {error}\n{lasso:#?}"));
            assert!(property.describes(&word.stem, &word.cycle));
            false
        }
        other => panic!("{other:?}"),
    }
}

fn check(name: &str, knobs: &Knobs, seeds: std::ops::Range<u64>, lazy: bool) {
    let mut random = Random::new(seeds.start);
    let (mut compared, mut violated) = (0, 0);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let text = generate(seed, knobs);
        let machine = from_text("generated.bp", &text).expect("the generator makes valid programs");
        if !machine.is_sequential() {
            continue;
        }
        for _ in 0..3 {
            let text_of_formula = random_formula(&mut random, &machine);
            for formula in [text_of_formula.clone(), format!("!({text_of_formula})")] {
                let property = ltl(&machine, &formula);
                let automaton = &property.automaton;
                let Some(expected) = two_phase::accepts(&machine, automaton, LIMIT) else {
                    continue;
                };
                if let Some(other) = configurations::accepts(&machine, automaton, LIMIT, 8) {
                    assert_eq!(other, expected, "oracles: {formula}\n{text}");
                }
                let found = !holds(&machine, &property, lazy);
                assert_eq!(found, expected, "{name} {seed}: {formula}\n{text}");
                compared += 1;
                violated += u64::from(found);
            }
        }
    }
    assert!(compared > 3 * count, "only {compared} of {}", 6 * count);
    assert!(
        violated > count && compared - violated > count / 2,
        "{violated} of {compared}"
    );
}

#[test]
fn formulas_on_programs_without_recursion() {
    check("sequential", &Knobs::sequential(), 0..30, true);
}

#[test]
fn formulas_on_recursive_programs() {
    check("recursive", &Knobs::recursive(), 0..60, true);
}

#[test]
fn formulas_on_programs_with_integers() {
    check("integers", &Knobs::integers(), 0..40, true);
}

#[test]
fn formulas_with_all_values_enumerated() {
    check("recursive", &Knobs::recursive(), 200..220, false);
}

#[test]
fn quicksort_cycles_after_the_same_few_states_whatever_the_width() {
    let text = include_str!("../../../../examples/quicksort.bp");
    let states = [4, 8, 10, 32].map(|width: u32| {
        let largest = format!("right < {}", u64::MAX >> (64 - width));
        let text = text.replace("int<4>", &format!("int<{width}>"));
        let machine = from_text("quicksort.bp", &text.replace("right < 15", &largest))
            .expect("the example is valid");
        let never_ends = ltl(&machine, "F (terminated | failed)");
        assert!(!holds(&machine, &never_ends, true));
        ask(&machine, &never_ends, true)
            .statistics
            .get("states")
            .expect("states are counted")
    });
    assert!(
        states[0] <= 100 && states.iter().all(|&count| count == states[0]),
        "{states:?}"
    );
}

#[test]
fn every_lock_is_released_whatever_the_width() {
    let text = include_str!("../../../../examples/double-lock.bp");
    for width in [2, 4, 8] {
        let text = text.replace("int<4>", &format!("int<{width}>"));
        let machine = from_text("double-lock.bp", &text).expect("the example is valid");
        let released = ltl(&machine, "G (portOwner != 0 -> F portOwner = 0)");
        assert!(holds(&machine, &released, true));
    }
}
