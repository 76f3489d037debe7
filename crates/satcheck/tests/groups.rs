//! Targets that rest on different variables are searched for apart, and large programs take few
//! terms.

use hardbop_families::find;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Budget, Engine, Evidence, NeverInterrupted, Outcome, Question, Silent, Verdict,
};
use hardbop_satcheck::SatEngine;

fn check(machine: &Machine) -> Outcome {
    let question = Question::assertions(machine);
    let outcome = SatEngine::default().check(machine, &question, &Budget::unlimited(), &mut Silent);
    for certificate in &outcome.certificates {
        hardbop_checker::validate(machine, certificate, &NeverInterrupted).unwrap();
    }
    for answer in &outcome.answers {
        match &answer.verdict {
            Verdict::Found(Evidence::Run(trace)) => {
                hardbop_interpreter::replay(machine, trace).unwrap();
            }
            Verdict::Excluded => {
                let target = answer.target().expect("places were asked for");
                assert!(outcome.is_certified(target));
            }
            other => panic!("{other:?}"),
        }
    }
    outcome
}

fn count(outcome: &Outcome, name: &str) -> u64 {
    let mut counts = outcome.statistics.iter();
    counts.find(|(known, _)| known == name).unwrap().1
}

fn family(name: &str, size: u32) -> Machine {
    let instance = find(name).unwrap().generate(size, 1);
    from_text("generated.bp", &instance.text).unwrap()
}

#[test]
fn drivers_take_a_few_terms_for_each_block() {
    for (name, fails) in [("driver-safe", false), ("driver", true)] {
        let outcome = check(&family(name, 10));
        let (terms, blocks) = (count(&outcome, "function-terms"), count(&outcome, "blocks"));
        assert!(blocks > 500);
        assert!(terms < 6 * blocks, "{name}: {terms} terms");
        let all_terms = count(&outcome, "function-terms-of-all-searches");
        assert!(all_terms < 40 * blocks, "{name}: {all_terms} terms");
        let is_reached =
            |answer: &hardbop_outcome::Answer| matches!(answer.verdict, Verdict::Found(_));
        assert_eq!(outcome.answers.iter().any(is_reached), fails, "{name}");
    }
}

#[test]
fn each_group_has_a_certificate_about_its_own_targets() {
    let text = "decl lock, done; void main() begin decl own; lock, done := 0, 0;
        own := *; if (own) then lock := 1; fi if (*) then done := 1; done := 0; fi
        if (own) then lock := 0; fi assert(!lock); assert(!done); assert(lock | !lock); end";
    let machine = from_text("t.bp", text).unwrap();
    let outcome = check(&machine);
    let targets: Vec<usize> = outcome
        .certificates
        .iter()
        .map(|c| c.targets.len())
        .collect();
    assert_eq!(targets, [2, 1]);
    assert_eq!(count(&outcome, "groups"), 2);
    // `lock`, `own`; `done`.
    assert_eq!(count(&outcome, "tracked-variables"), 3);
}

/// Both assertions rest on a generator of random numbers that passes through all values: more terms
/// than a group gets at first.
const LONG: &str = "decl bad; decl int<11> r; void main() begin bad, r := 0, 1;
    while (*) do r := r * 5 + 3; od assert(!bad | (r = 0)); assert(!bad | (r = 1)); end";

#[test]
fn a_group_that_grows_is_cut_in_two_and_decided_nevertheless() {
    let outcome = check(&from_text("long.bp", LONG).unwrap());
    assert_eq!(count(&outcome, "splits"), 1);
    assert_eq!(outcome.certificates.len(), 2);
    assert!(count(&outcome, "function-terms") > 2 * 2048);
}

/// Two procedures that call each other; one of them chooses a value around a loop and one has a
/// result that is never set.
const MUTUAL: &str = "decl g0 := T;
    void main() begin f1(); if (g0) then if (g0) then skip; fi fi end
    bool f0(p0) begin if (g0) then f1(); fi assert(p0); end
    void f1() begin decl l0;
      while (*) do g0, l0 := g0, *; od
      while (*) do if (*) then skip; fi od
      if (l0) then if (g0) then skip; fi if (*) then g0 := f0(l0); f1(); fi fi
    end";

#[test]
fn certificates_of_procedures_that_call_each_other_are_inductive() {
    check(&from_text("mutual.bp", MUTUAL).unwrap());
}

/// `a` and `b` are equal: neither of them says why the assertion holds, both together do.
const EQUAL: &str =
    "decl bad, a, b; void main() begin a := *; b := a; bad := a != b; assert(!bad); end";

#[test]
fn one_refinement_tracks_all_variables_that_explain_a_path() {
    let outcome = check(&from_text("equal.bp", EQUAL).unwrap());
    assert_eq!(outcome.answers[0].verdict, Verdict::Excluded);
    assert_eq!(count(&outcome, "refinements"), 1);
    assert_eq!(count(&outcome, "tracked-variables"), 3);
}
