//! Other tools' programs with threads, read beside the project where they are present: exact
//! answers, checked.

use crate::bounded_corpus::machine;
use hardbop_interpreter::replay;
use hardbop_machine::Machine;
use hardbop_outcome::{
    Budget, Engine, Evidence, NeverInterrupted, Question, Silent, Support, Verdict,
};
use hardbop_threads::InterleavingEngine;

/// Per target whether it is reached; runs are replayed and certificates checked.
fn reached(machine: &Machine, question: &Question) -> Vec<bool> {
    let budget = Budget {
        nodes: Some(1 << 22),
        ..Budget::unlimited()
    };
    let engine = InterleavingEngine::default();
    let outcome = engine.check(machine, question, &budget, &mut Silent);
    for certificate in &outcome.certificates {
        hardbop_checker::validate(machine, certificate, &NeverInterrupted)
            .unwrap_or_else(|rejected| panic!("{rejected}"));
    }
    let answers = outcome.answers.iter().map(|answer| match &answer.verdict {
        Verdict::Yes(Support::Evidence(Evidence::Run(trace))) => {
            replay(machine, trace).unwrap_or_else(|error| panic!("{error}"));
            true
        }
        Verdict::No(_) => false,
        other => panic!("{other:?}"),
    });
    answers.collect()
}

#[test]
fn dekker_fails_only_where_its_head_says() {
    if let Some(machine) = machine("duet/dekker.bp") {
        let question = Question::assertions(&machine);
        assert_eq!(reached(&machine, &question), [false, true]);
    }
}

#[test]
fn boppo_threads_have_the_verdicts_of_their_descriptions() {
    let fails: &[bool] = &[true];
    let cases = [
        ("Threads1", fails),
        ("Threads2", fails),
        ("Threads3", fails),
        ("Threads4", &[]),
    ];
    for (name, expected) in cases {
        if let Some(machine) = machine(&format!("boppo/{name}/main.bp")) {
            let question = Question::assertions(&machine);
            assert_eq!(reached(&machine, &question), expected, "{name}");
        }
    }
}

#[test]
fn fibonacci_is_reached_only_where_it_should_be() {
    let cases = [
        ("fib_3_safe", false),
        ("fib_3_unsafe", true),
        ("fib_4_unsafe", true),
        ("fib_5_unsafe", true),
    ];
    for (name, expected) in cases {
        if let Some(machine) = machine(&format!("getafix/{name}.bp")) {
            let question = Question::label(&machine, "SLIC_ERROR");
            assert_eq!(reached(&machine, &question), [expected], "{name}");
        }
    }
}
