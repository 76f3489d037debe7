//! Bounded runs are shortest among those with the fewest context switches.

use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Bound, Budget, Engine, Evidence, Outcome, Question, Silent, Support, Trace, Verdict, WantedRun,
};
use hardbop_testkit::{Knobs, generate};
use hardbop_threads::BoundedEngine;
use hardbop_threads::InterleavingEngine;

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn budget(states: Option<u64>) -> Budget<'static> {
    Budget {
        nodes: Some(1 << 20),
        threads: Some(4),
        states,
        ..Budget::unlimited()
    }
}

fn bounded(machine: &Machine, wanted: WantedRun, states: Option<u64>) -> Outcome {
    let bound = Bound::ContextSwitches(4);
    let question = Question::assertions(machine).within(bound).wanting(wanted);
    BoundedEngine.check(machine, &question, &budget(states), &mut Silent)
}

/// The first runs that are found.
fn first(machine: &Machine) -> Outcome {
    bounded(machine, WantedRun::Any, None)
}

/// Shortest ones, as far as this many configurations suffice.
fn shortest(machine: &Machine, configurations: u64) -> Outcome {
    bounded(machine, WantedRun::Shortest, Some(configurations))
}

fn count(outcome: &Outcome, name: &str) -> Option<u64> {
    outcome.statistics.get(name)
}

/// Context switches and steps of a run.
fn cost(machine: &Machine, trace: &Trace) -> (usize, u128) {
    let replayed = replay(machine, trace).unwrap_or_else(|error| panic!("{error}"));
    let contexts = trace.segments.iter();
    let contexts = contexts.filter(|s| machine.init.is_none() || s.thread != 0);
    (contexts.count().saturating_sub(1), replayed.flat_steps)
}

fn costs(machine: &Machine, outcome: &Outcome) -> Vec<Option<(usize, u128)>> {
    let verdicts = outcome.answers.iter().map(|answer| &answer.verdict);
    let costs = verdicts.map(|verdict| match verdict {
        Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => Some(cost(machine, trace)),
        _ => None,
    });
    costs.collect()
}

#[test]
fn runs_take_as_many_steps_as_the_exact_exploration_says() {
    let exact = InterleavingEngine::default();
    let (mut compared, mut shortened) = (0, 0);
    for knobs in [Knobs::concurrent(), Knobs::relay()] {
        for seed in 0..120 {
            let text = generate(seed, &knobs);
            let machine = machine(&text);
            let found = shortest(&machine, 10_000);
            if count(&found, "runs not proven shortest") != Some(0) {
                continue;
            }
            let found = costs(&machine, &found);
            let question = Question::assertions(&machine);
            let expected = exact.check(&machine, &question, &budget(None), &mut Silent);
            let expected = costs(&machine, &expected);
            let first = costs(&machine, &first(&machine));
            for ((found, expected), first) in found.into_iter().zip(expected).zip(first) {
                if let (Some(found), Some(expected)) = (found, expected) {
                    assert_eq!(found, expected, "seed {seed}\n{text}");
                    compared += 1;
                    shortened += usize::from(Some(found) < first);
                }
            }
        }
    }
    assert!(
        compared > 30 && shortened > 0,
        "{compared} runs, {shortened} of them shortened"
    );
}

#[test]
fn recursive_runs_get_shorter_but_keep_their_switches() {
    let knobs = Knobs {
        recursion: 40,
        procedures: 2,
        ..Knobs::concurrent()
    };
    let mut proven = 0;
    for seed in 0..30 {
        let machine = machine(&generate(seed, &knobs));
        let outcome = shortest(&machine, 10_000);
        let pairs = costs(&machine, &first(&machine));
        for (first, short) in pairs.into_iter().zip(costs(&machine, &outcome)) {
            assert_eq!(first.is_some(), short.is_some(), "seed {seed}");
            if let (Some(first), Some(short)) = (first, short) {
                assert_eq!(first.0, short.0, "seed {seed}");
                assert!(short.1 <= first.1, "seed {seed}");
            }
        }
        proven += count(&outcome, "shortest runs").unwrap_or(0);
    }
    assert!(proven > 10, "{proven} runs");
}

#[test]
fn what_is_not_proven_shortest_is_said() {
    let text = "decl a, b, c;
         thread t(2) begin void main() begin
           a := b ^ c; b := a | c; c := !b; assert(a | b | !c);
         end end";
    let outcome = shortest(&machine(text), 2);
    assert_eq!(count(&outcome, "runs not proven shortest"), Some(1));
    let outcome = shortest(&machine(text), u64::MAX);
    assert_eq!(count(&outcome, "runs not proven shortest"), Some(0));
}
