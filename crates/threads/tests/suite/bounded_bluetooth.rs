//! The Bluetooth driver (Getafix, Figure 3): from how many context switches on it fails.

use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::bound::Bound;
use hardbop_outcome::{Budget, Engine, Evidence, Outcome, Question, Silent, Support, Verdict};
use hardbop_threads::BoundedEngine;

fn driver(configuration: &str) -> Machine {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
    let text = std::fs::read_to_string(format!("{folder}bluetooth{configuration}.bp"));
    from_text("bluetooth.bp", &text.expect("the examples are there")).expect("it is valid")
}

fn ask(machine: &Machine, bound: Bound) -> Outcome {
    let question = Question::assertions(machine).within(bound);
    BoundedEngine.check(machine, &question, &Budget::unlimited(), &mut Silent)
}

#[test]
fn it_fails_from_as_many_switches_on_as_the_paper_says() {
    for (configuration, least) in [("-1-2", 3), ("-2-1", 4), ("-2-2", 3)] {
        let machine = driver(configuration);
        let bound = Bound::ContextSwitches(least - 1);
        let outcome = ask(&machine, bound);
        let verdict = &outcome.answers[0].verdict;
        assert_eq!(
            verdict,
            &Verdict::No(Support::UpTo(bound)),
            "{configuration}"
        );
        let outcome = ask(&machine, Bound::ContextSwitches(6));
        let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &outcome.answers[0].verdict
        else {
            panic!("{configuration}: {:?}", outcome.answers[0]);
        };
        replay(&machine, trace).expect("the run is one");
        assert_eq!(trace.segments.len() as u32, least + 1, "{configuration}");
    }
}

#[test]
fn one_adder_and_one_stopper_are_safe_up_to_8_switches() {
    let bound = Bound::ContextSwitches(8);
    let outcome = ask(&driver(""), bound);
    assert_eq!(
        outcome.answers[0].verdict,
        Verdict::No(Support::UpTo(bound))
    );
}

/// The work of answering in BDD steps, where nothing fails.
fn work(switches: u32) -> u64 {
    let text = driver("-2-2")
        .source
        .text()
        .replace("assert(!stopped)", "assert(1)");
    let machine = from_text("bluetooth.bp", &text).expect("it is valid");
    let bound = Bound::ContextSwitches(switches);
    let outcome = ask(&machine, bound);
    assert_eq!(
        outcome.answers[0].verdict,
        Verdict::No(Support::UpTo(bound))
    );
    outcome.statistics.get("work").expect("work is counted")
}

#[test]
fn a_further_switch_of_four_threads_costs_a_small_factor() {
    let works: Vec<u64> = (3..=6).map(work).collect();
    let is_moderate = |pair: &[u64]| pair[1] < 6 * pair[0];
    assert!(works.windows(2).all(is_moderate), "{works:?}");
    assert!(works[3] < 2_000_000, "{works:?}");
}
