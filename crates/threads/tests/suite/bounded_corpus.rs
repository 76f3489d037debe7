//! Other tools' programs with threads, read beside the project where they are present.

use hardbop_interpreter::replay;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::{Bound, Budget, Engine, Evidence, Question, Silent, Support, Verdict};
use hardbop_testkit::{shared, shared_programs};
use hardbop_threads::BoundedEngine;

pub(crate) fn machine(path: &str) -> Option<Machine> {
    let text = std::fs::read(shared(&format!("corpus/{path}"))?).expect("a file can be read");
    let text = String::from_utf8_lossy(&text);
    Some(from_text(path, &text).unwrap_or_else(|errors| panic!("{path}: {errors:?}")))
}

/// Per target the least number of switches with which it is reached; every run is replayed.
fn least(machine: &Machine, question: &Question, switches: u32) -> Vec<Option<u32>> {
    let question = question.clone().within(Bound::ContextSwitches(switches));
    let budget = Budget {
        threads: Some(3),
        nodes: Some(1 << 22),
        ..Budget::unlimited()
    };
    let outcome = BoundedEngine.check(machine, &question, &budget, &mut Silent);
    let answers = outcome.answers.iter().map(|answer| {
        let Verdict::Yes(Support::Evidence(Evidence::Run(trace))) = &answer.verdict else {
            return None;
        };
        replay(machine, trace).unwrap_or_else(|error| panic!("{error}"));
        let init = u32::from(machine.init.is_some());
        let segments = trace.segments.len() as u32;
        Some(segments.saturating_sub(1 + init))
    });
    answers.collect()
}

#[test]
fn boppo_threads_have_the_verdicts_of_their_descriptions() {
    for name in ["Threads1", "Threads2", "Threads3", "Threads4"] {
        let Some(machine) = machine(&format!("boppo/{name}/main.bp")) else {
            return;
        };
        let description = shared(&format!("corpus/boppo/{name}/test.desc"));
        let description = std::fs::read_to_string(description.unwrap()).unwrap();
        let options: Vec<&str> = description
            .lines()
            .nth(2)
            .unwrap_or("")
            .split(' ')
            .collect();
        let label = options.iter().position(|&word| word == "-l");
        let question = match label {
            Some(at) => Question::label(&machine, options[at + 1]),
            None => Question::assertions(&machine),
        };
        let fails = description.contains("VERIFICATION FAILED");
        let found = least(&machine, &question, 4);
        assert_eq!(found.iter().any(Option::is_some), fails, "{name}");
    }
}

#[test]
fn dekker_fails_only_where_its_head_says() {
    if let Some(machine) = machine("duet/dekker.bp") {
        let found = least(&machine, &Question::assertions(&machine), 5);
        assert_eq!(found, [None, Some(2)]);
    }
}

/// Each thread adds the other's number to its own; the label asks for a number that only the
/// fullest interleaving gives.
#[test]
fn fibonacci_is_reached_only_where_it_should_be() {
    // Each number more takes two switches more; that of `fib_5` is looked for below its bound only,
    // which is quick.
    let cases = [
        ("fib_3_safe", 8, None),
        ("fib_3_unsafe", 8, Some(6)),
        ("fib_4_unsafe", 8, Some(8)),
        ("fib_5_unsafe", 6, None),
    ];
    for (name, most, expected) in cases {
        let Some(machine) = machine(&format!("getafix/{name}.bp")) else {
            return;
        };
        let question = Question::label(&machine, "SLIC_ERROR");
        assert_eq!(least(&machine, &question, most), [expected], "{name}");
    }
}

#[test]
fn ijit_programs_survive_within_a_budget() {
    for path in shared_programs("corpus/ijit") {
        let text = std::fs::read_to_string(&path).expect("a file can be read");
        let machine = from_text("ijit", &text).unwrap_or_else(|errors| panic!("{errors:?}"));
        let question = Question::assertions(&machine);
        assert_eq!(
            least(&machine, &question, 3).len(),
            question.targets().len()
        );
    }
}
