//! Locks of recursive threads are proved, whatever their number; damaged proofs are rejected, and
//! small limits change no verdict.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::certificate::{Certificate, Direction, Formula};
use hardbop_outcome::{Budget, Engine, NeverInterrupted, Outcome, Question, Silent};
use hardbop_threads::StacksEngine;

/// Threads that take a lock in a procedure that may call itself first.
fn lock(threads: u32, take: &str) -> Machine {
    let text = format!(
        "decl lock := 0; decl inside := 0;
         thread w({threads}) begin
           void main() begin while (*) do go(); od end
           void go() begin
             if (*) then go(); fi
             {take}
             assert(!inside); inside := 1; inside := 0;
             lock := 0;
           end
         end"
    );
    machine(&text)
}

const TEST_AND_SET: &str = "lock := 1 constrain !lock;";
const ATOMIC: &str = "atomic_begin; assume(!lock); lock := 1; atomic_end;";
const BROKEN: &str = "assume(!lock); lock := 1;";

fn machine(text: &str) -> Machine {
    from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn check(machine: &Machine, budget: &Budget<'_>) -> Outcome {
    let question = Question::every_target(machine);
    StacksEngine.check(machine, &question, budget, &mut Silent)
}

fn is_accepted(machine: &Machine, certificate: &Certificate) -> bool {
    hardbop_checker::validate(machine, certificate, &NeverInterrupted).is_ok()
}

fn proof(machine: &Machine) -> Certificate {
    let outcome = check(machine, &Budget::unlimited());
    assert!(outcome.answers.iter().all(|answer| answer.verdict.is_no()));
    let certificate = outcome.certificates.into_iter().next();
    certificate.expect("what holds is certified")
}

#[test]
fn a_recursive_lock_is_proved_for_any_number_of_threads() {
    for threads in [1, 2, 3, 4, 8, 16] {
        let machine = lock(threads, TEST_AND_SET);
        let certificate = proof(&machine);
        assert_eq!(certificate.direction, Direction::Stacks);
        assert!(is_accepted(&machine, &certificate), "{threads} threads");
    }
}

#[test]
fn a_lock_in_an_atomic_block_is_proved_for_two_threads() {
    let machine = lock(2, ATOMIC);
    assert!(is_accepted(&machine, &proof(&machine)));
}

#[test]
fn a_lock_that_is_taken_in_two_steps_is_violated() {
    for threads in [2, 3] {
        let outcome = check(&lock(threads, BROKEN), &Budget::unlimited());
        assert!(outcome.answers.iter().any(|answer| answer.verdict.is_yes()));
        assert!(outcome.certificates.is_empty());
    }
}

#[test]
fn recursion_with_results_and_a_first_procedure_is_proved() {
    let machine = machine(
        "decl int<2> n; decl int<2> sum := 0;
         void init() begin n := 1; set(2); end
         void set(int<2> v) begin if (v = 0) then n := 3; else set(v - 1); fi end
         thread a(2) begin
           void main() begin decl b; b := even(n); assert(!b); end
           bool even(int<2> v) begin
             decl b;
             if (v = 0) then return 1; fi
             b := even(v - 1);
             return !b;
           end
         end",
    );
    assert!(is_accepted(&machine, &proof(&machine)));
}

#[test]
fn damaged_proofs_are_rejected() {
    for machine in [
        lock(2, TEST_AND_SET),
        lock(5, TEST_AND_SET),
        lock(2, ATOMIC),
    ] {
        let certificate = proof(&machine);
        let root = certificate.formulas.len() as u32;
        for view in 0..certificate.views.len() {
            for constant in [false, true] {
                let mut damaged = certificate.clone();
                damaged.formulas.push(Formula::Constant(constant));
                damaged.views[view].relation = root;
                assert!(!is_accepted(&machine, &damaged), "view {view}: {constant}");
            }
            let mut damaged = certificate.clone();
            damaged.views.remove(view);
            assert!(!is_accepted(&machine, &damaged), "without view {view}");
        }
        for caller in 0..certificate.callers.len() {
            let mut damaged = certificate.clone();
            damaged.callers.remove(caller);
            assert!(!is_accepted(&machine, &damaged), "without caller {caller}");
        }
    }
}

#[test]
fn a_proof_for_few_threads_is_none_for_another_lock() {
    let certificate = proof(&lock(2, TEST_AND_SET));
    for other in [lock(2, BROKEN), lock(3, BROKEN)] {
        let mut moved = certificate.clone();
        other.digest().clone_into(&mut moved.program);
        for target in &mut moved.targets {
            let kind = target.kind.clone();
            *target = hardbop_outcome::Target::new(&other, target.node, kind);
        }
        assert!(!is_accepted(&other, &moved));
    }
}

#[test]
fn small_limits_change_no_verdict() {
    let programs = [lock(3, TEST_AND_SET), lock(2, BROKEN), lock(2, ATOMIC)];
    let limits = (0..12).map(|n| 3 * n * n);
    for (machine, limit) in programs
        .iter()
        .flat_map(|machine| limits.clone().map(move |limit| (machine, limit)))
    {
        let is_reached = check(machine, &Budget::unlimited()).answers;
        for budget in [
            Budget {
                states: Some(limit),
                ..Budget::unlimited()
            },
            Budget {
                nodes: Some(40 * limit),
                ..Budget::unlimited()
            },
        ] {
            let outcome = check(machine, &budget);
            for (answer, known) in outcome.answers.iter().zip(&is_reached) {
                let is_same = answer.verdict.is_yes() == known.verdict.is_yes();
                assert!(is_same || answer.verdict.is_unknown(), "{limit}");
            }
            for certificate in &outcome.certificates {
                assert!(is_accepted(machine, certificate), "{limit}");
            }
        }
    }
}
