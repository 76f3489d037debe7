//! Breadth-first runs are shortest: no hierarchical trajectory to the target has fewer steps
//! (Bebop, section 3.2).
//!
//! The explicit tabulation of the test kit computes the distances independently, from all
//! derivations.

use hardbop_explicit::{ExplicitEngine, Search};
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Budget, Engine, Evidence, Question, Silent, Support, Target, Verdict};
use hardbop_testkit::Tabulation;
use hardbop_testkit::generator::{Knobs, generate};

/// Asks for one target at a time, so that the search may stop as early as it can; gives how many
/// runs were compared.
fn compare(machine: &Machine, lazy: bool, text: &str) -> usize {
    let Ok(tabulation) = Tabulation::new(machine, 20_000) else {
        return 0;
    };
    let engine = ExplicitEngine {
        search: Search::Bfs,
        lazy,
        ..ExplicitEngine::default()
    };
    let mut compared = 0;
    for target in Target::all(machine) {
        let question = Question::reach(vec![target.clone()]);
        let outcome = engine.check(machine, &question, &Budget::unlimited(), &mut Silent);
        let answer = &outcome.answers[0];
        let distance = tabulation.distance(target.node);
        let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &answer.verdict else {
            assert_eq!(distance, None, "{target} in\n{text}");
            continue;
        };
        let steps: usize = trace.segments.iter().map(|s| s.steps.len()).sum();
        assert_eq!(Some(steps as u64), distance, "{target} in\n{text}");
        compared += 1;
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
    for lazy in [true, false] {
        let mut compared = 0;
        for knobs in &presets {
            for seed in 0..140 {
                let text = generate(seed, knobs);
                let machine =
                    from_text("generated.bp", &text).expect("generated programs are valid");
                compared += compare(&machine, lazy, &text);
            }
        }
        assert!(compared > 700, "only {compared} runs were compared");
    }
}

#[test]
fn a_summary_that_is_found_late_is_a_short_cut() {
    // The way through `slow` is two steps, the way around it six; `slow` itself takes longer than
    // both.
    let text = "decl g;
        void main() begin
          g := 0;
          if (*) then slow(); else skip; skip; skip; skip; g := 1; fi
          L: skip;
        end
        void slow() begin
          skip; skip; skip; skip; skip; skip; skip; skip; skip; skip; g := 1;
        end";
    let machine = from_text("short-cut.bp", text).expect("the program is valid");
    assert_eq!(compare(&machine, true, text), 1);
}
