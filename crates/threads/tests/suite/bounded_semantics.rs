//! What counts as a context switch, and who may run when: small programs whose answers can be
//! worked out by hand.

use hardbop_interpreter::replay;
use hardbop_machine::from_text;
use hardbop_outcome::{Bound, Budget, Engine, Evidence, Question, Silent, Support, Verdict};
use hardbop_threads::BoundedEngine;

/// The least number of switches, up to 6, with which label `L` is reached.
fn least(text: &str) -> Option<u64> {
    let machine = from_text("test.bp", text).expect("the program is valid");
    let question = Question::label(&machine, "L").within(Bound::ContextSwitches(6));
    let outcome = BoundedEngine.check(&machine, &question, &Budget::unlimited(), &mut Silent);
    match &outcome.answers[0].verdict {
        Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
            replay(&machine, trace).expect("the run is one");
            let named = |(name, _): &(&str, u64)| name.starts_with("switches to ");
            let counter = outcome.statistics.iter().find(named);
            Some(counter.expect("the least number is reported").1)
        }
        Verdict::No(Support::UpTo(_)) => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn that_the_first_thread_takes_over_from_init_is_no_switch() {
    let text = "decl a; void init() begin a := 0; end
         void main() begin skip; end
         void thread1() begin assume(!a); L: skip; end";
    assert_eq!(least(text), Some(0));
}

#[test]
fn a_started_thread_stands_at_its_first_statement_without_a_switch() {
    let text = |body: &str| {
        format!("void main() begin start_thread f(); skip; end void f() begin {body} end")
    };
    assert_eq!(least(&text("L: skip;")), Some(0));
    assert_eq!(least(&text("skip; L: skip;")), Some(1));
}

#[test]
fn a_thread_in_an_atomic_block_lets_others_run_only_while_it_waits() {
    let text = |condition: &str| {
        format!(
            "decl go := 0, seen := 0;
             thread a begin void main() begin
               atomic_begin; seen := 1; assume(go); seen := 0; atomic_end;
             end end
             thread b begin void main() begin
               assume(seen); go := 1; {condition} L: skip;
             end end"
        )
    };
    // Thread b sees what the block has done because the block waits, ...
    assert_eq!(least(&text("")), Some(1));
    // ... but once it need not wait any more, it is its turn at once, until its end.
    assert_eq!(least(&text("assume(seen);")), None);
    assert_eq!(least(&text("assume(!seen);")), Some(3));
}

#[test]
fn what_a_thread_was_given_is_what_its_parent_gave() {
    let text = |condition: &str| {
        format!(
            "decl told := 0, known := 0;
             void main() begin decl x; x := *; start_thread f(x); told := x; known := 1; end
             void f(y) begin assume(known); assume({condition}); L: skip; end"
        )
    };
    assert_eq!(least(&text("y = told")), Some(1));
    assert_eq!(least(&text("y != told")), None);
}

#[test]
fn a_call_may_be_interrupted_and_return_in_another_context() {
    let text = "decl a := 0, b := 0;
         thread one begin void main() begin decl r; r := f(1); if (r) then L: skip; fi end end
         thread two begin void main() begin assume(a); b := 1; end end
         bool f(x) begin a := 1; if (*) then x := f(x); fi assume(b); return x; end";
    assert_eq!(least(text), Some(2));
}

#[test]
fn identical_threads_are_still_different_threads() {
    let text = "decl int<2> n := 0;
         thread t(3) begin void main() begin
           decl int<2> mine; mine := n; n := n + 1; assume(n = 3); if (mine = 0) then L: skip; fi
         end end";
    assert_eq!(least(text), Some(3));
}

#[test]
fn integers_that_meet_are_interleaved_with_the_choices_beside_them() {
    let text = "decl int<32> x, y, z; decl f;
         thread t1 begin
           void main() begin
             x := *; y := x; x := x + 1; assert(x = y + 1);
             z := y + *; y := z - y; assert(f | z != 7);
           end
         end
         thread t2 begin void main() begin f := !f; f := *; end end";
    let machine = from_text("test.bp", text).expect("the program is valid");
    let question = Question::every_target(&machine).within(Bound::ContextSwitches(2));
    // Each of these relations has 2^32 nodes if the words stand one after the other.
    let budget = Budget {
        nodes: Some(200_000),
        ..Budget::unlimited()
    };
    let outcome = BoundedEngine.check(&machine, &question, &budget, &mut Silent);
    let verdicts: Vec<&Verdict> = outcome.answers.iter().map(|a| &a.verdict).collect();
    assert!(
        matches!(verdicts[0], Verdict::No(Support::UpTo(_))),
        "{verdicts:?}"
    );
    let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = verdicts[1] else {
        panic!("{verdicts:?}");
    };
    replay(&machine, trace).expect("the run is one");
}
