//! What the engine proves, what it finds, and that its certificates do not survive lower bounds.

use hardbop_checker::{Condition, Rejected};
use hardbop_machine::Machine;
use hardbop_outcome::engine::Silent;
use hardbop_outcome::{Budget, Engine, NeverInterrupted, Outcome, Question, Verdict};
use hardbop_unroll::UnrollEngine;

fn check(text: &str) -> (Machine, Outcome) {
    let machine = hardbop_machine::from_text("t.bp", text).expect("the test's program is good");
    let question = Question::assertions(&machine);
    let budget = Budget {
        states: Some(100_000),
        ..Budget::unlimited()
    };
    let outcome = UnrollEngine.check(&machine, &question, &budget, &mut Silent);
    (machine, outcome)
}

/// The certificate, and whether the checker takes it.
fn is_accepted(machine: &Machine, outcome: &Outcome) -> Result<(), Rejected> {
    assert_eq!(outcome.certificates.len(), 1);
    let certificate = &outcome.certificates[0];
    hardbop_checker::validate(machine, certificate, &NeverInterrupted).map(drop)
}

/// Programs whose loops or recursion are bounded by values that are open at first.
const BOUNDED: [&str; 3] = [
    "decl int<32> sum := 0;
     void main() begin
       decl int<32> n, i; assume(n < 7); i := 0;
       while (i < n) do i := i + 1; sum := sum + i; od
       assert(sum <= 21);
     end",
    "decl int<32> sum := 0;
     void add(int<32> n) begin if (n != 0) then sum := sum + n; add(n - 1); fi end
     void main() begin decl int<32> n; assume(n < 6); add(n); assert(sum <= 15); end",
    "decl int<16> a[4]; decl int<16> least;
     void main() begin
       decl int<16> i, j, t;
       i := 0;
       while (i < 3) do
         j := 0;
         while (j < 3 - i) do
           if (a[j + 1] < a[j]) then t := a[j]; a[j] := a[j + 1]; a[j + 1] := t; fi
           j := j + 1;
         od
         i := i + 1;
       od
       assert(a[0] <= a[1] & a[1] <= a[2] & a[2] <= a[3]);
     end",
];

#[test]
fn bounded_programs_are_proved_and_lower_bounds_are_rejected() {
    for text in BOUNDED {
        let (machine, mut outcome) = check(text);
        let open: Vec<&Verdict> = outcome
            .answers
            .iter()
            .map(|answer| &answer.verdict)
            .collect();
        assert!(
            open.iter().all(|verdict| **verdict == Verdict::CERTIFIED),
            "{text}: {open:?}"
        );
        assert_eq!(is_accepted(&machine, &outcome), Ok(()), "{text}");
        // Down from there one bound after the other has to be missed at some point.
        let bounds = outcome.certificates[0]
            .bounds
            .clone()
            .expect("it has bounds");
        for index in 0..bounds.loops.len() + bounds.procedures.len() {
            let mut lower = bounds.clone();
            match lower.loops.get_mut(index) {
                Some(one) => one.repetitions = 0,
                None => lower.procedures[index - bounds.loops.len()].frames = 1,
            }
            outcome.certificates[0].bounds = Some(lower);
            match is_accepted(&machine, &outcome) {
                Err(Rejected::Broken(broken)) => {
                    assert_eq!(broken.condition, Condition::BoundIsKept, "{broken}");
                }
                other => panic!("{text}: bound {index}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_bug_behind_many_repetitions_is_found_also_if_the_loop_never_ends() {
    let (machine, outcome) = check(
        "decl int<32> i := 0;
         void main() begin while (1) do i := i + 1; assert(i != 1000); od end",
    );
    let run = outcome.answers[0]
        .verdict
        .trace()
        .expect("the assertion fails");
    hardbop_interpreter::replay(&machine, run).expect("the run is one");
    let (machine, outcome) = check(
        "decl int<32> i := 0;
         void main() begin while (*) do i := i + 1; assert(i != 12); od end",
    );
    let run = outcome.answers[0]
        .verdict
        .trace()
        .expect("the assertion fails");
    hardbop_interpreter::replay(&machine, run).expect("the run is one");
}

#[test]
fn a_loop_without_a_bound_ends_at_the_limit() {
    let (_, outcome) = check(
        "decl int<32> i := 0;
         void main() begin while (*) do i := i + 2; assert(i != 7); od end",
    );
    assert!(outcome.answers[0].verdict.is_unknown());
    assert!(outcome.certificates.is_empty());
}
