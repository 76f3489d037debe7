//! Runs have the fewest context switches that brute force allows, and as many steps with reductions
//! as without.

use hardbop_brute_force::BruteForce;
use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Answer, Bound, Budget, Engine, Evidence, Limit, Outcome, Question, Silent, Support, Trace,
    Verdict,
};
use hardbop_testkit::{Knobs, generate};
use hardbop_threads::{InterleavingEngine, Reductions};

fn ask(engine: &dyn Engine, machine: &Machine, question: &Question) -> Outcome {
    engine.check(machine, question, &Budget::unlimited(), &mut Silent)
}

/// Context switches and steps of a run.
fn cost(machine: &Machine, trace: &Trace) -> (u32, u128) {
    let replayed = replay(machine, trace).unwrap_or_else(|error| panic!("{error}"));
    let is_context = |thread: u32| machine.init.is_none() || thread != 0;
    let contexts = trace.segments.iter().filter(|s| is_context(s.thread));
    let switches = contexts.count().saturating_sub(1);
    (switches as u32, replayed.flat_steps)
}

fn is_unsupported(answer: &Answer) -> bool {
    matches!(&answer.verdict, Verdict::Unknown(Limit::Declined { .. }))
}

#[test]
fn runs_have_the_fewest_switches_whatever_is_reduced() {
    let plain = InterleavingEngine {
        reductions: Reductions {
            partial_order: false,
            symmetry: false,
        },
    };
    let (mut runs, mut proofs) = (0, 0);
    for knobs in [Knobs::concurrent(), Knobs::relay(), Knobs::everything()] {
        for seed in 0..60 {
            let text = generate(seed, &knobs);
            let machine = from_text("test.bp", &text).unwrap_or_else(|errors| panic!("{errors:?}"));
            let question = Question::assertions(&machine);
            let reduced = ask(&InterleavingEngine::default(), &machine, &question);
            if reduced.answers.iter().any(is_unsupported) {
                continue;
            }
            let unreduced = ask(&plain, &machine, &question);
            let pairs = reduced.answers.iter().zip(&unreduced.answers);
            for (index, (one, other)) in pairs.enumerate() {
                let (
                    Verdict::Yes(Support::Evidence(Evidence::Run(one))),
                    Verdict::Yes(Support::Evidence(Evidence::Run(other))),
                ) = (&one.verdict, &other.verdict)
                else {
                    assert_eq!(one.verdict, other.verdict, "seed {seed}\n{text}");
                    proofs += 1;
                    continue;
                };
                let (switches, steps) = cost(&machine, one);
                assert_eq!(
                    (switches, steps),
                    cost(&machine, other),
                    "seed {seed}\n{text}"
                );
                if let Some(fewer) = switches.checked_sub(1) {
                    let bound = Bound::ContextSwitches(fewer);
                    let bounded = question.clone().within(bound);
                    let brute = ask(&BruteForce, &machine, &bounded);
                    let verdict = &brute.answers[index].verdict;
                    let is_least = matches!(verdict, Verdict::No(Support::UpTo(_)));
                    assert!(
                        is_least,
                        "seed {seed}, {fewer} switches: {verdict:?}\n{text}"
                    );
                }
                runs += 1;
            }
        }
    }
    assert!(runs > 50 && proofs > 50, "{runs} runs, {proofs} proofs");
}
