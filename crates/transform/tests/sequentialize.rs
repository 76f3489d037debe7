//! The sequential program says what the threads do: the same verdicts as brute force over
//! schedules, with runs that replay.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Bound, Budget, Engine, Evidence, Limit, Question, Silent, Support, Verdict};
use hardbop_summary::SummaryEngine;
use hardbop_testkit::{Knobs, Oracle, generate};
use hardbop_transform::Through;
use hardbop_transform::sequentialize::{NotSequential, sequentialize};
use hardbop_transform::static_threads::NotStatic;

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// The most threads.
const THREADS: u32 = 3;

/// For each assertion whether it fails within the rounds; every failing run is replayed on the
/// threads.
fn failures(original: &Machine, rounds: u32) -> Option<Vec<bool>> {
    let question = Question::assertions(original).within(Bound::Rounds(rounds));
    let engine = SummaryEngine::default();
    let engine = Through::sequentialized(Box::new(engine));
    let budget = Budget {
        nodes: Some(1 << 17),
        threads: Some(THREADS),
        ..Budget::unlimited()
    };
    let outcome = engine.check(original, &question, &budget, &mut Silent);
    if outcome
        .answers
        .iter()
        .any(|answer| answer.verdict.is_unknown())
    {
        return None;
    }
    let fails = outcome.answers.iter().map(|answer| match &answer.verdict {
        Verdict::Yes(Support::Evidence(Evidence::Run(run))) => {
            if let Err(error) = hardbop_interpreter::replay(original, run) {
                panic!("{error}\n{}", original.source.text());
            }
            assert_eq!(run.target.as_ref(), answer.target());
            true
        }
        Verdict::No(Support::UpTo(bound)) => {
            assert_eq!(Some(*bound), question.bound);
            false
        }
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
fn a_thread_that_stays_somewhere_for_ever_does_not_keep_others_from_running() {
    for stuck in [
        "assume(0);",
        "x := 0 constrain 0;",
        "while (1) do skip; od",
        "f();",
    ] {
        let text = format!(
            "decl g := 0;
             void f() begin f(); end
             thread one begin void main() begin decl x; {stuck} end end
             thread two begin void main() begin g := 1; assert(!g); end end"
        );
        assert_eq!(failures(&machine(&text), 1), Some(vec![true]), "{stuck}");
    }
}

#[test]
fn started_threads_run_with_what_they_are_given() {
    let original = machine(
        "decl go := 0; thread_local decl mine := 0;
         void main() begin decl x; x := 1; mine := 1; start_thread f(x); x := 0; mine := 0; go := 1; end
         void f(y) begin assume(go); assert(!y); assert(!mine); end",
    );
    assert_eq!(failures(&original, 1), Some(vec![true, false]));
    let original = machine(
        "decl a := 0;
         void main() begin decl x; x := 1; start_thread goto L; x := 0; a := 1; goto E;
         L: assume(a); assert(!x); E: skip; end",
    );
    assert_eq!(failures(&original, 1), Some(vec![true]));
}

#[test]
fn more_threads_than_allowed_are_noticed() {
    let original = machine("void main() begin start_thread f(); end void f() begin assert(1); end");
    let question = Question::assertions(&original).within(Bound::Rounds(1));
    for (threads, expected) in [
        (1, Verdict::Unknown(Limit::Threads)),
        (2, Verdict::No(Support::UpTo(Bound::Rounds(1)))),
    ] {
        let engine = SummaryEngine::default();
        let engine = Through::sequentialized(Box::new(engine));
        let budget = Budget {
            threads: Some(threads),
            ..Budget::unlimited()
        };
        let outcome = engine.check(&original, &question, &budget, &mut Silent);
        assert_eq!(outcome.answers[0].verdict, expected, "{threads}");
    }
}

#[test]
fn a_thread_that_waits_inside_a_block_lets_others_run_until_it_can_go_on() {
    let original = machine(
        "decl a := 0, b := 0, s := 0;
         thread one begin void main() begin atomic_begin; s := 1; assume(a); assert(!b); atomic_end; end end
         thread two begin void main() begin assume(s); a := 1; b := 1; end end",
    );
    // As soon as `a` is set only the first thread may run: it never sees `b`.
    assert_eq!(failures(&original, 2), Some(vec![false]));
    let text = original.source.text().replace("assert(!b)", "assert(0)");
    assert_eq!(failures(&machine(&text), 2), Some(vec![true]));
}

#[test]
fn what_is_not_taken_is_refused() {
    let original = machine(
        "decl g := 0;
         void init() begin start_thread f(); end
         void f() begin g := 1; end
         thread one begin void main() begin assert(!g); end end",
    );
    let question = Question::assertions(&original);
    let refused = sequentialize(&original, &question, 2, 4).unwrap_err();
    let why = NotStatic::InitStartsThreads;
    assert_eq!(refused, NotSequential::NotStatic(why));
}

/// What is found is real; and with many rounds everything is found.
#[test]
fn generated_programs_have_the_verdicts_of_brute_force() {
    let (mut compared, mut failing) = (0, 0);
    for seed in 0..50 {
        let original = machine(&generate(seed, &Knobs::concurrent()));
        let Some(found) = failures(&original, 3) else {
            continue;
        };
        let question = Question::assertions(&original);
        let truth =
            Oracle::default().check(&original, &question, &Budget::unlimited(), &mut Silent);
        for (answer, found) in truth.answers.iter().zip(found) {
            compared += 1;
            failing += u32::from(found);
            match &answer.verdict {
                Verdict::No(_) => assert!(!found, "seed {seed}"),
                Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
                    // So few contexts fit into three rounds whatever the order of the threads.
                    let contexts = trace.segments.len();
                    assert!(found || contexts > 3, "seed {seed}: {contexts} contexts");
                }
                _ => {}
            }
        }
    }
    assert!(
        compared > 40 && failing > 10,
        "{compared} compared, {failing} fail"
    );
}
