//! Limits are answers: they are named, and nothing that was found is lost.

use hardbop_machine::from_text;
use hardbop_outcome::bound::Bound;
use hardbop_outcome::{Budget, Engine, Interrupt, Limit, Question, Silent, Support, Verdict};
use hardbop_threads::{BoundedEngine, DEFAULT_SWITCHES};

fn verdict(text: &str, bound: impl Into<Option<Bound>>, budget: &Budget<'_>) -> Verdict {
    let machine = from_text("test.bp", text).expect("the program is valid");
    let question = Question::label(&machine, "L").within(bound);
    let mut outcome = BoundedEngine.check(&machine, &question, budget, &mut Silent);
    outcome.answers.remove(0).verdict
}

const TURNS: &str = "decl a := 0, b := 0;
    thread one begin void main() begin assume(b); a := 1; assume(!b); L: skip; end end
    thread two begin void main() begin b := 1; assume(a); b := 0; end end";

#[test]
fn the_bound_is_exact_and_named() {
    let bound = Bound::ContextSwitches(2);
    let few = verdict(TURNS, bound, &Budget::unlimited());
    assert_eq!(few, Verdict::No(Support::UpTo(bound)));
    let enough = verdict(TURNS, Bound::ContextSwitches(3), &Budget::unlimited());
    assert!(matches!(enough, Verdict::Yes(_)));
}

#[test]
fn rounds_go_through_the_threads_in_order() {
    // two | one two | one: thread two cannot run before thread one in one round.
    let bound = Bound::Rounds(2);
    let few = verdict(TURNS, bound, &Budget::unlimited());
    assert_eq!(few, Verdict::No(Support::UpTo(bound)));
    let enough = verdict(TURNS, Bound::Rounds(3), &Budget::unlimited());
    assert!(matches!(enough, Verdict::Yes(_)));
}

#[test]
fn threads_beyond_the_bound_make_a_negative_answer_unknown() {
    let text = "decl int<2> n := 0;
        void main() begin start_thread f(); start_thread f(); start_thread f(); end
        void f() begin n := n + 1; assume(n = 3); L: skip; end";
    let with_threads = |threads| {
        let budget = Budget {
            threads: Some(threads),
            ..Budget::unlimited()
        };
        verdict(text, Bound::ContextSwitches(4), &budget)
    };
    assert_eq!(with_threads(3), Verdict::Unknown(Limit::Threads));
    let enough = with_threads(4);
    assert!(matches!(enough, Verdict::Yes(_)));
}

#[test]
fn without_a_bound_nothing_found_is_not_nothing_there() {
    let text = "decl g := 0;
        thread t(2) begin void main() begin f(); assume(0); L: skip; end end
        void f() begin if (*) then g := !g; f(); fi end";
    let bound = Bound::ContextSwitches(DEFAULT_SWITCHES);
    let why = Limit::Beyond { bound };
    let found = verdict(text, None, &Budget::unlimited());
    assert_eq!(found, Verdict::Unknown(why));
}

struct Impatient;

impl Interrupt for Impatient {
    fn check(&self) -> Option<Limit> {
        Some(Limit::Time)
    }
}

/// Enough work to be interrupted in.
fn counters() -> String {
    let counter = "thread t(3) begin void main() begin decl int<6> x; while (1) do x := n + x; n := m + x; m := x; od
         assume(0); L: skip; end end";
    format!("decl int<6> n, m := 0; {counter}")
}

#[test]
fn the_budget_is_kept() {
    let few_nodes = Budget {
        nodes: Some(2000),
        ..Budget::unlimited()
    };
    let why = Limit::Nodes;
    let text = counters();
    assert_eq!(
        verdict(&text, Bound::ContextSwitches(6), &few_nodes),
        Verdict::Unknown(why)
    );
    let little_memory = Budget {
        memory: Some(64_000),
        ..Budget::unlimited()
    };
    let why = Limit::Memory;
    assert_eq!(
        verdict(&text, Bound::ContextSwitches(6), &little_memory),
        Verdict::Unknown(why)
    );
    let no_time = Budget {
        interrupt: &Impatient,
        ..Budget::unlimited()
    };
    let why = Limit::Time;
    assert_eq!(
        verdict(&text, Bound::ContextSwitches(6), &no_time),
        Verdict::Unknown(why)
    );
}

#[test]
fn a_run_of_astronomic_length_is_not_written_out() {
    let text = include_str!("../../../../examples/doubling.bp").replace("reach:", "L:");
    let verdict = verdict(&text, None, &Budget::unlimited());
    assert_eq!(verdict, Verdict::Unknown(Limit::Memory));
}
