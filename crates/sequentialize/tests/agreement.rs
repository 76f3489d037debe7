//! The sequential program says what the threads do: the same verdicts as brute force over schedules, with runs that replay.

use hardbop_machine::{Action, Machine, from_text};
use hardbop_outcome::{Budget, Engine, Query, Silent, Verdict};
use hardbop_sequentialize::{NotSequential, sequentialize};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::{Knobs, Oracle, generate};

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// For each assertion whether it fails within the rounds; every failing run is replayed on the threads.
fn failures(original: &Machine, rounds: u32) -> Option<Vec<bool>> {
    let query = Query::assertions(original);
    let program = sequentialize(original, rounds, &query.targets).ok()?;
    let sequential = machine(&program.text);
    let asked = Query::assertions(&sequential);
    assert_eq!(asked.targets.len(), query.targets.len());
    let engine = SummaryEngine::default();
    let outcome = engine.check(&sequential, &asked, &Budget::unlimited(), &mut Silent);
    let answers = outcome.answers.iter().zip(&query.targets);
    let fails = answers.map(|(answer, target)| match &answer.verdict {
        Verdict::Reachable { trace } => {
            let run = program.run_of_threads(original, &sequential, trace, target);
            let run = run.unwrap_or_else(|why| panic!("{why}\n{}", original.source.text()));
            if let Err(error) = hardbop_interpreter::replay(original, &run) {
                panic!("{error}\n{}", original.source.text());
            }
            true
        }
        Verdict::Unreachable => false,
        other => panic!("{other:?}"),
    });
    Some(fails.collect())
}

const HANDSHAKE: &str = "
    decl a := 0, b := 0;
    thread one begin void main() begin a := 1; assume(b); assert(0); end end
    thread two begin void main() begin assume(a); b := 1; end end";

#[test]
fn a_thread_that_waits_for_another_needs_a_second_round() {
    let original = machine(HANDSHAKE);
    assert_eq!(failures(&original, 1), Some(vec![false]));
    assert_eq!(failures(&original, 2), Some(vec![true]));
}

#[test]
fn guesses_that_do_not_come_true_count_for_nothing() {
    let original = machine(
        "decl a := 0;
         thread one begin void main() begin assert(!a); end end
         thread two begin void main() begin a := 0; end end",
    );
    assert_eq!(failures(&original, 3), Some(vec![false]));
}

#[test]
fn threads_that_start_threads_are_refused() {
    let original = machine("void main() begin start_thread f(); end void f() begin assert(0); end");
    let targets = Query::assertions(&original).targets;
    let refused = sequentialize(&original, 2, &targets).unwrap_err();
    assert_eq!(refused, NotSequential::StartsThreads);
}

/// What is found is real; and with many rounds everything is found, atomic blocks that wait aside.
#[test]
fn generated_programs_have_the_verdicts_of_brute_force() {
    let (mut compared, mut failing) = (0, 0);
    for seed in 0..120 {
        let original = machine(&generate(seed, &Knobs::concurrent()));
        let Some(found) = failures(&original, 3) else {
            continue;
        };
        let query = Query::assertions(&original);
        let truth = Oracle::default().check(&original, &query, &Budget::unlimited(), &mut Silent);
        let may_wait_inside = original
            .edges
            .iter()
            .any(|edge| edge.action == Action::AtomicBegin);
        for (answer, found) in truth.answers.iter().zip(found) {
            compared += 1;
            failing += u32::from(found);
            match &answer.verdict {
                Verdict::Unreachable => assert!(!found, "seed {seed}"),
                Verdict::Reachable { trace } if !may_wait_inside => {
                    // So few contexts fit into three rounds whatever the order of the threads.
                    let contexts = trace.segments.len();
                    assert!(found || contexts > 3, "seed {seed}: {contexts} contexts");
                }
                _ => {}
            }
        }
    }
    assert!(
        compared > 60 && failing > 10,
        "{compared} compared, {failing} fail"
    );
}
