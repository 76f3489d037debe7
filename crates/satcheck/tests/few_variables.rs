//! Few variables first: large programs take few terms.

use hardbop_families::find;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{
    Budget, Engine, Evidence, NeverInterrupted, Outcome, Question, Silent, Support, Verdict,
};
use hardbop_satcheck::SatEngine;
use hardbop_transform::hide::FewVariables;

fn check(machine: &Machine) -> Outcome {
    let question = Question::assertions(machine);
    let engine = FewVariables {
        engine: Box::new(SatEngine::default()),
        tries_all: false,
    };
    let outcome = engine.check(machine, &question, &Budget::unlimited(), &mut Silent);
    for certificate in &outcome.certificates {
        hardbop_checker::validate(machine, certificate, &NeverInterrupted).unwrap();
    }
    for answer in &outcome.answers {
        match &answer.verdict {
            Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
                hardbop_interpreter::replay(machine, trace).unwrap();
            }
            Verdict::No(_) => {
                assert_eq!(answer.verdict, Verdict::CERTIFIED);
            }
            other => panic!("{other:?}"),
        }
    }
    outcome
}

fn count(outcome: &Outcome, name: &str) -> u64 {
    outcome.statistics.get(name).unwrap()
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
        assert!(terms < 40 * blocks, "{name}: {terms} terms");
        let is_reached =
            |answer: &hardbop_outcome::Answer| matches!(answer.verdict, Verdict::Yes(_));
        assert_eq!(outcome.answers.iter().any(is_reached), fails, "{name}");
    }
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
fn all_variables_that_explain_a_path_are_tracked_together() {
    let outcome = check(&from_text("equal.bp", EQUAL).unwrap());
    assert!(outcome.answers[0].verdict.is_no_for_all_runs());
    assert!(count(&outcome, "few-variables-questions") <= 3);
}

#[test]
fn only_programs_that_are_too_large_for_all_variables_are_asked_about_few() {
    let engine = FewVariables {
        engine: Box::new(SatEngine::default()),
        tries_all: true,
    };
    let questions = |machine: &Machine, question: &Question| {
        let outcome = engine.check(machine, question, &Budget::unlimited(), &mut Silent);
        assert!(outcome.answers.iter().all(|a| !a.verdict.is_unknown()));
        let asked = outcome.statistics.get("few-variables-questions");
        asked.unwrap_or(0)
    };
    // All variables matter, and there are few terms.
    let levels = family("tn", 20);
    assert_eq!(questions(&levels, &Question::label(&levels, "reach")), 0);
    let driver = family("driver-safe", 5);
    assert!(questions(&driver, &Question::assertions(&driver)) > 0);
}
