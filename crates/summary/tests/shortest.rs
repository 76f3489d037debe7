//! Runs are shortest: no hierarchical trajectory to the target has fewer steps (Bebop, section 3.2).
//!
//! The explicit tabulation of the test kit computes the distances independently, state by state.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Engine, Evidence, Question, Silent, Target, Verdict};
use hardbop_summary::{Direction, SummaryEngine};
use hardbop_testkit::generator::{Knobs, generate};
use hardbop_testkit::tabulation::Tabulation;

/// All assertions and labels.
fn question(machine: &Machine) -> Question {
    let mut question = Question::assertions(machine);
    for label in &machine.labels {
        question
            .targets()
            .extend(Target::labels(machine, &label.name));
    }
    question
}

fn check(engine: SummaryEngine, knobs: &Knobs, seeds: std::ops::Range<u64>) -> usize {
    let mut compared = 0;
    for seed in seeds {
        let text = generate(seed, knobs);
        let Ok(machine) = from_text("generated.bp", &text) else {
            panic!("seed {seed} does not generate a program");
        };
        let Ok(tabulation) = Tabulation::new(&machine, 200_000) else {
            continue;
        };
        let outcome = engine.check(
            &machine,
            &question(&machine),
            &Budget::unlimited(),
            &mut Silent,
        );
        for answer in &outcome.answers {
            let Verdict::Found(Evidence::Run(trace)) = &answer.verdict else {
                continue;
            };
            let steps: usize = trace.segments.iter().map(|s| s.steps.len()).sum();
            let distance = tabulation.distance(answer.target.node);
            assert_eq!(
                Some(steps as u64),
                distance,
                "seed {seed}: {} in\n{text}",
                answer.asked
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn no_shorter_hierarchical_trajectory_exists() {
    let presets = [
        Knobs::tiny(),
        Knobs::sequential(),
        Knobs::recursive(),
        Knobs::integers(),
    ];
    // With short turns it is not always the forward search that decides first.
    let engines = [
        (Direction::Forward, None),
        (Direction::Auto, None),
        (Direction::Auto, Some(40)),
    ];
    for (direction, first_turn) in engines {
        let engine = SummaryEngine {
            direction,
            first_turn,
            ..SummaryEngine::default()
        };
        let compared: usize = presets
            .iter()
            .map(|knobs| check(engine, knobs, 0..60))
            .sum();
        assert!(compared > 200, "only {compared} runs were compared");
    }
}

/// On a driver with many variables shortest runs are not always affordable; whoever insists gets them.
#[test]
fn whoever_insists_gets_shortest_runs() {
    let family = hardbop_families::find("driver").expect("a family of the table");
    let text = family.generate(5, 0).text;
    let machine = from_text("driver.bp", &text).expect("families make programs");
    let question = Question::assertions(&machine);
    let lengths = |insist_on_shortest| {
        let engine = SummaryEngine {
            insist_on_shortest,
            ..SummaryEngine::default()
        };
        let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
        let counted = outcome.statistics.iter();
        let counted = counted.filter(|(name, _)| name == "shortest-runs");
        let shortest: u64 = counted.map(|(_, count)| count).sum();
        let traces = outcome.answers.iter().filter_map(|answer| {
            let Verdict::Found(Evidence::Run(trace)) = &answer.verdict else {
                return None;
            };
            Some(trace.segments.iter().map(|s| s.steps.len()).sum::<usize>())
        });
        (shortest, traces.collect::<Vec<_>>())
    };
    let (affordable, short) = lengths(false);
    let (insisted, shortest) = lengths(true);
    assert!(affordable < insisted, "nothing is left to insist on");
    assert_eq!(insisted, shortest.len() as u64);
    assert!(shortest.iter().zip(&short).all(|(a, b)| a <= b));
}
