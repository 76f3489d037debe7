//! The engine agrees with brute force on generated programs: the least number of context switches,
//! and of rounds, is the same, and every run replays with that many.

use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Bound, Budget, Engine, Evidence, Limit, Outcome, Question, Silent, Support, Verdict,
};
use hardbop_testkit::generator::ThreadForm;
use hardbop_testkit::{
    ConformanceConfig, ContextOracle, Cost, Knobs, conformance, generate, shrink,
};
use hardbop_threads::BoundedEngine;

/// How many context switches a trace has.
fn switches(machine: &Machine, outcome: &Outcome, target: usize) -> Option<u32> {
    let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &outcome.answers[target].verdict
    else {
        return None;
    };
    let segments = trace.segments.iter().filter(|s| !s.steps.is_empty());
    let segments = segments.filter(|s| machine.init.is_none() || s.thread != 0);
    Some((segments.count() as u32).saturating_sub(1))
}

/// What is wrong with the answers for a program; counts exact comparisons.
fn disagreement(text: &str, cost: Cost, bound: u32, exact: &mut [u64; 2]) -> Option<String> {
    let machine = from_text("generated.bp", text).ok()?;
    let question = Question::every_target(&machine);
    let oracle = ContextOracle {
        cost,
        max_cost: bound,
        max_configurations: 5_000,
        ..ContextOracle::default()
    };
    let expected = oracle.least_costs(&machine, question.targets());
    let question = question.within(match cost {
        Cost::Switches => Bound::ContextSwitches(bound),
        Cost::Rounds => Bound::Rounds(bound + 1),
    });
    let budget = Budget {
        nodes: Some(1 << 21),
        threads: Some(oracle.max_threads as u32),
        ..Budget::unlimited()
    };
    let outcome = BoundedEngine.check(&machine, &question, &budget, &mut Silent);
    for (at, answer) in outcome.answers.iter().enumerate() {
        let name = &answer.asked;
        let expected_cost = expected.reached[at];
        match &answer.verdict {
            Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
                if let Err(error) = replay(&machine, trace) {
                    return Some(format!("{name}: no run: {error}"));
                }
                if expected.missed.is_none() && expected_cost.is_none() {
                    return Some(format!("{name}: reached, but brute force does not"));
                }
                let found = switches(&machine, &outcome, at);
                if cost == Cost::Switches && expected_cost.is_some() {
                    let is_less = found < expected_cost;
                    if found > expected_cost || is_less && expected.missed.is_none() {
                        return Some(format!("{name}: {found:?} instead of {expected_cost:?}"));
                    }
                }
                exact[0] += 1;
            }
            Verdict::No(Support::UpTo(_)) => {
                if expected_cost.is_some() {
                    return Some(format!("{name}: not reached, but with {expected_cost:?}"));
                }
                exact[1] += u64::from(expected.missed.is_none());
            }
            Verdict::Unknown(Limit::Threads) => {
                // A bound on threads may be hit where only what does not matter starts more; but a
                // run must not be lost.
                if expected_cost.is_some() {
                    return Some(format!("{name}: unknown, but with {expected_cost:?}"));
                }
            }
            Verdict::Unknown(Limit::Nodes) => {}
            other => return Some(format!("{name}: {other:?}")),
        }
    }
    None
}

fn agree(cost: Cost, knobs: &Knobs, seeds: std::ops::Range<u64>, bound: u32) -> [u64; 2] {
    let mut exact = [0; 2];
    for seed in seeds {
        let text = generate(seed, knobs);
        if let Some(what) = disagreement(&text, cost, bound, &mut exact) {
            let small = shrink(&text, &mut |candidate| {
                disagreement(candidate, cost, bound, &mut [0; 2]).is_some()
            });
            let what_small = disagreement(&small, cost, bound, &mut [0; 2]);
            panic!("seed {seed}: {what}\n{text}\nshrunk ({what_small:?}):\n{small}");
        }
    }
    exact
}

#[test]
fn the_least_number_of_switches_is_that_of_brute_force() {
    let exact = agree(Cost::Switches, &Knobs::concurrent(), 0..120, 4);
    assert!(exact.iter().all(|&count| count > 40), "{exact:?}");
}

#[test]
fn rounds_are_those_of_brute_force() {
    let exact = agree(Cost::Rounds, &Knobs::concurrent(), 1000..1070, 1);
    assert!(exact.iter().all(|&count| count > 20), "{exact:?}");
}

#[test]
fn threads_that_wait_inside_atomic_blocks_let_others_run() {
    let mut knobs = Knobs::concurrent();
    knobs.forms = vec![ThreadForm::Blocks, ThreadForm::Satabs];
    knobs.statement.atomic = 25;
    knobs.statement.assume = 20;
    let exact = agree(Cost::Switches, &knobs, 2000..2080, 3);
    assert!(exact.iter().all(|&count| count > 20), "{exact:?}");
}

#[test]
fn interrupted_and_recursive_calls_are_those_of_brute_force() {
    let mut knobs = Knobs::concurrent();
    knobs.forms = vec![ThreadForm::Blocks, ThreadForm::Getafix];
    knobs.procedures = 2;
    knobs.recursion = 40;
    knobs.statement.call = 20;
    let exact = agree(Cost::Switches, &knobs, 3000..3080, 3);
    assert!(exact.iter().all(|&count| count > 12), "{exact:?}");
}

#[test]
fn everything_in_the_language_is_taken() {
    let exact = agree(Cost::Switches, &Knobs::everything(), 4000..4030, 2);
    assert!(exact.iter().all(|&count| count > 5), "{exact:?}");
}

#[test]
fn without_a_bound_only_what_is_certain_is_said() {
    let config = ConformanceConfig::concurrent(0..25);
    let report = conformance(&BoundedEngine, &|_, _| Ok(()), &config);
    assert!(report.has_passed(), "{report}");
    assert!(report.reachable > 10 && report.unreachable > 5, "{report}");
}
