//! The bounded search finds what there is within its bound, by shortest runs, and claims no more.

use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Bound, Budget, Declined, Engine, Evidence, Interrupt, Limit, Outcome, Prepared, Question,
    Silent, Support, Verdict,
};
use hardbop_satcheck::SatEngine;
use hardbop_testkit::conformance::{ConformanceConfig, conformance};
use hardbop_testkit::{Knobs, Oracle, generate};

fn check(machine: &Machine, depth: u32, budget: &Budget<'_>) -> Outcome {
    let question = Question::assertions(machine).within(Bound::Steps(depth));
    SatEngine::default().check(machine, &question, budget, &mut Silent)
}

fn statistic(outcome: &Outcome, name: &str) -> u64 {
    outcome.statistics.get(name).unwrap()
}

/// Asks within a bound, whatever is asked.
struct Unrolled {
    depth: u32,
}

impl Engine for Unrolled {
    fn name(&self) -> &'static str {
        "unrolled"
    }

    fn prepare<'a>(
        &'a self,
        machine: &'a Machine,
        question: &'a Question,
        limits: &Budget<'_>,
    ) -> Result<Prepared<'a>, Declined> {
        drop(SatEngine::default().prepare(machine, question, limits)?);
        Ok(Prepared::new(move |budget, progress| {
            let question = question.clone().within(Bound::Steps(self.depth));
            SatEngine::default().check(machine, &question, budget, progress)
        }))
    }
}

#[test]
fn runs_that_are_found_are_real_on_generated_programs() {
    let config = ConformanceConfig::sequential(0..60);
    let report = conformance(&Unrolled { depth: 24 }, &|_, _| Ok(()), &config);
    assert!(report.has_passed(), "{report}");
    assert!(report.reachable > 30 && report.unreachable == 0, "{report}");
}

#[test]
fn a_target_is_found_from_its_distance_on_and_not_before() {
    const MOST_STEPS: u128 = 60;
    let presets = [Knobs::tiny(), Knobs::sequential(), Knobs::recursive()];
    let (mut found, mut not_found) = (0, 0);
    for knobs in &presets {
        for seed in 0..40 {
            let text = generate(seed, knobs);
            let machine = from_text("generated.bp", &text).unwrap();
            let question = Question::assertions(&machine);
            let oracle = Oracle {
                max_configurations: 10_000,
                max_stack: 64,
                ..Oracle::default()
            };
            let exact = oracle.check(&machine, &question, &Budget::unlimited(), &mut Silent);
            for answer in &exact.answers {
                let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &answer.verdict else {
                    continue;
                };
                let distance = replay(&machine, trace).unwrap().flat_steps;
                if distance > MOST_STEPS {
                    continue;
                }
                let distance = u32::try_from(distance).unwrap();
                let target = answer.target().expect("places were asked for");
                let single = Question::reach(vec![target.clone()]);
                let verdict = |depth| {
                    let single = single.clone().within(Bound::Steps(depth));
                    let (engine, budget) = (SatEngine::default(), Budget::unlimited());
                    let mut outcome = engine.check(&machine, &single, &budget, &mut Silent);
                    outcome.answers.remove(0).verdict
                };
                let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = verdict(distance)
                else {
                    panic!("nothing within {distance} steps, seed {seed} in\n{text}");
                };
                let steps = replay(&machine, &trace).unwrap().flat_steps;
                assert_eq!(steps, u128::from(distance));
                found += 1;
                if let Some(less) = distance.checked_sub(1) {
                    let bound = Bound::Steps(less);
                    assert_eq!(verdict(less), Verdict::No(Support::UpTo(bound)));
                    not_found += 1;
                }
            }
        }
    }
    assert!(found > 40 && not_found > 40, "{found} {not_found}");
}

/// Calls itself with another argument each time, and goes wrong at the bottom.
const COUNTS_DOWN: &str = "decl bad := 0; void main() begin f(9); assert(!bad); end
  void f(int<4> n) begin if (n > 0) then f(n - 1); else bad := 1; fi end";

/// Ends after a few steps, whatever is chosen.
const ENDS: &str = "decl g, h; void main() begin g := h; assert(g = h); end";

#[test]
fn an_unrolling_that_ends_is_told_from_one_that_goes_on() {
    let machine = from_text("ends.bp", ENDS).unwrap();
    let outcome = check(&machine, 100, &Budget::unlimited());
    let bound = Bound::Steps(100);
    assert_eq!(
        outcome.answers[0].verdict,
        Verdict::No(Support::UpTo(bound))
    );
    assert!(outcome.certificates.is_empty());
    assert_eq!(statistic(&outcome, "ended"), 1);
    let machine = from_text("deep.bp", COUNTS_DOWN).unwrap();
    let outcome = check(&machine, 10, &Budget::unlimited());
    assert_eq!(statistic(&outcome, "ended"), 0);
    let outcome = check(&machine, 100, &Budget::unlimited());
    let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &outcome.answers[0].verdict else {
        panic!("ten calls are within a hundred steps");
    };
    replay(&machine, trace).unwrap();
}

#[test]
fn too_few_states_or_bytes_give_unknown() {
    let machine = from_text("deep.bp", COUNTS_DOWN).unwrap();
    let limits = [
        (Some(5), None, Limit::States),
        (None, Some(2000), Limit::Memory),
    ];
    for (states, memory, why) in limits {
        let budget = Budget {
            states,
            memory,
            ..Budget::unlimited()
        };
        let outcome = check(&machine, 100, &budget);
        assert_eq!(outcome.answers[0].verdict, Verdict::Unknown(why));
    }
}

struct Stop;

impl Interrupt for Stop {
    fn check(&self) -> Option<Limit> {
        Some(Limit::Time)
    }
}

#[test]
fn an_interrupt_is_the_reason() {
    let machine = from_text("deep.bp", COUNTS_DOWN).unwrap();
    let budget = Budget {
        interrupt: &Stop,
        ..Budget::unlimited()
    };
    let outcome = check(&machine, 100, &budget);
    let unknown = Verdict::Unknown(Limit::Time);
    assert_eq!(outcome.answers[0].verdict, unknown);
}
