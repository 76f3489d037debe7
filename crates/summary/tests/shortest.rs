//! Runs are shortest: no hierarchical trajectory to the target has fewer steps (Bebop, section
//! 3.2).
//!
//! The explicit tabulation of the test kit computes the distances independently, state by state.

use hardbop_machine::from_text;
use hardbop_outcome::{Budget, Engine, Evidence, Question, Silent, Support, Verdict, WantedRun};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::Tabulation;
use hardbop_testkit::generator::{Knobs, generate};

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
        let question = Question::every_target(&machine);
        let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
        for (target, answer) in question.targets().iter().zip(&outcome.answers) {
            let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &answer.verdict else {
                continue;
            };
            let steps: usize = trace.segments.iter().map(|s| s.steps.len()).sum();
            let distance = tabulation.distance(target.node);
            assert_eq!(
                Some(steps as u64),
                distance,
                "seed {seed}: {target} in\n{text}"
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
    let engine = SummaryEngine::default();
    let compared: usize = presets
        .iter()
        .map(|knobs| check(engine, knobs, 0..60))
        .sum();
    assert!(compared > 200, "only {compared} runs were compared");
}

/// On a driver with many variables shortest runs are not always affordable; whoever insists gets
/// them.
#[test]
fn whoever_insists_gets_shortest_runs() {
    let family = hardbop_families::find("driver").expect("a family of the table");
    let text = family.generate(5, 0).text;
    let machine = from_text("driver.bp", &text).expect("families make programs");
    let lengths = |wanted| {
        let engine = SummaryEngine::default();
        let question = Question::assertions(&machine).wanting(wanted);
        let outcome = engine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
        let shortest = outcome.statistics.get("shortest-runs").unwrap_or(0);
        let traces = outcome.answers.iter().filter_map(|answer| {
            let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &answer.verdict else {
                return None;
            };
            Some(trace.segments.iter().map(|s| s.steps.len()).sum::<usize>())
        });
        (shortest, traces.collect::<Vec<_>>())
    };
    let (affordable, short) = lengths(WantedRun::Short);
    let (insisted, shortest) = lengths(WantedRun::Shortest);
    assert!(affordable < insisted, "nothing is left to insist on");
    assert_eq!(insisted, shortest.len() as u64);
    assert!(shortest.iter().zip(&short).all(|(a, b)| a <= b));
}
